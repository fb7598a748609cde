import * as ts from "typescript";
import type { ObjectType, Property, TypeSpec } from "../../provider/package-schema";
import { anyValue, named, type NamedTypes, pascal } from "./types";

// The outputs of a component as types of the package: its public fields that are data and not resources.

interface Context {
  readonly checker: ts.TypeChecker;
  readonly types: NamedTypes;
}

/** The outputs of a component. Those of GpuEnvironment are what it registers: the field `outputs`. */
export function outputsOf(context: Context, component: ts.Type): ObjectType {
  const own = component.getProperties().filter((field) => isOwn(field));
  const flat = own.find(({ name }) => name === "outputs");
  const fields = flat ? context.checker.getTypeOfSymbol(flat).getProperties() : own;
  return objectOf(context, fields);
}

/** Whether this library declares a field, for its users. */
function isOwn({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some(
    (node) =>
      !node.getSourceFile().isDeclarationFile &&
      ts.isPropertyDeclaration(node) &&
      !(ts.getCombinedModifierFlags(node) & ts.ModifierFlags.NonPublicAccessibilityModifier),
  );
}

function objectOf(context: Context, fields: readonly ts.Symbol[]): ObjectType {
  const kept = fields.flatMap((field) => {
    const type = context.checker.getTypeOfSymbol(field);
    const spec = typeOf(context, type);
    return spec ? [{ field, type, spec }] : [];
  });
  return {
    type: "object",
    properties: Object.fromEntries(kept.map(({ field, spec }) => [field.name, documented(context, field, spec)])),
    required: kept.filter(({ field, type }) => !isOptional(context, field, type)).map(({ field }) => field.name),
  };
}

function documented({ checker }: Context, field: ts.Symbol, spec: TypeSpec): Property {
  const description = ts.displayPartsToString(field.getDocumentationComment(checker));
  return { ...spec, ...(description !== "" && { description }) };
}

function isOptional({ checker }: Context, field: ts.Symbol, type: ts.Type): boolean {
  const canBeUndefined = checker.getNonNullableType(type) !== type;
  return canBeUndefined || (field.flags & ts.SymbolFlags.Optional) !== 0;
}

/** A type of the compiler as a type of the package; undefined for a resource. */
function typeOf(context: Context, given: ts.Type): TypeSpec | undefined {
  const { checker } = context;
  const type = checker.getNonNullableType(given);
  const lifted = liftedType(checker, type);
  if (lifted) return typeOf(context, lifted);
  const primitive = primitiveOf(checker, type);
  if (primitive) return primitive;
  const value = type.getStringIndexType();
  if (value) {
    const additionalProperties = typeOf(context, value);
    return additionalProperties && { type: "object", additionalProperties };
  }
  const item = checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference)[0] : undefined;
  if (item) {
    const items = typeOf(context, item);
    return items && { type: "array", items };
  }
  return type.getProperty("urn") ? undefined : declaredType(context, type);
}

function primitiveOf(checker: ts.TypeChecker, type: ts.Type): TypeSpec | undefined {
  const parts = type.isUnion() ? type.types : [type];
  const all = (flags: ts.TypeFlags) => parts.every((part) => part.flags & flags);
  if (all(ts.TypeFlags.StringLike)) return { type: "string" };
  if (all(ts.TypeFlags.NumberLike)) return { type: "number" };
  if (all(ts.TypeFlags.BooleanLike)) return { type: "boolean" };
  return type.isUnion() ? anyValue : undefined;
}

/** The type of an Output's value. */
function liftedType(checker: ts.TypeChecker, type: ts.Type): ts.Type | undefined {
  const isOutput = type.aliasSymbol?.name === "Output" || type.getProperty("__pulumiOutput") !== undefined;
  const parts = isOutput && type.isIntersection() ? type.types : [type];
  const get = isOutput ? parts.map((part) => part.getProperty("get")).find(Boolean) : undefined;
  return get && checker.getTypeOfSymbol(get).getCallSignatures()[0]?.getReturnType();
}

/** An interface, under its name in TypeScript. A class such as Network, which has resources, is none. */
function declaredType(context: Context, type: ts.Type): TypeSpec | undefined {
  const name = type.aliasSymbol?.name ?? type.symbol?.name;
  const fields = type.getProperties();
  if (!name || fields.length === 0 || name.startsWith("__")) return anyValue;
  if (fields.some((field) => typeOf(context, context.checker.getTypeOfSymbol(field)) === undefined)) return undefined;
  return named(context.types, pascal(name), objectOf(context, fields));
}
