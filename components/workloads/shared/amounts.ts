import { isPlainObject, matching } from "../../core/checks";
import { isOutput, requirePlainValue } from "../../core/outputs";
import type { Problem } from "../../core/problems";

/**
 * An amount of CPU or memory as Kubernetes writes it, more than none.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export function amountProblems(path: string, got: unknown, kind: "cpu" | "memory"): Problem[] {
  const example = kind === "cpu" ? "250m" : "512Mi";
  const pattern = kind === "cpu" ? /^(?!0+m?$)\d{1,6}(m|\.\d{1,3})?$/ : /^(?!0)\d{1,9}([KMGT]i|[kMGT])$/;
  const form = kind === "cpu" ? "cores, or thousandths of one with an m" : "a whole number with Mi, Gi or another unit";
  return matching(path, got, pattern, form, `set ${path} to an amount such as "${example}"`);
}

/** A list of texts. */
export function textsProblems(path: string, got: unknown, example: string): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  const fix = `set ${path} to a list such as ${example}`;
  if (Array.isArray(got) && got.every((item) => typeof item === "string")) return [];
  return [{ code: "wrong-type", path, got, why: "It must be a list of texts.", fix }];
}

/** Environment variables. Those named in `own` belong to the workload. */
export function envProblems(path: string, got: unknown, own: readonly string[]): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  const fix = `set ${path} to texts by name, such as { LOG_LEVEL: "info" }`;
  if (!isPlainObject(got)) return [{ code: "wrong-type", path, got, why: "It must be an object of texts.", fix }];
  return Object.entries(got).flatMap(([name, value]): Problem[] => {
    const at = `${path}.${name}`;
    if (own.includes(name)) {
      return [{ code: "conflict", path: at, got: value, why: "The workload sets it itself.", fix: `remove ${at}` }];
    }
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      const why = "A variable's name has letters, digits and underscores, and no digit first.";
      return [{ code: "not-allowed", path: at, got: value, why, fix }];
    }
    if (typeof value === "string") return [];
    return isOutput(value)
      ? requirePlainValue(at)
      : [{ code: "wrong-type", path: at, got: value, why: "It must be a text.", fix }];
  });
}
