import { countOf } from "../../../components/core/text";
import { untolerated } from "../../../components/core/kubernetes";
import type { Evidence, Finding, Found } from "../../conclusions";
import {
  devicePluginName,
  devicePluginPods,
  isPodOf,
  nodesWithoutPlugin,
  otherOperatorDaemonSets,
  type ClusterSnapshot,
} from "../../snapshot/cluster-snapshot";
import { advertisesGpus, gpuAdvertisement, hasHostPlugin, hostPluginOf, taintText } from "../../snapshot/nodes";
import type { Node } from "../../snapshot/objects/cluster";
import type { Meta } from "../../snapshot/objects/common";
import type { DaemonSet } from "../../snapshot/objects/workloads";
import { isPodReady, kubectlName, podKey } from "../../snapshot/pods";
import { ageOf, createdAt, isNew } from "../../snapshot/time";
import {
  allocatableEvidence,
  evidenceOf,
  logEvidence,
  nodeEvidence,
  podEvidence,
  scopeOf,
  scopeOfPod,
  listNames,
} from "../finding-parts";

/** The DaemonSet of the device plugin does not exist. */
export function pluginMissing(snapshot: ClusterSnapshot): Found {
  const { pluginNodes, devicePlugins, operatorNamespace, now } = snapshot;
  const without = pluginNodes.filter((node) => !advertisesGpus(node));
  if (devicePlugins.length > 0 || without.length === 0) return [];
  const isStarting = without.every((node) => isNew(node, now) && gpuAdvertisement(node) === "missing");
  const others = otherOperatorDaemonSets(snapshot).map(({ metadata }) => metadata.name);
  return {
    id: "device-plugin-missing",
    ...scopeOf(`daemonset ${operatorNamespace}/${devicePluginName}`, without),
    level: isStarting ? "notice" : "problem",
    what: `The DaemonSet of the device plugin does not exist, so ${countOf(without.length, "GPU node")} cannot advertise GPUs. The operator deletes the DaemonSet if the plugin is disabled, and cannot create it while the operator does not run.`,
    evidence: [
      evidenceOf(`-n ${operatorNamespace} daemonset/${devicePluginName}`, "metadata.name", "missing"),
      ...(others.length > 0
        ? [evidenceOf(`-n ${operatorNamespace} daemonsets`, "metadata.name", `found ${listNames(others, 5)}`)]
        : []),
    ],
    next: [
      "Show the DaemonSets and their ages => kubectl -n {operator} get daemonsets",
      "Check whether the ClusterPolicy enables the plugin => kubectl get clusterpolicies -o jsonpath='{.items[*].spec.devicePlugin.enabled}'",
    ],
  };
}

const notSelected = "The DaemonSet does not select all of them: a label is missing, or a taint is not tolerated.";

/** The device plugin is not ready on every GPU node. */
export function pluginBelowGpuNodes(snapshot: ClusterSnapshot): Found {
  const { devicePlugins, pluginNodes, operatorNamespace, now } = snapshot;
  const [plugin] = devicePlugins;
  const ready = devicePlugins.reduce((sum, { status }) => sum + status.numberReady, 0);
  const nodes = pluginNodes.filter((node) => !isNew(node, now));
  if (!plugin || ready >= nodes.length) return [];
  const without = nodesWithoutPlugin(snapshot).filter((node) => nodes.includes(node));
  const { desiredNumberScheduled: desired } = plugin.status;
  const { name, namespace } = plugin.metadata;
  const counts = `${ready}, ${desired}; GPU nodes ${nodes.length}`;
  const why = desired < nodes.length ? notSelected : "Its pods exist but are not ready.";
  return {
    id: "device-plugin-below-gpu-nodes",
    ...scopeOf(`daemonset ${namespace ?? ""}/${name}`, without),
    pods: pluginPodsOn(without, snapshot),
    what: `The device plugin is ready on ${ready} of ${countOf(nodes.length, "GPU node")}. ${why}`,
    evidence: [
      evidenceOf(kubectlName("daemonset", plugin.metadata), "status.numberReady, desiredNumberScheduled", counts),
      ...(snapshot.wasRead("pods") ? without : []).slice(0, 4).map((node) => coverageEvidence(plugin, node)),
    ],
    next: [
      `Show the pods of the plugin and their nodes => kubectl -n ${namespace ?? operatorNamespace} get pods -l app=${name} -o wide`,
      "Show the labels that the plugin selects => kubectl get nodes -L nvidia.com/gpu.deploy.device-plugin,nvidia.com/gpu.present",
    ],
  };
}

