import type { Problem } from "../core/problems";

/** Checks that several parts of a node group share. Like those in core they trust no type: configuration feeds them. */

const namePattern = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const prefixPattern = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/**
 * A name of Kubernetes with an optional domain before a slash, as keys of labels and taints are.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
 */
export function qualifiedName(got: unknown, path: string): Problem[] {
  const fix = 'write a name such as "team" or "example.com/team"';
  if (typeof got !== "string") return [{ code: "wrong-type", path, got, why: "It must be a text.", fix }];
  const slash = got.indexOf("/");
  const valid = namePattern.test(got.slice(slash + 1)) && (slash < 0 || prefixPattern.test(got.slice(0, slash)));
  if (valid) return [];
  const why =
    "It must be up to 63 letters, digits, dots, dashes and underscores, letters or digits at both ends, after an optional domain and a slash.";
  return [{ code: "not-allowed", path, got, why, fix }];
}

/** The value of a label or a taint. */
export function labelValue(got: unknown, path: string): Problem[] {
  if (typeof got === "boolean" || (typeof got === "number" && Number.isFinite(got))) {
    return [{ code: "wrong-type", path, got, why: "It must be a text.", fix: `put it in quotes: "${got}"` }];
  }
  const fix = 'write a text such as "research"';
  if (typeof got !== "string") return [{ code: "wrong-type", path, got, why: "It must be a text.", fix }];
  if (got === "" || namePattern.test(got)) return [];
  const why =
    "It must be empty, or up to 63 letters, digits, dots, dashes and underscores with letters or digits at both ends.";
  return [{ code: "not-allowed", path, got, why, fix }];
}

/** The items of a list, or the problem that it is none. */
export function listOf(
  got: unknown,
  path: string,
  example: string,
): { ok: true; items: readonly unknown[] } | { ok: false; problems: Problem[] } {
  if (Array.isArray(got)) return { ok: true, items: got };
  const fix = `set ${path} to a list such as ${example}`;
  return { ok: false, problems: [{ code: "wrong-type", path, got, why: "It must be a list.", fix }] };
}
