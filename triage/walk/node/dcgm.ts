import type { Finding } from "../../finding";
import type { Condition } from "../../objects/common";
import type { Node } from "../../objects/node";
import { aboutNode } from "../about";
import { kubectlName, taintText, untolerated } from "../pods";
import type { Scene } from "../scene";
import { askDriver, conditionEvidence } from "./node-facts";

const server = "dcgm-server";

/**
 * `DCGMError` says that the agent found no DCGM engine on the node. Where the add-on's DaemonSet `dcgm-server` never
 * came to the node, that is a false alarm about a GPU that may be well, and node repair would replace the node for it.
 *
 * @see https://github.com/aws/containers-roadmap/issues/2555
 */
export function dcgmFalseAlarm(node: Node, condition: Condition, scene: Scene): Finding | undefined {
  if (condition.reason !== "DCGMError" || !scene.sees("daemonsets") || !scene.sees("pods")) return undefined;
  const { metadata } = node;
  const set = scene.dump.objects.daemonsets.find((one) => one.metadata.name === server);
  const pod = scene
    .podsOn(metadata.name)
    .find((one) => one.metadata.ownerReferences.some(({ name }) => name === server));
  if (pod?.status.phase === "Running" && pod.status.containerStatuses.every(({ ready }) => ready)) return undefined;
  const kept = set ? untolerated(set.spec.template.spec.tolerations, node.spec.taints).map(taintText) : [];
  const arm = metadata.labels["kubernetes.io/arch"] === "arm64";
  const why = !set
    ? "there is no DaemonSet dcgm-server"
    : pod
      ? `its pod ${pod.metadata.name} is not ready`
      : arm
        ? "it runs on amd64 nodes only, and this one is arm64"
        : kept.length > 0
          ? `it does not tolerate the node's taint ${kept.join(", ")}`
          : "it has no pod there";
  return {
    id: "dcgm-false-alarm",
    ...aboutNode(node),
    level: "problem",
    sure: kept.length > 0 || !set || arm ? "certain" : "likely",
    what: `The node counts as unhealthy because the monitoring agent cannot reach a DCGM engine, not because of its GPU: dcgm-server does not run on the node, for ${why}. Node repair, where it is on, would replace a healthy node.`,
    evidence: [
      conditionEvidence(node, condition),
      set
        ? {
            object: kubectlName("daemonset", set.metadata),
            field: "status.numberReady, desiredNumberScheduled",
            value: `${set.status.numberReady} of ${set.status.desiredNumberScheduled}, with ${scene.gpuNodes.length} GPU nodes`,
          }
        : { object: `-n kube-system daemonset/${server}`, field: "metadata.name", value: "missing" },
      ...(kept.length > 0
        ? [{ object: kubectlName("node", metadata), field: "spec.taints", value: kept.join(", ") }]
        : []),
    ],
    next: [
      { why: "Which nodes it covers", command: `kubectl get pods -A -l k8s-app=${server} -o wide` },
      arm
        ? {
            why: "In a lab: let the GPU Operator run the engine",
            command: "pulumi config set --path gpuHealth.engine operator && pulumi up",
            changes: true,
          }
        : {
            why: "Let dcgm-server tolerate the GPU nodes' taints; a lab with gpuHealth.engine node-monitor does",
            command: `aws eks update-addon --cluster-name CLUSTER --addon-name eks-node-monitoring-agent --resolve-conflicts PRESERVE --configuration-values '{"dcgmAgent":{"tolerations":[{"operator":"Exists"}]}}'`,
            changes: true,
          },
      {
        why: "Whether the GPU itself is well",
        command: askDriver(scene, metadata.name),
      },
    ],
  };
}
