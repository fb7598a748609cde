import { Ajv, type ErrorObject, type SchemaObject } from "ajv";
import { quantityPattern } from "./kubernetes-quantities";
import type { SchemaProblem } from "./kubernetes-schema";

/** What a field takes: `string`, `text` (not empty), `integer from 1`, `quantity`, or one of some texts. */
export type FieldType = string | readonly string[];

/**
 * The fields of an object by path. `[]` is an item of a list, `[name]` of one in which each name is there once, `.*` a
 * value of a map, `!` a key that must be there: `env[].name!`, `resources.limits.*`.
 */
export type FieldTable = Readonly<Record<string, FieldType>>;

const once = "x-kubernetes-list-map-keys";

/** What an object gets wrong: keys that the table has not, types, and keys that are missing in what is there. */
export function faultsFinder(table: FieldTable): (value: unknown) => SchemaProblem[] {
  const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true, verbose: true });
  ajv.addKeyword({ keyword: once, type: "array", schemaType: "string", validate: isThereOnce });
  const validate = ajv.compile(schemaOfTable(table));
  return (value) => {
    validate(value);
    return (validate.errors ?? []).map(problem);
  };
}

/** The JSON Schema of a table. */
export function schemaOfTable(table: FieldTable): SchemaObject {
  return schemaOf(treeOf(table));
}

function isThereOnce(key: string, items: readonly Readonly<Record<string, unknown>>[]): boolean {
  return new Set(items.map((item) => item[key])).size === items.length;
}

function problem({ instancePath, keyword, message, params, schema }: ErrorObject): SchemaProblem {
  const path = instancePath
    .replace(/\/(\d+)(?=\/|$)/g, "[$1]")
    .replaceAll("/", ".")
    .slice(1);
  const at = (key: unknown) => [path, String(key)].filter((part) => part !== "").join(".");
  const { additionalProperty, missingProperty } = params as Readonly<Record<string, unknown>>;
  if (additionalProperty !== undefined) return `${at(additionalProperty)}: there is no such key`;
  if (missingProperty !== undefined) return `${at(missingProperty)}: is missing`;
  if (keyword === once) return `${path}: a ${String(schema)} is there twice`;
  return `${path}: ${message ?? keyword}`;
}

/** Fields by the steps of their paths; a type at the end of each. */
class Tree extends Map<string, Tree | FieldType> {}

function treeOf(table: FieldTable): Tree {
  const root = new Tree();
  for (const [path, type] of Object.entries(table)) {
    const steps = path.match(/\[\w*\]|[^.[\]]+/g) ?? [];
    const last = steps.pop() ?? "";
    const parent = steps.reduce((tree, step) => {
      const below = tree.get(step);
      const next = below instanceof Tree ? below : new Tree();
      tree.set(step, next);
      return next;
    }, root);
    parent.set(last, type);
  }
  return root;
}

function schemaOf(field: Tree | FieldType): SchemaObject {
  if (!(field instanceof Tree)) return typeof field === "string" ? simple(field) : { enum: field };
  const [[first, below] = ["", ""]] = field;
  const key = /^\[(\w*)\]$/.exec(first)?.[1];
  if (key !== undefined) return { type: "array", items: schemaOf(below), ...(key !== "" && { [once]: key }) };
  if (first === "*") return { type: "object", additionalProperties: schemaOf(below) };
  const keys = [...field.keys()];
  return {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries([...field].map(([name, inner]) => [name.replace("!", ""), schemaOf(inner)])),
    required: keys.filter((name) => name.endsWith("!")).map((name) => name.replace("!", "")),
  };
}

/** As Prometheus writes it. */
const duration = "^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$";

function simple(type: string): SchemaObject {
  const least = /^integer from (\d+)$/.exec(type)?.[1];
  if (least !== undefined) return { type: "integer", minimum: Number(least) };
  switch (type) {
    case "string":
    case "boolean":
    case "integer":
      return { type };
    case "text":
      return { type: "string", minLength: 1 };
    case "duration":
      return { type: "string", minLength: 1, pattern: duration };
    case "integer or string":
      return { type: ["integer", "string"] };
    case "quantity":
      return { type: ["integer", "string"], pattern: quantityPattern };
    default:
      throw new Error(`there is no type ${type}`);
  }
}
