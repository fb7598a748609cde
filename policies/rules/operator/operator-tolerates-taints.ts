import { repels } from "../../../components/core/kubernetes";
import { all, any, Reader, some, type Truth } from "../../engine/values";
import { failAt, on, type Check } from "../../engine/rule";
import { clusterRule } from "../../facts/each-cluster";
import { installers } from "../../facts/charts";
import { gpuOperator, operatorTypes, OperatorValues } from "../../facts/gpu-operator";
import { launchTemplate } from "../../facts/launch-templates";
import { maybeGpuGroups, taintsOf, type MaybeGpuGroup } from "../../facts/node-groups";
import { managedGroups, typesOf } from "../../facts/node-sources";
import { describeTaints, shownKey } from "../../facts/taint-texts";

/** DaemonSets on the nodes: the path of their tolerations, and what is missing if they are repelled. */
const daemonSets = {
  path: "daemonsets.tolerations",
  /** Whether an empty list keeps the default tolerations instead of removing them. */
  emptyIsNothing: true,
  why: "The operator's DaemonSets do not start a pod on a node whose taint they do not tolerate, and do not report a missing pod. The node advertises no GPU, but everything looks healthy.",
};
type Part = typeof daemonSets;
const featureDiscovery: Part = {
  path: "node-feature-discovery.worker.tolerations",
  emptyIsNothing: false,
  why: "The worker of Node Feature Discovery does not start on a node whose taint it does not tolerate. The node then lacks the label that the operator's DaemonSets select, and advertises no GPU.",
};

/** The types whose taints are in the stack. */
const tainted = [...managedGroups, ...typesOf("pool")];

/** The only taint of GPU nodes that both tolerate by default. */
const defaults = new Reader([{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }]).list();

/**
 * A list of tolerations replaces the default ones. An empty list does so only for Node Feature Discovery. The rule
 * checks the taints of EKS node groups and NodePools, and checks the component through its Release.
 * @see https://github.com/NVIDIA/gpu-operator/issues/397
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/controllers/object_controls.go#L790-L795
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/deployments/gpu-operator/values.yaml
 */
export const operatorToleratesTaints = clusterRule({
  id: "operator-tolerates-taints",
  title: "The GPU Operator's DaemonSets tolerate the taints of the GPU nodes.",
  severity: "high",
  incident:
    "new GPU nodes had another taint, and no pod of the operator started there until its DaemonSets were edited manually",
  types: [...operatorTypes, ...tainted, launchTemplate],
  *judge(stack) {
    const groups = maybeGpuGroups(stack, tainted);
    for (const operator of OperatorValues.in(stack)) {
      const { resource, isOperator } = operator;
      if (resource.type === gpuOperator || isOperator === false) continue;
      yield* on(resource, [repelled(operator, daemonSets, true, groups)]);
      if (!installers.includes(resource.type)) continue;
      yield* on(resource, [repelled(operator, featureDiscovery, operator.isOn("nfd.enabled", true), groups)]);
    }
  },
});

function repelled(operator: OperatorValues, part: Part, runs: Truth, groups: readonly MaybeGpuGroup[]): Check {
  const given = operator.at(part.path).list();
  const hasDefaults = operator.isDefault(part.path);
  const isRepelling = ({ group, isGpu }: MaybeGpuGroup) => {
    const taints = taintsOf(group);
    const repelsDefaults = repels(taints, defaults);
    const isRepelled = given.is(({ length }) =>
      length === 0 && part.emptyIsNothing ? repelsDefaults : repels(taints, given),
    );
    return all(isGpu, any(all(hasDefaults, repelsDefaults), isRepelled));
  };
  const repelling = groups
    .filter((one) => isRepelling(one) === true)
    .map(({ group }) => describeTaints(group, taintsOf(group).value ?? [], shownKey));
  const taints = repelling.join(", and ");
  return failAt(given, all(operator.isOperator, runs, some(groups, isRepelling)), {
    got: given.value ? `a list that does not tolerate every taint: ${taints}` : given.shown,
    why: part.why,
    fix: `tolerate the taints ${taints} in ${given.path}; the list replaces the default, which tolerates only nvidia.com/gpu with NoSchedule`,
  });
}
