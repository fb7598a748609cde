import { untolerated } from "../../../components/core/kubernetes";
import { finding, scopeOf, type Finding, type Found } from "../../conclusions";
import type { Evidence } from "../../conclusions/entry";
import {
  devicePluginName,
  devicePluginPods,
  isPodOf,
  nodesWithoutPlugin,
  otherOperatorDaemonSets,
  podsOfDaemonSets,
  type ClusterSnapshot,
} from "../../snapshot/cluster-snapshot";
import { advertisesGpus, gpuAdvertisement, hasHostPlugin, hostPluginOf, taintText } from "../../snapshot/nodes";
import type { DaemonSet, Node } from "../../snapshot/objects/resources";
import { isPodReady, podKey, selectsNode } from "../../snapshot/pods";
import { ageOf, createdAt, isNew } from "../../snapshot/time";
import { listNames } from "../../texts";
import { allocatableEvidence, evidenceOf, logEvidence } from "../finding-parts";

export function pluginMissing(snapshot: ClusterSnapshot): Found {
  const { pluginNodes, devicePlugins, operatorNamespace, now } = snapshot;
  const without = pluginNodes.filter((node) => !advertisesGpus(node));
  if (devicePlugins.length > 0 || without.length === 0) return [];
  const isStarting = without.every((node) => isNew(node, now) && gpuAdvertisement(node) === "missing");
  const others = otherOperatorDaemonSets(snapshot).map(({ metadata }) => metadata.name);
  return finding("device-plugin-missing", scopeOf(`daemonset ${operatorNamespace}/${devicePluginName}`, without), {
    level: isStarting ? "notice" : "problem",
    evidence: [
      evidenceOf(`-n ${operatorNamespace} daemonset/${devicePluginName}`, "metadata.name", "missing"),
      others.length > 0
        ? evidenceOf(`-n ${operatorNamespace} daemonsets`, "metadata.name", `found ${listNames(others, 5)}`)
        : undefined,
    ],
  });
}

/** The device plugin is not ready on every GPU node. */
export function pluginBelowGpuNodes(snapshot: ClusterSnapshot): Found {
  const { devicePlugins, pluginNodes, now } = snapshot;
  const [plugin] = devicePlugins;
  const ready = devicePlugins.reduce((sum, { status }) => sum + status.numberReady, 0);
  const nodes = pluginNodes.filter((node) => !isNew(node, now));
  if (!plugin || ready >= nodes.length) return [];
  const without = nodesWithoutPlugin(snapshot).filter((node) => nodes.includes(node));
  const { desiredNumberScheduled: desired } = plugin.status;
  const { name, namespace } = plugin.metadata;
  const counts = `${ready}, ${desired}; GPU nodes ${nodes.length}`;
  const scope = scopeOf(`daemonset ${namespace ?? ""}/${name}`, without);
  const pods = pluginPodsOn(without, snapshot);
  return finding(
    "device-plugin-below-gpu-nodes",
    { ...scope, pods },
    {
      evidence: [
        evidenceOf(plugin, "status.numberReady, desiredNumberScheduled", counts),
        ...(snapshot.wasRead("pods") ? without : []).slice(0, 4).map((node) => coverageEvidence(plugin, node)),
      ],
      ...{ ready, desired, all: nodes.length, set: name, setNamespace: namespace },
    },
  );
}

function coverageEvidence({ spec }: DaemonSet, node: Node): Evidence {
  const taints = untolerated(spec.template.spec.tolerations, node.spec.taints).map(taintText);
  const value = taints.length > 0 ? `taint ${taints.join(", ")} is not tolerated` : "no ready pod of the plugin";
  return evidenceOf(node, "device plugin", value);
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
    return finding("device-plugin-without-gpus", pod, {
      evidence: [
        evidenceOf(pod, "status.phase, ready", "Running, true", pod.metadata.creationTimestamp),
        allocatableEvidence(node),
        ...logEvidence(pod, pod.spec.containers[0]?.name ?? "", snapshot),
      ],
    });
  });
}

/**
 * Two plugins register the same resource with the kubelet. The later one replaces the devices of the earlier one. The
 * service of the host is a plugin, too.
 */
