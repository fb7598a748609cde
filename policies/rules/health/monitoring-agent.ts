import { Reader } from "../../core/reader";
import type { Reading } from "../../core/reading";
import type { Resource, Stack } from "../../core/resource";
import { all, any, not, Undetermined, type Truth } from "../../core/unknown";
import { addon } from "../cluster/clusters";

/** What a rule reads of the add-on eks-node-monitoring-agent. */
export interface MonitoringAgent {
  readonly resource: Resource;
  /** Whether the add-on is this one. */
  readonly isAgent: Truth;
  /** The text that holds its configuration. */
  readonly text: Reading<string>;
  /** Whether that text is no JSON: EKS takes YAML too, which no rule reads. */
  readonly isUnread: Truth;
  /** A reader of its configuration; of nothing where there is none. */
  readonly configuration: Reading<Reader>;
}

/** The add-ons of a stack that are the node monitoring agent, or may be. */
export function monitoringAgents(stack: Stack): MonitoringAgent[] {
  return stack.ofType(addon).flatMap((resource) => {
    const isAgent = resource.text("addonName").is((name) => name === "eks-node-monitoring-agent");
    return isAgent === false ? [] : [agentOf(resource, isAgent)];
  });
}

function agentOf(resource: Resource, isAgent: Truth): MonitoringAgent {
  const text = resource.text("configurationValues");
  const configuration = resource.json("configurationValues").or(new Reader(undefined));
  const isUnread = all(
    configuration.isMalformed,
    text.is(() => true),
  );
  return { resource, isAgent, text, isUnread, configuration };
}

/** A condition on the configuration, undetermined where it is written in a way that no rule reads. */
export function ofConfiguration(agent: MonitoringAgent, condition: (configuration: Reader) => Truth): Truth {
  const { isUnread, configuration, text } = agent;
  return isUnread === true ? new Undetermined([text.path]) : configuration.is(condition);
}

/**
 * Whether its DaemonSet dcgm-server runs a DCGM engine on GPU nodes. The add-on has no switch for it: what keeps it
 * away are labels that no GPU node carries, together with the monitor that would miss it turned off.
 * @see https://github.com/aws/eks-node-monitoring-agent/blob/v1.7.0/charts/configuration.schema.json
 */
export function runsEngine(agent: MonitoringAgent): Truth {
  const isKeptAway = ofConfiguration(agent, (configuration) =>
    all(
      configuration.entries("dcgmAgent.nodeSelector").is((labels) => labels.length > 0),
      watchesNoGpu(configuration),
    ),
  );
  return all(agent.isAgent, not(isKeptAway));
}

/** Whether the agent looks for the engine at all. */
export function watchesGpu(agent: MonitoringAgent): Truth {
  return all(agent.isAgent, not(ofConfiguration(agent, watchesNoGpu)));
}

function watchesNoGpu(configuration: Reader): Truth {
  return configuration.boolean("nodeAgent.monitors.nvidia.enabled").is((enabled) => !enabled);
}

/** Whether a list of tolerations lets a pod onto nodes with a taint, as Kubernetes decides. */
export function tolerates(tolerations: Reading<readonly Reader[]>, taint: Reader): Truth {
  return tolerations.is((items) => any(...items.map((item) => matches(item, taint))));
}

const effects: Readonly<Record<string, string>> = {
  NO_SCHEDULE: "NoSchedule",
  NO_EXECUTE: "NoExecute",
  PREFER_NO_SCHEDULE: "PreferNoSchedule",
};

/** @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/ */
function matches(toleration: Reader, taint: Reader): Truth {
  const operator = toleration.text("operator").or("Equal");
  const exists = operator.is((word) => word === "Exists");
  const key = toleration.text("key").or("");
  const sameKey = key.is((own) => taint.text("key").is((other) => own === other));
  const anyKey = all(
    key.is((own) => own === ""),
    exists,
  );
  const sameValue = toleration
    .text("value")
    .or("")
    .is((own) =>
      taint
        .text("value")
        .or("")
        .is((other) => own === other),
    );
  const effect = toleration.text("effect").or("");
  const anyEffect = effect.is((own) => own === "");
  const sameEffect = effect.is((own) => taint.text("effect").is((other) => own === (effects[other] ?? other)));
  return all(any(anyKey, sameKey), any(exists, sameValue), any(anyEffect, sameEffect));
}
