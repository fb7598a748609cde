import { parseJson } from "../../components/core/json-text";
import { all, any, equals, not, Reader, Undetermined, type Reading, type Truth } from "../engine/values";
import type { Resource, Stack } from "../engine/resource";
import { yamlDocuments } from "../engine/yaml";
import { chartNamed, installers } from "./charts";
import { addon } from "./clusters";
import { clusterPolicy, gpuOperator, OperatorValues } from "./gpu-operator";
import { someOf } from "./lists";
import { daemonSet, podTemplate } from "./pods";

/**
 * Whether an address of a DCGM engine is on the node, or in the pod if that has its own network. Others are
 * `$(NODE_IP):5555` and `nvidia-dcgm.gpu-operator.svc:5555`.
 */
export function isLocal(address: string): boolean {
  return /^\s*(?:localhost(?![\w.-])|127\.|\[?::1)/i.test(address);
}

const agentName = "eks-node-monitoring-agent";

/** The configuration of eks-node-monitoring-agent: an EKS add-on, or a Helm chart with the same values. */
export class MonitoringAgent {
  private constructor(
    readonly resource: Resource,
    /** Whether the resource is the agent. */
    readonly isAgent: Truth,
    readonly configuration: Reader,
    /** Whether EKS rejects the configuration. */
    readonly isMalformed: Truth = false,
  ) {}

  /** The add-ons and charts of a stack that are the agent, or may be. */
  static in(stack: Stack): MonitoringAgent[] {
    const charts = stack.ofType(...installers).map((resource) => {
      const { isNamed, values } = chartNamed(resource, agentName, stack);
      return new MonitoringAgent(resource, isNamed, values);
    });
    const addons = stack.ofType(addon).map((one) => MonitoringAgent.ofAddon(one));
    return [...addons, ...charts].filter(({ isAgent }) => isAgent !== false);
  }

  private static ofAddon(resource: Resource): MonitoringAgent {
    const given = resource.at("configurationValues");
    const text = given.text();
    const configuration = text.value === undefined ? given : new Reader(parse(text.value), given.path);
    const isMalformed = any(text.isMalformed, configuration.entries().isMalformed);
    return new MonitoringAgent(resource, equals(resource.text("addonName"), agentName), configuration, isMalformed);
  }

  /**
   * Whether its DaemonSet dcgm-server runs a DCGM engine on GPU nodes. Version 1.7.1 added a toggle for it. Earlier
   * versions are configured with a node selector that matches no GPU node, and with a monitor that is off or uses another
   * engine.
   * @see https://github.com/aws/eks-node-monitoring-agent/blob/0b5f05cd47795b80536ceffecae1ab32d37a8f2a/charts/configuration.schema.json
   */
  get runsEngine(): Truth {
    const isExcluded = all(
      this.configuration.entries("dcgmAgent.nodeSelector").is((labels) => labels.length > 0),
      any(this.ignoresGpus, this.usesRemoteEngine),
    );
    return all(this.isAgent, not(this.isMalformed), not(any(this.isServerDisabled, isExcluded)));
  }

  /** Whether the agent monitors GPUs, for which it needs an engine. */
  get monitorsGpus(): Truth {
    return all(this.isAgent, not(this.isMalformed), not(this.ignoresGpus));
  }

  /** Whether dcgm-server is disabled. */
  get isServerDisabled(): Truth {
    return equals(this.configuration.boolean("dcgmAgent.enabled"), false);
  }

  /** Whether the agent has the address of an engine outside its node, or of the operator's Service. */
  get usesRemoteEngine(): Truth {
    return this.configuration.text("nodeAgent.dcgmAddress").is((address) => address.trim() !== "" && !isLocal(address));
  }

  private get ignoresGpus(): Truth {
    return equals(this.configuration.boolean("nodeAgent.monitors.nvidia.enabled"), false);
  }
}

/** Parses JSON or YAML, which EKS accepts too. Returns any other text as it is. */
function parse(text: string): unknown {
  const json = parseJson(text);
  if (json !== undefined) return json;
  const documents = yamlDocuments(text);
  return documents && documents.length <= 1 ? documents[0] : text;
}

/** The variable of an exporter with the address of an engine outside it. */
export const remoteEngineVariable = "DCGM_REMOTE_HOSTENGINE_INFO";

/** The configurations of the GPU Operator. The component is checked through its Release. */
export function operatorsOf(stack: Stack): OperatorValues[] {
  return OperatorValues.in(stack).filter(({ resource }) => resource.type !== gpuOperator);
}

/** Whether the operator runs an engine in a DaemonSet. By default it is off in the chart and on in a ClusterPolicy. */
export function runsDcgm(operator: OperatorValues): Truth {
  return operator.isOn("dcgm.enabled", operator.resource.type === clusterPolicy);
}

export function runsExporter(operator: OperatorValues): Truth {
  return operator.isOn("dcgmExporter.enabled", true);
}

/** Whether the operator runs an engine, in a DaemonSet or in the exporter. */
export function hasEngine(operator: OperatorValues): Truth {
  const inExporter = all(runsExporter(operator), not(usesOtherEngine(operator)));
  return all(operator.isOperator, any(runsDcgm(operator), inExporter));
}

/** Whether the operator's exporter has the address of another engine, and the address meets a condition. */
export function usesOtherEngine(operator: OperatorValues, condition?: (address: Reading<string>) => Truth): Truth {
  return setsRemoteEngine(operator.at("dcgmExporter.env"), condition);
}

const exporterName = "dcgm-exporter";

/** The variables of the chart dcgm-exporter, or the containers of its DaemonSet. */
export function exporterVariables(resource: Resource, stack: Stack): Reader {
  if (resource.type === daemonSet) return podTemplate(resource).spec.at("containers");
  return chartNamed(resource, exporterName, stack).values.at("extraEnv");
}

/**
 * Whether a resource is the chart or a DaemonSet of dcgm-exporter without the address of another engine: it then runs one
 * itself.
 * @see https://github.com/NVIDIA/dcgm-exporter/blob/main/deployment/values.yaml
 */
export function isExporterWithEngine(resource: Resource, stack: Stack): Truth {
  if (resource.type === daemonSet) return podTemplate(resource).someContainer(runsExporterWithEngine);
  if (!installers.includes(resource.type)) return false;
  const { isNamed, values, hidden } = chartNamed(resource, exporterName, stack);
  const hasAddress = any(
    setsRemoteEngine(values.at("extraEnv")),
    hasEngineArgument(values.list("arguments")),
    hidden.isSome === true ? new Undetermined([hidden.path]) : hidden.isSome,
  );
  return all(isNamed, not(hasAddress));
}

function runsExporterWithEngine(container: Reader): Truth {
  const isExporter = container.text("image").is((name) => /(^|\/)dcgm-exporter([:@]|$)/.test(name));
  const hasArgument = ["command", "args"].map((key) => hasEngineArgument(container.list(key)));
  return all(isExporter, not(any(setsRemoteEngine(container.at("env")), ...hasArgument)));
}

function hasEngineArgument(words: Reading<readonly Reader[]>): Truth {
  return someOf(words, (word) => word.text().is((text) => /^\s*(?:-r|--remote-hostengine-info)(?![\w-])/.test(text)));
}

function setsRemoteEngine(variables: Reader, condition: (address: Reading<string>) => Truth = () => true): Truth {
  const matches = (variable: Reader) =>
    all(equals(variable.text("name"), remoteEngineVariable), condition(variable.text("value")));
  return someOf(variables.list(), matches);
}
