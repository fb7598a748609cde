import type { Reader } from "../../core/reader";
import type { Reading } from "../../core/reading";
import { failIf, stackRule, type Check } from "../../core/rule";
import { all, any, not, type Truth } from "../../core/unknown";
import { clusterPolicy, gpuOperator, operatorTypes, OperatorValues } from "../operator/operator-values";
import { addon } from "../cluster/clusters";
import { monitoringAgents, runsEngine } from "./monitoring-agent";

/** Where the exporter is told that an engine runs outside of it. */
const remoteEngine = "DCGM_REMOTE_HOSTENGINE_INFO";

const fix =
  `set dcgm.enabled to false and give dcgmExporter hostNetwork true and the variable ${remoteEngine} localhost:5555 ` +
  `(GpuOperator: health "node-monitor"), or take the engine out of the add-on's configurationValues: a dcgmAgent.nodeSelector ` +
  `that no node meets, and nodeAgent.monitors.nvidia.enabled false`;

/**
 * The add-on eks-node-monitoring-agent starts an engine on every GPU node, and so does the GPU Operator: as a DaemonSet
 * with `dcgm.enabled`, or else inside its exporter, unless that is told of another engine. An exporter that looks for
 * one where none can be is at fault with or without the add-on.
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
    const agentHasEngine = any(...monitoringAgents(stack).map(runsEngine));
    for (const operator of OperatorValues.in(stack)) {
      // What the component is told arrives in its Release.
      if (operator.resource.type === gpuOperator) continue;
      yield secondEngine(operator, agentHasEngine);
      yield* noEngine(operator);
    }
  },
});

function secondEngine(operator: OperatorValues, agentHasEngine: Truth): Check {
  const dcgm = operator.at("dcgm.enabled");
  const ofItsOwn = runsDcgm(operator);
  const looksElsewhere = engines(operator, () => true);
  return failIf(
    all(operator.isOperator, agentHasEngine, any(ofItsOwn, all(runsExporter(operator), not(looksElsewhere)))),
    () =>
      ofItsOwn === true
        ? {
            path: dcgm.path,
            got: dcgm.boolean().shown,
            why: "The DaemonSet nvidia-dcgm runs a second DCGM engine beside dcgm-server of eks-node-monitoring-agent: they contend for profiling counters and port 5555, and the agent reports a fault that is none.",
            fix,
          }
        : {
            path: operator.at("dcgmExporter.env").path,
            got: `no ${remoteEngine}`,
            why: "The exporter runs a DCGM engine of its own beside dcgm-server of eks-node-monitoring-agent: they contend for profiling counters, and metrics go missing.",
            fix,
          },
    operator.resource,
  );
}

function* noEngine(operator: OperatorValues): Iterable<Check> {
  const runs = all(operator.isOperator, runsExporter(operator));
  const isNowhere = engines(operator, (address) =>
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
  const isLocal = engines(operator, (address) => address.is((text) => /^\s*(localhost|127\.|\[?::1)/i.test(text)));
  const network = operator.flag("dcgmExporter.hostNetwork");
  yield failIf(
    all(runs, isLocal, operator.isOff("dcgmExporter.hostNetwork", false)),
    () => ({
      path: network.path,
      got: network.shown,
      why: `${remoteEngine} names localhost, which is then the exporter's own pod, where no DCGM engine listens: there are no metrics of the GPUs.`,
      fix: `set ${network.path} to true`,
    }),
    operator.resource,
  );
}

/** The chart leaves it off; a ClusterPolicy that says nothing turns it on. */
function runsDcgm(operator: OperatorValues): Truth {
  return operator.isOn("dcgm.enabled", operator.resource.type === clusterPolicy);
}

function runsExporter(operator: OperatorValues): Truth {
  return operator.isOn("dcgmExporter.enabled", true);
}

/** Whether the exporter is told of an engine outside of it whose address meets a condition. */
function engines(operator: OperatorValues, condition: (address: Reading<string>) => Truth): Truth {
  const isSuch = (variable: Reader) =>
    all(
      variable.text("name").is((name) => name === remoteEngine),
      condition(variable.text("value")),
    );
  return operator
    .at("dcgmExporter.env")
    .list()
    .is((variables) => any(...variables.map(isSuch)));
}
