import { signOf } from "../../classify/plugin-log";
import type { Finding, NextStep } from "../../finding";
import type { ClusterPolicy } from "../../objects/cluster-policy";
import type { Pod } from "../../objects/pod";
import { aboutCluster } from "../about";
import { asksForGpu, holdsResources, kubectlName } from "../pods";
import type { Scene } from "../scene";
import { some } from "../seen";
import { nodesWithoutPlugin } from "./plugin-daemonsets";

/** The switch itself. `status.state` stays `ready`, because to the operator an absence that was asked for is in order. */
export function pluginDisabled(policy: ClusterPolicy, scene: Scene): Finding[] {
  if (policy.spec.devicePlugin.enabled !== false) return [];
  const log = scene.dump.logs.find(({ lines }) => lines.some((line) => signOf(line) === "plugin-disabled"));
  const line = log?.lines.filter((one) => signOf(one) === "plugin-disabled").at(-1);
  const still = scene.dump.objects.pods.filter((pod) => holdsResources(pod) && asksForGpu(pod));
  return [
    {
      id: "device-plugin-disabled",
      ...aboutCluster(`clusterpolicy ${policy.metadata.name}`, nodesWithoutPlugin(scene)),
      level: scene.gpuNodes.length > 0 ? "problem" : "notice",
      sure: "certain",
      what: `The device plugin is switched off in the ClusterPolicy: the operator deletes its DaemonSet within seconds and the nodes stop offering GPUs. The policy's state ${policy.status.state ?? "none"} says nothing against it.`,
      evidence: [
        { object: kubectlName("clusterpolicy", policy.metadata), field: "spec.devicePlugin.enabled", value: "false" },
        {
          object: kubectlName("clusterpolicy", policy.metadata),
          field: "status.state",
          value: policy.status.state ?? "none",
        },
        ...(log && line !== undefined
          ? [{ object: `-n ${log.namespace} pod/${log.pod}`, field: "log", value: line }]
          : []),
      ],
      next: [...occupied(still), ...switchOn(policy)],
    },
  ];
}

/** Pods that kept their GPU may disagree with what the plugin counts when it comes back. */
function occupied(pods: readonly Pod[]): NextStep[] {
  if (pods.length === 0) return [];
  const names = pods.map(({ metadata }) => `${metadata.namespace ?? "default"}/${metadata.name}`);
  return [
    {
      why: `First end the pods that hold a GPU since before, or the plugin and the kubelet may count it twice: ${some(names)}`,
      command: `kubectl get pods -A --field-selector status.phase=Running -o wide`,
    },
  ];
}

function switchOn({ metadata }: ClusterPolicy): NextStep[] {
  return [
    {
      why: "In a lab: take the fault back. The patch below alone would be undone by the next pulumi up",
      command: "pulumi config set fault off && pulumi up",
      changes: true,
    },
    {
      why: "Elsewhere: switch it on; 40 seconds until all nodes offer their GPUs. Mend it where the values come from, too",
      command: `kubectl patch clusterpolicy ${metadata.name} --type=merge -p '{"spec":{"devicePlugin":{"enabled":true}}}'`,
      changes: true,
    },
  ];
}