function coverageEvidence({ spec }: DaemonSet, node: Node): Evidence {
  const taints = untolerated(spec.template.spec.tolerations, node.spec.taints).map(taintText);
  const value = taints.length > 0 ? `taint ${taints.join(", ")} is not tolerated` : "no ready pod of the plugin";
  return nodeEvidence(node, "device plugin", value);
}

/** The plugin's pods on these nodes, if each of the nodes has one. */
function pluginPodsOn(nodes: readonly Node[], snapshot: ClusterSnapshot): readonly string[] {
  const names = nodes.map(({ metadata }) => metadata.name);
  const pods = devicePluginPods(snapshot).filter(({ spec }) => names.includes(spec.nodeName ?? ""));
  return new Set(pods.map(({ spec }) => spec.nodeName)).size === names.length ? pods.map(podKey) : [];
}

/** A ready pod of the device plugin on a node that advertises no GPUs. */
export function pluginWithoutGpus(snapshot: ClusterSnapshot): Finding[] {
  const pods = devicePluginPods(snapshot).filter(isPodReady);
  return snapshot.gpuNodes.flatMap((node): Found => {
    const pod = pods.find(({ spec }) => spec.nodeName === node.metadata.name);
    if (!pod || advertisesGpus(node) || isNew(node, snapshot.now)) return [];
    const { namespace = "", name, creationTimestamp } = pod.metadata;
    return {
      id: "device-plugin-without-gpus",
      ...scopeOfPod(pod),
      what: `The device plugin runs on ${node.metadata.name} and is ready, but the node advertises no GPUs. The plugin found no GPU or lost the connection to the kubelet; its log shows which.`,
      evidence: [
        podEvidence(pod, "status.phase, ready", "Running, true", creationTimestamp),
        allocatableEvidence(node),
        ...logEvidence(pod, pod.spec.containers[0]?.name ?? "", snapshot),
      ],
      next: [
        `Show the log of the plugin => kubectl -n ${namespace} logs ${name} --all-containers --tail=60`,
        `If the kubelet was restarted, restart the plugin so that it registers again =!> kubectl -n ${namespace} delete pod ${name}`,
      ],
    };
  });
}

/**
 * Two plugins register the same resource with the kubelet. The later one replaces the devices of the earlier one. The
 * service of the host is a plugin, too.
 */
export function twoPlugins(snapshot: ClusterSnapshot): Found {
  const { devicePlugins, podsOn, gpuNodes, wasRead } = snapshot;
  const running = devicePlugins.filter(({ status }) => status.currentNumberScheduled > 0);
  const pluginsOn = (node: Node) => {
    const pods = podsOn(node.metadata.name).filter(({ status }) => status.phase === "Running");
    return running.filter((set) => pods.some((pod) => isPodOf(pod, set)));
  };
  const hostOf = (node: Node) => (hasHostPlugin(node) ? 1 : 0);
  const nodes = gpuNodes.filter((node) => pluginsOn(node).length + hostOf(node) > 1);
  if (nodes.length === 0 && (wasRead("pods") || running.length < 2)) return [];
  const host = [...new Set(nodes.filter(hasHostPlugin).map(hostPluginOf))].join(", ");
  const names = running.map(({ metadata: { namespace = "", name } }) => `${namespace}/${name}`);
  return {
    id: "two-device-plugins",
    ...scopeOf(`daemonsets ${names.join(", ")}`, nodes),
    atMost: nodes.length > 0 ? undefined : "possible",
    what: `Two device plugins advertise the GPUs of the same nodes${host === "" ? "" : `: ${host} runs one as a service of the host`}. The kubelet uses the one that registered last, so the number of GPUs changes with each restart, and a GPU can be allocated twice.`,
    evidence: running.map(({ metadata, status }) =>
      evidenceOf(
        kubectlName("daemonset", metadata),
        "status.currentNumberScheduled, numberReady",
        `${status.currentNumberScheduled}, ${status.numberReady}`,
      ),
    ),
    next: [
      "Show the plugins with their owners and nodes. Keep one of them: the GPU Operator installs its own => kubectl get daemonsets -A -o wide --show-labels | grep nvidia-device-plugin",
      "Show the Helm releases that install them => helm list -A | grep -i nvidia",
    ],
  };
}

