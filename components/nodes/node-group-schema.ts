import type { Input } from "@pulumi/pulumi";
import * as v from "valibot";
import { kubernetesMinor } from "../core/kubernetes-names";
import type { Problem } from "../core/problems";
import { s, type Schema } from "../core/schema";
import { tagMap } from "../core/tokens";
import { amiRelease } from "./machine/ami-releases";
import { instanceType } from "./machine/instance-types";

/** 16 TiB: a larger size is a typing mistake rather than a disk. */
const largestDisk = 16384;

/** The root volume in GiB. `below` states what does not fit on a smaller one. */
export function diskSize(min: number, below: string) {
  return s.wholeNumber({ min, max: largestDisk, unit: "GiB", below });
}

/**
 * The most pods that AWS recommends for a node with fewer than 30 vCPUs, and for any other.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/choosing-instance-type.html
 */
const mostPods = { small: 110, large: 250, largeFrom: 30 } as const;

/** Pods that a node accepts. */
export const podCount = () => s.wholeNumber({ min: 1, max: mostPods.large });

/** More pods than AWS recommends on nodes of this type. */
export function podCountConflicts(got: number | undefined, path: string, typeName: string): Problem[] {
  const type = instanceType(typeName);
  if (got === undefined || !type || type.vcpus >= mostPods.largeFrom || got <= mostPods.small) return [];
  const why = `AWS recommends at most ${mostPods.small} pods on a node with fewer than ${mostPods.largeFrom} vCPUs, and ${type.name} has ${type.vcpus}.`;
  return [{ code: "out-of-range", path, got, why, fix: `set ${path} to ${mostPods.small} or less` }];
}

/** EKS appends a dash and a suffix of 26 characters to the name of a node group, which has at most 63 characters. */
export const longestPhysicalName = 36;

/** An id that only AWS validates. */
export function resourceId(what: string) {
  const fix = `set {path} to ${what}`;
  return s.input(v.pipe(s.text(fix), v.minLength(1, s.explain("Must be set.", fix))));
}

/** At least one id. The list itself may be an Output. */
export function resourceIds(example: string): Schema<Input<string>[]> {
  return s.typed<Input<string>[]>(s.input(s.list(resourceId("an id"), example, { notEmpty: true })));
}

/** What connects a group with its cluster and network. */
export const wiring = {
  /** Name of the cluster. */
  clusterName: resourceId("the name of the cluster"),
  /** The cluster's minor version, such as `1.35`: the nodes run the same. */
  kubernetesVersion: kubernetesMinor(),
  /** The security groups for traffic between nodes, control plane and add-ons: EKS attaches no other. */
  securityGroupIds: resourceIds('["sg-0123456789abcdef0"]'),
  /**
   * Prefix of the names in AWS, up to 36 characters. AWS completes the names, so that a replacement never has the name
   * of the replaced resource.
   *
   * @default the cluster's and the component's name - two clusters can share an account, and two groups a cluster
   */
  physicalName: s.optional(
    s.matching(
      new RegExp(`^[A-Za-z0-9][A-Za-z0-9_-]{0,${longestPhysicalName - 1}}$`),
      `up to ${longestPhysicalName} letters, digits, dashes and underscores, beginning with a letter or digit`,
      'use a name such as "myeks-ng-gpu"',
    ),
  ),
  /** Tags of everything the component creates, instances and volumes included. @default none - only Name is set */
  tags: s.optional(tagMap()),
};

/** `releaseVersion` of any group. */
export const releaseVersion = s.optional(amiRelease());
