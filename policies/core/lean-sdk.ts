import { createRequire } from "node:module";

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
  const sdk = createRequire(__filename)("@pulumi/policy/deserialize") as { deserializeProperties?: Deserialize };
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

/** A request as the SDK's server gets it, and its answer. */
type Handler = (
  call: { readonly request: ConfigureRequest },
  answer: (error: unknown, value?: unknown) => void,
) => void;

interface ConfigureRequest {
  getPolicyconfigMap(): {
    entries(): Iterable<[string, { getProperties(): { toJavaScript(): Record<string, unknown> } }]>;
  };
}

interface Server {
  addService: (this: Server, service: unknown, handlers: Record<string, unknown>) => void;
}

/**
 * Lets a pack refuse a configuration that its rules cannot follow: the engine hands on what no schema forbids, and SDK
 * and rules would leave it aside in silence.
 *
 * @param check throws what is wrong with the parameters of the rules, by rule
 */
export function checkConfiguration(check: (config: Record<string, Record<string, unknown>>) => void): void {
  const ofSdk = createRequire(require.resolve("@pulumi/policy"));
  const { Server } = ofSdk("@grpc/grpc-js") as { Server: { prototype: Server } };
  const addService = Server.prototype.addService;
  Server.prototype.addService = function (service, handlers) {
    const configure = handlers["configure"] as Handler;
    const checked: Handler = (call, answer) => {
      try {
        const given = [...call.request.getPolicyconfigMap().entries()];
        check(Object.fromEntries(given.map(([rule, entry]) => [rule, entry.getProperties().toJavaScript()])));
      } catch (error) {
        return answer({ code: invalidArgument, details: (error as Error).message });
      }
      configure(call, answer);
    };
    addService.call(this, service, { ...handlers, configure: checked });
  };
}

/** @see https://grpc.io/docs/guides/status-codes/ */
const invalidArgument = 3;
