import { randomUUID } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { accountIdOf, regionOf } from "../core/lookups";
import { idTag, nameTag, tagValue } from "../core/stack-tags";
import { tagging } from "../core/tagging";

/** What an environment puts on everything that it creates: `eks-gpu-lab/id` with its id. */
export type IdentityTags = Readonly<Record<typeof idTag, pulumi.Output<string>>>;

/** Stands for the random part in a preview of an environment that does not exist. */
const notYet = "assigned-by-pulumi-up";

/**
 * Makes the identity of an environment: `REGION/ACCOUNT/UUID`. The first update makes it, and the state keeps it. Names can
 * be those of another environment, this cannot. Previews know the value, so that policies can read the tags.
 *
 * @see https://www.pulumi.com/docs/iac/concepts/resources/stash/ needs Pulumi CLI 3.208 or newer
 */
export function makeIdentity(parent: pulumi.ComponentResource, name: string): IdentityTags {
  const uuid = pulumi.runtime.isDryRun() ? notYet : randomUUID();
  const input = pulumi.interpolate`${regionOf(parent)}/${accountIdOf(parent)}/${uuid}`;
  // Without ignoreChanges, each preview would show another input. The output stays that of the first update.
  const { output } = new pulumi.Stash(`${name}-identity`, { input }, { parent, ignoreChanges: ["input"] });
  return { [idTag]: output as pulumi.Output<string> };
}

/**
 * Tags what an environment creates with its id and the logical name of the resource. Instances have no such tag: it would be another version of their launch template, which
 * replaces the nodes of an environment that had none.
 */
export function identityTags(tags: IdentityTags): pulumi.ResourceTransformation {
  return tagging((name) => ({ ...tags, [nameTag]: tagValue(name) }), { instances: false });
}
