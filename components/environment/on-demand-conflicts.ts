import { isDeepStrictEqual } from "node:util";
import { dnsLabel } from "../core/kubernetes-names";
import type { Problem } from "../core/problems";
import { join, valueAt } from "../core/reader/paths";
import { problemsIn } from "../core/schema";
import { instanceType } from "../nodes/machine/instance-types";
import { gpuNodeTools } from "../nodes/machine/user-data";
import { whyNoFraction } from "../nodes/pool/gpu-node-pool-schema";
import type { EnvironmentValues } from "./gpu-environment-sections";

/** Whether nodes start when a pod needs one, so that there is no node group. The arguments may be incomplete. */
export function isOnDemand({ gpuNodes }: { readonly gpuNodes?: { readonly provisioner?: unknown } }): boolean {
  return (gpuNodes?.provisioner ?? "managedNodeGroup") !== "managedNodeGroup";
}

/** Whether EKS Auto Mode starts the nodes, with its own AMI, driver and device plugin. The arguments may be incomplete. */
export function isAutoMode({ gpuNodes }: { readonly gpuNodes?: { readonly provisioner?: unknown } }): boolean {
  return gpuNodes?.provisioner === "autoMode";
}

/** The name of the NodePool of an environment. */
export function poolName(name: string): string {
  return `${name}-gpu`;
}

/** The most GPUs of all nodes together. */
export function gpuLimit({ gpuNodes }: Pick<EnvironmentValues, "gpuNodes">): number {
  return gpuNodes.maxSize * (instanceType(gpuNodes.instanceType)?.gpus ?? 1);
}

type Sections = Pick<EnvironmentValues, "gpuNodes" | "gpuHealth" | "gpuOperator" | "lease">;

/** Values that only a managed node group can have. */
export function onDemandConflicts(sections: Sections, at: string): Problem[] {
  if (!isOnDemand(sections)) return [];
  const provisioner = join(at, "gpuNodes.provisioner");
  const withKarpenter = refusedIn({ ...sections, gpuNodes: { ...sections.gpuNodes, provisioner: "karpenter" } });
  return Object.entries(refusedIn(sections)).flatMap(([key, [isStated, why]]): Problem[] => {
    if (!isStated) return [];
    const path = join(at, key);
    const others = `${withKarpenter[key]?.[0] ? "" : '"karpenter" or '}"managedNodeGroup"`;
    const fix = `remove ${path}, or set ${provisioner} to ${others}`;
    return [{ code: "conflict", path, got: valueAt(sections, key.split(".")), why, fix }];
  });
}

/** Adjustments of parts that the provisioner does not have: each part has one for a node group, and one for a pool. */
export function transformsOfOthers(args: Pick<EnvironmentValues, "gpuNodes" | "transform">, at: string): Problem[] {
  const pairs = { gpuNodes: "gpuNodePool", lease: "nodePoolLease" } as const;
  return (["gpuNodes", "lease"] as const).flatMap((ofGroup): Problem[] => {
    const [own, other] = isOnDemand(args) ? [pairs[ofGroup], ofGroup] : [ofGroup, pairs[ofGroup]];
    if (args.transform?.[other] === undefined) return [];
    const path = join(at, `transform.${other}`);
    const why = `With gpuNodes.provisioner ${args.gpuNodes.provisioner}, this value would have no effect.`;
    return [{ code: "conflict", path, got: "an object", why, fix: `remove ${path}, or set transform.${own}` }];
  });
}

/** Problems of the nodes, without those of keys that {@link onDemandConflicts} refuses: their fixes would be refused. */
export function withoutRefused(problems: readonly Problem[], sections: Pick<Sections, "gpuNodes">, at: string) {
  const keys = isOnDemand(sections) ? Object.keys(refusedNodes(sections)).map((key) => join(at, key)) : [];
  return problems.filter(({ path }) => !keys.some((key) => path === key || path.startsWith(`${key}.`)));
}

type Refused = Readonly<Record<string, readonly [boolean, string]>>;

