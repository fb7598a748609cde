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
