import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import * as grpc from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { ResourceMonitorService } from "@pulumi/pulumi/proto/resource_grpc_pb";
import * as monitor from "@pulumi/pulumi/proto/resource_pb";
import type { Message } from "google-protobuf";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { Properties } from "../../../components/core/wire";
import { createCloud } from "../../../simulation/create-cloud";
import { fromStruct, plainProperties, toStruct, unary } from "../../../simulation/provider/rpc/messages";

/** A resource that the provider registered. */
export interface Registered {
  readonly type: string;
  readonly name: string;
  readonly deletedWith: string;
}

/** The component provider as the engine starts it, with a resource monitor that accepts everything, as in a preview. */
export interface ProviderProcess {
  /** What it prints before its port. */
  readonly printed: readonly string[];
  readonly registered: Registered[];
  schema(): Promise<string>;
  construct(request: ConstructArgs): Promise<{ readonly urn: string; readonly state: Properties }>;
  stop(): void;
}

export interface ConstructArgs {
  readonly type: string;
  readonly name: string;
  readonly inputs: Properties;
  /** A URN. */
  readonly deletedWith?: string;
}

const urnOf = (type: string, name: string) => `urn:pulumi:gpu-lab::test::${type}::${name}`;
const kubernetes = `${urnOf("pulumi:providers:kubernetes", "cluster")}::id`;

/** Starts dist/provider.js, as the folder `provider` names it. */
export async function startProvider(folder = "provider"): Promise<ProviderProcess> {
  const registered: Registered[] = [];
  const server = new grpc.Server();
  server.addService(ResourceMonitorService, monitorMethods(registered));
  server.addService(EngineService, {
    log: unary(
      () => Promise.resolve(new Empty()),
      () => undefined,
    ),
  });
  const engine = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    ),
  );
  const child = spawn(process.execPath, [folder, `127.0.0.1:${engine}`], { stdio: ["ignore", "pipe", "inherit"] });
  const [port = "", ...printed] = await firstLines(child.stdout);
  const client = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
  return {
    printed,
    registered,
    schema: async () =>
      (await call<proto.GetSchemaResponse>((done) => client.getSchema(new proto.GetSchemaRequest(), done))).getSchema(),
    async construct(args) {
      const response = await call<proto.ConstructResponse>((done) =>
        client.construct(constructRequest(args, engine), done),
      );
      return { urn: response.getUrn(), state: fromStruct(response.getState()) };
    },
    stop() {
      client.close();
      child.kill();
      server.forceShutdown();
    },
  };
}

/** The lines up to the port, last one first. */
async function firstLines(stdout: NodeJS.ReadableStream): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of createInterface(stdout)) {
    lines.unshift(line);
    if (/^\d+$/.test(line)) break;
  }
  return lines;
}

function constructRequest({ type, name, inputs, deletedWith = "" }: ConstructArgs, engine: number) {
  const request = new proto.ConstructRequest()
    .setProject("test")
    .setStack("gpu-lab")
    .setDryrun(true)
    .setParallel(4)
    .setMonitorendpoint(`127.0.0.1:${engine}`)
    .setType(type)
    .setName(name)
    .setDeletedwith(deletedWith)
    .setInputs(toStruct(inputs));
  request.getProvidersMap().set("kubernetes", kubernetes);
  return request;
}

function call<Response>(
  method: (done: (error: grpc.ServiceError | null, response: Response) => void) => unknown,
): Promise<Response> {
  return new Promise((resolve, reject) =>
    method((error, response) => (error ? reject(new Error(error.details)) : resolve(response))),
  );
}

function monitorMethods(registered: Registered[]) {
  const cloud = createCloud();
  const answer = <Request extends Message, Response extends Message>(handler: (request: Request) => Response) =>
    unary<Request, Response>(
      (request) => Promise.resolve(handler(request)),
      () => undefined,
    );
  return {
    supportsFeature: answer(() => new monitor.SupportsFeatureResponse().setHassupport(true)),
    registerResource: answer((request: monitor.RegisterResourceRequest) => {
      const [type, name] = [request.getType(), request.getName()];
      registered.push({ type, name, deletedWith: request.getDeletedwith() });
      return new monitor.RegisterResourceResponse()
        .setUrn(urnOf(type, name))
        .setObject(toStruct(plainProperties(request.getObject())));
    }),
    registerResourceOutputs: answer(() => new Empty()),
    invoke: answer((request: monitor.ResourceInvokeRequest) => {
      const result = toStruct(cloud.call(request.getTok(), fromStruct(request.getArgs())));
      // Newer SDKs have another class for the answer, with the same encoding.
      const bytes = new proto.InvokeResponse().setReturn(result).serializeBinary();
      return ResourceMonitorService.invoke.responseDeserialize(Buffer.from(bytes));
    }),
  };
}
