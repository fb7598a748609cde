import { addon } from "../cluster/clusters";
import type { Resource, Stack } from "../../core/resource";
import { adviseIf, failIf, stackRule, type Check } from "../../core/rule";
import { all, any, not, type Truth } from "../../core/unknown";
import { isGpuGroup, managedNodeGroup, nodeGroup } from "../nodes/gpu-group";
import { monitoringAgents, ofConfiguration, tolerates, watchesGpu, type MonitoringAgent } from "./monitoring-agent";

const nodeGroups = [nodeGroup, managedNodeGroup];

const toleration = '{"dcgmAgent":{"tolerations":[{"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"}]}}';

/**
 * Repair off is no fault: a lab may want the broken node to stay. The tolerations are a fault whether repair is on or
 * not, because the condition AcceleratedHardwareReady lies without them. EKS takes the add-on's configuration in YAML
 * as well, which is not judged.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/node-health-nma.html
 * @see https://github.com/aws/containers-roadmap/issues/2567
 * @see https://github.com/aws/eks-node-monitoring-agent/blob/v1.7.0/charts/eks-node-monitoring-agent/values.yaml
 */
export const nmaNodeRepair = stackRule({
  id: "nma-node-repair",
  title: "The node monitoring agent reaches the GPUs of tainted nodes, and node repair has an agent to listen to.",
  severity: "critical",
  incident:
    "the agent's DCGM server tolerated no taint and never started on the GPU nodes, and healthy ones were reported as broken",
  types: [addon, ...nodeGroups],
  *judge(stack) {
    const agents = monitoringAgents(stack);
    const groups = stack.ofType(...nodeGroups);
    for (const agent of agents) yield reach(agent, groups);
    const hasAgent = any(...agents.map(({ isAgent }) => isAgent));
    for (const group of groups) yield* listeners(group, hasAgent, stack);
  },
});

function reach(agent: MonitoringAgent, groups: readonly Resource[]): Check {
  const isShutOut = any(...groups.map((group) => shutsOut(group, agent)));
  return failIf(
    all(watchesGpu(agent), isShutOut),
    () => ({
      path: agent.text.path,
      got: agent.text.isAbsent === true ? "nothing" : "dcgmAgent.tolerations that leave out a taint of the GPU nodes",
      why: "dcgm-server never starts on a node whose taint it does not tolerate: the agent finds no engine, AcceleratedHardwareReady goes False, and node repair replaces nodes that are well.",
      fix: `tolerate every taint of the GPU node groups in ${agent.text.path}, as in ${toleration}`,
    }),
    agent.resource,
  );
}

/** Whether a GPU group has a taint that dcgm-server does not tolerate. */
function shutsOut(group: Resource, agent: MonitoringAgent): Truth {
  const isBarred = group.list("taints").is((taints) =>
    any(
      ...taints.map((taint) =>
        all(
          taint.text("effect").is((effect) => effect === "NO_SCHEDULE" || effect === "NO_EXECUTE"),
          ofConfiguration(agent, (configuration) => not(tolerates(configuration.list("dcgmAgent.tolerations"), taint))),
        ),
      ),
    ),
  );
  return all(isGpuGroup(group), isBarred);
}

/** Without the agent repair sees no more than a kubelet that is silent. */
function* listeners(group: Resource, hasAgent: Truth, stack: Stack): Iterable<Check> {
  const enabled = group.boolean("nodeRepairConfig.enabled");
  const hasAddons = stack.ofType(addon).length > 0;
  yield adviseIf(
    all(
      hasAddons,
      isGpuGroup(group),
      enabled.is((on) => on),
      not(hasAgent),
    ),
    () => ({
      path: enabled.path,
      got: enabled.shown,
      why: "No add-on here is eks-node-monitoring-agent, so nobody reports broken GPUs: repair sees only nodes that are silent altogether.",
      fix: "install the add-on eks-node-monitoring-agent",
    }),
    group,
  );
}
