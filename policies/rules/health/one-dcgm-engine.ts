import { all, any, some, type Truth } from "../../../components/core/reader/truth";
import type { Resource } from "../../engine/resource";
import { failIf, stackRule, type Check } from "../../engine/rule";
import { addon } from "../../facts/clusters";
import {
  hasEngine,
  isExporterWithEngine,
  isLocal,
  looksElsewhere,
  monitoringAgents,
  operatorsOf,
  remoteEngine,
  runsDcgm,
  runsEngine,
  runsExporter,
} from "../../facts/dcgm";
import { operatorTypes, type OperatorValues } from "../../facts/gpu-operator";

const readsAgents =
  `set dcgm.enabled to false and give dcgmExporter hostNetwork true and the variable ${remoteEngine} localhost:5555 ` +
  `(GpuOperator: health "node-monitor")`;
const withoutMonitor =
  "dcgmAgent.enabled false, before its version 1.7.1 a dcgmAgent.nodeSelector that no node meets, and nodeAgent.monitors.nvidia.enabled false";
const readsOperators =
  "dcgmAgent.enabled false, nodeAgent.dcgmAddress nvidia-dcgm.gpu-operator.svc:5555 and nodeAgent.dnsPolicy ClusterFirstWithHostNet, from its version 1.7.1 on";

/**
 * eks-node-monitoring-agent starts an engine on every GPU node, and so does the GPU Operator: as a DaemonSet with
 * `dcgm.enabled`, or else inside its exporter, unless that is told of another engine. The chart dcgm-exporter does as
 * the operator's exporter does. An exporter that looks for an engine where none can be is at fault with or without the
 * agent. The node monitoring agent that EKS Auto Mode brings is not seen, nor is an exporter in a DaemonSet of one's own.
 * @see https://github.com/aws/containers-roadmap/issues/2555
 * @see https://github.com/aws/containers-roadmap/issues/2763
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/controllers/object_controls.go#L1771-L1849
 */
export const oneDcgmEngine = stackRule({
  id: "one-dcgm-engine",
  title:
    "A GPU node runs one DCGM engine, the node monitoring agent's or the GPU Operator's, and the exporter reaches it.",
  severity: "high",
  incident:
    "the operator's DCGM engine ran beside that of the node monitoring agent, which reported a DCGM error, and healthy GPU nodes were replaced",
  types: [addon, ...operatorTypes],
  *judge(stack) {
    const agentHasEngine = some(monitoringAgents(stack), runsEngine);
    const operators = operatorsOf(stack);
    for (const operator of operators) {
      yield besideAgent(operator, agentHasEngine);
      yield* noEngine(operator);
    }
    const othersHaveEngine = any(agentHasEngine, some(operators, hasEngine));
    for (const resource of stack.resources) yield ofExporterChart(resource, othersHaveEngine);
  },
});

function besideAgent(operator: OperatorValues, agentHasEngine: Truth): Check {
  const dcgm = operator.at("dcgm.enabled");
  return failIf(
    all(agentHasEngine, hasEngine(operator)),
    () =>
      runsDcgm(operator) === true
        ? {
            path: dcgm.path,
            got: dcgm.boolean().shown,
            why: "The DaemonSet nvidia-dcgm runs a second DCGM engine beside dcgm-server of eks-node-monitoring-agent: they contend for profiling counters and port 5555, and the agent reports a fault that is none.",
            fix: `${readsAgents}, or let eks-node-monitoring-agent read the operator's engine: ${readsOperators}`,
          }
        : {
            path: operator.at("dcgmExporter.env").path,
            got: `no ${remoteEngine}`,
            why: "The exporter runs a DCGM engine of its own beside dcgm-server of eks-node-monitoring-agent: they contend for profiling counters, and metrics go missing.",
            fix: `${readsAgents}, or take the engine out of eks-node-monitoring-agent: ${withoutMonitor}`,
          },
    operator.resource,
  );
}

function* noEngine(operator: OperatorValues): Iterable<Check> {
  const runs = all(operator.isOperator, runsExporter(operator));
  const isNowhere = looksElsewhere(operator, (address) =>
    any(
      address.isAbsent,
      address.is((text) => text.trim() === ""),
    ),
  );
  const env = operator.at("dcgmExporter.env").path;
  yield failIf(
    all(runs, isNowhere),
    () => ({
      path: env,
      got: `${remoteEngine} without an address`,
      why: "The exporter then starts no DCGM engine and finds no other: there are no metrics of the GPUs.",
      fix: `give ${remoteEngine} the address of the engine, localhost:5555 for that of eks-node-monitoring-agent, or remove it`,
    }),
    operator.resource,
  );
  const isInPod = looksElsewhere(operator, (address) => address.is(isLocal));
  const network = operator.flag("dcgmExporter.hostNetwork");
  yield failIf(
    all(runs, isInPod, operator.isOff("dcgmExporter.hostNetwork", false)),
    () => ({
      path: network.path,
      got: network.shown,
      why: `${remoteEngine} names localhost, which is then the exporter's own pod, where no DCGM engine listens: there are no metrics of the GPUs.`,
      fix: `set ${network.path} to true`,
    }),
    operator.resource,
  );
}

function ofExporterChart(resource: Resource, othersHaveEngine: Truth): Check {
  const { path } = resource.at("values.extraEnv");
  return failIf(
    all(isExporterWithEngine(resource), othersHaveEngine),
    () => ({
      path,
      got: `no ${remoteEngine}`,
      why: "The chart dcgm-exporter runs a DCGM engine of its own beside that of the GPU Operator or of eks-node-monitoring-agent: they contend for profiling counters, and metrics go missing.",
      fix: `remove the chart, for the GPU Operator has an exporter, or give ${path} the variable ${remoteEngine} with the address of the other engine`,
    }),
    resource,
  );
}
