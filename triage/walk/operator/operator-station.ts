import type { Finding } from "../../finding";
import type { ClusterPolicy } from "../../objects/cluster-policy";
import { aboutCluster } from "../about";
import { isYoung, secondsBetween, settlingSeconds } from "../age";
import { offerOf } from "../node/advertised";
import { kubectlName } from "../pods";
import { conditionOf, type Scene } from "../scene";
import { counted, some, stated, type Seen } from "../seen";
import { operatorDown } from "./operator-down";
import { pluginDisabled } from "./plugin-disabled";

/** Fourth station: who makes and unmakes the DaemonSet. */
export function operatorStation(scene: Scene): Seen {
  const { policies } = scene;
  const findings = [
    ...policies.flatMap((policy) => pluginDisabled(policy, scene)),
    ...notInstalled(scene),
    ...operatorDown(scene),
    ...policies.flatMap((policy) => policyNotReady(policy, scene)),
  ];
  return { lines: linesOf(scene), findings };
}

function linesOf(scene: Scene): string[] {
  const { operator } = scene;
  const policies = scene.dump.objects.clusterpolicies.map(({ metadata, spec, status }) => {
    if (status.state === "ignored") return `ClusterPolicy ${metadata.name}: ignored, the operator follows one alone`;
    const enabled = spec.devicePlugin.enabled ?? true;
    return `ClusterPolicy ${metadata.name}: devicePlugin.enabled ${enabled}; status.state ${status.state ?? "none"}, which is no proof: a part that is switched off counts as ready, too`;
  });
  return [
    ...(policies.length > 0 ? policies : scene.sees("clusterpolicies") ? ["no ClusterPolicy"] : []),
    ...(operator
      ? [`Deployment ${operator.metadata.name}: ${operator.status.readyReplicas} of ${operator.spec.replicas} ready`]
      : scene.sees("deployments")
        ? ["no Deployment gpu-operator"]
        : []),
  ];
}

function notInstalled(scene: Scene): Finding[] {
  const silent = scene.gpuNodes.filter((node) => offerOf(node) !== "offers");
  const knows = scene.sees("clusterpolicies") && scene.sees("deployments") && scene.sees("daemonsets");
  const something = scene.dump.objects.clusterpolicies.length > 0 || scene.operator || scene.devicePlugins.length > 0;
  if (!knows || something || silent.length === 0) return [];
  return [
    {
      id: "gpu-operator-not-installed",
      ...aboutCluster("cluster", silent),
      level: "problem",
      sure: "certain",
      what: `The cluster has ${counted(scene.gpuNodes.length, "GPU node")} and neither the GPU Operator nor a device plugin, so nobody offers the GPUs to the scheduler.`,
      evidence: [
        { object: "clusterpolicies.nvidia.com", field: "items", value: "none" },
        { object: "deployments", field: "gpu-operator", value: "missing" },
      ],
      next: [
        {
          why: "In a lab: install it, 5 minutes",
          command: "pulumi config set --path gpuOperator.enabled true && pulumi up",
          changes: true,
        },
      ],
    },
  ];
}

function policyNotReady(policy: ClusterPolicy, scene: Scene): Finding[] {
  const { state, conditions } = policy.status;
  if (state === undefined || state === "ready" || scene.gpuNodes.length === 0) return [];
  const error = conditionOf(conditions, "Error") ?? conditionOf(conditions, "Ready");
  const starting = startingOn(error?.lastTransitionTime, scene);
  const wait = starting.length > 0 ? ` Its parts still start on new nodes: ${some(starting)}.` : "";
  return [
    {
      id: "cluster-policy-not-ready",
      ...aboutCluster(`clusterpolicy ${policy.metadata.name}`),
      level: starting.length > 0 ? "notice" : "problem",
      sure: "likely",
      what: `The operator says of its policy: ${state}. Some part that is to be there is not ready yet${error?.message ? `: ${error.message}` : ""}.${wait}`,
      evidence: [
        {
          object: kubectlName("clusterpolicy", policy.metadata),
          field: "status.state",
          value: stated(state, error?.reason, error?.message),
          ...(error?.lastTransitionTime !== undefined && { at: error.lastTransitionTime }),
        },
      ],
      next: [{ why: "Which part", command: `kubectl -n ${scene.operatorNamespace} get daemonsets,pods -o wide` }],
    },
  ];
}

/** New GPU nodes, where they are reason enough: the policy turned when they came, and every older one offers its GPUs. */
function startingOn(since: string | undefined, { gpuNodes, now }: Scene): readonly string[] {
  const young = gpuNodes.filter((node) => isYoung(node, now));
  const silent = gpuNodes.filter((node) => !young.includes(node) && offerOf(node) !== "offers");
  const lasts = (secondsBetween(since, now) ?? 0) >= settlingSeconds;
  return silent.length > 0 || lasts ? [] : young.map(({ metadata }) => metadata.name);
}
