import { Reader } from "../../components/core/reader/reader";
import type { Reading } from "../../components/core/reader/reading";
import { all, any, not, some, Undetermined, type Truth } from "../../components/core/reader/truth";
import type { Resource, Stack } from "../engine/resource";
import { yamlDocuments } from "../engine/yaml";
import { installers, installsChart } from "./charts";
import { addon } from "./clusters";
import { clusterPolicy, gpuOperator, OperatorValues } from "./gpu-operator";

/** Where a DCGM engine is looked for: `localhost:5555`, `$(NODE_IP):5555`, `nvidia-dcgm.gpu-operator.svc:5555`. */

/** Whether an address is on the node itself, or in the pod where that has a network of its own. */
export function isLocal(address: string): boolean {
  return /^\s*(?:localhost(?![\w.-])|127\.|\[?::1)/i.test(address);
}

/** Whether an address is that of a Kubernetes Service, which only the cluster's own DNS knows. */
export function isService(address: string): boolean {
  return /\.svc(?![\w-])/i.test(address);
}

/** Whether an address is that of the Service which the GPU Operator makes with `dcgm.enabled`. */
export function isOperatorService(address: string): boolean {
  return /^\s*nvidia-dcgm(?![\w-])/i.test(address);
}

const agentName = "eks-node-monitoring-agent";

/** What a rule reads of eks-node-monitoring-agent, which is an add-on of EKS, or a Helm chart with the same values. */
export interface MonitoringAgent {
  readonly resource: Resource;
  /** Whether the resource is the agent at all. */
  readonly isAgent: Truth;
  /** Whether what stands there is no configuration, so that EKS refuses the add-on. */
  readonly isRubbish: Truth;
  readonly configuration: Reader;
}

/** The add-ons and charts of a stack that are the node monitoring agent, or may be. */
export function monitoringAgents(stack: Stack): MonitoringAgent[] {
  const charts = stack.ofType(...installers).map((resource) => ({
    resource,
    isAgent: installsChart(resource, agentName),
    isRubbish: false,
    configuration: resource.at("values"),
  }));
  return [...stack.ofType(addon).map(ofAddon), ...charts].filter(({ isAgent }) => isAgent !== false);
}

function ofAddon(resource: Resource): MonitoringAgent {
  const given = resource.at("configurationValues");
  const text = given.text();
  const configuration = text.value === undefined ? given : new Reader(said(text.value), given.path);
  return {
    resource,
    isAgent: resource.text("addonName").is((name) => name === agentName),
    isRubbish: any(text.isMalformed, configuration.entries().isMalformed),
    configuration,
  };
}

/** What a text says in JSON or, which EKS takes as well, in YAML. One that is neither stands for itself. */
function said(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const documents = yamlDocuments(text);
    return documents && documents.length <= 1 ? documents[0] : text;
  }
}

/**
 * Whether its DaemonSet dcgm-server runs a DCGM engine on GPU nodes. Version 1.7.1 brought a switch for it. Before, it
 * is kept away by labels that no GPU node carries, and the monitor that would miss it is off or told of another.
 * @see https://github.com/aws/eks-node-monitoring-agent/blob/0b5f05cd47795b80536ceffecae1ab32d37a8f2a/charts/configuration.schema.json
 */
export function runsEngine({ isAgent, isRubbish, configuration }: MonitoringAgent): Truth {
  const isKeptAway = all(
    configuration.entries("dcgmAgent.nodeSelector").is((labels) => labels.length > 0),
    any(watchesNoGpu(configuration), readsAnother(configuration)),
  );
  return all(isAgent, not(isRubbish), not(any(isSwitchedOff(configuration), isKeptAway)));
}

/** Whether the agent looks for an engine at all. */
export function watchesGpu({ isAgent, isRubbish, configuration }: MonitoringAgent): Truth {
  return all(isAgent, not(isRubbish), not(watchesNoGpu(configuration)));
}

/** Whether dcgm-server is switched off. */
export function isSwitchedOff(configuration: Reader): Truth {
  return configuration.boolean("dcgmAgent.enabled").is((enabled) => !enabled);
}

/** Whether the agent is told of an engine outside of its node, or of the operator's Service. */
export function readsAnother(configuration: Reader): Truth {
  return configuration.text("nodeAgent.dcgmAddress").is((address) => address.trim() !== "" && !isLocal(address));
}

function watchesNoGpu(configuration: Reader): Truth {
  return configuration.boolean("nodeAgent.monitors.nvidia.enabled").is((enabled) => !enabled);
}

/** Where an exporter is told that an engine runs outside of it. */
export const remoteEngine = "DCGM_REMOTE_HOSTENGINE_INFO";

/** What tells the GPU Operator of its engine. What the component is told arrives in its Release. */
export function operatorsOf(stack: Stack): OperatorValues[] {
  return OperatorValues.in(stack).filter(({ resource }) => resource.type !== gpuOperator);
}

/** Whether the operator runs an engine in a DaemonSet of its own. The chart leaves it off; a ClusterPolicy that says nothing turns it on. */
export function runsDcgm(operator: OperatorValues): Truth {
  return operator.isOn("dcgm.enabled", operator.resource.type === clusterPolicy);
}

export function runsExporter(operator: OperatorValues): Truth {
  return operator.isOn("dcgmExporter.enabled", true);
}

/** Whether the operator runs an engine in one way or the other. */
export function hasEngine(operator: OperatorValues): Truth {
  const inExporter = all(runsExporter(operator), not(looksElsewhere(operator)));
  return all(operator.isOperator, any(runsDcgm(operator), inExporter));
}

/** Whether the operator's exporter is told of an engine outside of it whose address meets a condition. */
export function looksElsewhere(operator: OperatorValues, condition?: (address: Reading<string>) => Truth): Truth {
  return isTold(operator.at("dcgmExporter.env"), condition);
}

/**
 * Whether a resource is the chart dcgm-exporter, and no engine outside of it is named: then it runs one itself.
 * @see https://github.com/NVIDIA/dcgm-exporter/blob/main/deployment/values.yaml
 */
export function isExporterWithEngine(resource: Resource): Truth {
  if (!installers.includes(resource.type)) return false;
  const isNamed = any(
    isTold(resource.at("values.extraEnv")),
    resource.list("values.arguments").is((words) => some(words, (word) => word.text().is(namesEngine))),
    // Values may come from files as well, which no rule sees.
    resource.list("valueYamlFiles").is((files) => files.length > 0 && new Undetermined(["valueYamlFiles"])),
  );
  return all(installsChart(resource, "dcgm-exporter"), not(isNamed));
}

function namesEngine(argument: string): boolean {
  return /^\s*(?:-r|--remote-hostengine-info)(?![\w-])/.test(argument);
}

function isTold(variables: Reader, condition: (address: Reading<string>) => Truth = () => true): Truth {
  const isSuch = (variable: Reader) =>
    all(
      variable.text("name").is((name) => name === remoteEngine),
      condition(variable.text("value")),
    );
  return variables.list().is((items) => some(items, isSuch));
}
