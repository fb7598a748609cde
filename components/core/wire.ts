import { isRecord } from "./reader/records";
import { isUnknown, unknownSentinels } from "./reader/truth";

/**
 * Property values as they travel between a Pulumi program and the engine.
 *
 * @see https://github.com/pulumi/pulumi/blob/v3.248.0/sdk/nodejs/runtime/rpc.ts
 */

/** Stands for a value that is known only after the update; the form the SDK sends. */
export const unknownSentinel = unknownSentinels.text;

const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";
const outputSignature = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
const resourceSignature = "5cf8f73096256a8f31e491e813e4eb8e";

/** An unknown value inside the result of a provider function, where the SDK treats the sentinel as no value. */
export const unknownOutput = { [signatureKey]: outputSignature };

export type Properties = Record<string, unknown>;

/**
 * Properties without the wrappers of secrets, output values and resource references, and the paths of the secret ones.
 * Unknown values stay as the sentinel. Parts without wrappers are not copied: a large plan has thousands of resources.
 */
export function unwrap(wire: Properties) {
  const secretPaths: string[] = [];

  const walk = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) {
      const items = value.map((item: unknown, index) => walk(item, `${path}[${index}]`));
      return items.every((item, index) => item === value[index]) ? value : items;
    }
    if (value === null || typeof value !== "object") return value;
    const object = value as Properties;
    switch (object[signatureKey]) {
      case secretSignature:
        secretPaths.push(path);
        return walk(object["value"], path);
      case outputSignature:
        if (object["secret"] === true) secretPaths.push(path);
        return "value" in object ? walk(object["value"], path) : unknownSentinel;
      case resourceSignature:
        return object["urn"];
      default: {
        const items = Object.entries(object).map(
          ([key, item]) => [key, walk(item, path === "" ? key : `${path}.${key}`)] as const,
        );
        return items.every(([key, item]) => item === object[key]) ? object : Object.fromEntries(items);
      }
    }
  };

  return { properties: walk(wire, "") as Properties, secretPaths };
}

/** A value that the state encrypts. */
export function secretValue(value: unknown): Properties {
  return { [signatureKey]: secretSignature, value };
}

/** A resource as a value. An empty id is one that is not known yet; a component has none. */
export function resourceReference(urn: string, packageVersion: string, id?: string): Properties {
  return { [signatureKey]: resourceSignature, urn, packageVersion, ...(id !== undefined && { id }) };
}

/** The URNs of the dependencies of all output values in a value, each once. */
export function dependenciesIn(wire: unknown): string[] {
  if (Array.isArray(wire)) return [...new Set(wire.flatMap(dependenciesIn))];
  if (!isRecord(wire)) return [];
  const own = wire[signatureKey] === outputSignature ? wire["dependencies"] : undefined;
  const inner = Object.entries(wire).flatMap(([key, item]) =>
    key === "dependencies" && own ? [] : dependenciesIn(item),
  );
  return [...new Set([...(Array.isArray(own) ? own.map(String) : []), ...inner])];
}

/** Whether a value is known only after the update, or contains one that is. */
export function hasUnknown(value: unknown): boolean {
  const isBlock = typeof value === "object" && value !== null;
  return isUnknown(value) || (isBlock && Object.values(value).some(hasUnknown));
}

/** The properties, with the same secret parts as the other properties. */
export function withSecretsOf(properties: Properties, wire: Properties): Properties {
  return marked(properties, wire) as Properties;
}

function marked(value: unknown, wire: unknown): unknown {
  if (value === undefined) return value;
  if (Array.isArray(wire)) return Array.isArray(value) ? value.map((item, index) => marked(item, wire[index])) : value;
  if (!isRecord(wire) || isSecret(value)) return value;
  if (isSecret(wire)) return secretValue(value);
  if (wire[signatureKey] === outputSignature && wire["secret"] === true) return secretValue(value);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, marked(item, wire[key])]));
}

function isSecret(value: unknown): boolean {
  return isRecord(value) && value[signatureKey] === secretSignature;
}

/** The SDK prints the `details` of a failed call, which only gRPC errors have. */
export function asRpcError(error: unknown): unknown {
  return error instanceof Error ? Object.assign(error, { details: error.message }) : error;
}

/** Properties that a protobuf Struct accepts: without undefined, which is null in a list. */
export function withoutUndefinedInside(value: Properties): Properties {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [[key, definedInside(item)]])),
  );
}

function definedInside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => (item === undefined ? null : definedInside(item)));
  return isRecord(value) ? withoutUndefinedInside(value) : value;
}
