import { repels } from "../../components/core/kubernetes";
import type { Reader } from "../../components/core/reader/reader";
import { compare, Reading } from "../../components/core/reader/reading";
import { all, any, not, some, Undetermined, type Truth } from "../../components/core/reader/truth";
import { instanceType, type InstanceType } from "../../components/nodes/machine/instance-types";
import type { GpuGroup } from "./gpu-capacity";
import { blocks, someOf } from "./lists";
import { requiredTerms, type PodTemplate } from "./pods";

/** Whether the pods may run on nodes of a group: by their node selector, their node affinity and the group's taints. */
export function mayRunOn(pod: PodTemplate, group: GpuGroup): Truth {
  return all(
    group.isGpu,
    isSelected(pod, group),
    isInAffinity(pod, group),
    not(repels(group.group.list("taints"), pod.tolerations)),
  );
}

function isSelected(pod: PodTemplate, group: GpuGroup): Truth {
  return not(
    someOf(pod.spec.entries("nodeSelector"), ([key, wanted]) => {
      const values = wanted.text().map(
        () => [wanted],
        () => "",
      );
      return all(not(wanted.text().isAbsent), not(meets(group, { key, operator: "In", values })));
    }),
  );
}

/** One term is enough; in a term every expression counts. One that says nothing matches no node. */
function isInAffinity(pod: PodTemplate, group: GpuGroup): Truth {
  const terms = requiredTerms(pod);
  if (terms.is(() => true) === false) return true;
  return someOf(terms, (term) => {
    const expressions = blocks(term.list("matchExpressions"));
    const fields = term.list("matchFields");
    return all(
      any(
        someOf(expressions, () => true),
        not(fields.isAbsent),
      ),
      not(someOf(expressions, (expression) => not(meetsExpression(group, expression)))),
      // By fields a term names single nodes.
      fields.isAbsent === true || new Undetermined([fields.path]),
    );
  });
}

function meetsExpression(group: GpuGroup, expression: Reader): Truth {
  return expression
    .text("key")
    .is((key) =>
      expression.text("operator").is((operator) => meets(group, { key, operator, values: expression.list("values") })),
    );
}

export const hostname = "kubernetes.io/hostname";

/** A term of a node selector or of node affinity. A label without values is only to be there. */
export interface Expression {
  readonly key: string;
  readonly operator: string;
  readonly values: Reading<readonly Reader[]>;
}

/**
 * Whether nodes of a group meet an expression. Where a group may have several values of a label, such as the types that
 * it starts, one that meets it is enough.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#operators
 */
export function meets(group: GpuGroup, { key, operator, values }: Expression): Truth {
  if (key === hostname) return true;
  const label = labelOf(group, key);
  const isOneOf = (value: Reading<string>) =>
    someOf(values, (wanted) => compare(value, wanted.text(), (a, b) => isSame(key, a, b)));
  if (operator === "In") return some(label, isOneOf);
  if (operator === "Exists") return some(label, (value) => value.is(() => true));
  if (operator === "NotIn") return isLacking(label) || some(label, (value) => not(isOneOf(value)));
  if (operator === "DoesNotExist") return isLacking(label) || some(label, ({ isAbsent }) => isAbsent);
  return new Undetermined([]);
}

function isLacking(label: readonly Reading<string>[]): boolean {
  return label.length === 0;
}

/** GPU feature discovery writes `NVIDIA-A10G`, `Tesla-T4` or `NVIDIA-A10G-SHARED` for what AWS calls A10G and T4. */
function isSame(key: string, value: string, wanted: string): boolean {
  return key === gpuProduct ? `-${wanted}-`.includes(`-${value.replaceAll(" ", "-")}-`) : value === wanted;
}

const gpuProduct = "nvidia.com/gpu.product";

/** Labels that say something of the machine. */
const ofMachine: Readonly<Record<string, (machine: InstanceType) => string | undefined>> = {
  "kubernetes.io/arch": ({ architecture }) => architecture,
  "nvidia.com/gpu.count": ({ gpus }) => String(gpus),
  [gpuProduct]: ({ gpuModel }) => gpuModel,
};

/** Domains of labels that a node gets from elsewhere than its group: kubelet, AWS, GPU feature discovery. */
const foreignDomain = /(^|\.)(kubernetes\.io|k8s\.io|nvidia\.com|amazonaws\.com|karpenter\.sh)$/;

/**
 * The values that a label may have on nodes of a group; none where they lack it. What nobody can tell is unknown.
 * @see https://kubernetes.io/docs/reference/labels-annotations-taints/
 * @see https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html
 */
function labelOf({ group, types, zones }: GpuGroup, key: string): readonly Reading<string>[] {
  const own = group.text(["labels", key]);
  if (own.isAbsent !== true) return [own];
  const unless = (candidates: readonly Reading<string>[]) => {
    const known = candidates.filter(({ isAbsent }) => isAbsent !== true);
    return known.length > 0 ? known : [Reading.unknown<string>(candidates[0]?.path ?? own.path)];
  };
  switch (key) {
    case "node.kubernetes.io/instance-type":
    case "beta.kubernetes.io/instance-type":
      return unless(types);
    case "topology.kubernetes.io/zone":
    case "failure-domain.beta.kubernetes.io/zone":
      return unless(zones);
    case "eks.amazonaws.com/nodegroup":
      return unless([group.text("nodeGroupName")]);
    case "eks.amazonaws.com/capacityType":
      return [group.text("capacityType").or("ON_DEMAND")];
    case "kubernetes.io/os":
      return [constant(own, "linux")];
    case "nvidia.com/gpu.present":
      return [constant(own, "true")];
  }
  const read = Object.hasOwn(ofMachine, key) ? ofMachine[key] : undefined;
  if (read) return unless(types.flatMap((type) => ofType(type, own, read)));
  const isForeign = key.includes("/") && foreignDomain.test(key.split("/")[0] ?? "");
  return isForeign ? unless([]) : [];
}

function ofType(
  type: Reading<string>,
  label: Reading<string>,
  read: (machine: InstanceType) => string | undefined,
): Reading<string> {
  const machine = type.value === undefined ? undefined : instanceType(type.value);
  const value = machine && read(machine);
  return value === undefined
    ? Reading.unknown(type.value === undefined ? type.path : label.path)
    : constant(label, value);
}

function constant({ path }: Reading<string>, value: string): Reading<string> {
  return Reading.known(path, value, value);
}
