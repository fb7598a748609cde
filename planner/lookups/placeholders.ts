import type { Properties } from "../../components/core/wire";
import type { Fields, ResultTypes } from "./result-types";

/**
 * One of two sets of values that stand for what is known only after the update. A program that awaits a lookup gets plain
 * values. It runs once with each set, and what differs between the runs is unknown.
 */
export type Variant = 0 | 1;

/** Deeper properties are texts. */
const deepest = 3;

/** The items of lists in both variants: few inside of a list, because some results have lists in lists in lists. */
const lengths = { outer: [4, 3], inner: [2, 1] } as const;

/** A plausible result of a function. */
export function placeholderResult(types: ResultTypes, token: string, fields: Fields, variant: Variant): Properties {
  const valuesOf = (from: Fields, depth: number): Properties =>
    Object.fromEntries([...from].map(([key, type]) => [key, valueOf(type, key, depth)]));

  const valueOf = (type: string, key: string, depth: number): unknown => {
    if (type.endsWith("[]")) {
      const length = lengths[depth === 0 ? "outer" : "inner"][variant];
      return Array.from({ length }, (_, at) => valueOf(type.slice(0, -2), `${key}${at}`, depth));
    }
    const [, inMap] = /^\{ \[key: string\]: (.+);? \}$/.exec(type) ?? [];
    if (inMap !== undefined) return { placeholder: valueOf(inMap.replace(/;$/, ""), key, depth) };
    if (type === "boolean") return variant === 0;
    if (type === "number") return 2 + variant;
    const nested = depth < deepest ? types.nested(token, type) : undefined;
    return nested ? valuesOf(nested, depth + 1) : textFor(key, variant);
  };

  return valuesOf(fields, 0);
}

const letter = (variant: Variant) => (variant === 0 ? "a" : "b");

/** A text of the second run as in the first one. */
export function asFirst(text: string): string {
  return text.replaceAll("placeholder-b", "placeholder-a");
}

/** Texts that programs take apart, by the end of the name of their property. */
const forms: readonly (readonly [name: RegExp, form: (variant: Variant) => string])[] = [
  [/ipv6cidr\w*$/i, (variant) => `fd0${variant}:1::/56`],
  [/cidr\w*$/i, (variant) => `10.${97 + variant}.0.0/16`],
  [/(^|private|public)ip(address)?$/i, (variant) => `10.${97 + variant}.0.10`],
  [/arn$/i, (variant) => `arn:aws:placeholder:us-west-2:00000000000${variant}:unknown/${letter(variant)}`],
  [/json$|policy$|document$/i, (variant) => `{"placeholder":"${letter(variant)}"}`],
  [/endpoint$|url$|uri$|issuer$/i, (variant) => `https://placeholder-${letter(variant)}.invalid/unknown`],
  [/^data$|base64/i, (variant) => Buffer.from(`placeholder-${letter(variant)}`).toString("base64")],
  [/version$/i, (variant) => `1.${33 + variant}`],
  [/date$|(created|updated|modified)(at|time)?$/i, (variant) => `200${variant}-01-01T00:00:00Z`],
];

function textFor(key: string, variant: Variant): string {
  const name = key.replace(/s?\d*$/, "");
  const form = forms.find(([pattern]) => pattern.test(name));
  return form ? form[1](variant) : `placeholder-${letter(variant)}-${key}`;
}
