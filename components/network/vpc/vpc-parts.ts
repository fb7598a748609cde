import * as pulumi from "@pulumi/pulumi";
import { named, type Tags } from "../../core/tokens";
import type { VpcTransform } from "./vpc-schema";

/** What every part of a Vpc needs to create its resources. */
export interface VpcParts {
  /** The component's name: prefix of each resource's name. */
  readonly name: string;
  readonly nameTag: string;
  readonly tags: Tags;
  readonly transform: VpcTransform;
  readonly options: pulumi.CustomResourceOptions;
}

/** The tags of the part `<nameTag>-<part>`. */
export function partTags(
  { nameTag, tags }: VpcParts,
  part: pulumi.Input<string>,
): Record<string, pulumi.Input<string>> {
  return typeof part === "string"
    ? named(`${nameTag}-${part}`, tags)
    : { Name: pulumi.interpolate`${nameTag}-${part}`, ...tags };
}

/** Options of a resource that is created after others, and destroyed before them. */
export function after(parts: VpcParts, ...dependsOn: pulumi.Resource[]): pulumi.CustomResourceOptions {
  return pulumi.mergeOptions(parts.options, { dependsOn });
}
