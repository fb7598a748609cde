import { isRecord } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";
import { timestampOf } from "../aws/eks/common";
import { stringOf } from "../aws/values";
import { existing, type CloudError } from "../cloud/errors";
import { propertyOf, type CloudObject } from "../cloud/model";
import type { SimulatedCloud } from "../cloud/simulated-cloud";

/** The tags of an object. */
export function tagsOf({ inputs, computed }: CloudObject): Readonly<Record<string, string>> {
  const all: Properties = { ...recordOf(inputs["tags"]), ...recordOf(computed["tagsAll"]) };
  return Object.fromEntries(Object.entries(all).map(([key, value]) => [key, String(value)]));
}

function recordOf(value: unknown): Properties {
  return isRecord(value) ? value : {};
}

/** The tags as a list, with the names that a service gives key and value. */
export function tagList(object: CloudObject, key = "Key", value = "Value"): Record<string, string>[] {
  return Object.entries(tagsOf(object)).map(([name, text]) => ({ [key]: name, [value]: text }));
}

/** When an object was created, in the format of AWS. */
export function createdAt(cloud: SimulatedCloud, object: CloudObject): string {
  return timestampOf(cloud.createdAt(object));
}

/** As {@link createdAt}, in seconds since 1970. */
export function createdSeconds(cloud: SimulatedCloud, object: CloudObject): number {
  return Math.floor(cloud.createdAt(object).getTime() / 1000);
}

/** Inputs and outputs with the names of the API. */
export function picked(object: CloudObject, ...keys: readonly string[]): Properties {
  return Object.fromEntries(keys.map((key) => [key, propertyOf(object, key)]));
}

/** The objects of a type whose name begins with a text. */
export function namedLike(cloud: SimulatedCloud, type: string, prefix: unknown): CloudObject[] {
  return cloud.find(type).filter((object) => nameOf(object).startsWith(stringOf(prefix)));
}

export function nameOf(object: CloudObject): string {
  return String(propertyOf(object, "name"));
}

/** Deletes an object, and answers nothing. @throws CloudError when it does not exist, or something needs it */
export async function deleteOrFail(
  cloud: SimulatedCloud,
  type: string,
  id: string,
  missing: CloudError,
): Promise<object> {
  existing(cloud.get(type, id), missing);
  await cloud.delete(type, id);
  return {};
}
