import { all, any, equals, not, some, type Truth } from "../../engine/values";
import { adviseAt, failAt, resourceRule, type Resource } from "../../engine/rule";
import { gpuTypes, labelOfType, requiresGpu } from "../../facts/karpenter";
import { someOf } from "../../facts/lists";
import { machinesOf, nodePools } from "../../facts/node-sources";

/** The limits of a pool that limit the number of its nodes. */
const bounds = ["nvidia.com/gpu", "nodes", "cpu", "memory"];

/** The hours of Karpenter's default. */
const month = 720;

/** Of a duration such as `24h` or `24h0m0s`, or `Never`. */
function hoursOf(duration: string): number {
  if (duration === "Never") return Infinity;
  const parts = [...duration.matchAll(/(\d+)([hms])/g)];
  return parts.reduce((sum, [, number, unit = ""]) => sum + Number(number) / (perHour[unit] ?? 1), 0);
}

const perHour: Readonly<Record<string, number>> = { m: 60, s: 3600 };

/**
 * The rule checks NodePools of Karpenter and EKS Auto Mode. A limit of vCPUs, memory or nodes is sufficient, because it
 * also limits the GPUs. A pool that is not for GPUs, but whose requirements accept types with GPUs, gets advice only.
 * Nodes that expire in less than a month are expected to terminate: without a `terminationGracePeriod`, a pod can keep
 * them.
 * @see https://karpenter.sh/docs/concepts/nodepools/#speclimits
 */
export const gpuPoolLimit = resourceRule({
  id: "gpu-pool-limit",
  title: "Each NodePool of GPU nodes limits its GPUs, and its nodes expire.",
  severity: "high",
  incident: "a Job with a wrong parallelism of 64 started a GPU node for each of its pods overnight",
  types: nodePools,
  *judge(pool) {
    const { requirements = "", limits: path = "" } = machinesOf(pool.type);
    const isGpu = requiresGpu(pool.list(requirements));
    const limits = pool.entries(path);
    const isBound = someOf(limits, ([key]) => bounds.includes(key));
    const isFixed = not(pool.integer("spec.replicas").isAbsent);
    const isOpen = not(any(isBound, isFixed));
    yield failAt(limits, all(isGpu, isOpen), {
      got: limits.value ? "limits of other resources" : limits.shown,
      why: "A node starts for each pod that waits for a GPU, up to the quota of the account.",
      fix: `set ${path} to { "nvidia.com/gpu": "2" }, with the number of GPUs that you want to pay for`,
    });
    yield adviseAt(limits, all(not(isGpu), isOpen, acceptsGpus(pool, requirements)), {
      why: "Its requirements accept instance types with GPUs: a GPU node can start for each pod that waits for a GPU, up to the quota of the account.",
      fix: `set ${path} to the number of vCPUs that you want to pay for, such as { cpu: "100" }, or let the requirement instance-category accept c, m and r only`,
    });
    const expiries = [pool.text("spec.template.spec.expireAfter"), pool.text("spec.disruption.expireAfter")] as const;
    for (const expiry of expiries) {
      const isLong = expiry.is((time) => hoursOf(time) > month);
      yield adviseAt(expiry, all(isGpu, isLong), {
        why: "A forgotten pod then keeps its GPU node for longer than a month, the default of Karpenter.",
        fix: `set ${expiry.path} to the longest time of a session, such as "24h"`,
      });
    }
    const grace = pool.text("spec.template.spec.terminationGracePeriod");
    const isKarpenter = equals(pool.text("spec.template.spec.nodeClassRef.group"), "karpenter.k8s.aws");
    const isShort = expiries[0].is((time) => hoursOf(time) < month);
    yield adviseAt(grace, all(isGpu, isKarpenter, grace.isAbsent, isShort), {
      why: "A pod with karpenter.sh/do-not-disrupt, or a PodDisruptionBudget that allows no eviction, keeps an expired node forever.",
      fix: `set ${grace.path} to the time that pods need to stop, such as "30m"`,
    });
  },
});

/** Whether a pool of nodes in AWS accepts an instance type with GPUs. A label of its nodes can exclude them, too. */
function acceptsGpus(pool: Resource, requirements: string): Truth {
  const group = pool.text("spec.template.spec.nodeClassRef.group");
  const isLabeled = someOf(pool.entries("spec.template.metadata.labels"), ([key]) => labelOfType(key) !== undefined);
  const accepts = some(gpuTypes(pool.list(requirements)), (type) => type.is(() => true));
  return all(equals(group, "karpenter.k8s.aws", "eks.amazonaws.com"), not(isLabeled), accepts);
}