/** The plugin and the operator set the variable to true by default. With false, start errors stay hidden. */
export function failOnInitErrorOff({ policies, devicePlugins }: ClusterSnapshot): Found {
  const isOff = ({ name, value }: { name: string; value?: string }) =>
    name === "FAIL_ON_INIT_ERROR" && value === "false";
  const policy = policies.find(({ spec }) => spec.devicePlugin.env.some(isOff));
  const set = devicePlugins.find(({ spec }) => spec.template.spec.containers.some(({ env }) => env.some(isOff)));
  const evidence = [
    ...(policy ? [isOffEvidence("clusterpolicy", policy, "spec.devicePlugin.env")] : []),
    ...(set ? [isOffEvidence("daemonset", set, "spec.template.spec.containers[].env")] : []),
  ];
  if (evidence.length === 0) return [];
  return {
    id: "fail-on-init-error-off",
    ...scopeOf(
      policy
        ? `clusterpolicy ${policy.metadata.name}`
        : `daemonset ${set?.metadata.namespace ?? "default"}/${set?.metadata.name ?? ""}`,
    ),
    what: "FAIL_ON_INIT_ERROR is false: a device plugin that cannot start keeps running and is ready, but advertises no GPUs. The default is true.",
    evidence,
    next: [
      policy
        ? "Show the variables in the policy. Remove FAIL_ON_INIT_ERROR from the operator's values (devicePlugin.env) or from the policy => kubectl get clusterpolicies -o jsonpath='{.items[*].spec.devicePlugin.env}'"
        : "Show the variables. Remove FAIL_ON_INIT_ERROR from the chart's values or from the manifest => kubectl -n {namespace} get daemonset {name} -o jsonpath='{.spec.template.spec.containers[*].env}'",
    ],
  };
}

function isOffEvidence(kind: string, { metadata }: { readonly metadata: Meta }, field: string): Evidence {
  return evidenceOf(kubectlName(kind, metadata), `${field}[FAIL_ON_INIT_ERROR]`, "false");
}

const minAgeDifferenceMs = 600_000;

/** A DaemonSet that is much newer than the operator's others: it was disabled for a while, or an upgrade reset it. */
export function pluginRecreated(snapshot: ClusterSnapshot): Finding[] {
  const others = otherOperatorDaemonSets(snapshot);
  const newest = Math.max(...others.map(createdAt));
  if (others.length < 2 || Number.isNaN(newest)) return [];
  return snapshot.devicePlugins
    .filter((set) => createdAt(set) - newest > minAgeDifferenceMs)
    .map((set) => recreatedFinding(set, others, snapshot));
}

function recreatedFinding(set: DaemonSet, others: readonly DaemonSet[], { now }: ClusterSnapshot): Finding {
  const [age, otherAge] = [set, others.at(-1) ?? set].map((one) => ageOf(one, now));
  return {
    id: "device-plugin-recreated",
    ...scopeOf(`daemonset ${set.metadata.namespace ?? ""}/${set.metadata.name}`),
    level: "notice",
    what: `The DaemonSet of the device plugin is ${age} old and the operator's other DaemonSets ${otherAge}, so it was deleted and created again. No GPUs were advertised in between, and pods that held a GPU before may be counted incorrectly.`,
    evidence: [set, ...others.slice(0, 2)].map(({ metadata }) => {
      const { creationTimestamp } = metadata;
      const object = kubectlName("daemonset", metadata);
      return evidenceOf(object, "metadata.creationTimestamp", creationTimestamp ?? "", creationTimestamp);
    }),
    next: "Show who changed devicePlugin.enabled: an upgrade or a user => kubectl get clusterpolicies -o yaml --show-managed-fields | grep -B2 -A6 'manager:'",
  };
}
