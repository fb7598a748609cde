import type { EnumType, ObjectType, PackageSchema, TypeSpec } from "../../provider/package-schema";

/** The named types of the package, by token. */
export type NamedTypes = Record<string, PackageSchema["types"][string]>;

/** A value of any form. */
export const anyValue: TypeSpec = { $ref: "pulumi.json#/Any" };

/** Adds a named type, and returns a reference. @throws if another type has the name */
export function named(types: NamedTypes, name: string, type: ObjectType | EnumType): TypeSpec {
  const token = `eks-gpu-lab:index:${name}`;
  const existing = types[token];
  if (existing && JSON.stringify(existing) !== JSON.stringify(type))
    throw new Error(`Two types have the name ${name}.`);
  types[token] = type;
  return { $ref: `#/types/${token}` };
}

/** `GpuNodes` for gpuNodes, `CapacityBlock` for CAPACITY_BLOCK, and `1h` stays. */
export function pascal(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const lower = (word: string) => (/^[A-Z0-9]+$/.test(word) ? word.toLowerCase() : word);
  return words.map((word) => lower(word).replace(/^[a-z]/, (first) => first.toUpperCase())).join("");
}
