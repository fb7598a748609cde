import { Reader } from "../../../components/core/reader/reader";
import type { Resource, Stack } from "../../engine/resource";
import { all, any, not, type Truth } from "../../../components/core/reader/truth";
import { yamlDocuments } from "../../engine/yaml";
import { addon } from "../cluster/clusters";
import { installers, installsChart } from "../operator/chart-reference";
import { isLocal } from "./dcgm-address";

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
