import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { nearest } from "./suggest";

/** Keys that a provider accepts in addition to the arguments of its class. `assumeRole` is the older form. */
const additionalKeys: Readonly<Record<string, readonly string[]>> = { aws: ["assumeRole"] };

const known = new Map<string, readonly string[]>();

/**
 * The configuration keys of a provider, without its namespace: the arguments of its class in the installed SDK, whose source is
 * read, because loading the class takes seconds. Empty if the SDK is not installed or has another form.
 *
 * @param from a file or folder whose SDK counts
 */
export function providerKeys(provider: string, from = __filename): readonly string[] {
  const place = `${provider} ${from}`;
  const keys = known.get(place) ?? [...argumentsOf(provider, from), ...(additionalKeys[provider] ?? [])];
  known.set(place, keys);
  return keys;
}

function argumentsOf(provider: string, from: string): string[] {
  try {
    const source = readFileSync(createRequire(from).resolve(`@pulumi/${provider}/provider`), "utf8");
    return [...new Set([...source.matchAll(/resourceInputs\["(\w+)"\]/g)].flatMap(([, key]) => key ?? []))];
  } catch {
    return [];
  }
}

/** The key of a provider that a mistyped one means; undefined for a key of the provider, and for one that resembles none. */
export function providerKeyMeant(key: string, keys: readonly string[]): string | undefined {
  const [first = key] = key.split(/[.[]/);
  return keys.includes(first) ? undefined : nearest(first, keys);
}
