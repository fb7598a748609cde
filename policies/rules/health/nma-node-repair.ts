import { all, any, equals, not, some, type Truth } from "../../engine/values";
import { repels } from "../../../components/core/kubernetes";
import { adviseAt, failAt, on, type Check, type Stack } from "../../engine/rule";
import { addon } from "../../facts/clusters";
import { clusterRule } from "../../facts/each-cluster";
import { MonitoringAgent, operatorsOf, runsDcgm } from "../../facts/dcgm";
import { operatorTypes, type OperatorValues } from "../../facts/gpu-operator";
import { launchTemplate } from "../../facts/launch-templates";
import { maybeGpuGroups, taintsOf, type MaybeGpuGroup } from "../../facts/node-groups";
import { managedGroups } from "../../facts/node-sources";

const toleration = '{"dcgmAgent":{"tolerations":[{"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"}]}}';
const consequence =
  "the agent finds no DCGM engine, sets AcceleratedHardwareReady to False, and node repair replaces healthy nodes.";

/** An address of a Kubernetes Service, which only the cluster DNS resolves. */
const service = /\.svc(?![\w-])/i;
/** An address of the Service that the GPU Operator creates with `dcgm.enabled`. */
const operatorService = /^\s*nvidia-dcgm(?![\w-])/i;

/**
 * Node repair may be off, because a lab can need the broken node. An agent that cannot reach a DCGM engine fails even
 * then, because it sets the condition AcceleratedHardwareReady to a wrong value. Self-managed nodes are not checked.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/node-health-nma.html
 * @see https://github.com/aws/containers-roadmap/issues/2567
 * @see https://github.com/aws/eks-node-monitoring-agent/blob/v1.7.0/charts/eks-node-monitoring-agent/values.yaml
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateAddon.html configurationValues
 */
export const nmaNodeRepair = clusterRule({
  id: "nma-node-repair",
  title:
    "The node monitoring agent can check the GPUs of tainted nodes, and node repair has an agent that reports to it.",
  severity: "critical",
  incident:
    "the agent's DCGM server tolerated no taint and did not start on GPU nodes, so healthy nodes were reported as broken",
  types: [addon, ...operatorTypes, ...managedGroups, launchTemplate],
  *judge(stack) {
    const agents = MonitoringAgent.in(stack);
    const groups = maybeGpuGroups(stack, managedGroups);
    const operators = operatorsOf(stack);
    for (const agent of agents) {
      yield* on(agent.resource, [
        malformed(agent),
        serverRepelled(agent, groups),
        serverOff(agent, operators, groups),
        ...otherEngine(agent, operators),
      ]);
    }
    const hasAgent = some(agents, ({ isAgent }) => isAgent);
    for (const one of groups) yield* on(one.group, [repairWithoutAgent(one, hasAgent, stack)]);
  },
});

function malformed({ isAgent, isMalformed, configuration }: MonitoringAgent): Check {
  return failAt(configuration, all(isAgent, isMalformed), {
    got: "a value that is not a JSON or YAML object",
    why: "EKS rejects the add-on during the update, and nothing monitors the GPUs.",
    fix: `set ${configuration.path} to an object in JSON or YAML, such as ${toleration}`,
  });
}

function serverRepelled(agent: MonitoringAgent, groups: readonly MaybeGpuGroup[]): Check {
  const { configuration } = agent;
  const tolerations = configuration.list("dcgmAgent.tolerations");
  const isRepelled = some(groups, ({ group, isGpu }) => all(isGpu, repels(taintsOf(group), tolerations)));
  const runsServer = all(not(agent.isServerDisabled), not(agent.usesRemoteEngine));
  const isAbsent = configuration.entries().isAbsent === true;
  return failAt(configuration, all(agent.monitorsGpus, runsServer, isRepelled), {
    got: isAbsent ? "nothing" : "dcgmAgent.tolerations without a taint of the GPU nodes",
    why: `dcgm-server does not start on a node whose taint it does not tolerate: ${consequence}`,
    fix: `tolerate every taint of the GPU node groups in ${configuration.path}, as in ${toleration}`,
  });
}

/** The operator's engine listens on the node only with the host network. */
function serverOff(
  agent: MonitoringAgent,
  operators: readonly OperatorValues[],
  groups: readonly MaybeGpuGroup[],
): Check {
  const { configuration } = agent;
  const hasOperator = some(operators, ({ isOperator }) => isOperator);
  const hasGpuNodes = some(groups, ({ isGpu }) => isGpu);
  const listensOnNode = (operator: OperatorValues) =>
    all(operator.isOperator, runsDcgm(operator), operator.isOn("dcgm.hostNetwork", false));
  const address = configuration.at("nodeAgent.dcgmAddress");
  const hasNoEngine = all(agent.isServerDisabled, not(agent.usesRemoteEngine), not(some(operators, listensOnNode)));
  return failAt(address, all(any(hasOperator, hasGpuNodes), agent.monitorsGpus, hasNoEngine), {
    got: address.text().isAbsent === true ? "nothing" : "no address outside the node",
    why: `dcgmAgent.enabled is false, so dcgm-server does not run, and no other engine is configured: ${consequence}`,
    fix: `set ${address.path} to nvidia-dcgm.gpu-operator.svc:5555, nodeAgent.dnsPolicy to ClusterFirstWithHostNet and the operator's dcgm.enabled to true, or nodeAgent.monitors.nvidia.enabled to false`,
  });
}

/** The agent reads the operator's engine through its Service. */
function* otherEngine(agent: MonitoringAgent, operators: readonly OperatorValues[]): Iterable<Check> {
  const { configuration } = agent;
  const address = configuration.text("nodeAgent.dcgmAddress");
  const hasOperator = some(operators, ({ isOperator }) => isOperator);
  const mayRun = some(operators, (operator) => all(operator.isOperator, runsDcgm(operator)));
  const isOfOperator = address.is((text) => operatorService.test(text));
  yield failAt(address, all(agent.monitorsGpus, isOfOperator, hasOperator, not(mayRun)), {
    got: "the Service nvidia-dcgm",
    why: `The GPU Operator has dcgm.enabled off, so this Service does not exist: ${consequence}`,
    fix: "set dcgm.enabled to true in the values of the GPU Operator",
  });
  const policies = ["", "ClusterFirst", "ClusterFirstWithHostNet", "Default"] as const;
  const policy = configuration.choice("nodeAgent.dnsPolicy", policies);
  const resolves = equals(policy, "ClusterFirstWithHostNet");
  const isService = address.is((text) => service.test(text));
  yield failAt(policy, all(agent.monitorsGpus, isService, not(resolves)), {
    got: policy.shown || "an empty string",
    why: `The agent uses the network of its node, whose DNS does not resolve Services of the cluster: ${consequence}`,
    fix: `set ${policy.path} to ClusterFirstWithHostNet`,
  });
}

/** Without the agent, node repair detects only a kubelet that does not respond. */
function repairWithoutAgent({ group, isGpu }: MaybeGpuGroup, hasAgent: Truth, stack: Stack): Check {
  const enabled = group.boolean("nodeRepairConfig.enabled");
  const hasAddons = stack.ofType(addon).length > 0;
  return adviseAt(enabled, all(hasAddons, isGpu, equals(enabled, true), not(hasAgent)), {
    why: "The stack has no eks-node-monitoring-agent, so nothing reports broken GPUs. Node repair detects only nodes that do not respond at all.",
    fix: "install the add-on eks-node-monitoring-agent",
  });
}
