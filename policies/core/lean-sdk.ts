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
