import type { TypeSpec } from "../provider/package-schema";
import { configSection } from "../stacks/run/config-keys";
import { configurationDocs } from "./config-docs";
import { argumentsOf } from "./package-schema/arguments";
import type { NamedTypes } from "./package-schema/types";

// The JSON schema of a stack's file, which editors use: from the configuration keys and their docstrings.

const namespace = "eks-gpu-lab:";

/** The schema of `Pulumi.<stack>.yaml`. Keys of other namespaces, and other blocks of the file, are Pulumi's. */
export function stackFileSchema(): object {
  const types: NamedTypes = {};
  const { properties } = argumentsOf("Lab", configSection, configurationDocs(), types);
  const keys = Object.entries(properties).map(([key, spec]) => [namespace + key, schemaOf(spec, types)] as const);
  const isKnown = { enum: keys.map(([key]) => key) };
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Configuration of a stack of eks-gpu-lab",
    type: "object",
    properties: {
      config: {
        type: "object",
        properties: { "aws:region": { type: "string" }, ...Object.fromEntries(keys) },
        propertyNames: { anyOf: [isKnown, { not: { pattern: `^${namespace}` } }] },
      },
    },
  };
}

/** A type of the package schema as JSON schema. */
function schemaOf(
  { plain: _, $ref, ...spec }: TypeSpec & { readonly description?: string },
  types: NamedTypes,
): object {
  const named = $ref === undefined ? undefined : types[$ref.replace("#/types/", "")];
  const { description, items, additionalProperties: values } = spec;
  const text = description === undefined ? {} : { description };
  if (named && "enum" in named) return { ...text, enum: named.enum.map(({ value }) => value) };
  if (named) {
    const properties = Object.entries(named.properties).map(([key, one]) => [key, schemaOf(one, types)] as const);
    const { required } = named;
    return {
      ...text,
      type: "object",
      properties: Object.fromEntries(properties),
      required,
      additionalProperties: false,
    };
  }
  if ($ref !== undefined) return text;
  return {
    ...spec,
    ...(items && { items: schemaOf(items, types) }),
    ...(values && { additionalProperties: schemaOf(values, types) }),
  };
}
