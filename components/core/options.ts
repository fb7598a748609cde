import type { ComponentResource, ComponentResourceOptions, CustomResourceOptions } from "@pulumi/pulumi";

/**
 * Options for a child that must wait for, and go with, whatever its component does. Pulumi hands `provider` down from a
 * component to its children, but neither `dependsOn` nor `deletedWith`: without this the order is lost on destroy.
 */
export function childOptions(
  parent: ComponentResource,
  opts: ComponentResourceOptions | undefined,
): Pick<CustomResourceOptions, "parent" | "dependsOn" | "deletedWith"> {
  return {
    parent,
    ...(opts?.dependsOn && { dependsOn: opts.dependsOn }),
    ...(opts?.deletedWith && { deletedWith: opts.deletedWith }),
  };
}

/**
 * For a Helm release: a chart's cluster roles have fixed names, so Helm rejects a second release while the first exists.
 * The provider would make the new one first when name or namespace change.
 */
export const oneReleaseAtATime = { deleteBeforeReplace: true } as const;
