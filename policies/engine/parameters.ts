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

/** What each text of a list must look like. */
export interface TextForm {
  /** Of the whole text; without lookarounds, which the engine's regular expressions have not. */
  readonly pattern: string;
  /** Completes the sentence "It must be a list of …". */
  readonly of: string;
}

export function texts(fallback: readonly string[], description: string, form?: TextForm): Parameter<readonly string[]> {
  const items = { type: "string", ...(form && { pattern: form.pattern }) } as const;
  const fits = form ? new RegExp(form.pattern, "u") : undefined;
  return {
    default: fallback,
    schema: { type: "array", items, default: [...fallback], description },
    form: `a list of ${form?.of ?? "texts"}`,
    accepts: (value): value is readonly string[] =>
      Array.isArray(value) && value.every((item) => isText(item) && (fits?.test(item) ?? true)),
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

/**
 * Whole numbers of 0 or more by name, such as quotas by instance family. A configuration replaces the whole table.
 *
 * @param names the only ones there are; any name counts where none are given
 */
export function numbers(
  fallback: Readonly<Record<string, number>>,
  description: string,
  names?: readonly string[],
): Parameter<Readonly<Record<string, number>>> {
  const amount = { type: "integer", minimum: 0 } as const;
  const named = names && Object.fromEntries(names.map((name) => [name, amount]));
  return {
    default: fallback,
    schema: {
      type: "object",
      ...(named ? { properties: named, additionalProperties: false } : { additionalProperties: amount }),
      default: { ...fallback },
      description,
    },
    form: `an object of whole numbers of 0 or more${names ? ` by ${names.join(", ")}` : ""}`,
    accepts: (value): value is Readonly<Record<string, number>> =>
      typeof value === "object" &&
      value !== null &&
      !Array.isArray(value) &&
      Object.entries(value).every(
        ([name, item]) => Number.isInteger(item) && (item as number) >= 0 && (names?.includes(name) ?? true),
      ),
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
