import { isOutput } from "../core/outputs";
import type { Problem } from "../core/problems";

/** A list of anything; `example` shows one. */
export function list(path: string, got: unknown, example: string): Problem[] {
  if (Array.isArray(got)) return [];
  const fix = `set ${path} to a list such as ${example}`;
  return [{ code: "wrong-type", path, got, why: "It must be a list.", fix }];
}

/** An id that EC2 gave to a resource: a prefix and 8 (before 2018) or 17 hexadecimal digits. Outputs are skipped. */
export function resourceId(path: string, got: unknown, prefix: "vpc" | "subnet" | "sg"): Problem[] {
  if (isOutput(got)) return [];
  if (typeof got === "string" && new RegExp(`^${prefix}-([0-9a-f]{8}|[0-9a-f]{17})$`).test(got)) return [];
  const why = `It must be an id of EC2: ${prefix}- and 17 hexadecimal digits.`;
  const fix = `set ${path} to an id such as ${prefix}-0123456789abcdef0`;
  return [{ code: typeof got === "string" ? "not-allowed" : "wrong-type", path, got, why, fix }];
}

/** The problems of every item of a list, each at the path `path[index]`. */
export function each(
  path: string,
  items: readonly unknown[],
  problems: (path: string, item: unknown) => Problem[],
): Problem[] {
  return items.flatMap((item, index) => problems(`${path}[${index}]`, item));
}

/** Items that a list holds more than once; values known only later are skipped. `why` says why it matters. */
export function distinct(path: string, items: readonly unknown[], why: string): Problem[] {
  return items.flatMap((item, index): Problem[] => {
    const first = items.indexOf(item);
    if (first === index || isOutput(item)) return [];
    const again = `${path}[${index}]`;
    const reason = `It is ${path}[${first}] again. ${why}`;
    return [{ code: "conflict", path: again, got: item, why: reason, fix: `replace or remove ${again}` }];
  });
}
