import { repels } from "../../../components/core/kubernetes";
import { all, any, not, some, type Truth } from "../../../components/core/reader/truth";
import type { Stack } from "../../engine/resource";
import { adviseIf, failIf, stackRule, type Check } from "../../engine/rule";
import { addon } from "../../facts/clusters";
import {
  isOperatorService,
  isService,
  isSwitchedOff,
  monitoringAgents,
  operatorsOf,
  readsAnother,
  runsDcgm,
  watchesGpu,
  type MonitoringAgent,
} from "../../facts/dcgm";
import { operatorTypes, type OperatorValues } from "../../facts/gpu-operator";
import { launchTemplate } from "../../facts/launch-templates";
import { managedGroups, maybeGpuGroups, type MaybeGpuGroup } from "../../facts/node-groups";

const toleration = '{"dcgmAgent":{"tolerations":[{"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"}]}}';
const whatFollows =
  "the agent finds no engine, AcceleratedHardwareReady goes False, and node repair replaces nodes that are well.";

/**
 * Repair off is no fault: a lab may want the broken node to stay. An agent that reaches no DCGM engine is one whether
 * repair is on or not, because the condition AcceleratedHardwareReady then lies. Self-managed nodes are not judged.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/node-health-nma.html
 * @see https://github.com/aws/containers-roadmap/issues/2567
 * @see https://github.com/aws/eks-node-monitoring-agent/blob/v1.7.0/charts/eks-node-monitoring-agent/values.yaml
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateAddon.html configurationValues
 */
export const nmaNodeRepair = stackRule({
  id: "nma-node-repair",
  title: "The node monitoring agent reaches the GPUs of tainted nodes, and node repair has an agent to listen to.",
  severity: "critical",
  incident:
    "the agent's DCGM server tolerated no taint and never started on the GPU nodes, and healthy ones were reported as broken",
  types: [addon, ...operatorTypes, ...managedGroups, launchTemplate],
  *judge(stack) {
    const agents = monitoringAgents(stack);
    const groups = maybeGpuGroups(stack, managedGroups);
    const operators = operatorsOf(stack);
    for (const agent of agents) {
      yield rubbish(agent);
      yield serverShutOut(agent, groups);
      yield serverOff(agent, operators, groups);
      yield* otherEngine(agent, operators);
    }
    const hasAgent = some(agents, ({ isAgent }) => isAgent);
    for (const one of groups) yield listeners(one, hasAgent, stack);
  },
});

function rubbish({ resource, isAgent, isRubbish, configuration }: MonitoringAgent): Check {
  return failIf(
    all(isAgent, isRubbish),
    () => ({
      path: configuration.path,
      got: "what is no object in JSON or YAML",
      why: "EKS refuses the add-on when the update reaches it, and nothing watches the GPUs.",
      fix: `set ${configuration.path} to an object in JSON or YAML, such as ${toleration}`,
    }),
    resource,
  );
}

function serverShutOut(agent: MonitoringAgent, groups: readonly MaybeGpuGroup[]): Check {
  const { configuration, resource } = agent;
  const tolerations = configuration.list("dcgmAgent.tolerations");
  const isShutOut = some(groups, ({ group, isGpu }) => all(isGpu, repels(group.list("taints"), tolerations)));
  return failIf(
    all(watchesGpu(agent), not(isSwitchedOff(configuration)), not(readsAnother(configuration)), isShutOut),
    () => ({
      path: configuration.path,
      got:
        configuration.entries().isAbsent === true
          ? "nothing"
          : "dcgmAgent.tolerations that leave out a taint of the GPU nodes",
      why: `dcgm-server never starts on a node whose taint it does not tolerate: ${whatFollows}`,
      fix: `tolerate every taint of the GPU node groups in ${configuration.path}, as in ${toleration}`,
    }),
    resource,
  );
}

/** The operator's own engine listens on the node only where it has the node's network. */
function serverOff(
  agent: MonitoringAgent,
  operators: readonly OperatorValues[],
  groups: readonly MaybeGpuGroup[],
): Check {
  const { configuration, resource } = agent;
  const hasGpus = any(
    some(operators, ({ isOperator }) => isOperator),
    some(groups, ({ isGpu }) => isGpu),
  );
  const listensOnNode = (operator: OperatorValues) =>
    all(operator.isOperator, runsDcgm(operator), operator.isOn("dcgm.hostNetwork", false));
  const address = configuration.at("nodeAgent.dcgmAddress");
  return failIf(
    all(
      hasGpus,
      watchesGpu(agent),
      isSwitchedOff(configuration),
      not(readsAnother(configuration)),
      not(some(operators, listensOnNode)),
    ),
    () => ({
      path: address.path,
      got: address.text().isAbsent === true ? "nothing" : "no address outside of the node",
      why: `dcgmAgent.enabled is false, so dcgm-server does not run, and the agent is told of no other: ${whatFollows}`,
      fix: `set ${address.path} to nvidia-dcgm.gpu-operator.svc:5555, nodeAgent.dnsPolicy to ClusterFirstWithHostNet and the operator's dcgm.enabled to true, or nodeAgent.monitors.nvidia.enabled to false`,
    }),
    resource,
  );
}

/** Where the agent is to read the operator's engine through its Service. */
function* otherEngine(agent: MonitoringAgent, operators: readonly OperatorValues[]): Iterable<Check> {
  const { configuration, resource } = agent;
  const address = configuration.text("nodeAgent.dcgmAddress");
  const mayRun = (operator: OperatorValues) => all(operator.isOperator, runsDcgm(operator));
  yield failIf(
    all(
      watchesGpu(agent),
      address.is(isOperatorService),
      some(operators, ({ isOperator }) => isOperator),
      not(some(operators, mayRun)),
    ),
    () => ({
      path: address.path,
      got: "the Service nvidia-dcgm",
      why: `The GPU Operator here has dcgm.enabled off and makes no such Service: ${whatFollows}`,
      fix: "set dcgm.enabled to true in the values of the GPU Operator",
    }),
    resource,
  );
  const policies = ["", "ClusterFirst", "ClusterFirstWithHostNet", "Default"] as const;
  const policy = configuration.choice("nodeAgent.dnsPolicy", policies);
  yield failIf(
    all(watchesGpu(agent), address.is(isService), not(policy.is((word) => word === "ClusterFirstWithHostNet"))),
    () => ({
      path: policy.path,
      got: policy.shown || "an empty text",
      why: `The agent is on the network of its node, whose DNS knows no Service of the cluster: ${whatFollows}`,
      fix: `set ${policy.path} to ClusterFirstWithHostNet`,
    }),
    resource,
  );
}

/** Without the agent repair sees no more than a kubelet that is silent. */
function listeners({ group, isGpu }: MaybeGpuGroup, hasAgent: Truth, stack: Stack): Check {
  const enabled = group.boolean("nodeRepairConfig.enabled");
  const hasAddons = stack.ofType(addon).length > 0;
  return adviseIf(
    all(
      hasAddons,
      isGpu,
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
