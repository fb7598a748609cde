import type { ComponentResource, ComponentResourceOptions, CustomResourceOptions } from "@pulumi/pulumi";

/**
 * Options for a child with the `dependsOn` and `deletedWith` of its component. Pulumi passes `provider` from a
 * component to its children, but neither of these options: without them the order is lost on destroy.
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
 * For a Helm release: a chart's cluster roles have fixed names, so Helm rejects a second release while the first
 * exists. The provider would create the new release first when the name or the namespace changes.
 */
export const oneReleaseAtATime = { deleteBeforeReplace: true } as const;
