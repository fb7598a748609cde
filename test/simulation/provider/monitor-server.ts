import * as grpc from "@grpc/grpc-js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { InvokeResponse } from "@pulumi/pulumi/proto/provider_pb";
import { ResourceMonitorService } from "@pulumi/pulumi/proto/resource_grpc_pb";
import * as proto from "@pulumi/pulumi/proto/resource_pb";
import type { Properties } from "../../../components/core/wire";
import { fromStruct, toStruct } from "../../../simulation/provider/rpc/messages";

export interface Registration {
  readonly type: string;
  readonly name: string;
  readonly parent: string;
  readonly custom: boolean;
  readonly provider: string;
  readonly version: string;
  readonly inputs: Properties;
  readonly dependencies: readonly string[];
  readonly propertyDependencies: Readonly<Record<string, readonly string[]>>;
  readonly ignoreChanges: readonly string[];
  readonly protect: boolean;
  readonly providers: Readonly<Record<string, string>>;
}

/** What the monitor answers for a type: an id and the outputs, or undefined to reject the registration. */
export type Outputs = (type: string, inputs: Properties) => { id: string; outputs: Properties } | undefined;

/** The part of the engine's resource monitor that a component provider uses. It records all registrations. */
export class MonitorServer {
  readonly registrations: Registration[] = [];
  readonly outputs: Record<string, Properties> = {};
  private readonly server = new grpc.Server();
  endpoint = "";

  constructor(
    private readonly outputsOf: Outputs,
    private readonly existing: Readonly<Record<string, Properties>>,
  ) {}

  async listen(): Promise<this> {
    this.server.addService(ResourceMonitorService, {
      registerResource: ((call, respond) => this.register(call.request, respond)) satisfies grpc.handleUnaryCall<
        proto.RegisterResourceRequest,
        proto.RegisterResourceResponse
      >,
      registerResourceOutputs: ((call, respond) => {
        this.outputs[call.request.getUrn()] = fromStruct(call.request.getOutputs());
        respond(null, new Empty());
      }) satisfies grpc.handleUnaryCall<proto.RegisterResourceOutputsRequest, Empty>,
      invoke: ((call, respond) => {
        const urn = String(fromStruct(call.request.getArgs())["urn"]);
        // Newer SDKs have another class for the answer, with the same encoding.
        const bytes = new InvokeResponse().setReturn(toStruct({ urn, ...this.existing[urn] })).serializeBinary();
        respond(null, ResourceMonitorService.invoke.responseDeserialize(Buffer.from(bytes)));
      }) satisfies grpc.handleUnaryCall<proto.ResourceInvokeRequest, InvokeResponse>,
    } satisfies Record<string, grpc.UntypedHandleCall>);
    const port = await new Promise<number>((resolve, reject) => {
      this.server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    this.endpoint = `127.0.0.1:${port}`;
    return this;
  }

  close(): void {
    this.server.forceShutdown();
  }

  private register(
    request: proto.RegisterResourceRequest,
    respond: grpc.sendUnaryData<proto.RegisterResourceResponse>,
  ): void {
    const inputs = fromStruct(request.getObject());
    const propertyDependencies = [...request.getPropertydependenciesMap().entries()].map(
      ([key, dependencies]) => [key, dependencies.getUrnsList()] as const,
    );
    this.registrations.push({
      type: request.getType(),
      name: request.getName(),
      parent: request.getParent(),
      custom: request.getCustom(),
      provider: request.getProvider(),
      version: request.getVersion(),
      inputs,
      dependencies: request.getDependenciesList(),
      propertyDependencies: Object.fromEntries(propertyDependencies),
      ignoreChanges: request.getIgnorechangesList(),
      protect: request.getProtect() === true,
      providers: Object.fromEntries(request.getProvidersMap().entries()),
    });
    const made = request.getCustom() ? this.outputsOf(request.getType(), inputs) : { id: "", outputs: {} };
    if (!made) return respond({ code: grpc.status.UNKNOWN, details: "resource monitor shut down" });
    const response = new proto.RegisterResourceResponse()
      .setUrn(urnOf(request.getType(), request.getName()))
      .setId(made.id)
      .setObject(toStruct({ ...inputs, ...made.outputs }));
    for (const [key, urns] of propertyDependencies) {
      const dependencies = new proto.RegisterResourceResponse.PropertyDependencies().setUrnsList(urns);
      response.getPropertydependenciesMap().set(key, dependencies);
    }
    respond(null, response);
  }
}

export function urnOf(type: string, name: string): string {
  return `urn:pulumi:lab::eks-gpu-lab::${type}::${name}`;
}
