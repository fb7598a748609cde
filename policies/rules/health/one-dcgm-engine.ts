import { all, any, some, type Truth } from "../../engine/values";
import { failAt, on, onEach, type Check, type Resource, type Stack } from "../../engine/rule";
import { installers } from "../../facts/charts";
import { addon } from "../../facts/clusters";
import { clusterRule } from "../../facts/each-cluster";
import {
  exporterVariables,
  hasEngine,
  isExporterWithEngine,
  isLocal,
  usesOtherEngine,
  MonitoringAgent,
  operatorsOf,
  remoteEngineVariable,
  runsDcgm,
  runsExporter,
} from "../../facts/dcgm";
import { operatorTypes, type OperatorValues } from "../../facts/gpu-operator";
import { daemonSet } from "../../facts/pods";

const readsAgents =
  `set dcgm.enabled to false, dcgmExporter.hostNetwork to true and the variable ${remoteEngineVariable} of dcgmExporter to localhost:5555 ` +
  `(GpuOperator: health "node-monitor")`;
const withoutMonitor =
  "dcgmAgent.enabled false (before version 1.7.1 a dcgmAgent.nodeSelector that matches no node) and nodeAgent.monitors.nvidia.enabled false";
const readsOperators =
  "dcgmAgent.enabled false, nodeAgent.dcgmAddress nvidia-dcgm.gpu-operator.svc:5555 and nodeAgent.dnsPolicy ClusterFirstWithHostNet (from version 1.7.1)";

/**
 * eks-node-monitoring-agent starts a DCGM engine on every GPU node. So does the GPU Operator: in a DaemonSet with
 * `dcgm.enabled`, otherwise inside its exporter, unless the exporter has the address of another engine. The same
 * applies to dcgm-exporter without the operator. An exporter with the address of an engine that cannot exist also
 * fails. The rule cannot see the node monitoring agent of EKS Auto Mode.
 * @see https://github.com/aws/containers-roadmap/issues/2555
 * @see https://github.com/aws/containers-roadmap/issues/2763
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/controllers/object_controls.go#L1771-L1849
 */
export const oneDcgmEngine = clusterRule({
  id: "one-dcgm-engine",
  title:
    "A GPU node runs one DCGM engine, from the node monitoring agent or the GPU Operator, and the exporter can reach it.",
  severity: "high",
  incident:
    "the operator and the node monitoring agent each ran a DCGM engine; the agent reported a DCGM error, and healthy GPU nodes were replaced",
  types: [addon, ...operatorTypes, daemonSet],
  *judge(stack) {
    const agentHasEngine = some(MonitoringAgent.in(stack), (agent) => agent.runsEngine);
    const operators = operatorsOf(stack);
    for (const operator of operators) {
      yield* on(operator.resource, [secondEngine(operator, agentHasEngine), ...noEngine(operator)]);
    }
    const othersHaveEngine = any(agentHasEngine, some(operators, hasEngine));
    const exporters = stack.ofType(daemonSet, ...installers);
    const charts = exporters.filter((one) => isExporterWithEngine(one, stack) === true).map(({ urn }) => urn);
    const own = exporters.filter(({ parent = "" }) => !charts.includes(parent));
    yield* onEach(own, (resource) => [ofExporter(resource, stack, othersHaveEngine)]);
  },
});

function secondEngine(operator: OperatorValues, agentHasEngine: Truth): Check {
  const isSecond = all(agentHasEngine, hasEngine(operator));
  if (runsDcgm(operator) === true) {
    return failAt(operator.at("dcgm.enabled").boolean(), isSecond, {
      why: "The DaemonSet nvidia-dcgm runs a second DCGM engine in addition to dcgm-server of eks-node-monitoring-agent. They conflict on profiling counters and port 5555, and the agent reports a false error.",
      fix: `${readsAgents}, or let eks-node-monitoring-agent use the operator's engine: ${readsOperators}`,
    });
  }
  return failAt(operator.at("dcgmExporter.env"), isSecond, {
    got: `no ${remoteEngineVariable}`,
    why: "The exporter runs its own DCGM engine in addition to dcgm-server of eks-node-monitoring-agent. They conflict on profiling counters, and metrics are missing.",
    fix: `${readsAgents}, or disable the engine of eks-node-monitoring-agent: ${withoutMonitor}`,
  });
}

function* noEngine(operator: OperatorValues): Iterable<Check> {
  const runs = all(operator.isOperator, runsExporter(operator));
  const isNowhere = usesOtherEngine(operator, (address) => address.or("").is((text) => text.trim() === ""));
  yield failAt(operator.at("dcgmExporter.env"), all(runs, isNowhere), {
    got: `${remoteEngineVariable} without an address`,
    why: "The exporter then has no DCGM engine, so there are no GPU metrics.",
    fix: `set ${remoteEngineVariable} to the address of the engine, localhost:5555 for eks-node-monitoring-agent, or remove it`,
  });
  const isInPod = usesOtherEngine(operator, (address) => address.is(isLocal));
  const network = operator.at("dcgmExporter.hostNetwork").boolean();
  yield failAt(network, all(runs, isInPod, operator.isOff("dcgmExporter.hostNetwork", false)), {
    why: `${remoteEngineVariable} is localhost, which means the pod of the exporter. No DCGM engine listens there, so there are no GPU metrics.`,
    fix: `set ${network.path} to true`,
  });
}

function ofExporter(resource: Resource, stack: Stack, othersHaveEngine: Truth): Check {
  const { path } = exporterVariables(resource, stack);
  return failAt({ path }, all(isExporterWithEngine(resource, stack), othersHaveEngine), {
    got: `no ${remoteEngineVariable}`,
    why: "dcgm-exporter runs its own DCGM engine in addition to the engine of the GPU Operator or of eks-node-monitoring-agent. They conflict on profiling counters, and metrics are missing.",
    fix: `remove it, because the GPU Operator has an exporter, or add the variable ${remoteEngineVariable} with the address of the other engine to ${path}`,
  });
}
