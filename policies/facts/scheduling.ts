import { nodePoolLabel } from "../../components/core/instance-tags";
import { kubernetesEffect, taintRepels } from "../../components/core/kubernetes";
import { all, any, compare, equals, not, Reading, some, Undetermined, type Reader, type Truth } from "../engine/values";
import { ownValue } from "../../components/core/reader/records";
import { instanceType, type InstanceType } from "../../components/nodes/machine/instance-types";
import type { GpuGroup } from "./gpu-capacity";
import { labelOfType, namedBy } from "./karpenter";
import { blocks, someOf, textsIn } from "./lists";
import { taintsOf } from "./node-groups";
import { machinesOf } from "./node-sources";
import { gpuEntries, type PodTemplate } from "./pods";

/** Whether the node selector of pods has such a label. */
export function selectsBy(pod: PodTemplate, isLabel: (label: string) => boolean): Truth {
  return someOf(pod.spec.entries("nodeSelector"), ([label, value]) => all(isLabel(label), not(value.text().isAbsent)));
}

/** Whether the required node affinity of pods has such a label, or such a field. */
export function requires(pod: PodTemplate, isLabel: (label: string) => boolean): Truth {
  const has = (expression: Reader) =>
    all(expression.text("key").is(isLabel), equals(expression.text("operator"), "In", "Exists"));
  return someOf(requiredTerms(pod), (term) =>
    any(someOf(expressionsIn(term), has), someOf(blocks(term.list("matchFields")), has)),
  );
}

const required = "requiredDuringSchedulingIgnoredDuringExecution";

/** The terms of the required node affinity. One of them is enough. */
function requiredTerms(pod: PodTemplate): Reading<readonly Reader[]> {
  return blocks(pod.spec.list(["affinity", "nodeAffinity", required, "nodeSelectorTerms"]));
}

function expressionsIn(term: Reader): Reading<readonly Reader[]> {
  return blocks(term.list("matchExpressions"));
}

/** Whether pods may run on a group: by their node selector, their node affinity and the taints of the group. */
export function mayRunOn(pod: PodTemplate, group: GpuGroup): Truth {
  return all(selects(pod, group), not(someOf(taintsOf(group.group), (taint) => repelsPod(pod, taint))));
}

/** Whether a taint repels pods with the tolerations of the program, and those that EKS adds: NoSchedule, for each resource in a limit. */
export function repelsPod(pod: PodTemplate, taint: Reader): Truth {
  const keepsNewPodsOff = taint.text("effect").is((effect) => kubernetesEffect(effect) === "NoSchedule");
  const isAdded = all(
    keepsNewPodsOff,
    taint.text("key").is((key) => requestsResource(pod, key)),
  );
  return all(taintRepels(taint, pod.tolerations), not(isAdded));
}

/** Whether a pod requests a resource by this name, so that EKS adds a toleration with this key. */
export function requestsResource(pod: PodTemplate, key: string): Truth {
  return pod.someContainer((container) => someOf(gpuEntries(container, "limits"), ([name]) => name === key));
}

/** Whether pods may run on a group without its taints. */
export function selects(pod: PodTemplate, group: GpuGroup): Truth {
  return all(
    group.isGpu,
    not(someOf(pod.spec.entries("nodeSelector"), (entry) => rulesOut(entry, group))),
    isInAffinity(pod, group),
  );
}

/** Whether nodes of a group lack a label of a node selector. */
function rulesOut([key, value]: readonly [string, Reader], group: GpuGroup): Truth {
  const values = value.text().map(() => [value], String);
  return all(not(value.text().isAbsent), not(meets(group, key, "In", values)));
}

/** One term is enough. All expressions of a term must match. An empty term matches no node. */
function isInAffinity(pod: PodTemplate, group: GpuGroup): Truth {
  const terms = requiredTerms(pod);
  if (terms.is(() => true) === false) return true;
  return someOf(terms, (term) => {
    const hasExpressions = someOf(expressionsIn(term), () => true);
    const fields = term.list("matchFields");
    return all(
      any(hasExpressions, not(fields.isAbsent)),
      not(someOf(expressionsIn(term), (expression) => not(meetsExpression(group, expression)))),
      // A term with fields selects single nodes.
      fields.isAbsent === true || new Undetermined([fields.path]),
    );
  });
}

function meetsExpression(group: GpuGroup, expression: Reader): Truth {
  const operator = expression.text("operator");
  const isMet = (key: string) => operator.is((word) => meets(group, key, word, expression.list("values")));
  return expression.text("key").is(isMet);
}

export const hostname = "kubernetes.io/hostname";

/**
 * Whether nodes of a group match an expression. A label can have several values, such as the instance types of the
 * group. One value that matches is enough.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#operators
 */
