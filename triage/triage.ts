import { withoutUndefined } from "../components/core/reader/records";
import { causeFinder, maxEvidence, mergeAlike } from "./causes";
import { checkDaemonSets } from "./checks/daemonset/daemonset-check";
import type { CheckResult } from "./checks/finding-parts";
import { checkNodes } from "./checks/node/node-check";
import { checkOperator } from "./checks/operator/operator-check";
import { checkPods } from "./checks/pod/pod-check";
import { causesInMessages, messagesOf } from "./checks/runtime/known-causes";
import { checkRuntime } from "./checks/runtime/runtime-check";
import { layerOf, layers, type Conclusion, type Finding, type Layer } from "./conclusions";
import { knownCauses } from "./conclusions/known-causes";
import { confidenceOf } from "./confidence";
import { nextSteps, type Scope } from "./conclusions/entry";
import { clusterSnapshot, groupBy, nodeNamed, type ClusterSnapshot } from "./snapshot/cluster-snapshot";
import type { Dump } from "./snapshot/dump";
import { hostPluginOf, nodeGroupOf } from "./snapshot/nodes";
import type { Node } from "./snapshot/objects/resources";
import { kubectlName } from "./snapshot/pods";

/** The result of a triage. */
export interface Report extends Pick<Dump, "takenAt" | "context" | "subject" | "unread"> {
  /** What each check saw, in the order of the layers. */
  readonly checks: readonly { readonly layer: Layer; readonly lines: readonly string[] }[];
  /** Root causes first, then their consequences, then notices; each in the order of the layers. */
  readonly conclusions: readonly Conclusion[];
  /** What was read but not checked because there is too much of it; missing if everything was checked. */
  readonly leftOut?: readonly string[];
}

const checks: Readonly<Record<Layer, (snapshot: ClusterSnapshot) => CheckResult>> = {
  pod: checkPods,
  node: checkNodes,
  daemonset: checkDaemonSets,
  operator: checkOperator,
  inside: checkRuntime,
};

/** Checks every layer from the pod to the inside of the node, and draws conclusions. Uses only the dump. */
export function triage(dump: Dump): Report {
  const snapshot = clusterSnapshot(dump);
  const results = layers.map((layer) => ({ layer, ...checks[layer](snapshot) }));
  const found = results.flatMap((result) => result.findings);
  const findings = uniqueFindings([...found, ...causesInMessages(messagesOf(found, snapshot), snapshot)], snapshot);
  const causesOf = causeFinder(findings);
  const conclusions = mergeAlike(findings.map((finding) => conclude(finding, causesOf(finding))));
  const leftOut = results.flatMap((result) => result.leftOut ?? []);
  const { takenAt, context, subject, unread } = dump;
  return {
    ...withoutUndefined({ takenAt, context, subject }),
    checks: results.map(({ layer, lines }) => ({ layer, lines })),
    conclusions: [...conclusions].sort((one, other) => rank(one) - rank(other)),
    ...(leftOut.length > 0 && { leftOut }),
    unread,
  };
}

function conclude(finding: JudgedFinding, found: readonly JudgedFinding[]): Conclusion {
  const causes = found.map(({ id, subject }) => ({ id, subject }));
  const [first] = causes;
  return { ...finding, layer: layerOf(finding.id), ...(first && { because: first.id, causes }) };
}

/** Whether a triage found a fault. Notices are not faults. */
export function foundProblems({ conclusions }: Report): boolean {
  return conclusions.some(({ level }) => level === "problem");
}

export function rootCauses({ conclusions }: Report): readonly Conclusion[] {
  return conclusions.filter(({ level, because }) => level === "problem" && because === undefined);
}

function rank({ level, because, layer }: Conclusion): number {
  const group = level === "notice" ? 2 : because !== undefined ? 1 : 0;
  return group * layers.length + layers.indexOf(layer);
}

type JudgedFinding = Omit<Finding, "atMost" | "next"> & Pick<Conclusion, "confidence" | "next">;

/**
 * Merges findings about the same object: several pods can report one fault of their node. The evidence of all of them
 * together makes it certain or not.
 */
function uniqueFindings(findings: readonly Finding[], snapshot: ClusterSnapshot): JudgedFinding[] {
  const groups = groupBy(findings, ({ id, subject }) => `${id} ${subject}`);
  return [...groups.values()].flatMap((all) => {
    const [first, ...others] = all;
    if (!first) return [];
    const { atMost, next, ...rest } = first;
    const evidence = [...new Map(all.flatMap((one) => one.evidence).map((one) => [JSON.stringify(one), one])).values()];
    return {
      ...rest,
      next: nextSteps(next, placesOf(first, snapshot)),
      confidence: confidenceOf({ atMost, evidence, isMessage: first.id in knownCauses }),
      nodes: [...new Set(all.flatMap(({ nodes }) => nodes))],
      pods: [...new Set(all.flatMap(({ pods }) => pods))],
      evidence: others.length === 0 ? evidence : evidence.slice(0, maxEvidence),
    };
  });
}

/** What stands for the places in the steps of a finding: its subject, its first node and its first pod. */
function placesOf({ subject, nodes, pods }: Scope, snapshot: ClusterSnapshot) {
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
