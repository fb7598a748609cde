import { repels } from "../../../components/core/kubernetes";
import { Reader } from "../../../components/core/reader/reader";
import { all, any, some, type Truth } from "../../../components/core/reader/truth";
import { failIf, stackRule, type Check } from "../../engine/rule";
import { installers } from "../../facts/charts";
import { gpuOperator, operatorTypes, OperatorValues } from "../../facts/gpu-operator";
import { launchTemplate } from "../../facts/launch-templates";
import { managedGroups, maybeGpuGroups, type MaybeGpuGroup } from "../../facts/node-groups";

/** What runs on the nodes: where its tolerations stand, and what is missed where it is shut out. */
interface Part {
  readonly path: string;
  /** Whether an empty list leaves the tolerations as they are, instead of taking them away. */
  readonly emptyIsNothing: boolean;
  readonly why: string;
}

const daemonSets: Part = {
  path: "daemonsets.tolerations",
  emptyIsNothing: true,
  why: "No DaemonSet of the operator starts a pod on a node whose taint it does not tolerate, nor misses one there: the node offers no GPU, and everything looks healthy.",
};
const featureDiscovery: Part = {
  path: "node-feature-discovery.worker.tolerations",
  emptyIsNothing: false,
  why: "The worker of Node Feature Discovery never starts on a node whose taint it does not tolerate: the node lacks the label that every DaemonSet of the operator waits for, and offers no GPU.",
};

/** By themselves both tolerate this taint, and no other that a GPU node may have. */
const standard = new Reader([{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }]).list();

/**
 * A list takes the place of the tolerations that are there by themselves. An empty one does so for Node Feature
 * Discovery alone: the operator then leaves those of its DaemonSets as they are. Judged are the taints of EKS node
 * groups; what the component is told arrives in its Release.
 * @see https://github.com/NVIDIA/gpu-operator/issues/397
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/controllers/object_controls.go#L790-L795
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/deployments/gpu-operator/values.yaml
 */
export const operatorToleratesTaints = stackRule({
  id: "operator-tolerates-taints",
  title: "What the GPU Operator runs on GPU nodes tolerates their taints.",
  severity: "high",
  incident:
    "new GPU machines came with a taint of their own, and no pod of the operator started there until somebody edited its DaemonSets by hand",
  types: [...operatorTypes, ...managedGroups, launchTemplate],
  *judge(stack) {
    const groups = maybeGpuGroups(stack, managedGroups).map((one) => ({
      ...one,
      repelsStandard: repels(one.group.list("taints"), standard),
    }));
    for (const operator of OperatorValues.in(stack)) {
      if (operator.resource.type === gpuOperator || operator.isOperator === false) continue;
      yield shutOut(operator, daemonSets, true, groups);
      if (!installers.includes(operator.resource.type)) continue;
      yield shutOut(operator, featureDiscovery, operator.isOn("nfd.enabled", true), groups);
    }
  },
});

/** A group, and whether it keeps out what tolerates no more than the standard taint. */
interface TaintedGroup extends MaybeGpuGroup {
  readonly repelsStandard: Truth;
}

function shutOut(operator: OperatorValues, part: Part, runs: Truth, groups: readonly TaintedGroup[]): Check {
  const given = operator.at(part.path).list();
  const isStandard = operator.leavesOut(part.path);
  const isShutOutOf = ({ group, repelsStandard }: TaintedGroup) =>
    any(
      all(isStandard, repelsStandard),
      given.is((items) =>
        items.length === 0 && part.emptyIsNothing ? repelsStandard : repels(group.list("taints"), given),
      ),
    );
  return failIf(
    all(
      operator.isOperator,
      runs,
      some(groups, (one) => all(one.isGpu, isShutOutOf(one))),
    ),
    () => ({
      path: given.path,
      got: given.value ? "a list that leaves out a taint of the GPU nodes" : given.shown,
      why: part.why,
      fix: `tolerate in ${given.path} every taint of the GPU node groups; a list there takes the place of the standard one, which tolerates nvidia.com/gpu with NoSchedule alone`,
    }),
    operator.resource,
  );
}
