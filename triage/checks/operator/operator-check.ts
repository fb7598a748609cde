import { evidenceOf, logEvidence, type CheckResult } from "../finding-parts";
import { componentFindings } from "../daemonset/daemonset-check";
import { amountOf, holdersOn } from "../pod/gpu-capacity";
import { finding, nodeNames, scopeOf, scopeOfPod, type Finding, type Found } from "../../conclusions";
import { isOperatorPod, nodesWithoutPlugin, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { knownError } from "../../snapshot/logs/known-errors";
import { advertisesGpus, conditionOf } from "../../snapshot/nodes";
import type { ClusterPolicy, Deployment, Node, Pod } from "../../snapshot/objects/resources";
import { allStatuses, holdsResources, isOwnedBy, podKey, requestsGpu, gpuRequest } from "../../snapshot/pods";
import { numberOf } from "../../snapshot/requests";
import { isNew, secondsBetween, startupSeconds } from "../../snapshot/time";
import { joinPresent } from "../../texts";

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
  const { gpuNodes, pluginNodes } = snapshot;
  // Other GPU nodes run it on the host, or use DRA.
  const isNeeded = pluginNodes.length > 0 || gpuNodes.length === 0;
  if (policy.spec.devicePlugin.enabled !== false || !isNeeded) return [];
  const { name } = policy.metadata;
  const state = policy.status.state ?? "none";
  const holders = snapshot.objects.pods.filter((pod) => holdsResources(pod) && requestsGpu(pod));
  return finding("device-plugin-disabled", scopeOf(`clusterpolicy ${name}`, nodesWithoutPlugin(snapshot)), {
    level: gpuNodes.length > 0 ? "problem" : "notice",
    evidence: [
      evidenceOf(policy, "spec.devicePlugin.enabled", "false"),
      evidenceOf(policy, "status.state", state),
      disabledLog(snapshot),
    ],
    ...{ state, policy: name, holders: holders.map(podKey) },
  });
}

function disabledLog({ logs }: ClusterSnapshot) {
  const isSign = (line: string) => knownError(line) === "device-plugin-disabled";
  const log = logs.find(({ lines }) => lines.some(isSign));
  const line = log?.lines.findLast(isSign);
  return log && line !== undefined ? evidenceOf(`-n ${log.namespace} pod/${log.pod}`, "log", line) : undefined;
}

function notInstalled({ pluginNodes, wasRead, objects, operator, devicePlugins }: ClusterSnapshot): Found {
  const without = pluginNodes.filter((node) => !advertisesGpus(node));
  const isKnown = wasRead("clusterpolicies") && wasRead("deployments") && wasRead("daemonsets");
  const isInstalled = objects.clusterpolicies.length > 0 || operator !== undefined || devicePlugins.length > 0;
  if (!isKnown || isInstalled || without.length === 0) return [];
  return finding("gpu-operator-not-installed", scopeOf("cluster", without), {
    evidence: [
      evidenceOf("clusterpolicies.nvidia.com", "items", "none"),
      evidenceOf("deployments", "gpu-operator", "missing"),
    ],
  });
}

function policyNotReady(policy: ClusterPolicy, snapshot: ClusterSnapshot): Found {
  const { state, conditions } = policy.status;
  if (state === undefined || state === "ready" || snapshot.gpuNodes.length === 0) return [];
  const error = conditionOf(conditions, "Error") ?? conditionOf(conditions, "Ready");
  const starting = startingNodes(error?.lastTransitionTime, snapshot);
  const { reason, message, lastTransitionTime } = error ?? {};
  const text = joinPresent(state, reason, message);
  return finding("cluster-policy-not-ready", scopeOf(`clusterpolicy ${policy.metadata.name}`), {
    level: starting.length > 0 ? "notice" : "problem",
    evidence: [evidenceOf(policy, "status.state", text, lastTransitionTime)],
    ...{ state, message, starting },
  });
}

/** New GPU nodes that explain the state: it changed after they joined, and every older node advertises its GPUs. */
function startingNodes(since: string | undefined, { gpuNodes, now }: ClusterSnapshot): readonly string[] {
  const starting = gpuNodes.filter((node) => isNew(node, now));
  const others = gpuNodes.filter((node) => !starting.includes(node));
  const isOld = (secondsBetween(since, now) ?? 0) >= startupSeconds;
  return isOld || !others.every(advertisesGpus) ? [] : starting.map(({ metadata }) => metadata.name);
}

/** The Deployment of the GPU Operator is missing or not ready, or its pods keep exiting. */
function operatorNotReady(snapshot: ClusterSnapshot): Finding[] {
  const { operator, policies, wasRead } = snapshot;
  if (!wasRead("deployments")) return [];
  if (!operator) return policies.length > 0 ? [notReadyFinding(snapshot, [])] : [];
  const { replicas } = operator.spec;
  const { readyReplicas } = operator.status;
  const pods = operatorPods(operator, snapshot);
  const faults = pods.flatMap((pod) => componentFindings(pod, snapshot));
  if (replicas > 0 && readyReplicas >= replicas) {
    const nodes = nodeNames(nodesWithoutPlugin(snapshot));
    return faults.map((fault) => ({ ...fault, nodes }));
  }
  return [
    notReadyFinding(snapshot, pods.filter(isOperatorPod)),
    ...faults.filter(({ id }) => id !== "operator-pod-crash-loop"),
  ];
}

