import { distance } from "fastest-levenshtein";
import type { Problem } from "../../components";
import { providerKeyMeant, providerKeys } from "../../components/core/provider-keys";
import { nearest } from "../../components/core/suggest";

/** The providers of a lab, whose keys a stack may set. */
const providers = ["aws", "eks", "kubernetes"] as const;

/** The most letters by which a mistyped namespace differs. */
const mostDifferences = 2;

/**
 * The problems of configuration keys outside the project's namespace. Pulumi ignores a key of a namespace that nothing
 * reads, and a provider a key that it does not know. Keys that resemble no known key are accepted: another program may
 * read them.
 *
 * @param all every configuration value by full key
 * @param own the project's namespace
 */
export function foreignKeyProblems(
  all: Readonly<Record<string, string>>,
  own: string,
  ownKeys: readonly string[],
): Problem[] {
  return Object.entries(all).flatMap(([name, got]): Problem[] => {
    const colon = name.indexOf(":");
    const [namespace, key] = [name.slice(0, colon), name.slice(colon + 1)];
    if (namespace === own || namespace === "pulumi") return [];
    const known = keysOfProvider(namespace);
    if (known) return ofProvider(name, namespace, key, known);
    const meant =
      isMistyped(namespace, own) || isPart(namespace, own, key, ownKeys) ? own : providerMeant(namespace, key);
    if (meant === undefined) return [];
    const right = `${meant}:${nearest(key, meant === own ? ownKeys : (keysOfProvider(meant) ?? [])) ?? key}`;
    const why = `Nothing reads the namespace ${namespace}, so the value has no effect.`;
    return [{ code: "unknown-key", path: name, got: meant === own ? got : "a value", why, fix: renamed(name, right) }];
  });
}

/** The value may be a secret, such as a key of an account. */
function ofProvider(name: string, provider: string, key: string, known: readonly string[]): Problem[] {
  const meant = providerKeyMeant(key, known);
  if (meant === undefined) return [];
  const why = `The provider ${provider} has no such key, so the value has no effect.`;
  return [{ code: "unknown-key", path: name, got: "a value", why, fix: renamed(name, `${provider}:${meant}`) }];
}

function renamed(from: string, to: string): string {
  return `rename ${from} to ${to}`;
}

function isMistyped(given: string, known: string): boolean {
  return distance(given.toLowerCase(), known) <= mostDifferences;
}

/** A key of the project in a namespace such as `gpu-lab`, which is the name of a stack. */
function isPart(given: string, own: string, key: string, ownKeys: readonly string[]): boolean {
  const [first = key] = key.split(/[.[]/);
  return ownKeys.includes(first) && (given.includes(own) || own.includes(given));
}

/** The provider that a mistyped namespace means. Names are short, so the key must be one of the provider's. */
function providerMeant(namespace: string, key: string): string | undefined {
  return providers.find((name) => isMistyped(namespace, name) && keysOfProvider(name)?.includes(key));
}

/** The keys of a provider of labs; undefined for another namespace. */
function keysOfProvider(name: string): readonly string[] | undefined {
  const provider = providers.find((one) => one === name);
  return provider && providerKeys(provider);
}
