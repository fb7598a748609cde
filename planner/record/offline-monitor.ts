import type { Callback } from "@pulumi/pulumi/proto/callback_pb";
import type * as Providers from "@pulumi/pulumi/proto/provider_pb";
import type * as Resources from "@pulumi/pulumi/proto/resource_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import {
  asRpcError,
  unknownSentinel,
  unwrap,
  withoutUndefinedInside,
  type Properties,
} from "../../components/core/wire";
import { optionalProperty } from "../../components/core/reader/records";
import { unseenOf } from "../facts/creators";
import { awaited } from "../lookups/sdk-lookups";
import { childrenOf, type Child } from "../manifests/children";
import { manifestsOf } from "../manifests/manifest-components";
import type { PulumiRuntime } from "../program/pulumi-runtime";
import { asAnalyzed, recorded, stackType, type RecordedResource } from "./recorded-resource";
import { Transforms } from "./transforms";

/** The answers of the cloud. A plan uses them instead of a provider. */
export interface Cloud {
  /** Outputs other than inputs that are known before the update, e.g. `id`. All other outputs are unknown. */
  outputsOf(resource: { type: string; name: string; inputs: Properties }): Properties;
  /** The result of a provider function such as `aws:index/getAvailabilityZones:getAvailabilityZones`. */
  call(token: string, args: Properties, invocation?: Invocation): Properties;
}

/** How a program calls a provider function. */
export interface Invocation {
  /** Whether it awaits the result, so that it needs plain values. */
  readonly isAwaited: boolean;
  /** The region of its provider. @default that of the stack */
  readonly region?: string;
}

interface MonitorOptions {
  readonly project: string;
  readonly stack: string;
  readonly cloud: Cloud;
  /** Gets each resource that the program registers, in order. */
  readonly onResource: (resource: RecordedResource) => void;
  /** Gets the outputs of the stack, in wire form. */
  readonly onStackOutputs: (outputs: Properties) => void;
}

/**
 * The engine's side of a first preview without providers: methods of the gRPC service `pulumirpc.ResourceMonitor`, to be
 * called in this process. Resource hooks are accepted, but do not run.
 */
export function offlineMonitor(pulumi: PulumiRuntime, options: MonitorOptions) {
  const monitor = new OfflineMonitor(pulumi, options);
  const { transforms } = monitor;
  return {
    registerResource: answer((request: Resources.RegisterResourceRequest) => monitor.register(request)),
    registerResourceOutputs: answer((request: Resources.RegisterResourceOutputsRequest) =>
      monitor.registerOutputs(request),
    ),
    readResource: answer((request: Resources.ReadResourceRequest) => monitor.read(request)),
    invoke: answer((request: Resources.ResourceInvokeRequest) => monitor.invoke(request)),
    call: answer(() => monitor.call()),
    registerStackTransform: answer((callback: Callback) => void transforms.ofStack.push(callback)),
    registerStackInvokeTransform: answer((callback: Callback) => void transforms.ofInvokes.push(callback)),
    registerResourceHook: answer(() => undefined),
    registerErrorHook: answer(() => undefined),
  };
}

class OfflineMonitor {
  readonly transforms: Transforms;
  /** What `pulumi:pulumi:getResource` reads. */
  readonly #states = new Map<string, { id: string; state: Properties }>();
  /** By the URN of what they describe. */
  readonly #files = new Map<string, string>();

  constructor(
    private readonly pulumi: PulumiRuntime,
    private readonly options: MonitorOptions,
  ) {
    this.transforms = new Transforms(pulumi);
  }

