import { all, any, equals, not, openPaths, Reading, type Reader, type Truth } from "../engine/values";
import { hasNvidiaGpu, instanceType, instanceTypeNames } from "../../components/nodes/machine/instance-types";
import type { InstanceType } from "../../components/nodes/machine/instance-types";
import { gibOf } from "../../components/core/reader/gib";
import { ownValue } from "../../components/core/reader/records";
import type { Resource } from "../engine/resource";
import { openIn, someOf, textsIn } from "./lists";
import { machinesOf } from "./node-sources";
import { quantity, type Entry } from "./pods";

/** The requirements of a NodePool. */
type Requirements = Reading<readonly Reader[]>;

/** Labels of Karpenter and of EKS Auto Mode that tell whether a node has NVIDIA GPUs. */
const gpuLabel = /^(?:karpenter\.k8s\.aws|eks\.amazonaws\.com)\/instance-gpu-(?:count|name|manufacturer|memory)$/;
const familyLabel = /\/instance-(?:family|type)$/;

/**
 * Whether the nodes of a pool have GPUs, because a requirement is for them.
 * @see https://karpenter.sh/docs/concepts/scheduling/#well-known-labels
 */
export function requiresGpu(requirements: Requirements): Truth {
  return someOf(requirements, (one) => {
    const operator = one.text("operator");
    // With these operators it also accepts nodes without GPUs.
    const isNot = equals(operator, "NotIn", "DoesNotExist", "Lt", "Lte");
    const isMore = equals(operator, "Gt");
    const hasValue = (isMeant: (value: string) => boolean) => hasValueOf(one, isMeant);
    return all(
      not(isNot),
      one.text("key").is((key) => {
        if (gpuLabel.test(key)) return any(isMore, not(hasValue((value) => value === "0" || value === "amd")));
        if (familyLabel.test(key)) return hasValue((value) => hasNvidiaGpu(value) || hasNvidiaGpu(`${value}.xlarge`));
        return key.endsWith("/instance-category") ? hasValue((value) => /^(?:g|gr|p)$/.test(value)) : false;
      }),
    );
  });
}

/** Whether a limit of 0 GPUs keeps a pool from starting nodes. */
export function isStopped(pool: Resource): Truth {
  return someOf(pool.entries(machinesOf(pool.type).limits), ([key, limit]) =>
    all(key === "nvidia.com/gpu", equals(quantity(limit), 0)),
  );
}

/** Whether a pool starts GPU nodes for pods. One with a fixed number of nodes does not. */
export function startsForPods(pool: Resource): Truth {
  const isGpu = requiresGpu(pool.list(machinesOf(pool.type).requirements));
  return all(isGpu, not(isStopped(pool)), pool.integer("spec.replicas").isAbsent);
}

/** Whether the nodes of a pool may be of a market. Without a requirement they are on demand. */
export function allowsMarket(requirements: Requirements, market: string): Truth {
  const isOfMarket = (one: Reader) => equals(one.text("key"), "karpenter.sh/capacity-type");
  const allows = (one: Reader) => {
    const isNamed = hasValueOf(one, (value) => value === market);
    const isAllowed = (operator: string) => (operator === "In" ? isNamed : all(operator === "NotIn", not(isNamed)));
    return one.text("operator").is(isAllowed);
  };
  const isStated = someOf(requirements, isOfMarket);
  return any(
    someOf(requirements, (one) => all(isOfMarket(one), allows(one))),
    all(market === "on-demand", not(isStated)),
  );
}

/** The requirements that name the values of some labels, and what is unknown about them. */
export function namedBy(requirements: Requirements, ...labels: readonly string[]) {
  const stated = (requirements.value ?? []).map((one) => {
    return { one, isNaming: all(equals(one.text("key"), ...labels), equals(one.text("operator"), "In")) };
  });
  const named = stated.flatMap(({ one, isNaming }) => (isNaming === true ? one : []));
  const others = stated.map(({ isNaming }) => isNaming !== true && isNaming);
  return { named, open: any(openIn(requirements), ...others) };
}

/** What a label of nodes tells about their instance type, by the end of its key. */
const facts: Readonly<Record<string, (type: InstanceType) => string | number>> = {
  type: ({ name }) => name,
  family: ({ family }) => family,
  category: ({ family }) => family.replace(/\d.*/, ""),
  generation: ({ family }) => family.replace(/^\D+(\d+).*/, "$1"),
  size: ({ name, family }) => name.slice(family.length + 1),
  cpu: ({ vcpus }) => vcpus,
  memory: ({ memoryGiB }) => memoryGiB * 1024,
  "gpu-count": ({ gpus }) => gpus,
  "gpu-name": ({ gpuModel = "" }) => gpuModel.toLowerCase().replaceAll(" ", "-"),
  "gpu-manufacturer": ({ gpus }) => (gpus > 0 ? "nvidia" : ""),
  arch: ({ architecture }) => architecture,
  os: () => "linux",
};

