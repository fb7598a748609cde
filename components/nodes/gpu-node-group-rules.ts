import { join, oneOf, onlyKeys, trueOrFalse } from "../core/checks";
import { isOutput, requirePlainValue } from "../core/outputs";
import type { Problem } from "../core/problems";
import { isRecord } from "../core/reader/records";
import { transformProblems } from "../core/transform";
import { amiReleaseProblems } from "./machine/ami-releases";
import { hintProblems } from "./scheduling/autoscaler-hints";
import { smallestWithEfa } from "./machine/efa-interfaces";
import { gpuLabels, gpuNodeGroupDefaults, type GpuNodeGroupSettings } from "./gpu-node-group-settings";
import { instanceType, instanceTypeProblems, type InstanceType } from "./machine/instance-types";
import { labelProblems } from "./scheduling/labels";
import { argumentsProblems, diskProblems, maxPodsProblems } from "./node-group-rules";
import { gpuNodeGroupTransformKeys } from "./node-group-transform";
import { nodeRepairProblems } from "./node-repair";
import { ownerProblems, sizeProblems } from "./scaling";
import { gpuTaint, taintProblems } from "./scheduling/taints";
import { toolsProblems } from "./machine/user-data";

type Given = Readonly<Record<string, unknown>>;

const smallestDisk = 100;

/** Every problem of the settings of GPU nodes; `at` prefixes their names, e.g. `gpuNodes`. */
export function gpuNodeGroupProblems(
  args: GpuNodeGroupSettings & { readonly kubernetesVersion?: string },
  at = "",
): Problem[] {
  const wrong = argumentsProblems(args, at);
  if (wrong.length > 0) return wrong;
  const given = args as Given;
  const { instanceType: typeName = gpuNodeGroupDefaults.instanceType } = given;
  const found = typeof typeName === "string" ? instanceType(typeName) : undefined;
  const type = found && found.gpus > 0 ? found : undefined;
  return [
    ...instanceTypeProblems(typeName, at, "gpu"),
    ...sizeProblems(given, gpuNodeGroupDefaults, at),
    ...ownerProblems(given["owner"], at),
    ...diskProblems(given["diskSizeGiB"], at, smallestDisk, whyDisk),
    ...amiReleaseProblems(given["releaseVersion"], at, {
      kubernetesVersion: given["kubernetesVersion"],
      amiType: type?.amiType ?? "AL2023_x86_64_NVIDIA",
      type,
    }),
    ...capacityProblems(given, at),
    ...placementProblems(given["placementGroup"], join(at, "placementGroup")),
    ...efaProblems(given["efa"], join(at, "efa"), type),
    ...localStorageProblems(given["localStorage"], join(at, "localStorage"), type),
    ...metadataProblems(given, at, type),
    ...maxPodsProblems(given["maxPods"], at, type),
    ...(given["tools"] === undefined ? [] : toolsProblems(given["tools"], join(at, "tools"))),
    ...repairProblems(given, at),
    ...transformProblems(join(at, "transform"), given["transform"], gpuNodeGroupTransformKeys),
  ];
}

/** @see https://github.com/awslabs/awsome-distributed-ai/blob/main/architectures/amazon-eks/assets/eks-add-gpu-nodegroup.yaml */
const whyDisk =
  "Images with CUDA and a framework take tens of GiB unpacked, and a node whose disk is full evicts its pods; 100 GiB is the least that has room for a few.";

function metadataProblems(given: Given, at: string, type: InstanceType | undefined): Problem[] {
  const { labels = {}, taints = [] } = given;
  const taintKeys = Array.isArray(taints)
    ? taints.flatMap((taint: unknown) => (isRecord(taint) && typeof taint["key"] === "string" ? [taint["key"]] : []))
    : [];
  return [
    ...labelProblems(labels, join(at, "labels"), gpuLabels(type)),
    ...hintProblems(isRecord(labels) ? Object.keys(labels) : [], "label", join(at, "labels")),
    ...taintProblems(taints, join(at, "taints"), [gpuTaint]),
    ...hintProblems(taintKeys, "taint", join(at, "taints")),
  ];
}

function repairProblems(given: Given, at: string): Problem[] {
  if (given["repair"] === undefined) return [];
  const maxSize = given["maxSize"] ?? gpuNodeGroupDefaults.maxSize;
  return nodeRepairProblems(given["repair"], join(at, "repair"), typeof maxSize === "number" ? maxSize : undefined);
}

