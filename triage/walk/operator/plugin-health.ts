import type { Finding } from "../../finding";
import { aboutCluster, aboutPod } from "../about";
import { duration, isYoung, secondsBetween } from "../age";
import type { DaemonSet } from "../../objects/workloads";
import { offerOf } from "../node/advertised";
import { kubectlName } from "../pods";
import { gpuResource, type Scene } from "../scene";
import { isReady, neighbours, pluginPods } from "./plugin-daemonsets";

/** Looks well in `kubectl get daemonset`, and is not. */
export function withoutGpus(scene: Scene): Finding[] {
  const pods = pluginPods(scene).filter(isReady);
  return scene.gpuNodes.flatMap((node): Finding[] => {
    const pod = pods.find(({ spec }) => spec.nodeName === node.metadata.name);
    if (!pod || offerOf(node) === "offers" || isYoung(node, scene.now)) return [];
    const { namespace = "", name, creationTimestamp } = pod.metadata;
    return [
      {
        id: "device-plugin-without-gpus",
        ...aboutPod(pod),
        level: "problem",
        sure: "certain",
        what: `The device plugin runs on ${node.metadata.name} and counts as ready, and the node offers no GPU: the plugin found none, or has lost the kubelet. Its log says which.`,
        evidence: [
          {
            object: kubectlName("pod", pod.metadata),
            field: "status.phase, ready",
            value: "Running, true",
            ...(creationTimestamp !== undefined && { at: creationTimestamp }),
          },
          {
            object: kubectlName("node", node.metadata),
            field: `status.allocatable[${gpuResource}]`,
            value: node.status.allocatable[gpuResource] ?? "missing",
          },
        ],
        next: [
          { why: "What it found", command: `kubectl -n ${namespace} logs ${name} --all-containers --tail=60` },
          {
            why: "If the kubelet was restarted: let the plugin register again",
            command: `kubectl -n ${namespace} delete pod ${name}`,
            changes: true,
          },
        ],
      },
    ];
  });
}

/** The plugin's own default is true, and the operator sets it so: false hides every error of its start. */
export function failOnInitErrorOff(scene: Scene): Finding[] {
  const isOff = ({ name, value }: { name: string; value?: string }) =>
    name === "FAIL_ON_INIT_ERROR" && value === "false";
  const policies = scene.policies.filter(({ spec }) => spec.devicePlugin.env.some(isOff));
  const sets = scene.devicePlugins.filter(({ spec }) =>
    spec.template.spec.containers.some(({ env }) => env.some(isOff)),
  );
  const [policy, set] = [policies[0], sets[0]];
  if (!policy && !set) return [];
  return [
    {
      id: "fail-on-init-error-off",
      ...aboutCluster(policy ? `clusterpolicy ${policy.metadata.name}` : `daemonset ${set?.metadata.name ?? ""}`),
      level: "problem",
      sure: "certain",
      what: "FAIL_ON_INIT_ERROR is false: a device plugin that cannot start keeps Running, looks ready, and offers no GPU. Its default is true.",
      evidence: [
        ...(policy
          ? [
              {
                object: kubectlName("clusterpolicy", policy.metadata),
                field: "spec.devicePlugin.env[FAIL_ON_INIT_ERROR]",
                value: "false",
              },
            ]
          : []),
        ...(set
          ? [
              {
                object: kubectlName("daemonset", set.metadata),
                field: "spec.template.spec.containers[].env[FAIL_ON_INIT_ERROR]",
                value: "false",
              },
            ]
          : []),
      ],
      next: [
        {
          why: "Take the variable out of the operator's values (devicePlugin.env), or of the policy; what stands there now",
          command: "kubectl get clusterpolicies -o jsonpath='{.items[*].spec.devicePlugin.env}'",
        },
      ],
    },
  ];
}

const clearlyLater = 600;

/** Much younger than its neighbours: somebody switched it off and on, or an upgrade of the chart reset the policy. */
export function recreated(scene: Scene): Finding[] {
  const others = neighbours(scene);
  const born = ({ metadata }: DaemonSet) => Date.parse(metadata.creationTimestamp ?? "");
  const last = Math.max(...others.map(born));
  if (others.length < 2 || Number.isNaN(last)) return [];
  return scene.devicePlugins
    .filter((set) => born(set) - last > clearlyLater * 1000)
    .map((set): Finding => {
      const ages = [set, ...others].map((one) =>
        duration(secondsBetween(one.metadata.creationTimestamp, scene.now) ?? 0),
      );
      return {
        id: "device-plugin-recreated",
        ...aboutCluster(`daemonset ${set.metadata.namespace ?? ""}/${set.metadata.name}`),
        level: "notice",
        sure: "certain",
        what: `The device plugin's DaemonSet is ${ages[0]} old, its neighbours ${ages.at(-1)}: it was deleted and made anew. GPUs were away in between, and pods that held one since before may be counted wrongly.`,
        evidence: [set, ...others.slice(0, 2)].map(({ metadata }) => ({
          object: kubectlName("daemonset", metadata),
          field: "metadata.creationTimestamp",
          value: metadata.creationTimestamp ?? "",
          ...(metadata.creationTimestamp !== undefined && { at: metadata.creationTimestamp }),
        })),
        next: [
          {
            why: "Who switched it: whether devicePlugin.enabled was changed by an upgrade or by hand",
            command: "kubectl get clusterpolicies -o yaml --show-managed-fields | grep -B2 -A6 'manager:'",
          },
        ],
      };
    });
}