export function twoPlugins(snapshot: ClusterSnapshot): Found {
  const { podsOn, gpuNodes } = snapshot;
  const running = snapshot.devicePlugins.filter(({ status }) => status.currentNumberScheduled > 0);
  const unseen = running.filter((set) => podsOfDaemonSets([set], snapshot).length === 0);
  const runsOn = (set: DaemonSet, node: Node) =>
    unseen.includes(set)
      ? runsWithoutPods(set, node)
      : podsOn(node.metadata.name).some((pod) => pod.status.phase === "Running" && isPodOf(pod, set));
  const pluginsOn = (node: Node) => running.filter((set) => runsOn(set, node)).length + (hasHostPlugin(node) ? 1 : 0);
  const nodes = gpuNodes.filter((node) => pluginsOn(node) > 1);
  if (nodes.length === 0) return [];
  const names = running.map(({ metadata: { namespace = "", name } }) => `${namespace}/${name}`);
  return finding("two-device-plugins", scopeOf(`daemonsets ${names.join(", ")}`, nodes), {
    atMost: unseen.length > 0 ? "possible" : undefined,
    evidence: running.map((set) => {
      const counts = `${set.status.currentNumberScheduled}, ${set.status.numberReady}`;
      return evidenceOf(set, "status.currentNumberScheduled, numberReady", counts);
    }),
    hosts: [...new Set(nodes.filter(hasHostPlugin).flatMap((node) => hostPluginOf(node) ?? []))],
  });
}

/** Whether a DaemonSet whose pods the data does not have should have one on a node. */
function runsWithoutPods({ spec: { template } }: DaemonSet, node: Node): boolean {
  return selectsNode(template.spec, node) && untolerated(template.spec.tolerations, node.spec.taints).length === 0;
}

/** The plugin and the operator set the variable to true by default. With false, start errors stay hidden. */
export function failOnInitErrorOff({ policies, devicePlugins }: ClusterSnapshot): Found {
  const isOff = ({ name, value }: { name: string; value?: string }) =>
    name === "FAIL_ON_INIT_ERROR" && value === "false";
  const policy = policies.find(({ spec }) => spec.devicePlugin.env.some(isOff));
  const set = devicePlugins.find(({ spec }) => spec.template.spec.containers.some(({ env }) => env.some(isOff)));
  const { name, namespace = "default" } = (policy ?? set)?.metadata ?? {};
  if (name === undefined) return [];
  const subject = policy ? `clusterpolicy ${name}` : `daemonset ${namespace}/${name}`;
  return finding("fail-on-init-error-off", scopeOf(subject), {
    evidence: [
      policy && evidenceOf(policy, "spec.devicePlugin.env[FAIL_ON_INIT_ERROR]", "false"),
      set && evidenceOf(set, "spec.template.spec.containers[].env[FAIL_ON_INIT_ERROR]", "false"),
    ],
    isInPolicy: policy !== undefined,
  });
}

const minAgeDifferenceMs = 600_000;

/**
 * The operator's plugin is much newer than its other DaemonSets: it was disabled for a while, or an upgrade reset it. The
 * age of a plugin that was installed on its own says nothing.
 */
export function pluginRecreated(snapshot: ClusterSnapshot): Finding[] {
  const others = otherOperatorDaemonSets(snapshot);
  const newest = Math.max(...others.map(createdAt));
  if (others.length < 2 || Number.isNaN(newest)) return [];
  return snapshot.devicePlugins
    .filter(({ metadata }) => metadata.namespace === snapshot.operatorNamespace && metadata.name === devicePluginName)
    .filter((set) => createdAt(set) - newest > minAgeDifferenceMs)
    .map((set) =>
      finding("device-plugin-recreated", scopeOf(`daemonset ${set.metadata.namespace ?? ""}/${set.metadata.name}`), {
        evidence: [set, ...others.slice(0, 2)].map((one) => {
          const { creationTimestamp: at = "" } = one.metadata;
          return evidenceOf(one, "metadata.creationTimestamp", at, at);
        }),
        age: ageOf(set, snapshot.now),
        otherAge: ageOf(others.at(-1) ?? set, snapshot.now),
      }),
    );
}
