import type { Properties } from "../../components/core/wire";
import type { Fields, ResultTypes } from "./result-types";

/**
 * One of three sets of values that stand for what is known only after the update. A program that awaits a lookup gets plain
 * values. It runs once with each set, and what differs between the runs is unknown. The last set has the values of the second
 * one in lists of one item: a resource for each item exists once.
 */
export type Variant = 0 | 1 | 2;

/** Deeper properties are texts. */
const deepest = 3;

/** The items of lists in the variants: few inside of a list, because some results have lists in lists in lists. */
const lengths = { outer: [4, 3, 1], inner: [2, 1, 1] } as const;

/** A set of values for texts, numbers and truths. */
type Values = 0 | 1;

/**
 * What tells the results of the calls of a function apart, so that names from them differ; the first call has no mark. Calls with
 * a placeholder have its name: the two runs may make different numbers of them.
 */
export class CallMarks {
  readonly #calls = new Map<string, string[]>();

  of(token: string, args: Properties): string {
    const given = JSON.stringify(args);
    const names = [...given.matchAll(/placeholder-[ab](-[\w-]+)/g)].map(([, name]) => name).join("");
    if (names !== "") return names;
    const calls = this.#calls.get(token) ?? [];
    this.#calls.set(token, calls);
    if (!calls.includes(given)) calls.push(given);
    const at = calls.indexOf(given);
    return at === 0 ? "" : `-${at + 1}`;
  }
}

/** A plausible result of a call of a function. */
export function placeholderResult(
  types: ResultTypes,
  token: string,
  fields: Fields,
  variant: Variant,
  mark = "",
): Properties {
  const values = variant === 0 ? 0 : 1;
  const valuesOf = (from: Fields, depth: number): Properties =>
    Object.fromEntries([...from].map(([key, type]) => [key, valueOf(type, key, depth)]));

  const valueOf = (type: string, key: string, depth: number): unknown => {
    if (type.endsWith("[]")) {
      const length = lengths[depth === 0 ? "outer" : "inner"][variant];
      return Array.from({ length }, (_, at) => valueOf(type.slice(0, -2), `${key}${at}`, depth));
    }
    const [, inMap] = /^\{ \[key: string\]: (.+);? \}$/.exec(type) ?? [];
    if (inMap !== undefined) return { placeholder: valueOf(inMap.replace(/;$/, ""), key, depth) };
    if (type === "boolean") return values === 0;
    if (type === "number") return 2 + values;
    const nested = depth < deepest ? types.nested(token, type) : undefined;
    return nested ? valuesOf(nested, depth + 1) : textFor(key, values, mark);
  };

  return valuesOf(fields, 0);
}

const letter = (values: Values) => (values === 0 ? "a" : "b");

/** A text of the second run as in the first one. */
export function asFirst(text: string): string {
  return text
    .replaceAll("placeholder-b", "placeholder-a")
    .replaceAll("000000000001:unknown/b", "000000000000:unknown/a")
    .replaceAll(/\b10\.98(?=\.)/g, "10.97")
    .replaceAll(/\bfd01(?=:)/g, "fd00");
}

/** Texts that programs take apart, by the end of the name of their property. */
const forms: readonly (readonly [name: RegExp, form: (values: Values, mark: string) => string])[] = [
  [/ipv6cidr\w*$/i, (values, mark) => `fd0${values}:${numberIn(mark) + 1}::/56`],
  [/cidr\w*$/i, (values, mark) => `10.${97 + values}.${numberIn(mark)}.0/16`],
  [/(^|private|public)ip(address)?$/i, (values, mark) => `10.${97 + values}.${numberIn(mark)}.10`],
  [/arn$/i, (values, mark) => `arn:aws:placeholder:us-west-2:00000000000${values}:unknown/${letter(values)}${mark}`],
  [/json$|policy$|document$/i, (values) => `{"placeholder":"${letter(values)}"}`],
  [/endpoint$|url$|uri$|issuer$/i, (values, mark) => `https://placeholder-${letter(values)}.invalid/unknown${mark}`],
  [/^data$|base64/i, (values) => Buffer.from(`placeholder-${letter(values)}`).toString("base64")],
  [/version$/i, (values) => `1.${33 + values}`],
  [/date$|(created|updated|modified)(at|time)?$/i, (values) => `200${values}-01-01T00:00:00Z`],
];

function numberIn(mark: string): number {
  return Number(/\d{1,2}$/.exec(mark)?.[0] ?? 0);
}

function textFor(key: string, values: Values, mark: string): string {
  const name = key.replace(/s?\d*$/, "");
  const form = forms.find(([pattern]) => pattern.test(name));
  return form ? form[1](values, mark) : `placeholder-${letter(values)}-${key}${mark}`;
}
