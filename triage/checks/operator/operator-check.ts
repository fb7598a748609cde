import { countOf, patchCommand } from "../../../components/core/text";
import type { Found } from "../../conclusions";
import type { Step } from "../../known-causes/known-cause";
import { nodesWithoutPlugin, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { knownError } from "../../snapshot/logs/known-errors";
import { advertisesGpus, conditionOf } from "../../snapshot/nodes";
import type { ClusterPolicy } from "../../snapshot/objects/cluster";
import type { Pod } from "../../snapshot/objects/pod";
import { holdsResources, kubectlName, podKey, requestsGpu } from "../../snapshot/pods";
import { isNew, secondsBetween, startupSeconds } from "../../snapshot/time";
import { evidenceOf, scopeOf, joinPresent, listNames, type CheckResult } from "../finding-parts";
import { operatorNotReady } from "./operator-deployment";
import { rejectedValidators } from "./validator";

/** Layer 4: the GPU Operator, which creates and deletes the DaemonSets. */
export function checkOperator(snapshot: ClusterSnapshot): CheckResult {
  const { policies } = snapshot;
  const findings = [
    ...policies.flatMap((policy) => pluginDisabled(policy, snapshot)),
    notInstalled(snapshot),
    ...operatorNotReady(snapshot),
    ...rejectedValidators(snapshot),
    ...policies.flatMap((policy) => policyNotReady(policy, snapshot)),
  ].flat();
  return { lines: [...policyLines(snapshot), ...operatorLines(snapshot)], findings };
}

function policyLines({ objects, wasRead }: ClusterSnapshot): string[] {
  if (objects.clusterpolicies.length === 0) return wasRead("clusterpolicies") ? ["no ClusterPolicy"] : [];
  return objects.clusterpolicies.map(({ metadata, spec, status }) => {
    if (status.state === "ignored") return `ClusterPolicy ${metadata.name}: ignored; the operator follows only one`;
    const enabled = spec.devicePlugin.enabled ?? true;
    return `ClusterPolicy ${metadata.name}: devicePlugin.enabled ${enabled}; status.state ${status.state ?? "none"} (disabled operands also count as ready)`;
  });
}

function operatorLines({ operator, wasRead }: ClusterSnapshot): string[] {
  if (!operator) return wasRead("deployments") ? ["no Deployment gpu-operator"] : [];
  const { metadata, spec, status } = operator;
  return [`Deployment ${metadata.name}: ${status.readyReplicas} of ${spec.replicas} ready`];
}

/** `status.state` stays `ready` while the plugin is disabled, because the operator does as it is configured. */
function pluginDisabled(policy: ClusterPolicy, snapshot: ClusterSnapshot): Found {
  if (policy.spec.devicePlugin.enabled !== false) return [];
  const { name } = policy.metadata;
  const object = kubectlName("clusterpolicy", policy.metadata);
  const state = policy.status.state ?? "none";
  return {
    id: "device-plugin-disabled",
    ...scopeOf(`clusterpolicy ${name}`, nodesWithoutPlugin(snapshot)),
    level: snapshot.gpuNodes.length > 0 ? "problem" : "notice",
    what: `The ClusterPolicy disables the device plugin. The operator deletes the plugin's DaemonSet within seconds, and the nodes stop advertising GPUs. The status.state of the ClusterPolicy (${state}) does not show this.`,
    evidence: [
      evidenceOf(object, "spec.devicePlugin.enabled", "false"),
      evidenceOf(object, "status.state", state),
      ...disabledLog(snapshot),
    ],
    next: [
      stopGpuPods(snapshot),
      "In a lab, remove the fault. The next pulumi up would revert the patch below =!> pulumi config set fault off && pulumi up",
      `Otherwise enable the plugin; the nodes advertise their GPUs after about 40 seconds. Make the same change in the operator's values =!> ${patchCommand(`clusterpolicy/${name}`, { spec: { devicePlugin: { enabled: true } } })}`,
    ],
  };
}

function disabledLog({ logs }: ClusterSnapshot) {
  const isSign = (line: string) => knownError(line) === "device-plugin-disabled";
  const log = logs.find(({ lines }) => lines.some(isSign));
  const line = log?.lines.findLast(isSign);
  return log && line !== undefined ? [evidenceOf(`-n ${log.namespace} pod/${log.pod}`, "log", line)] : [];
}

/** Pods that keep their GPU can conflict with the count of the plugin when it is enabled again. */
function stopGpuPods({ objects }: ClusterSnapshot): Step | undefined {
  const pods = objects.pods.filter((pod: Pod) => holdsResources(pod) && requestsGpu(pod));
  if (pods.length === 0) return undefined;
  return `First stop the pods that still hold a GPU, or the plugin and the kubelet may count it twice: ${listNames(pods.map(podKey))} => kubectl get pods -A --field-selector status.phase=Running -o wide`;
}

function notInstalled({ pluginNodes, wasRead, objects, operator, devicePlugins }: ClusterSnapshot): Found {
  const without = pluginNodes.filter((node) => !advertisesGpus(node));
  const isKnown = wasRead("clusterpolicies") && wasRead("deployments") && wasRead("daemonsets");
  const isInstalled = objects.clusterpolicies.length > 0 || operator !== undefined || devicePlugins.length > 0;
  if (!isKnown || isInstalled || without.length === 0) return [];
  return {
    id: "gpu-operator-not-installed",
    ...scopeOf("cluster", without),
    what: `The cluster has neither the GPU Operator nor a DaemonSet of a device plugin, and ${countOf(without.length, "GPU node")} advertise${without.length === 1 ? "s" : ""} no GPUs.`,
    evidence: [
      evidenceOf("clusterpolicies.nvidia.com", "items", "none"),
      evidenceOf("deployments", "gpu-operator", "missing"),
    ],
    next: "In a lab, install the GPU Operator, which takes 5 minutes =!> pulumi config set --path gpuOperator.enabled true && pulumi up",
  };
}

function policyNotReady(policy: ClusterPolicy, snapshot: ClusterSnapshot): Found {
  const { state, conditions } = policy.status;
  if (state === undefined || state === "ready" || snapshot.gpuNodes.length === 0) return [];
  const error = conditionOf(conditions, "Error") ?? conditionOf(conditions, "Ready");
  const starting = startingNodes(error?.lastTransitionTime, snapshot);
  const { reason, message, lastTransitionTime } = error ?? {};
  const wait = starting.length > 0 ? ` Its operands are starting on new nodes: ${listNames(starting)}.` : "";
  return {
    id: "cluster-policy-not-ready",
    ...scopeOf(`clusterpolicy ${policy.metadata.name}`),
    level: starting.length > 0 ? "notice" : "problem",
    atMost: "likely",
    what: `The operator reports the state ${state} for the ClusterPolicy: an operand is not ready${message ? `: ${message}` : ""}.${wait}`,
    evidence: [
      evidenceOf(
        kubectlName("clusterpolicy", policy.metadata),
        "status.state",
        joinPresent(state, reason, message),
        lastTransitionTime,
      ),
    ],
    next: ["Find the operand that is not ready => kubectl -n {operator} get daemonsets,pods -o wide"],
  };
}

/** New GPU nodes that explain the state: it changed after they joined, and every older node advertises its GPUs. */
function startingNodes(since: string | undefined, { gpuNodes, now }: ClusterSnapshot): readonly string[] {
  const starting = gpuNodes.filter((node) => isNew(node, now));
  const others = gpuNodes.filter((node) => !starting.includes(node));
  const isOld = (secondsBetween(since, now) ?? 0) >= startupSeconds;
  return isOld || !others.every(advertisesGpus) ? [] : starting.map(({ metadata }) => metadata.name);
}