function meets(group: GpuGroup, key: string, operator: string, values: Reading<readonly Reader[]>): Truth {
  if (key === hostname) return true;
  const label = labelOf(group, key);
  const isOneOf = (value: Reading<string>) =>
    someOf(values, (wanted) => compare(value, wanted.text(), (a, b) => isSame(key, a, b)));
  if (operator === "In") return some(label, isOneOf);
  if (operator === "Exists") return some(label, (value) => value.is(() => true));
  if (operator !== "NotIn" && operator !== "DoesNotExist") return new Undetermined([]);
  const isOther = (value: Reading<string>) => (operator === "NotIn" ? not(isOneOf(value)) : value.isAbsent);
  return label.length === 0 || some(label, isOther);
}

/** GPU feature discovery writes `NVIDIA-A10G`, `Tesla-T4` or `NVIDIA-A10G-SHARED` for the AWS names A10G and T4. */
function isSame(key: string, value: string, wanted: string): boolean {
  return key === gpuProduct ? `-${wanted}-`.includes(`-${value.replaceAll(" ", "-")}-`) : value === wanted;
}

const gpuProduct = "nvidia.com/gpu.product";

/** The possible values of a label that the node group does not set itself. */
type LabelValues = (group: GpuGroup, label: Reading<string>) => readonly Reading<string>[];

/** Labels that the kubelet, AWS or GPU feature discovery sets. */
const wellKnownLabels: Readonly<Record<string, LabelValues>> = {
  "node.kubernetes.io/instance-type": ({ types }) => types,
  "beta.kubernetes.io/instance-type": ({ types }) => types,
  "topology.kubernetes.io/zone": ({ zones }) => zones,
  "failure-domain.beta.kubernetes.io/zone": ({ zones }) => zones,
  "eks.amazonaws.com/nodegroup": ({ group }) => [group.text("nodeGroupName")],
  "eks.amazonaws.com/capacityType": ({ group }) => [group.text("capacityType").or("ON_DEMAND")],
  "kubernetes.io/os": (_, label) => [constant(label, "linux")],
  "kubernetes.io/arch": ofMachine(({ architecture }) => architecture),
  "nvidia.com/gpu.present": (_, label) => [constant(label, "true")],
  "nvidia.com/gpu.count": ofMachine(({ gpus }) => String(gpus)),
  [gpuProduct]: ofMachine(({ gpuModel }) => gpuModel),
};

/** Domains of labels that are not set by the node group but by the kubelet, AWS or GPU feature discovery. */
const systemDomain = /(^|\.)(kubernetes\.io|k8s\.io|nvidia\.com|amazonaws\.com|karpenter\.sh)$/;

/** The labels with the name of a pool of Karpenter. */
const namesOfPool = [nodePoolLabel, "karpenter.sh/provisioner-name"];

/**
 * The possible values of a label on nodes of a group; empty if they do not have it.
 * @see https://kubernetes.io/docs/reference/labels-annotations-taints/
 * @see https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html
 */
function labelOf(group: GpuGroup, key: string): readonly Reading<string>[] {
  const { labels = "labels", requirements } = machinesOf(group.group.type);
  const own = group.group.text([...labels.split("."), key]);
  if (own.isAbsent !== true) return [own];
  if (requirements === undefined) return addedLabel(group, key, own);
  if (namesOfPool.includes(key)) return [group.group.text("metadata.name")];
  const ofType = labelOfType(key);
  if (ofType && group.types.length > 0) return ofMachine(ofType)(group, own);
  const { named } = namedBy(group.group.list(requirements), key);
  const allowed = named.flatMap((one) => textsIn(one, "values"));
  if (allowed.length > 0) return allowed;
  // Karpenter gives its nodes further labels.
  const added = addedLabel(group, key, own);
  return added.length > 0 ? added : [Reading.unknown(own.path)];
}

/** The possible values of a label that the group does not set. */
function addedLabel(group: GpuGroup, key: string, own: Reading<string>): readonly Reading<string>[] {
  const read = ownValue(wellKnownLabels, key);
  const [, domain = ""] = /^([^/]*)\//.exec(key) ?? [];
  if (!read && !systemDomain.test(domain)) return [];
  const candidates = read?.(group, own) ?? [];
  const known = candidates.filter(({ isAbsent }) => isAbsent !== true);
  return known.length > 0 ? known : [Reading.unknown<string>(candidates[0]?.path ?? own.path)];
}

/** The possible values of a label that follows from the instance type. */
function ofMachine(read: (machine: InstanceType) => string | undefined): LabelValues {
  return ({ types }, label) =>
    types.map((type) => {
      if (type.value === undefined) return Reading.unknown(type.path);
      const machine = instanceType(type.value);
      const value = machine && read(machine);
      return value === undefined ? Reading.unknown(label.path) : constant(label, value);
    });
}

function constant({ path }: Reading<string>, value: string): Reading<string> {
  return Reading.known(path, value, value);
}
