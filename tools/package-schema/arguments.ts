import type { Entries, Schema } from "../../components/core/schema";
import type { ObjectType, Property, TypeSpec } from "../../provider/package-schema";
import type { ArgumentDoc } from "../argument-docs";
import { anyValue, named, type NamedTypes, pascal } from "./types";

// The arguments of a component as types of the package: form from the schema, texts from the docstrings.

/** The argument that is a resource of the same program, which only a program in TypeScript can pass. */
const omitted = "cluster";

/** What a schema of Valibot, or of this project, can contain. */
type Inner = Partial<{
  type: string;
  entries: Entries;
  /** The schema of a map's values, or the literals of a choice. */
  values: Schema;
  options: readonly string[];
  item: Schema;
  wrapped: Schema;
  getter: (given: unknown) => Schema;
  pipe: readonly { readonly type: string; readonly metadata?: { readonly form: "string" | "integer" } }[];
}>;

/** Where a type is: the component or section around it, and the documentation of its arguments. */
interface Place {
  readonly types: NamedTypes;
  readonly docs: ReadonlyMap<string, ArgumentDoc>;
  /** The name of a type that is declared here. */
  readonly name: string;
  /** The dotted path of the argument. */
  readonly path: string;
}

/** The arguments of a component. */
export function argumentsOf(
  component: string,
  schema: Schema,
  docs: readonly ArgumentDoc[],
  types: NamedTypes,
): ObjectType {
  const byPath = new Map(docs.map((doc) => [doc.path, doc]));
  return sectionOf((schema as Inner).entries ?? {}, { types, docs: byPath, name: component, path: "" });
}

function sectionOf(entries: Entries, place: Place): ObjectType {
  const kept = Object.entries(entries).filter(([key]) => key !== omitted);
  const inner = (key: string): Place => ({
    ...place,
    name: place.name + pascal(key),
    path: place.path === "" ? key : `${place.path}.${key}`,
  });
  return {
    type: "object",
    properties: Object.fromEntries(kept.map(([key, entry]) => [key, propertyOf(entry, inner(key))] as const)),
    required: kept.filter(([, entry]) => entry.type !== "optional").map(([key]) => key),
  };
}

function propertyOf(schema: Schema, place: Place): Property {
  const doc = place.docs.get(place.path);
  const texts = [doc?.text, doc?.defaultText !== undefined && `Default: ${doc.defaultText}`];
  const description = texts.filter(Boolean).join("\n\n");
  return { ...typeOf(schema, place, true), ...(description !== "" && { description }) };
}

/** A schema as a type. `plain`: whether it accepts no Output. */
function typeOf(schema: Schema, place: Place, plain: boolean): TypeSpec {
  const inner = schema as Inner;
  const { entries, item, wrapped, getter } = inner;
  const type = (spec: TypeSpec): TypeSpec => (plain ? { ...spec, plain: true } : spec);
  if (wrapped) return typeOf(wrapped, place, plain);
  if (entries) return type(named(place.types, place.name, sectionOf(entries, place)));
  if (item) return type({ type: "array", items: typeOf(item, itemOf(place), plain) });
  if (getter) return lazyType(inner, place, plain);
  const primitive = primitiveType(inner, place);
  return primitive === anyValue ? anyValue : type(primitive);
}

/** A map, an input, or a choice by value. */
function lazyType({ values, getter }: Inner, place: Place, plain: boolean): TypeSpec {
  if (values) {
    const additionalProperties = typeOf(values, itemOf(place), plain);
    return { type: "object", additionalProperties, ...(plain && { plain }) };
  }
  const isInput = getter?.(Promise.resolve()).type === "any";
  return isInput && getter ? typeOf(getter(undefined), place, false) : anyValue;
}

function primitiveType({ type, options, pipe = [] }: Inner, place: Place): TypeSpec {
  const form = pipe.flatMap(({ metadata }) => metadata?.form ?? [])[0];
  if (form) return { type: form };
  if (type === "string" || type === "boolean") return { type };
  if (type === "number") return { type: pipe.some((action) => action.type === "integer") ? "integer" : "number" };
  if (type === "any" || type === "custom") return anyValue;
  if (!options) throw new Error(`${place.path} has a schema that the package schema does not know: ${type}`);
  return named(place.types, place.name, {
    type: "string",
    enum: options.map((value) => ({ name: pascal(value), value })),
  });
}

/** An item of a list or map: GpuNodeGroupTaint in GpuNodeGroupTaints. */
function itemOf(place: Place): Place {
  return { ...place, name: place.name.replace(/s$/, ""), path: `${place.path}[]` };
}