/** Whether a value is stated that nodes on demand cannot have, and why they cannot. */
function refusedIn(sections: Sections): Refused {
  const { gpuHealth, gpuOperator, lease } = sections;
  const { repair } = gpuHealth;
  const whyRepair = `${nameOf(sections)} ${ownRepair}`;
  const ends = lease?.enabled ? lease : undefined;
  return {
    ...refusedNodes(sections),
    "gpuHealth.repair.maxParallel": [repair !== undefined && repair.maxParallel !== 1, whyRepair],
    "gpuHealth.repair.maxUnhealthy": [repair?.maxUnhealthy !== undefined, whyRepair],
    "gpuHealth.repair.overrides": [repair?.overrides !== undefined, whyRepair],
    "gpuOperator.enabled": [
      isAutoMode(sections) && gpuOperator.enabled === true,
      "EKS Auto Mode provides the driver and the device plugin on its nodes.",
    ],
    "lease.hours": [ends?.hours !== undefined, "gpu up cannot record the start of a session: pods start the nodes."],
    "lease.budget": [ends?.budget !== undefined, whyBudget],
  };
}

function nameOf(sections: Pick<Sections, "gpuNodes">): string {
  return isAutoMode(sections) ? "EKS Auto Mode" : "Karpenter";
}

function refusedNodes(sections: Pick<Sections, "gpuNodes">): Refused {
  const { gpuNodes } = sections;
  const provisioner = nameOf(sections);
  const isFraction = instanceType(gpuNodes.instanceType)?.gpuFraction !== undefined;
  return {
    "gpuNodes.instanceType": [isFraction, whyNoFraction],
    "gpuNodes.desiredSize": [gpuNodes.desiredSize !== 0, `${provisioner} starts a node only when a pod needs one.`],
    "gpuNodes.minSize": [gpuNodes.minSize !== 0, `${provisioner} terminates every empty node.`],
    "gpuNodes.owner": [gpuNodes.owner !== undefined, `${provisioner} decides how many nodes run.`],
    "gpuNodes.capacityType": [
      gpuNodes.capacityType === "CAPACITY_BLOCK",
      "A GpuNodePool does not use Capacity Blocks.",
    ],
    "gpuNodes.capacityReservation": [
      gpuNodes.capacityReservation !== undefined,
      "A GpuNodePool does not use reservations.",
    ],
    "gpuNodes.placementGroup": [gpuNodes.placementGroup !== undefined, "A GpuNodePool does not use placement groups."],
    "gpuNodes.efa": [gpuNodes.efa, "The nodes of a GpuNodePool have no Elastic Fabric Adapter."],
    ...(isAutoMode(sections) && refusedWithAutoMode(gpuNodes)),
  };
}

/** Values that Karpenter has, and EKS Auto Mode has not. @see https://docs.aws.amazon.com/eks/latest/userguide/auto-accelerated.html */
function refusedWithAutoMode({ releaseVersion, localStorage, maxPods, tools }: Sections["gpuNodes"]): Refused {
  return {
    "gpuNodes.releaseVersion": [releaseVersion !== undefined, "EKS Auto Mode chooses the AMI of its nodes."],
    "gpuNodes.localStorage": [localStorage !== "none", "EKS Auto Mode decides how its nodes use an instance store."],
    "gpuNodes.maxPods": [maxPods !== undefined, "EKS Auto Mode decides how many pods its nodes accept."],
    "gpuNodes.tools": [
      !isDeepStrictEqual(tools, gpuNodeTools),
      "EKS Auto Mode does not install packages on its nodes.",
    ],
  };
}

/** @see https://docs.aws.amazon.com/eks/latest/userguide/node-repair.html */
const ownRepair =
  "has its own rules: it replaces a node 10 minutes after its GPU fails and 30 minutes after other failures, " +
  "while at most a fifth of the nodes, rounded up, are unhealthy.";
const whyBudget = "A NodePoolLease does not create a budget. Your own budget can select the tag lab of the nodes.";

/** Names of Kubernetes objects derive from the name of the environment: the longest is that of a CronJob of the lease. */
export function nameProblems(name: string, args: unknown): readonly Problem[] {
  const provisioner = valueAt(args, ["gpuNodes", "provisioner"]);
  return isOnDemand({ gpuNodes: { provisioner } }) ? problemsIn(dnsLabel({ longest: 16 }), name, "name") : [];
}
