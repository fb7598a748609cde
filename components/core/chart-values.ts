import { distance } from "fastest-levenshtein";
import { isRecord, ownValue } from "./reader/records";
import { unknownKeys } from "./parse";
import { join, valueAt } from "./reader/paths";
import { isOutput } from "./outputs";
import { type Problem, requirePlainValue } from "./problems";

/**
 * The keys at the top level of a chart's values. A list: the value is an object with these keys. `object`: the value is
 * an object with keys that are not listed. `any`: every value is possible.
 */
export type ChartKeys = Readonly<Record<string, readonly string[] | "object" | "any">>;

/** A value that must stay as the component sets it. */
export interface ProtectedValue {
  /** Paths such as `driver.enabled`. */
  readonly paths: readonly string[];
  /** Whether this value is harmless. */
  readonly allows: (got: unknown) => boolean;
  readonly why: string;
  /** Replaces the default fix, which is to remove the value. */
  readonly fix?: string;
  /** The problem does not show the value. */
  readonly isSecret?: boolean;
}

/** The rules for custom values of a chart. */
export interface ChartRules {
  /** Start of the message about an unknown key: `The chart` or `Chart v26.3.1`. */
  readonly chart: string;
  readonly keys: ChartKeys;
  /** Whether `keys` lists every key of a section in this version. Otherwise only misspelt keys are rejected. */
  readonly hasAllKeys: boolean;
  readonly protected: readonly ProtectedValue[];
  /** Paths that an argument of the component sets, each with that argument. */
  readonly arguments: Readonly<Record<string, string>>;
  /** Custom values for the fix of a wrong type. */
  readonly example: string;
}

type Values = Readonly<Record<string, unknown>>;

/** The problems of custom values for a chart. `at` is the path of the values and ends in `values`. */
export function customValuesProblems(values: unknown, at: string, rules: ChartRules): Problem[] {
  if (isOutput(values)) return requirePlainValue(at);
  if (!isRecord(values)) {
    const fix = `set ${at} to an object such as ${rules.example}`;
    return [{ code: "wrong-type", path: at, got: values, why: "Must be an object with the chart's values.", fix }];
  }
  return [
    ...unknownChartKeys(values, at, rules),
    ...replacedSections(values, at, rules),
    ...rules.protected.flatMap((value) => changed(value, values, at)),
    ...setTwice(values, at, rules),
  ];
}

function unknownChartKeys(values: Values, at: string, { chart, keys, hasAllKeys }: ChartRules): Problem[] {
  const why = `${chart} has no such key. Helm silently ignores unknown keys.`;
  // A misspelt section may hold a password.
  const shown = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, isRecord(value) ? {} : value]));
  return [
    ...unknownKeys(at, shown, Object.keys(keys), {}, why),
    ...Object.entries(values).flatMap(([section, got]) => {
      const known = ownValue(keys, section);
      if (!Array.isArray(known) || !isRecord(got)) return [];
      const names: readonly string[] = known;
      const checked = Object.entries(got).filter(([key]) => hasAllKeys || isMisspelt(key, names));
      return unknownKeys(join(at, section), Object.fromEntries(checked), names, {}, why);
    }),
  ];
}

/** Whether a key differs from a known one by one or two letters, fewer in a short key. */
function isMisspelt(key: string, known: readonly string[]): boolean {
  return known.some((name) => distance(key, name) <= Math.min(2, Math.floor(name.length / 3)));
}

/** Helm replaces an object with a value of another type, and loses everything that the component sets in the object. */
function replacedSections(values: Values, at: string, { keys }: ChartRules): Problem[] {
  return Object.entries(values)
    .filter(([key, got]) => Object.hasOwn(keys, key) && keys[key] !== "any" && !isRecord(got))
    .map(([key, got]) => {
      const path = join(at, key);
      const why = "Must be an object, as in the chart; any other value removes all settings of the section.";
      return { code: "wrong-type", path, got, why, fix: `set individual keys of ${path}` };
    });
}

function changed({ paths, allows, why, fix, isSecret }: ProtectedValue, values: Values, at: string): Problem[] {
  return paths.flatMap((path) => {
    const got = valueAt(values, path);
    if (got === undefined || allows(got)) return [];
    const full = join(at, path);
    const shown = isSecret ? "a string" : got;
    return [{ code: "not-allowed" as const, path: full, got: shown, why, fix: fix ?? `remove ${full}` }];
  });
}

/** A value would take precedence over the argument that also sets it, while other resources depend on the argument. */
function setTwice(values: Values, at: string, rules: ChartRules): Problem[] {
  return Object.entries(rules.arguments).flatMap(([path, argument]) => {
    const got = valueAt(values, path);
    if (got === undefined) return [];
    const [full, instead] = [join(at, path), at.replace(/values$/, argument)];
    const why = `The argument ${instead} sets this value, and other resources depend on that argument.`;
    return [{ code: "conflict" as const, path: full, got, why, fix: `remove ${full}, and set ${instead}` }];
  });
}