function capacityProblems(given: Given, at: string): Problem[] {
  const { capacityType: type = gpuNodeGroupDefaults.capacityType } = given;
  const path = join(at, "capacityReservation");
  const reservation = given["capacityReservation"];
  const problems = oneOf(join(at, "capacityType"), type, ["ON_DEMAND", "SPOT", "CAPACITY_BLOCK"]);
  if (reservation !== undefined) problems.push(...reservationProblems(reservation, path));
  if (reservation !== undefined && type === "SPOT") {
    const why = "capacityType is SPOT, and a reservation holds no spot capacity.";
    const fix = `remove ${path}, or set ${join(at, "capacityType")} to "ON_DEMAND"`;
    problems.push({ code: "conflict", path, got: reservation, why, fix });
  }
  if (type === "CAPACITY_BLOCK" && !(isRecord(reservation) && reservation["id"] !== undefined)) {
    const why = "capacityType is CAPACITY_BLOCK, and EKS must know which Capacity Block.";
    const code = reservation === undefined ? "missing" : "conflict";
    problems.push({ code, path: join(path, "id"), got: undefined, why, fix: `set ${path} to { id: "cr-…" }` });
  }
  return problems;
}

const reservationTargets = {
  id: {
    pattern: /^cr-[0-9a-f]{8,17}$/,
    form: "the id of a capacity reservation",
    example: "cr-0123456789abcdef0",
  },
  resourceGroupArn: {
    pattern: /^arn:aws[a-z-]*:resource-groups:[a-z0-9-]+:\d{12}:group\/.+$/,
    form: "the ARN of a resource group",
    example: "arn:aws:resource-groups:ap-northeast-2:123456789012:group/gpu",
  },
} as const;

function reservationProblems(got: unknown, path: string): Problem[] {
  const choice = 'set it to either { id: "cr-…" } or { resourceGroupArn: "arn:…" }';
  if (isOutput(got)) return requirePlainValue(path);
  if (!isRecord(got)) return [{ code: "wrong-type", path, got, why: "It must be an object.", fix: choice }];
  const known = ["id", "resourceGroupArn"] as const;
  const targets = known.filter((key) => got[key] !== undefined);
  const unknown = onlyKeys(path, got, known);
  if (targets.length === 0) {
    if (unknown.length > 0) return unknown;
    return [{ code: "missing", path, got, why: "It names no reservation, and EC2 would take any.", fix: choice }];
  }
  if (targets.length === 2) {
    const why = "It names a reservation and a group of reservations, and EC2 takes one target.";
    return [{ code: "conflict", path, got: "id and resourceGroupArn", why, fix: `keep one: ${choice}` }];
  }
  const wrong = targets.flatMap((key): Problem[] => {
    const { pattern, form, example } = reservationTargets[key];
    const target = got[key];
    if (isOutput(target) || (typeof target === "string" && pattern.test(target))) return [];
    const fix = `write it like "${example}"`;
    return [{ code: "not-allowed", path: join(path, key), got: target, why: `It must be ${form}.`, fix }];
  });
  return [...unknown, ...wrong];
}

function placementProblems(got: unknown, path: string): Problem[] {
  if (got === undefined || isOutput(got) || (typeof got === "string" && got !== "")) return [];
  const fix = `set ${path} to the name of a placement group, or leave it out`;
  return [{ code: "wrong-type", path, got, why: "It must be the name of a placement group.", fix }];
}

function efaProblems(got: unknown, path: string, type: InstanceType | undefined): Problem[] {
  if (got === undefined) return [];
  if (got !== true || !type || type.efaInterfaces > 0) return trueOrFalse(path, got);
  const sibling = smallestWithEfa(type.family);
  const choose = sibling
    ? `choose ${sibling.name} or larger`
    : `choose a family that has it, such as g5 from g5.8xlarge on`;
  const fix = `${choose}, or set ${path} to false: NCCL then uses TCP`;
  return [{ code: "not-offered", path, got, why: `${type.name} has no Elastic Fabric Adapter.`, fix }];
}

function localStorageProblems(got: unknown, path: string, type: InstanceType | undefined): Problem[] {
  if (got === undefined) return [];
  if (got !== "raid0" || !type || type.localNvmeGB > 0) return oneOf(path, got, ["none", "raid0"]);
  const fix = `set ${path} to "none", or choose a type with an instance store, such as g5.xlarge`;
  return [{ code: "not-offered", path, got, why: `${type.name} has no instance store.`, fix }];
}
