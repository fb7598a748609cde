import { isRecord } from "../../../components/core/reader/records";
import type { Properties } from "../../../components/core/wire";
import type { Shape } from "../aws-models";

/** An input that no member of the request takes. */
export class NoMemberError extends Error {}

/** Where values go that have another name in the request. */
export interface Names {
  /** The path of the value in the inputs, without indexes. */
  readonly at: string;
  readonly members: Readonly<Record<string, string>>;
}

/** The value of an input as the request has it. */
export function converted(value: unknown, shape: Shape, names: Names): unknown {
  const { type, members, item } = shape;
  if (type === "structure" && members) return structure(value, members, names);
  if (type === "list" && item) return list(value, item, names);
  if (type === "map" && item && isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, converted(each, item, names)]));
  }
  return scalar(value, type);
}

/** Terraform's provider has some booleans as text, and APIs have attributes as text. */
function scalar(value: unknown, type: string): unknown {
  if (type === "boolean" && (value === "true" || value === "false")) return value === "true";
  if (type === "string" && (typeof value === "boolean" || typeof value === "number")) return String(value);
  return value;
}

function structure(value: unknown, members: Readonly<Record<string, Shape>>, names: Names): unknown {
  // A block that occurs at most once may be a list of one.
  const one: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (!isRecord(one)) return one;
  const entries = Object.entries(one).map(([key, each]) => {
    const at = names.at === "" ? key : `${names.at}.${key}`;
    const name = names.members[at] ?? memberFor(key, Object.keys(members));
    const shape = name === undefined ? undefined : members[name];
    if (name === undefined || !shape) throw new NoMemberError(`${at} is no member: ${Object.keys(members).join(", ")}`);
    return [name, converted(each, shape, { ...names, at })] as const;
  });
  return Object.fromEntries(entries);
}

function list(value: unknown, item: Shape, names: Names): unknown {
  if (Array.isArray(value)) return value.map((each) => converted(each, item, names));
  if (!isRecord(value)) return value;
  const fields = item.members && pairOf(item.members);
  if (!fields) return [converted(value, item, names)];
  return Object.entries(value).map(([key, each]) => ({ [fields.key]: key, [fields.value]: each }));
}

/** The members of a tag or a dimension. */
function pairOf(
  members: Readonly<Record<string, Shape>>,
): { readonly key: string; readonly value: string } | undefined {
  const names = Object.keys(members);
  const key = names.find((name) => /^(?:key|name|tagkey)$/i.test(name));
  const value = names.find((name) => /^(?:value|tagvalue)$/i.test(name));
  return key !== undefined && value !== undefined ? { key, value } : undefined;
}

/** The member with the name of an input, in any case, singular or plural. */
export function memberFor(key: string, members: readonly string[]): string | undefined {
  const wanted = key.toLowerCase();
  const spellings = [wanted, `${wanted}s`, `${wanted}es`, wanted.replace(/s$/, ""), wanted.replace(/ies$/, "y")];
  const lower = new Map(members.map((name) => [name.toLowerCase(), name]));
  return spellings.map((each) => lower.get(each)).find((name) => name !== undefined);
}

/**
 * The inputs as the provider sends them: a name instead of a prefix, to which it appends 26 digits, and no empty tags.
 *
 * @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/generate/tags - getTagsIn returns nil for none
 */
export function completed(inputs: Properties): Properties {
  const entries = Object.entries(inputs).filter(([key, value]) => key !== "tags" || isFilled(value));
  const named = entries.map(([key, value]) => {
    const [, name] = /^(name|\w+Name)Prefix$/.exec(key) ?? [];
    return name === undefined ? [key, value] : [name, `${String(value)}${"2".repeat(26)}`];
  });
  return Object.fromEntries(named) as Properties;
}

const isFilled = (tags: unknown) => isRecord(tags) && Object.keys(tags).length > 0;