  /** @param describedBy the file that describes the resource, if it is not the program */
  async register(
    request: Resources.RegisterResourceRequest,
    describedBy?: string,
  ): Promise<Resources.RegisterResourceResponse> {
    const urn = engineUrn(this.options, request);
    // The engine rejects the second of two resources with the same type, parent and name.
    if (this.#states.has(urn)) throw new Error(`duplicate resource URN ${urn}: rename one of the two resources`);
    this.#states.set(urn, { id: "", state: {} });
    await this.transforms.apply(urn, request);
    const inputs = wireOf(request.getObject());
    const plain = recorded(urn, request, inputs);
    const { type, name } = plain;
    const manifests = manifestsOf(type, name, inputs);
    const unseen = unseenOf(asAnalyzed(plain), manifests?.unread);
    const file = describedBy ?? this.#fileOf(plain);
    const resource = { ...plain, ...optionalProperty("file", file), ...(unseen.length > 0 && { unseen }) };
    this.options.onResource(resource);
    const { id, ...outputs } = this.options.cloud.outputsOf({ type, name, inputs: resource.inputs });
    const state = isEmpty(outputs) ? inputs : { ...inputs, ...outputs };
    const response = new this.pulumi.resources.RegisterResourceResponse();
    response.setUrn(urn);
    response.setId(typeof id === "string" ? id : "");
    response.setObject(isEmpty(outputs) ? request.getObject() : this.#structOf(state));
    this.#states.set(urn, { id: response.getId(), state });
    if (manifests && resource.remote)
      await this.#registerChildren(urn, request, childrenOf(manifests.objects, name, inputs));
    return response;
  }

  /** The resources that the provider of a component of YAML registers. */
  async #registerChildren(
    urn: string,
    request: Resources.RegisterResourceRequest,
    children: readonly Child[],
  ): Promise<void> {
    for (const { type, name, inputs, file } of children) {
      const child = new this.pulumi.resources.RegisterResourceRequest();
      child.setType(type);
      child.setName(name);
      child.setParent(urn);
      child.setCustom(true);
      child.setObject(this.#structOf(inputs));
      child.setProvider(request.getProvidersMap().get("kubernetes") ?? "");
      await this.register(child, file);
    }
  }

  /** The SDK of the program registers the objects of a `yaml.ConfigFile` below it. */
  #fileOf({ urn, type, name, parent = "", inputs }: RecordedResource): string | undefined {
    const { file = name } = inputs;
    const own = type === "kubernetes:yaml:ConfigFile" ? String(file) : this.#files.get(parent);
    if (own !== undefined) this.#files.set(urn, own);
    return own;
  }

  registerOutputs(request: Resources.RegisterResourceOutputsRequest): void {
    const urn = request.getUrn();
    const state = wireOf(request.getOutputs());
    this.#states.set(urn, { id: "", state });
    if (urn.split("::")[2] === stackType) this.options.onStackOutputs(state);
  }

  /** A stack reference, or a resource that the program gets by its id. */
  read(request: Resources.ReadResourceRequest): Resources.ReadResourceResponse {
    const urn = engineUrn(this.options, request);
    const inputs = wireOf(request.getProperties());
    const { properties } = unwrap(inputs);
    const outputs = this.options.cloud.outputsOf({
      type: request.getType(),
      name: request.getName(),
      inputs: properties,
    });
    const state = { ...inputs, ...outputs };
    this.#states.set(urn, { id: request.getId(), state });
    const response = new this.pulumi.resources.ReadResourceResponse();
    response.setUrn(urn);
    response.setProperties(this.#structOf(state));
    return response;
  }

  async invoke(request: Resources.ResourceInvokeRequest): Promise<Providers.InvokeResponse> {
    await this.transforms.applyToInvoke(request);
    const token = request.getTok();
    const args = wireOf(request.getArgs());
    const isAwaited = request.getPlugindownloadurl() === awaited;
    const region = args["region"] ?? this.#states.get(providerOf(request))?.state["region"];
    const invocation = { isAwaited, ...(typeof region === "string" && { region }) };
    const result =
      token === "pulumi:pulumi:getResource"
        ? this.#stateOf(String(args["urn"]))
        : this.options.cloud.call(token, args, invocation);
    const response = new this.pulumi.providers.InvokeResponse();
    response.setReturn(this.#structOf(result));
    return response;
  }

  /** The method of a component in another process: its result is unknown. */
  call(): Providers.CallResponse {
    const response = new this.pulumi.providers.CallResponse();
    response.setReturn(this.#structOf({ result: unknownSentinel }));
    return response;
  }

  #stateOf(urn: string): Properties {
    const found = this.#states.get(urn);
    if (!found) throw new Error(`unknown resource ${urn}`);
    return { urn, ...found };
  }

  #structOf(properties: Properties): Struct {
    return this.pulumi.structs.Struct.fromJavaScript(
      withoutUndefinedInside(properties) as ReturnType<Struct["toJavaScript"]>,
    );
  }
}

/** The URN in a reference to a provider, which ends with its id. */
function providerOf(request: Resources.ResourceInvokeRequest): string {
  return request.getProvider().split("::").slice(0, 4).join("::");
}

function wireOf(struct: Struct | undefined): Properties {
  return struct?.toJavaScript() ?? {};
}

function isEmpty(properties: Properties): boolean {
  return Object.keys(properties).length === 0;
}

/** A method that answers with the result of the function, or with its error. */
function answer<Request, Response>(respond: (request: Request) => Response | Promise<Response>) {
  return (request: Request, callback: (error: unknown, response?: Response) => void): void =>
    void Promise.resolve(request)
      .then(respond)
      .then(
        (response) => callback(null, response),
        (error: unknown) => callback(asRpcError(error)),
      );
}

/** A URN as the engine builds it: with the type of every parent except the stack. */
function engineUrn(
  { stack, project }: MonitorOptions,
  request: Resources.RegisterResourceRequest | Resources.ReadResourceRequest,
): string {
  const parentType = request.getParent().split("::")[2];
  const type = parentType && parentType !== stackType ? `${parentType}$${request.getType()}` : request.getType();
  return [`urn:pulumi:${stack}`, project, type, request.getName()].join("::");
}
