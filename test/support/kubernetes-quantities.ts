import { isUnknown } from "../../components/core/reader/truth";
import type { SchemaProblem } from "./kubernetes-schema";

/** @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/ */
export const quantityPattern = "^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$";
const quantity = new RegExp(quantityPattern);

export const isQuantity = (text: string): boolean => quantity.test(text);

const suffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];

/** The amount of a quantity: 0.1 for `100m`, 1024 for `1Ki`. */
export function amountOf(text: string): number {
  const [, number = "", suffix = ""] = /^([+-]?[\d.]+)(.*)$/.exec(text) ?? [];
  if (/^[eE][+-]?\d/.test(suffix)) return Number(text);
  return suffix.endsWith("i")
    ? Number(number) * 1024 ** " KMGTPE".indexOf(suffix.charAt(0))
    : Number(number) * 1000 ** (suffixes.indexOf(suffix) - suffixes.indexOf(""));
}

type Amounts = Readonly<Record<string, unknown>>;

/**
 * What containers may ask for: no more than their limit, and of an extended resource, whose name has a domain, whole
 * numbers and exactly the limit. A request that is missing is the limit.
 * @see https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#extended-resources
 */
export function resourceProblems({ requests, limits }: Amounts, path: string): SchemaProblem[] {
  const [asked, most] = [amounts(requests), amounts(limits)];
  const parts = [...asked, ...most].filter(([key, amount]) => isExtended(key) && (amount ?? 0) % 1 !== 0);
  const wholes = parts.map(([key, amount]): SchemaProblem => `${path}: ${key} must be whole, is ${amount}`);
  if (isUnknown(limits)) return wholes;
  const beyond = [...asked].flatMap(([key, amount]) => {
    const fault = isExtended(key) ? notTheLimit(key, amount, most) : aboveLimit(key, amount, most);
    return fault === undefined ? [] : [`${path}.requests: ${key} ${fault}` as const];
  });
  return [...new Set([...wholes, ...beyond])];
}

function notTheLimit(key: string, amount: Amount, limits: ReadonlyMap<string, Amount>): string | undefined {
  if (!limits.has(key)) return "has no limit";
  const limit = limits.get(key);
  if (amount === undefined || limit === undefined || amount === limit) return undefined;
  return `must be its limit, ${limit}, is ${amount}`;
}

function aboveLimit(key: string, amount: Amount, limits: ReadonlyMap<string, Amount>): string | undefined {
  return (amount ?? 0) > (limits.get(key) ?? Infinity) ? "exceeds its limit" : undefined;
}

const isExtended = (name: string): boolean => name.includes("/") && !name.startsWith("kubernetes.io/");

/** Undefined where it is known only later, or is no quantity. */
type Amount = number | undefined;

function amounts(given: unknown): Map<string, Amount> {
  const entries = typeof given === "object" && given !== null ? Object.entries(given as Amounts) : [];
  return new Map(
    entries.map(([key, text]) => [
      key,
      typeof text === "string" && !isUnknown(text) && isQuantity(text) ? amountOf(text) : undefined,
    ]),
  );
}
