import type { PolicyConfigJSONSchema } from "@pulumi/policy/schema";
import { isRecord, plainValue } from "../../components/core/reader/records";

/**
 * A value of a rule that a policy configuration may change. The engine fills in the schema's default only for a pack
 * that is configured, so the rule has the same default itself.
 */
export interface Parameter<T> {
  readonly default: T;
  /** JSON Schema (draft-07) that the engine validates configuration files against. */
  readonly schema: PolicyConfigJSONSchema;
  /** Completes the sentence "Must be …". */
  readonly form: string;
  accepts(value: unknown): value is T;
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** The values of the parameters that a rule gets. */
export type ValuesOf<P extends Parameters> = { readonly [Name in keyof P]: P[Name]["default"] };

/** The form of each string in a list. */
interface TextForm {
  /** Matches the whole string. Without lookarounds, which the engine's regular expressions do not support. */
  readonly pattern: string;
  /** Completes the sentence "Must be a list of …". */
  readonly of: string;
}

export function texts(
  defaultValue: readonly string[],
  description: string,
  form?: TextForm,
): Parameter<readonly string[]> {
  const items = { type: "string", ...(form && { pattern: form.pattern }) } as const;
  const fits = form ? new RegExp(form.pattern, "u") : undefined;
  return {
    default: defaultValue,
    schema: { type: "array", items, default: [...defaultValue], description },
    form: `a list of ${form?.of ?? "strings"}`,
    accepts: (value): value is readonly string[] =>
      Array.isArray(value) && value.every((item) => isString(item) && (fits?.test(item) ?? true)),
  };
}

export function text(defaultValue: string, description: string): Parameter<string> {
  return {
    default: defaultValue,
    schema: { type: "string", default: defaultValue, description },
    form: "a string",
    accepts: isString,
  };
}

/** One of several words. */
export function oneOf(words: readonly string[], defaultValue: string, description: string): Parameter<string> {
  return {
    default: defaultValue,
    schema: { type: "string", enum: [...words], default: defaultValue, description },
    form: `one of ${words.join(", ")}`,
    accepts: (value): value is string => isString(value) && words.includes(value),
  };
}

/** A whole number of `minimum` or more. */
export function count(defaultValue: number, minimum: number, description: string): Parameter<number> {
  return {
    default: defaultValue,
    schema: { type: "integer", minimum, default: defaultValue, description },
    form: `a whole number of ${minimum} or more`,
    accepts: (value): value is number => Number.isInteger(value) && (value as number) >= minimum,
  };
}

/**
 * Whole numbers of 0 or more by name, such as quotas by instance family. A configuration replaces the whole table.
 *
 * @param names the allowed names @default any
 */
export function numbers(
  defaultValue: Readonly<Record<string, number>>,
  description: string,
  names?: readonly string[],
): Parameter<Readonly<Record<string, number>>> {
  const amount = { type: "integer", minimum: 0 } as const;
  const named = names && Object.fromEntries(names.map((name) => [name, amount]));
  return {
    default: defaultValue,
    schema: {
      type: "object",
      ...(named ? { properties: named, additionalProperties: false } : { additionalProperties: amount }),
      default: { ...defaultValue },
      description,
    },
    form: `an object of whole numbers of 0 or more${names ? ` for ${names.join(", ")}` : ""}`,
    accepts: (value): value is Readonly<Record<string, number>> =>
      isRecord(value) &&
      Object.entries(value).every(
        ([name, item]) => Number.isInteger(item) && (item as number) >= 0 && (names?.includes(name) ?? true),
      ),
  };
}

/** The configured values where they are valid, else the defaults. */
export function valuesOf<P extends Parameters>(parameters: P, configured: object): ValuesOf<P> {
  const values = Object.entries(parameters).map(([name, parameter]) => {
    const value = plainValue(configured, name);
    return [name, parameter.accepts(value) ? value : parameter.default];
  });
  return Object.fromEntries(values) as ValuesOf<P>;
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}