/** Labels that no node with a GPU has. */
const otherLabels = /\/instance-accelerator-(?:count|name|manufacturer)$/;

/** What a label of Karpenter or EKS Auto Mode has on nodes of an instance type; undefined for other labels. */
export function labelOfType(key: string): ((type: InstanceType) => string) | undefined {
  const [, label = ""] = /^(?:karpenter\.k8s\.aws|eks\.amazonaws\.com)\/instance-([a-z-]+)$/.exec(key) ?? [];
  const fact = ownValue(facts, label);
  return fact && ((type) => String(fact(type)));
}

/**
 * The instance types that Karpenter may start: those that the requirements name. Without names, those with GPUs of the table
 * that meet every requirement, if one is for GPUs.
 */
export function requiredTypes(requirements: Requirements): Reading<string>[] {
  const { named, open } = namedBy(requirements, "node.kubernetes.io/instance-type");
  const [unknownPath] = openPaths(open);
  if (unknownPath !== undefined) return [Reading.unknown(unknownPath)];
  if (named.length > 0) return named.flatMap((one) => textsIn(one, "values"));
  return requiresGpu(requirements) === false ? [] : gpuTypes(requirements);
}

/** The instance types with GPUs of the table that meet every requirement. */
export function gpuTypes(requirements: Requirements): Reading<string>[] {
  const stated = requirements.value ?? [];
  const read = stated.flatMap((one) => [one.text("operator"), ...textsIn(one, "values")]);
  const unknown = read.find(({ isUnknown }) => isUnknown);
  if (unknown) return [unknown];
  const isFitting = (type: InstanceType) => type.gpus > 0 && stated.every((one) => accepts(one, type));
  const fitting = instanceTypeNames.flatMap((name) => instanceType(name) ?? []).filter(isFitting);
  return fitting.map(({ name }) => Reading.known(requirements.path, name, name));
}

/** Whether a requirement accepts an instance type, or is about something else. */
function accepts(requirement: Reader, type: InstanceType): boolean {
  const key = requirement.text("key").value ?? "";
  const [, label = ""] = /\/(?:instance-)?([a-z-]+)$/.exec(key) ?? [];
  const fact = ownValue(facts, label)?.(type);
  const [operator = "", values] = [requirement.text("operator").value, requirement.strings("values")];
  if (otherLabels.test(key)) return operator === "NotIn" || operator === "DoesNotExist";
  if (fact === undefined) return operator !== "DoesNotExist" || !gpuLabel.test(key);
  return ownValue(comparisons, operator)?.(String(fact), values) ?? true;
}

const comparisons: Readonly<Record<string, (fact: string, values: readonly string[]) => boolean>> = {
  In: (fact, values) => values.includes(fact),
  NotIn: (fact, values) => !values.includes(fact),
  Gt: (fact, [value]) => Number(fact) > Number(value),
  Gte: (fact, [value]) => Number(fact) >= Number(value),
  Lt: (fact, [value]) => Number(fact) < Number(value),
  Lte: (fact, [value]) => Number(fact) <= Number(value),
  DoesNotExist: () => false,
};

/** How much of each limit a node needs. */
const needs: Readonly<Record<string, (type: InstanceType) => number>> = {
  nodes: () => 1,
  cpu: ({ vcpus }) => vcpus,
  memory: ({ memoryGiB }) => memoryGiB,
  "nvidia.com/gpu": ({ gpus }) => gpus,
};

/** The most nodes of a type within the limits of a pool. Absent without a limit, or for a type that is not in the table. */
export function nodesWithin(limits: Reading<readonly Entry[]>, name: Reading<string>): Reading<number> {
  if (limits.isAbsent === true) return Reading.absent(limits.path);
  const type = instanceType(name.value ?? "");
  const stated = (limits.value ?? []).flatMap(([key, amount]) => {
    const need = type && ownValue(needs, key)?.(type);
    return need ? [{ need, limit: key === "memory" ? gibOf(amount.text()) : quantity(amount) }] : [];
  });
  const open = [name, limits, ...stated.map(({ limit }) => limit)].find(({ isUnknown }) => isUnknown);
  if (open) return Reading.unknown(open.path);
  const numbers = stated.flatMap(({ need, limit: { value } }) => (value === undefined ? [] : Math.floor(value / need)));
  return numbers.length === 0 ? Reading.absent(limits.path) : Reading.known(limits.path, Math.min(...numbers), "");
}

function hasValueOf(requirement: Reader, isMeant: (value: string) => boolean): Truth {
  return someOf(requirement.list("values"), (value) => value.text().is(isMeant));
}
