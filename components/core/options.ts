import type { ComponentResource, ComponentResourceOptions, CustomResourceOptions, Resource } from "@pulumi/pulumi";
import * as v from "valibot";
import { isPulumiResource } from "./outputs";
import { anything, check, type Schema } from "./schema";

/**
 * Options for a child with the `dependsOn` and `deletedWith` of its component. Pulumi passes `provider` from a
 * component to its children, but neither of these options: without them the order is lost on destroy.
 *
 * @param cluster with which Pulumi deletes the child
 */
export function childOptions(
  parent: ComponentResource,
  opts: ComponentResourceOptions | undefined,
  cluster?: Resource,
): Pick<CustomResourceOptions, "parent" | "dependsOn" | "deletedWith"> {
  return { parent, dependsOn: opts?.dependsOn, deletedWith: cluster ?? opts?.deletedWith };
}

/** The cluster with which Pulumi deletes what a component creates in it. */
export function clusterResource(): Schema<Resource> {
  return v.pipe(
    anything<Resource>(),
    check((got, path) => {
      if (isPulumiResource(got)) return [];
      const why = "Must be a resource, which only a program in TypeScript can pass.";
      return [{ code: "wrong-type", path, got, why, fix: "set the resource option deletedWith to the cluster" }];
    }),
  );
}
