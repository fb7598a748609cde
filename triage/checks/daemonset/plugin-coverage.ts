import { untolerated } from "../../../components/core/kubernetes";
import type { Evidence, Finding } from "../../conclusions";
import { devicePluginName, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { devicePluginPods, nodesWithoutPlugin, otherOperatorDaemonSets } from "../../snapshot/device-plugin";
import { advertisesGpus, gpuAdvertisement, taintText } from "../../snapshot/nodes";
import type { Node } from "../../snapshot/objects/cluster";
import type { DaemonSet } from "../../snapshot/objects/workloads";
import { kubectlName, podKey } from "../../snapshot/pods";
import { isNew } from "../../snapshot/time";
import { countOf, listNames } from "../check-result";
import { evidenceOf, nodeEvidence } from "../evidence";
import { scopeOf } from "../scope";

/** The DaemonSet of the device plugin does not exist. */
export function pluginMissing(snapshot: ClusterSnapshot): Finding[] {
  const { gpuNodes, devicePlugins, operatorNamespace, now } = snapshot;
  const without = gpuNodes.filter((node) => !advertisesGpus(node));
  if (devicePlugins.length > 0 || without.length === 0) return [];
  const isStarting = without.every((node) => isNew(node, now) && gpuAdvertisement(node) === "missing");
  const others = otherOperatorDaemonSets(snapshot).map(({ metadata }) => metadata.name);
  return [
    {
      id: "device-plugin-missing",
      ...scopeOf(`daemonset ${operatorNamespace}/${devicePluginName}`, without),
      level: isStarting ? "notice" : "problem",
      confidence: "certain",
      what: `The DaemonSet of the device plugin does not exist, so ${countOf(gpuNodes.length, "GPU node")} cannot advertise GPUs. The operator deletes the DaemonSet if the plugin is disabled, and cannot create it while the operator does not run.`,
      evidence: [
        evidenceOf(`-n ${operatorNamespace} daemonset/${devicePluginName}`, "metadata.name", "missing"),
        ...(others.length > 0
          ? [evidenceOf(`-n ${operatorNamespace} daemonsets`, "metadata.name", `found ${listNames(others, 5)}`)]
          : []),
      ],
      next: [
        {
          why: "Show the DaemonSets and their ages",
          command: `kubectl -n ${operatorNamespace} get daemonsets`,
        },
        {
          why: "Check whether the ClusterPolicy enables the plugin",
          command: "kubectl get clusterpolicies -o jsonpath='{.items[*].spec.devicePlugin.enabled}'",
        },
      ],
    },
  ];
}

/** The device plugin is not ready on every GPU node. */
export function pluginBelowGpuNodes(snapshot: ClusterSnapshot): Finding[] {
  const { devicePlugins, gpuNodes, operatorNamespace, now } = snapshot;
  const [plugin] = devicePlugins;
  const ready = devicePlugins.reduce((sum, { status }) => sum + status.numberReady, 0);
  const nodes = gpuNodes.filter((node) => !isNew(node, now));
  if (!plugin || ready >= nodes.length) return [];
  const without = nodesWithoutPlugin(snapshot).filter((node) => nodes.includes(node));
  const { desiredNumberScheduled: desired } = plugin.status;
  const { name, namespace } = plugin.metadata;
  const why =
    desired < nodes.length
      ? "The DaemonSet does not select all of them: a label is missing, or a taint is not tolerated."
      : "Its pods exist but are not ready.";
  return [
    {
      id: "device-plugin-below-gpu-nodes",
      ...scopeOf(`daemonset ${namespace ?? ""}/${name}`, without),
      pods: pluginPodsOn(without, snapshot),
      level: "problem",
      confidence: "certain",
      what: `The device plugin is ready on ${ready} of ${countOf(nodes.length, "GPU node")}. ${why}`,
      evidence: [
        evidenceOf(
          kubectlName("daemonset", plugin.metadata),
          "status.numberReady, desiredNumberScheduled",
          `${ready}, ${desired}; GPU nodes ${nodes.length}`,
        ),
        ...(snapshot.wasRead("pods") ? without : []).slice(0, 4).map((node) => coverageEvidence(plugin, node)),
      ],
      next: [
        {
          why: "Show the pods of the plugin and their nodes",
          command: `kubectl -n ${namespace ?? operatorNamespace} get pods -l app=${name} -o wide`,
        },
        {
          why: "Show the labels that the plugin selects",
          command: "kubectl get nodes -L nvidia.com/gpu.deploy.device-plugin,nvidia.com/gpu.present",
        },
      ],
    },
  ];
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
