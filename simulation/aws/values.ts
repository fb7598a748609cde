import { isRecord } from "../../components/core/reader/records";
import { unknownSentinel, type Properties } from "../../components/core/wire";
import { CloudError } from "../cloud/errors";
import type { CheckFailure, Request, ResourceModel, CloudState } from "../cloud/model";

/** A property that is a string; undefined for anything else. */
export function stringAt(properties: Properties, key: string): string | undefined {
  const value = properties[key];
  return typeof value === "string" ? value : undefined;
}

/** A value as it appears in a message, an id or a key. */
export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : `${JSON.stringify(value)}`;
}

/** Creates EC2 ids: a prefix and 17 hexadecimal digits. */
export function ec2Id(prefix: string): ResourceModel["id"] {
  return (_, serial) => `${prefix}-${serial}`;
}

/** A number derived from an id, from 0 to `limit` - 1. */
export function numberOf(id: string, limit: number): number {
  return Number.parseInt(id.slice(-6), 16) % limit;
}

/** The ARN of a regional resource. */
export function arn({ account }: CloudState, service: string, resource: string): string {
  return `arn:${account.partition}:${service}:${account.region}:${account.accountId}:${resource}`;
}

/** The ARN of an IAM resource. */
export function iamArn({ account }: CloudState, resource: string): string {
  return `arn:${account.partition}:iam::${account.accountId}:${resource}`;
}

/** Default values for the inputs that are not set. */
export function computedDefaults(inputs: Properties, values: Properties): Properties {
  return Object.fromEntries(Object.entries(values).filter(([key]) => inputs[key] === undefined));
}

/**
 * The name of an object; the provider completes a prefix with 18 digits of the time and 8 digits of a counter.
 * @see https://github.com/hashicorp/terraform-plugin-sdk/blob/v2.38.1/helper/id/id.go
 */
export function nameFor(inputs: Properties, id: string, key = "name"): string {
  const prefix = stringAt(inputs, `${key}Prefix`) ?? "terraform-";
  return stringAt(inputs, key) ?? `${prefix}202601010000000000${id.slice(-8)}`;
}

/** The tags of the resource, and the default tags of the provider. */
export function allTags({ inputs, provider }: Request): Properties {
  return { ...defaultTags(provider), ...(isRecord(inputs["tags"]) ? inputs["tags"] : {}) };
}

/** The engine sends the configuration of a provider as JSON strings. */
function defaultTags(provider: Properties): Properties {
  const given = provider["defaultTags"];
  const read: unknown = typeof given === "string" ? JSON.parse(given) : given;
  return isRecord(read) && isRecord(read["tags"]) ? read["tags"] : {};
}

/** The outputs of every regional resource. */
export function regionalOutputs(request: Request): Properties {
  return { ...computedDefaults(request.inputs, { region: request.cloud.account.region }), tagsAll: allTags(request) };
}

/** The outputs of a regional resource with tags: those of {@link regionalOutputs}, and those that `own` makes. */
export function regional(own: NonNullable<ResourceModel["computed"]>): Pick<ResourceModel, "recomputes" | "computed"> {
  return {
    recomputes: recomputesTags,
    computed: (request, id, old) => ({ ...regionalOutputs(request), ...own(request, id, old) }),
  };
}

/** The key of objects whose name must be unique, if the program sets it. @param message a text, or what makes it of the name */
export function uniqueName(
  code: string,
  message: string | ((name: string, request: Request) => string),
): NonNullable<ResourceModel["unique"]> {
  return ({ name }, request) => {
    if (name === undefined) return undefined;
    const key = stringOf(name);
    return { key, error: new CloudError(code, typeof message === "string" ? message : message(key, request)) };
  };
}

/** A change of the tags makes `tagsAll` unknown. */
export function recomputesTags(changed: readonly string[]): readonly string[] {
  return changed.some((path) => topLevelKey(path) === "tags") ? ["tagsAll"] : [];
}

/** The first key of a path: `tags` for `tags.Name` and `tags[0]`. */
export function topLevelKey(path: string): string {
  return path.split(/[.[]/)[0] ?? path;
}

/**
 * The inputs that have none of the words that the provider accepts.
 *
 * @param at what precedes their names in messages, such as `notifications[0].`
 */
export function checkWords(
  words: Readonly<Record<string, readonly string[]>>,
  inputs: Properties,
  at = "",
  areRequired = false,
): CheckFailure[] {
  return Object.entries(words).flatMap(([key, allowed]) => {
    const value = inputs[key];
    const property = `${at}${key}`;
    if (value === undefined && areRequired) return [{ property, reason: `Missing required property '${key}'` }];
    if (value === undefined || value === unknownSentinel || allowed.includes(stringOf(value))) return [];
    return [{ property, reason: `expected ${property} to be one of [${allowed.join(" ")}], got ${stringOf(value)}` }];
  });
}
