/**
 * The parts of a Pulumi package schema that this package has.
 * @see https://www.pulumi.com/docs/iac/guides/building-extending/packages/schema/
 */
export interface PackageSchema {
  readonly name: string;
  readonly resources: Readonly<Record<string, ResourceSchema>>;
  readonly types: Readonly<Record<string, ObjectType | EnumType>>;
  readonly [key: string]: unknown;
}

/** A component: its arguments and outputs. */
export interface ResourceSchema extends ObjectType {
  readonly isComponent: true;
  readonly inputProperties: Readonly<Record<string, Property>>;
  readonly requiredInputs: readonly string[];
}

/** An object with named properties. */
export interface ObjectType {
  readonly description?: string;
  readonly type: "object";
  readonly properties: Readonly<Record<string, Property>>;
  readonly required: readonly string[];
}

/** A string that is one of a list. */
export interface EnumType {
  readonly type: "string";
  readonly enum: readonly { readonly name: string; readonly value: string }[];
}

/** A type: a primitive, a list, a map, or a reference. A plain type accepts no Output. */
export interface TypeSpec {
  readonly type?: "string" | "integer" | "number" | "boolean" | "array" | "object";
  readonly $ref?: string;
  readonly items?: TypeSpec;
  readonly additionalProperties?: TypeSpec;
  readonly plain?: true;
}

/** A named argument or output. */
export interface Property extends TypeSpec {
  readonly description?: string;
}
