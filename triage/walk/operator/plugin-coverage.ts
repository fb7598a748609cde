import type { Finding } from "../../finding";
import type { Node } from "../../objects/node";
import { aboutCluster, podKey } from "../about";
import { offerOf } from "../node/advertised";
import { kubectlName, taintText, untolerated } from "../pods";
import { devicePluginName, type Scene } from "../scene";
import { counted, some } from "../seen";
import { neighbours, nodesWithoutPlugin, pluginPods } from "./plugin-daemonsets";
import { isYoung } from "../age";

/** The DaemonSet is gone: not scaled down, but deleted. */
export function pluginMissing(scene: Scene): Finding[] {
  const silent = scene.gpuNodes.filter((node) => offerOf(node) !== "offers");
  const isNew = silent.every((node) => isYoung(node, scene.now) && offerOf(node) === "missing");
  if (scene.devicePlugins.length > 0 || silent.length === 0) return [];
  const others = neighbours(scene).map(({ metadata }) => metadata.name);
  return [
    {
      id: "device-plugin-missing",
      ...aboutCluster(`daemonset ${scene.operatorNamespace}/${devicePluginName}`, silent),
      level: isNew ? "notice" : "problem",
      sure: "certain",
      what: `The DaemonSet of the device plugin does not exist, so nobody tells ${counted(scene.gpuNodes.length, "GPU node")} about ${scene.gpuNodes.length === 1 ? "its" : "their"} GPUs. The operator deletes it where it is switched off, and cannot make it while it is down.`,
      evidence: [
        {
          object: `-n ${scene.operatorNamespace} daemonset/${devicePluginName}`,
          field: "metadata.name",
          value: "missing",
        },
        ...(others.length > 0
          ? [
              {
                object: `-n ${scene.operatorNamespace} daemonsets`,
                field: "metadata.name",
                value: `there are ${some(others, 5)}`,
              },
            ]
          : []),
      ],
      next: [
        {
          why: "Which DaemonSets there are, and how old",
          command: `kubectl -n ${scene.operatorNamespace} get daemonsets`,
        },
        {
          why: "Whether the policy wants it",
          command: "kubectl get clusterpolicies -o jsonpath='{.items[*].spec.devicePlugin.enabled}'",
        },
      ],
    },
  ];
}

/** The plugin's pods that are not ready, where each of the nodes has one. */
function pluginPodsOn(nodes: readonly Node[], scene: Scene): readonly string[] {
  const names = nodes.map(({ metadata }) => metadata.name);
  const pods = pluginPods(scene).filter(({ spec }) => names.includes(spec.nodeName ?? ""));
  return new Set(pods.map(({ spec }) => spec.nodeName)).size === names.length ? pods.map(podKey) : [];
}

/** The DaemonSet is there and not everywhere. */
export function belowGpuNodes(scene: Scene): Finding[] {
  const [plugin] = scene.devicePlugins;
  const ready = scene.devicePlugins.reduce((sum, { status }) => sum + status.numberReady, 0);
  const grown = scene.gpuNodes.filter((node) => !isYoung(node, scene.now));
  if (!plugin || ready >= grown.length) return [];
  const without = nodesWithoutPlugin(scene).filter((node) => grown.includes(node));
  const tolerations = plugin.spec.template.spec.tolerations;
  const { desiredNumberScheduled: desired } = plugin.status;
  const why =
    desired < grown.length
      ? "The DaemonSet does not want to be on all of them: a label is missing or a taint is not tolerated."
      : "Its pods are there and not ready.";
  return [
    {
      id: "device-plugin-below-gpu-nodes",
      ...aboutCluster(`daemonset ${plugin.metadata.namespace ?? ""}/${plugin.metadata.name}`, without),
      pods: pluginPodsOn(without, scene),
      level: "problem",
      sure: "certain",
      what: `The device plugin is ready on ${ready} of ${counted(grown.length, "GPU node")}. ${why}`,
      evidence: [
        {
          object: kubectlName("daemonset", plugin.metadata),
          field: "status.numberReady, desiredNumberScheduled",
          value: `${ready}, ${desired}; GPU nodes ${grown.length}`,
        },
        ...(scene.sees("pods") ? without : []).slice(0, 4).map((node) => {
          const kept = untolerated(tolerations, node.spec.taints).map(taintText);
          const value = kept.length > 0 ? `taint ${kept.join(", ")} is not tolerated` : "no ready pod of the plugin";
          return { object: kubectlName("node", node.metadata), field: "device plugin", value };
        }),
      ],
      next: [
        {
          why: "Where its pods are, and how they stand",
          command: `kubectl -n ${plugin.metadata.namespace ?? scene.operatorNamespace} get pods -l app=${plugin.metadata.name} -o wide`,
        },
        {
          why: "By which labels it chooses nodes",
          command: "kubectl get nodes -L nvidia.com/gpu.deploy.device-plugin,nvidia.com/gpu.present",
        },
      ],
    },
  ];
}
