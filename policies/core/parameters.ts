import type { PolicyConfigJSONSchema } from "@pulumi/policy/schema";

/**
 * A value of a rule that a policy configuration may change. Its default stands once and serves as the schema's default
 * too: the engine fills in the schema's, but nobody does for a pack that was never configured.
 */
export interface Parameter<T> {
  readonly default: T;
  /** For the engine, which checks configuration files against it (draft-07). */
  readonly schema: PolicyConfigJSONSchema;
  /** Completes the sentence "It must be …". */
  readonly form: string;
  accepts(value: unknown): value is T;
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** What a rule gets to see of its parameters. */
export type ValuesOf<P extends Parameters> = { readonly [Name in keyof P]: P[Name]["default"] };

export function texts(fallback: readonly string[], description: string): Parameter<readonly string[]> {
  return {
    default: fallback,
    schema: { type: "array", items: { type: "string" }, default: [...fallback], description },
    form: "a list of texts",
    accepts: (value): value is readonly string[] => Array.isArray(value) && value.every(isText),
  };
}

export function text(fallback: string, description: string): Parameter<string> {
  return {
    default: fallback,
    schema: { type: "string", default: fallback, description },
    form: "a text",
    accepts: isText,
  };
}

/** A whole number of `minimum` or more. */
export function count(fallback: number, minimum: number, description: string): Parameter<number> {
  return {
    default: fallback,
    schema: { type: "integer", minimum, default: fallback, description },
    form: `a whole number of ${minimum} or more`,
    accepts: (value): value is number => Number.isInteger(value) && (value as number) >= minimum,
  };
}

/** Numbers of 0 or more by name, such as quotas by instance family. A configuration replaces the whole table. */
export function numbers(
  fallback: Readonly<Record<string, number>>,
  description: string,
): Parameter<Readonly<Record<string, number>>> {
  return {
    default: fallback,
    schema: {
      type: "object",
      additionalProperties: { type: "number", minimum: 0 },
      default: { ...fallback },
      description,
    },
    form: "an object of numbers of 0 or more",
    accepts: (value): value is Readonly<Record<string, number>> =>
      typeof value === "object" &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((item) => typeof item === "number" && item >= 0),
  };
}

/** The values a rule runs with: what is configured where it is of the right form, else the defaults. */
export function valuesOf<P extends Parameters>(parameters: P, configured: object): ValuesOf<P> {
  const values = Object.entries(parameters).map(([name, parameter]) => {
    const value: unknown = Object.getOwnPropertyDescriptor(configured, name)?.value;
    return [name, parameter.accepts(value) ? value : parameter.default];
  });
  return Object.fromEntries(values) as ValuesOf<P>;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
