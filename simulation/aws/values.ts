import { isRecord } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";
import type { Request, ResourceModel } from "../cloud/model";
import type { SimulatedCloud } from "../cloud/simulated-cloud";

/** A property that is text; undefined when it is left out or something else. */
export function stringAt(properties: Properties, key: string): string | undefined {
  const value = properties[key];
  return typeof value === "string" ? value : undefined;
}

/** How a value stands in a message or a key. */
export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : `${JSON.stringify(value)}`;
}

/** Ids as EC2 gives them: `vpc-` and 17 hexadecimal digits. */
export function ec2Id(prefix: string): ResourceModel["id"] {
  return (_, serial) => `${prefix}-${serial}`;
}

/** A number that follows from an id, from 0 to below the limit. */
export function numberOf(id: string, limit: number): number {
  return Number.parseInt(id.slice(-6), 16) % limit;
}

/** ARN of something that belongs to the region. */
export function arn({ account }: SimulatedCloud, service: string, resource: string): string {
  return `arn:${account.partition}:${service}:${account.region}:${account.accountId}:${resource}`;
}

/** ARN of something of IAM, which belongs to no region. */
export function iamArn({ account }: SimulatedCloud, resource: string): string {
  return `arn:${account.partition}:iam::${account.accountId}:${resource}`;
}

/** Those of the values that the inputs do not give. */
export function computedDefaults(inputs: Properties, values: Properties): Properties {
  return Object.fromEntries(Object.entries(values).filter(([key]) => inputs[key] === undefined));
}

/**
 * The name that the provider completes from a prefix: 18 digits of the time and 8 of a counter.
 * @see https://github.com/hashicorp/terraform-plugin-sdk/blob/v2.38.1/helper/id/id.go
 */
export function nameFor(inputs: Properties, id: string): string {
  return (
    stringAt(inputs, "name") ?? `${stringAt(inputs, "namePrefix") ?? "terraform-"}202601010000000000${id.slice(-8)}`
  );
}

/** The resource's tags, and those that the provider puts on everything. */
export function allTags({ inputs, provider }: Request): Properties {
  return { ...defaultTags(provider), ...(isRecord(inputs["tags"]) ? inputs["tags"] : {}) };
}

/** Configuration of a provider travels as JSON text. */
function defaultTags(provider: Properties): Properties {
  const given = provider["defaultTags"];
  const read: unknown = typeof given === "string" ? JSON.parse(given) : given;
  return isRecord(read) && isRecord(read["tags"]) ? read["tags"] : {};
}

/** The outputs that everything in a region has. */
export function regionalOutputs(request: Request): Properties {
  return { ...computedDefaults(request.inputs, { region: request.cloud.account.region }), tagsAll: allTags(request) };
}

/** The names of what {@link regionalOutputs} gives. */
export const regionalOutputNames = ["region", "tagsAll"] as const;

/** Of them, those that a change makes unknown again: with the tags all tags change. */
export function recomputesTags(changed: readonly string[]): readonly string[] {
  return changed.some((path) => topLevelKey(path) === "tags") ? ["tagsAll"] : [];
}

/** `tags` of `tags.Name` and of `tags[0]`. */
export function topLevelKey(path: string): string {
  return path.split(/[.[]/)[0] ?? path;
}
