import { createRequire } from "node:module";
import type { AnalyzeRequest, AnalyzeResponse, AnalyzeStackRequest } from "@pulumi/pulumi/proto/analyzer_pb";
import type { AnalyzedResource } from "./resource";

type Deserialize = (properties: object, proxySecrets: boolean) => object;

/**
 * Lets the policies of a pack share the deserialised properties of a request. The SDK makes them anew for each policy, also
 * for those that have nothing to say about the type: with forty policies that is most of the time of an analysis. The rules
 * here only read what they are given.
 *
 * Does nothing where the SDK has no such function: an analysis is then slower, and says the same.
 *
 * @see https://github.com/pulumi/pulumi-policy/blob/v1.21.0/sdk/nodejs/policy/server.ts makeAnalyzeRpcFun
 */
export function shareDeserialisedProperties(): void {
  const sdk = deserialising();
  const deserialise = sdk.deserializeProperties;
  if (typeof deserialise !== "function") return;
  const made = new WeakMap<object, object>();
  sdk.deserializeProperties = (properties, proxySecrets) => {
    // A remediation changes what it is given.
    if (proxySecrets) return deserialise(properties, proxySecrets);
    const known = made.get(properties) ?? deserialise(properties, proxySecrets);
    made.set(properties, known);
    return known;
  };
}

const deserialising = () => ofSdk("@pulumi/policy/deserialize") as { deserializeProperties?: Deserialize };

/** The inputs that a request shows; `undefined` where the SDK cannot read them. */
export function inputsOf(request: AnalyzeRequest): AnalyzedResource | undefined {
  const deserialise = deserialising().deserializeProperties;
  const given = request.getProperties();
  const options = request.getOptions();
  if (typeof deserialise !== "function" || !given || !options) return undefined;
  try {
    return {
      urn: request.getUrn(),
      type: request.getType(),
      name: request.getName(),
      properties: deserialise(given, false) as Record<string, unknown>,
      options: { ignoreChanges: options.getIgnorechangesList() },
    };
  } catch {
    // The policies that are asked say why.
    return undefined;
  }
}

/** Answers one kind of request of the engine. */
type Handler<Request, Response> = (
  call: { readonly request: Request },
  answer: (error: unknown, response?: Response) => void,
) => void;

interface ConfigureRequest {
  getPolicyconfigMap(): {
    entries(): Iterable<[string, { getProperties(): { toJavaScript(): Record<string, unknown> } }]>;
  };
}

/** The handlers of the SDK's server that a pack changes. */
export interface Handlers {
  readonly configure: Handler<ConfigureRequest, object>;
  readonly analyze: Handler<AnalyzeRequest, AnalyzeResponse>;
  readonly analyzeStack: Handler<AnalyzeStackRequest, AnalyzeResponse>;
}

interface Server {
  addService: (this: Server, service: unknown, handlers: Handlers) => void;
}

/** Loads what the SDK itself would load, where several copies are installed. */
export const ofSdk = createRequire(createRequire(__filename).resolve("@pulumi/policy"));

/** Puts other handlers in the place of those that the SDK is about to serve. */
export function changeHandlers(change: (handlers: Handlers) => Handlers): void {
  const { Server } = ofSdk("@grpc/grpc-js") as { Server: { prototype: Server } };
  const addService = Server.prototype.addService;
  Server.prototype.addService = function (service, handlers) {
    addService.call(this, service, change(handlers));
  };
}

/**
 * Lets a pack refuse a configuration that its rules cannot follow: the engine hands on what no schema forbids, and SDK
 * and rules would leave it aside in silence.
 *
 * @param check throws what is wrong with the parameters of the rules, by rule
 */
export function checkedConfiguration(
  configure: Handlers["configure"],
  check: (config: Record<string, Record<string, unknown>>) => void,
): Handlers["configure"] {
  return (call, answer) => {
    try {
      const given = [...call.request.getPolicyconfigMap().entries()];
      check(Object.fromEntries(given.map(([rule, entry]) => [rule, entry.getProperties().toJavaScript()])));
    } catch (error) {
      return answer({ code: invalidArgument, details: (error as Error).message });
    }
    configure(call, answer);
  };
}

/** @see https://grpc.io/docs/guides/status-codes/ */
const invalidArgument = 3;

/** What the resources of a stack depend on, by URN: links to resources of other types among them. */
export function linksIn(request: AnalyzeStackRequest): ReadonlyMap<string, Links> {
  const all = request.getResourcesList();
  const urns = new Set(all.map((resource) => resource.getUrn()));
  const known = (list: readonly string[]) => list.filter((urn) => urns.has(urn));
  return new Map(
    all.map((resource) => {
      const byProperty = [...resource.getPropertydependenciesMap().entries()] as [
        string,
        { getUrnsList(): string[] },
      ][];
      const propertyDependencies = byProperty.map(([name, found]) => [name, known(found.getUrnsList())] as const);
      const dependencies = known(resource.getDependenciesList());
      return [resource.getUrn(), { dependencies, propertyDependencies: Object.fromEntries(propertyDependencies) }];
    }),
  );
}

export type Links = Pick<AnalyzedResource, "dependencies" | "propertyDependencies">;