function operatorPods(operator: Deployment, { objects, operatorNamespace }: ClusterSnapshot): readonly Pod[] {
  return objects.pods.filter(
    (pod) =>
      pod.metadata.namespace === operatorNamespace &&
      isOwnedBy(pod, "ReplicaSet") &&
      (pod.metadata.labels["app"] === "gpu-operator" || pod.metadata.name.startsWith(`${operator.metadata.name}-`)),
  );
}

/** Why a container ended or waits, and what its log says. */
function exitsOf(pod: Pod, snapshot: ClusterSnapshot) {
  return allStatuses(pod).flatMap(({ name, state, lastState, restartCount }) => {
    const reason = lastState.terminated?.reason ?? state.terminated?.reason ?? state.waiting?.reason;
    if (reason === undefined) return [];
    const value = `${state.waiting?.reason ?? "waiting"}, last ended ${reason}, ${restartCount} restarts`;
    const evidence = [evidenceOf(pod, "status.containerStatuses", value), ...logEvidence(pod, name, snapshot)];
    return [{ reason, evidence }];
  });
}

function notReadyFinding(snapshot: ClusterSnapshot, pods: readonly Pod[]): Finding {
  const exits = pods.flatMap((pod) => exitsOf(pod, snapshot));
  const { operator, operatorNamespace: namespace, policies } = snapshot;
  const replicas = operator && { ready: operator.status.readyReplicas, wanted: operator.spec.replicas };
  const counts = replicas ? `${replicas.ready}, ${replicas.wanted}` : "missing";
  const metadata = { namespace, name: operator?.metadata.name ?? "gpu-operator" };
  // The plugin works without the operator on nodes where it runs.
  const scope = scopeOf(`deployment ${namespace}/gpu-operator`, nodesWithoutPlugin(snapshot));
  return finding(
    "gpu-operator-not-ready",
    { ...scope, pods: pods.map(podKey) },
    {
      evidence: [
        evidenceOf({ kind: "deployment", metadata }, "status.readyReplicas, spec.replicas", counts),
        ...exits.flatMap(({ evidence }) => evidence).slice(0, 4),
      ],
      ...{ replicas, reasons: [...new Set(exits.map(({ reason }) => reason))] },
      policy: policies[0]?.metadata.name,
    },
  );
}

/** The component that a validation pod of the operator checks; undefined for other pods. */
function validatorOf({ metadata }: Pod): "plugin" | "cuda" | undefined {
  const app = metadata.labels["app"];
  return app === "nvidia-device-plugin-validator" ? "plugin" : app === "nvidia-cuda-validator" ? "cuda" : undefined;
}

/**
 * A validation pod that gets no GPU because other pods hold all GPUs of its node. The validator starts it again every few
 * minutes, so a pod that keeps its GPU keeps the ClusterPolicy notReady.
 *
 * @see https://github.com/NVIDIA/gpu-operator/issues/480
 */
function rejectedValidators(snapshot: ClusterSnapshot): Finding[] {
  const { objects, operatorNamespace } = snapshot;
  return objects.pods
    .filter((pod) => pod.metadata.namespace === operatorNamespace && validatorOf(pod) !== undefined)
    .flatMap((pod) => rejectedValidator(pod, snapshot));
}

function rejectedValidator(pod: Pod, snapshot: ClusterSnapshot): Found {
  const nodes = snapshot.gpuNodes.filter(({ metadata }) => (pod.spec.nodeName ?? metadata.name) === metadata.name);
  const podsOnNodes = nodes.flatMap(({ metadata }) => snapshot.podsOn(metadata.name));
  const holders = podsOnNodes.filter((one) => holdsResources(one) && requestsGpu(one));
  const text = rejectionText(pod);
  if (text === undefined || holders.length === 0) return [];
  const [policy] = snapshot.policies;
  const daemons = podsOnNodes.filter((one) => one.metadata.ownerReferences[0]?.name === "nvidia-operator-validator");
  const scope = { ...scopeOfPod(pod, nodes), pods: [pod, ...daemons].map(podKey) };
  return finding("operator-validator-rejected", scope, {
    level: policy?.status.state === "ready" ? "notice" : "problem",
    // A GPU that is free now was not when the pod was rejected, for this reason or another.
    atMost: nodes.some((node) => hasFreeGpu(pod, node, snapshot)) ? "possible" : undefined,
    evidence: [
      evidenceOf(pod, "status.phase, reason, message", text, pod.metadata.creationTimestamp),
      ...holders.slice(0, 3).map((one) => evidenceOf(one, "spec.containers[].resources.limits", amountText(one))),
    ],
    holders: holders.map(podKey),
    validator: validatorOf(pod) ?? "plugin",
    policy: policy?.metadata.name,
  });
}

function hasFreeGpu(pod: Pod, node: Node, snapshot: ClusterSnapshot): boolean {
  return [...gpuRequest(pod.spec)].every(([resource, amount]) => {
    const free = numberOf(node.status.allocatable[resource]) - amountOf(holdersOn(node, resource, snapshot));
    return free >= amount;
  });
}

/** What the kubelet or the scheduler says; undefined if the pod does not lack a GPU. */
function rejectionText({ status }: Pod): string | undefined {
  const { phase, reason, message, conditions } = status;
  if (phase !== "Failed" && phase !== "Pending") return undefined;
  const scheduled = conditionOf(conditions, "PodScheduled");
  const text = joinPresent(phase, reason, message, scheduled?.status === "False" ? scheduled.message : "");
  return text.includes("nvidia.com/") ? text : undefined;
}

function amountText(pod: Pod): string {
  const request = [...gpuRequest(pod.spec)].map(([name, amount]) => `${amount} of ${name}`).join(", ");
  return `holds ${request} on ${pod.spec.nodeName ?? ""}`;
}
