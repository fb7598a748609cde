import { repels } from "../../../components/core/kubernetes";
import { Reader } from "../../../components/core/reader/reader";
import { all, any, some, type Truth } from "../../../components/core/reader/truth";
import { failIf, stackRule, type Check } from "../../engine/rule";
import { clusterMarkers } from "../../facts/clusters";
import { inEachCluster } from "../../facts/each-cluster";
import { installers } from "../../facts/charts";
import { gpuOperator, operatorTypes, OperatorValues } from "../../facts/gpu-operator";
import { launchTemplate } from "../../facts/launch-templates";
import { managedGroups, maybeGpuGroups, type MaybeGpuGroup } from "../../facts/node-groups";

/** DaemonSets on the nodes: the path of their tolerations, and what is missing if they are repelled. */
interface Part {
  readonly path: string;
  /** Whether an empty list keeps the default tolerations instead of removing them. */
  readonly emptyIsNothing: boolean;
  readonly why: string;
}

const daemonSets: Part = {
  path: "daemonsets.tolerations",
  emptyIsNothing: true,
  why: "The operator's DaemonSets start no pod on a node whose taint they do not tolerate, and report no missing pod. The node advertises no GPU, but everything looks healthy.",
};
const featureDiscovery: Part = {
  path: "node-feature-discovery.worker.tolerations",
  emptyIsNothing: false,
  why: "The worker of Node Feature Discovery does not start on a node whose taint it does not tolerate. The node then lacks the label that the operator's DaemonSets select, and advertises no GPU.",
};

/** The only taint of GPU nodes that both tolerate by default. */
const defaults = new Reader([{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }]).list();

/**
 * A list replaces the default tolerations. An empty list replaces them only for Node Feature Discovery: the operator
 * then keeps the defaults of its DaemonSets. Checks the taints of EKS node groups. The component is checked through its
 * Release.
 * @see https://github.com/NVIDIA/gpu-operator/issues/397
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/controllers/object_controls.go#L790-L795
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/deployments/gpu-operator/values.yaml
 */
export const operatorToleratesTaints = stackRule({
  id: "operator-tolerates-taints",
  title: "The GPU Operator's DaemonSets tolerate the taints of the GPU nodes.",
  severity: "high",
  incident:
    "new GPU nodes had another taint, and no pod of the operator started there until its DaemonSets were edited manually",
  types: [...operatorTypes, ...managedGroups, launchTemplate, ...clusterMarkers],
  division: inEachCluster,
  *judge(stack) {
    const groups = maybeGpuGroups(stack, managedGroups).map((one) => ({
      ...one,
      repelsDefaults: repels(one.group.list("taints"), defaults),
    }));
    for (const operator of OperatorValues.in(stack)) {
      if (operator.resource.type === gpuOperator || operator.isOperator === false) continue;
      yield repelled(operator, daemonSets, true, groups);
      if (!installers.includes(operator.resource.type)) continue;
      yield repelled(operator, featureDiscovery, operator.isOn("nfd.enabled", true), groups);
    }
  },
});

/** A group, and whether it repels pods with the default tolerations. */
interface TaintedGroup extends MaybeGpuGroup {
  readonly repelsDefaults: Truth;
}

function repelled(operator: OperatorValues, part: Part, runs: Truth, groups: readonly TaintedGroup[]): Check {
  const given = operator.at(part.path).list();
  const hasDefaults = operator.isDefault(part.path);
  const isRepelledBy = ({ group, repelsDefaults }: TaintedGroup) =>
    any(
      all(hasDefaults, repelsDefaults),
      given.is((items) =>
        items.length === 0 && part.emptyIsNothing ? repelsDefaults : repels(group.list("taints"), given),
      ),
    );
  return failIf(
    all(
      operator.isOperator,
      runs,
      some(groups, (one) => all(one.isGpu, isRepelledBy(one))),
    ),
    () => ({
      path: given.path,
      got: given.value ? "a list without a taint of the GPU nodes" : given.shown,
      why: part.why,
      fix: `tolerate every taint of the GPU node groups in ${given.path}; the list replaces the default, which tolerates only nvidia.com/gpu with NoSchedule`,
    }),
    operator.resource,
  );
}
