import type { Callback } from "@pulumi/pulumi/proto/callback_pb";
import type * as Resources from "@pulumi/pulumi/proto/resource_pb";
import type { PulumiRuntime } from "../program/pulumi-runtime";

/**
 * The functions of a program that change its resources and its calls of provider functions: `transforms` of a resource,
 * `registerResourceTransform` and `registerInvokeTransform`. The SDK registers them with the engine, which calls them.
 *
 * @see https://github.com/pulumi/pulumi/blob/v3.248.0/pkg/resource/deploy/source_eval.go
 */
export class Transforms {
  readonly #ofResource = new Map<string, readonly Callback[]>();
  readonly #parents = new Map<string, string>();
  /** Of every resource, and of every call. */
  readonly ofStack: Callback[] = [];
  readonly ofInvokes: Callback[] = [];

  constructor(private readonly pulumi: PulumiRuntime) {}

  /** Runs the transforms of the resource, then those of its parents, then those of the stack. */
  async apply(urn: string, request: Resources.RegisterResourceRequest): Promise<void> {
    const own = request.getTransformsList();
    this.#parents.set(urn, request.getParent());
    if (own.length > 0) this.#ofResource.set(urn, own);
    const callbacks = this.#callbacksFor(urn);
    if (callbacks.length === 0) return;
    const { TransformResponse } = this.pulumi.resources;
    const transform = transformRequest(this.pulumi, request);
    for (const callback of callbacks) {
      const response = TransformResponse.deserializeBinary(
        await run(this.pulumi, callback, transform.serializeBinary()),
      );
      transform.setProperties(response.getProperties() ?? transform.getProperties());
      transform.setOptions(response.getOptions() ?? transform.getOptions());
    }
    adopt(request, transform);
  }

  async applyToInvoke(request: Resources.ResourceInvokeRequest): Promise<void> {
    const { TransformInvokeRequest, TransformInvokeResponse } = this.pulumi.resources;
    for (const callback of this.ofInvokes) {
      const transform = new TransformInvokeRequest();
      transform.setToken(request.getTok());
      transform.setArgs(request.getArgs());
      const response = TransformInvokeResponse.deserializeBinary(
        await run(this.pulumi, callback, transform.serializeBinary()),
      );
      request.setArgs(response.getArgs() ?? request.getArgs());
    }
  }

  #callbacksFor(urn: string): readonly Callback[] {
    const callbacks: Callback[] = [];
    for (let current: string | undefined = urn; current; current = this.#parents.get(current))
      callbacks.push(...(this.#ofResource.get(current) ?? []));
    return [...callbacks, ...this.ofStack];
  }
}

/**
 * Calls the function in this async context, which holds the state of the program run. A call through the gRPC server of
 * the SDK would lose it.
 */
async function run(pulumi: PulumiRuntime, callback: Callback, request: Uint8Array): Promise<Uint8Array> {
  const call = pulumi.state.getStore().callbacks?._callbacks?.get(callback.getToken());
  if (!call) throw new Error("this version of @pulumi/pulumi runs transforms in a way that a plan does not support");
  return (await call(request)).serializeBinary();
}

/** What the engine tells a transform about a resource. */
function transformRequest(pulumi: PulumiRuntime, request: Resources.RegisterResourceRequest) {
  const options = new pulumi.resources.TransformResourceOptions();
  options.setDependsOnList(request.getDependenciesList());
  options.setIgnoreChangesList(request.getIgnorechangesList());
  options.setReplaceOnChangesList(request.getReplaceonchangesList());
  options.setAdditionalSecretOutputsList(request.getAdditionalsecretoutputsList());
  options.setAliasesList(request.getAliasesList());
  options.setVersion(request.getVersion());
  options.setProvider(request.getProvider());
  options.setPluginDownloadUrl(request.getPlugindownloadurl());
  options.setDeletedWith(request.getDeletedwith());
  options.setReplaceWithList(request.getReplaceWithList());
  options.setImport(request.getImportid());
  options.setCustomTimeouts(request.getCustomtimeouts());
  options.setHooks(request.getHooks());
  if (request.hasProtect()) options.setProtect(request.getProtect() ?? false);
  if (request.hasRetainondelete()) options.setRetainOnDelete(request.getRetainondelete() ?? false);
  if (request.getDeletebeforereplacedefined()) options.setDeleteBeforeReplace(request.getDeletebeforereplace());

  const transform = new pulumi.resources.TransformRequest();
  transform.setType(request.getType());
  transform.setName(request.getName());
  transform.setParent(request.getParent());
  transform.setCustom(request.getCustom());
  transform.setProperties(request.getObject());
  transform.setOptions(options);
  return transform;
}

/** Gives the registration what its transforms returned: the properties, and the options that a plan shows. */
function adopt(request: Resources.RegisterResourceRequest, transform: Resources.TransformRequest): void {
  const properties = transform.getProperties();
  request.setObject(properties);
  const dependencies = request.getPropertydependenciesMap();
  for (const key of [...dependencies.keys()]) if (!properties?.getFieldsMap().has(key)) dependencies.del(key);

  const options = transform.getOptions();
  if (!options) return;
  request.setDependenciesList(options.getDependsOnList());
  request.setIgnorechangesList(options.getIgnoreChangesList());
  request.setProvider(options.getProvider());
  request.setDeletedwith(options.getDeletedWith());
  request.setCustomtimeouts(options.getCustomTimeouts());
  request.setDeletebeforereplace(options.getDeleteBeforeReplace() ?? false);
  request.setRetainondelete(options.getRetainOnDelete() ?? false);
  request.setProtect(options.getProtect() ?? false);
}
