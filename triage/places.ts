import type { Scope } from "./scope";
import { nodeNamed, type ClusterSnapshot } from "./snapshot/cluster-snapshot";
import { hostPluginOf, nodeGroupOf } from "./snapshot/nodes";
import type { Node } from "./snapshot/objects/cluster";
import { kubectlName } from "./snapshot/pods";
import type { Places } from "./steps";

/** What stands for the places in the steps of a finding: its subject, its first node and its first pod. */
export function placesOf({ subject, nodes, pods }: Scope, snapshot: ClusterSnapshot): Places {
  const node = nodeNamed(snapshot, nodes[0]);
  const [, owner, name] = /^\S+ ([^\s/]+)\/(\S+)$/.exec(subject) ?? [];
  const [namespace = owner ?? "NAMESPACE", pod = "POD"] = pods[0]?.split("/") ?? [];
  return {
    namespace,
    name: name ?? "NAME",
    pod: kubectlName("pod", { namespace, name: pod }),
    node: nodes[0] ?? "NODE",
    instance: instanceOf(node),
    shell: shellOn(node),
    smi: nvidiaSmi(snapshot, node),
    operator: snapshot.operatorNamespace,
    cluster: snapshot.clusterName,
    group: node && nodeGroupOf(node),
  };
}

/** `i-0123456789abcdef0` of `aws:///ap-northeast-2a/i-0123456789abcdef0`. */
function instanceOf(node: Node | undefined): string {
  return /i-[0-9a-f]{8,17}$/.exec(node?.spec.providerID ?? "")?.[0] ?? "INSTANCE_ID";
}

/** Opens a shell on a node. The command to run there follows as a comment. */
function shellOn(node: Node | undefined): string {
  const host = node && hostPluginOf(node);
  const debug = `kubectl debug node/${node?.metadata.name ?? "NODE"} -it --profile=sysadmin --image=public.ecr.aws/amazonlinux/amazonlinux:2023`;
  if (host === "EKS Auto Mode") return `${debug}   # then: chroot /host `;
  const shell = host === "Bottlerocket" ? "enter-admin-container; sudo sheltie; " : "";
  return `aws ssm start-session --target ${instanceOf(node)}   # then: ${shell}`;
}

/**
 * `nvidia-smi` in a pod that has the GPU devices: the DCGM exporter's pod on a node, or any of them without a node.
 * Without an exporter, on the node itself. In a chroot of a debug pod nvidia-smi fails on healthy nodes.
 */
function nvidiaSmi({ operatorNamespace, objects, wasRead }: ClusterSnapshot, node: Node | undefined): string {
  const hasExporter = objects.daemonsets.some(({ metadata }) => metadata.name === "nvidia-dcgm-exporter");
  if (node && wasRead("daemonsets") && !hasExporter && hostPluginOf(node) !== "EKS Auto Mode") {
    return `${shellOn(node)}nvidia-smi`;
  }
  const kubectl = `kubectl -n ${operatorNamespace}`;
  const ofNode = `"$(${kubectl} get pods -l app=nvidia-dcgm-exporter --field-selector spec.nodeName=${node?.metadata.name} -o name)"`;
  return `${kubectl} exec ${node ? ofNode : "ds/nvidia-dcgm-exporter"} -- nvidia-smi`;
}
