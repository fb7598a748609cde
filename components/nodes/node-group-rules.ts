import { isPlainObject, join, matching, onlyKeys, wholeNumber } from "../core/checks";
import { kubernetesMinorProblems } from "../core/kubernetes-minor";
import { isOutput, requirePlainValue } from "../core/outputs";
import type { Problem } from "../core/problems";
import { tagsProblems } from "../core/tokens";
import { listOf } from "./checks";
import type { InstanceType } from "./machine/instance-types";

/** 16 TiB: beyond it a size is a slip of the keyboard rather than a disk. */
const largestDisk = 16384;

/**
 * The most pods that AWS recommends for a node with fewer than 30 vCPUs, and for any other.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/choosing-instance-type.html
 */
const mostPods = { small: 110, large: 250, largeFrom: 30 } as const;

/** EKS makes a node group's name of at most 63 characters, 26 of which are the suffix, and one the dash before it. */
export const longestPhysicalName = 36;

/** Problems of a whole set of arguments that is no object; an empty list when it is one. */
export function argumentsProblems(got: unknown, at: string): Problem[] {
  if (isPlainObject(got)) return [];
  const path = at === "" ? "arguments" : at;
  if (isOutput(got)) return requirePlainValue(path);
  return [
    { code: "wrong-type", path, got, why: "It must be an object.", fix: `set ${path} to an object, {} at least` },
  ];
}

/** What every group takes, and what the groups of each kind take besides. */
const sharedKeys = [
  ...["clusterName", "kubernetesVersion", "securityGroupIds", "physicalName", "tags", "transform"],
  ...[
    "instanceType",
    "desiredSize",
    "minSize",
    "maxSize",
    "owner",
    "diskSizeGiB",
    "releaseVersion",
    "labels",
    "maxPods",
  ],
  "tools",
];
const gpuKeys = ["capacityType", "capacityReservation", "placementGroup", "efa", "localStorage", "taints", "repair"];

/** Every argument of a SystemNodeGroup, which has `subnetIds`, and of a GpuNodeGroup, which has `subnetId`. */
export const nodeGroupKeys = {
  subnetIds: [...sharedKeys, "subnetIds"],
  subnetId: [...sharedKeys, "subnetId", ...gpuKeys],
} as const;

/** Problems of what connects a group with its cluster and network, and keys it does not have. Outputs are skipped. */
export function wiringProblems(args: object, subnets: "subnetId" | "subnetIds"): Problem[] {
  if (!isPlainObject(args)) return [];
  const given = args;
  return [
    ...onlyKeys("", given, nodeGroupKeys[subnets]),
    ...stated(given["clusterName"], "clusterName", "the name of the cluster"),
    ...kubernetesMinorProblems("kubernetesVersion", given["kubernetesVersion"]),
    ...(subnets === "subnetId"
      ? stated(given["subnetId"], "subnetId", "the id of one private subnet")
      : idsProblems(given["subnetIds"], "subnetIds", '["subnet-0123456789abcdef0"]')),
    ...idsProblems(given["securityGroupIds"], "securityGroupIds", '["sg-0123456789abcdef0"]'),
    ...physicalNameProblems(given["physicalName"]),
    ...tagsProblems("tags", given["tags"]),
  ];
}

function stated(got: unknown, path: string, what: string): Problem[] {
  if (isOutput(got) || (typeof got === "string" && got !== "")) return [];
  const code = got === undefined || got === "" ? "missing" : "wrong-type";
  return [{ code, path, got, why: "It must be stated.", fix: `set ${path} to ${what}` }];
}

function idsProblems(got: unknown, path: string, example: string): Problem[] {
  if (isOutput(got)) return [];
  const list = listOf(got, path, example);
  if (!list.ok) return list.problems;
  if (list.items.length === 0) {
    return [{ code: "missing", path, got, why: "It must name at least one.", fix: `set ${path} to ${example}` }];
  }
  return list.items.flatMap((item, index) => stated(item, `${path}[${index}]`, "an id"));
}

function physicalNameProblems(got: unknown): Problem[] {
  if (got === undefined) return [];
  const form = `up to ${longestPhysicalName} letters, digits, dashes and underscores, beginning with a letter or digit`;
  const pattern = new RegExp(`^[A-Za-z0-9][A-Za-z0-9_-]{0,${longestPhysicalName - 1}}$`);
  return matching("physicalName", got, pattern, form, 'write a name such as "myeks-ng-gpu"');
}

/** Problems of `diskSizeGiB`, where it is stated; `why` says what needs the room below `min`. */
export function diskProblems(got: unknown, at: string, min: number, why: string): Problem[] {
  if (got === undefined) return [];
  return wholeNumber(join(at, "diskSizeGiB"), got, { min, max: largestDisk, unit: "GiB" }).map((problem) =>
    typeof got === "number" && got < min ? { ...problem, why } : problem,
  );
}

/** Problems of `maxPods`, where it is stated, on nodes of a type, where that is known. */
export function maxPodsProblems(got: unknown, at: string, type: InstanceType | undefined): Problem[] {
  if (got === undefined) return [];
  const small = type !== undefined && type.vcpus < mostPods.largeFrom;
  const max = small ? mostPods.small : mostPods.large;
  return wholeNumber(join(at, "maxPods"), got, { min: 1, max }).map((problem) => {
    if (!small || problem.code !== "out-of-range" || !(Number(got) > max)) return problem;
    const why = `AWS recommends at most ${max} pods on a node with fewer than ${mostPods.largeFrom} vCPUs, and ${type.name} has ${type.vcpus}.`;
    return { ...problem, why };
  });
}
