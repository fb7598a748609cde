import { countOf } from "../../../components/core/text";
import { finding, scopeOf, type Finding } from "../../conclusions";
import type { Evidence } from "../../conclusions/entry";
import { nodeNamed, subjectPod, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { isKnownJournalLine, journalSigns } from "../../snapshot/logs/containerd-journal";
import { conditionOf, isNodeDown } from "../../snapshot/nodes";
import type { Node, Pod } from "../../snapshot/objects/resources";
import { type CheckResult, conditionEvidence, evidenceOf } from "../finding-parts";
import { listNames } from "../../texts";
import { causesInMessages, messagesInJournal, messagesInLogs } from "./known-causes";

/** Layer 5: what logs show about the inside of a node. The Kubernetes API shows no more of it. */
export function checkRuntime(snapshot: ClusterSnapshot): CheckResult {
  const { logs, journal, nodeLogs } = snapshot;
  const { node, isGuess } = journalNode(snapshot);
  const known = journal.filter(isKnownJournalLine);
  const findings = [
    ...causesInMessages(messagesInLogs(snapshot), snapshot),
    ...journalFindings(snapshot, node),
    ...causesInMessages(messagesInJournal(snapshot, node, isGuess && "likely"), snapshot),
    ...(known.length === 0 && journal.length > 0 ? [unknownErrors(journal, node)] : []),
    ...socketMounts(snapshot),
  ];
  const lines = [
    ...(logs.length > 0 ? [`logs of ${countOf(logs.length, "pod")} with errors`] : []),
    ...(nodeLogs.length > 0 ? [`read ${listNames(nodeLogs, 4)}`] : []),
    ...(journal.length + nodeLogs.length > 0 ? [`${countOf(known.length, "known error")} in the journal`] : []),
  ];
  const none = "not checked: the Kubernetes API does not show it; pass a journal of containerd with --log FILE";
  return { lines: lines.length > 0 ? lines : [none], findings };
}

const maxErrors = 9;

/** The last errors of the logs of a node if triage knows none of them. */
function unknownErrors(journal: readonly string[], node: Node | undefined): Finding {
  const lines = [...new Set(journal)].slice(0, maxErrors);
  return finding("node-log-errors", node ?? journalScope, {
    evidence: lines.map((line) => evidenceOf(node ?? "journal", "log", line)),
  });
}

const journalScope = scopeOf("the node of the journal");

function journalFindings(snapshot: ClusterSnapshot, node: Node | undefined): Finding[] {
  return journalSigns(snapshot.journal).map(({ id, line, count, isVague }) => {
    const isFatal = id === "containerd-config-broken" || id === "containerd-socket-is-directory";
    const signs = node && isFatal ? runtimeSigns(node) : [];
    const mounts = id === "containerd-socket-is-directory" ? riskyMounts(snapshot, node) : [];
    return finding(id, node ?? journalScope, {
      atMost: isVague ? "possible" : signs.length > 0 ? undefined : "likely",
      evidence: [
        evidenceOf(node ?? "journal", `log, ${countOf(count, "line")}`, line),
        ...signs,
        ...mounts.map(mountEvidence),
      ],
      ...{ node, xid: "" },
    });
  });
}

/** What the kubelet says of a runtime that does not respond. A network plugin that is not ready is something else. */
const runtimeDown = /container runtime (?:is down|not ready|status check)|PLEG is not healthy|containerd\.sock/i;

/** The conditions of a node that show that its runtime is down. A line of a journal alone may be an old one. */
function runtimeSigns(node: Node): Evidence[] {
  const [runtime, ready] = ["ContainerRuntimeReady", "Ready"].map((type) => conditionOf(node.status.conditions, type));
  const isDown = ready?.status === "False" && runtimeDown.test(ready.message ?? "");
  const signs = [runtime?.status === "False" ? runtime : undefined, isDown ? ready : undefined];
  return signs.flatMap((sign) => (sign ? [conditionEvidence(node, sign)] : []));
}

/**
 * The node in question, the node of the pod in question, or the only node that is not Ready. The only node that lacks GPUs
 * is a guess: then the lack of GPUs is not a second sign.
 */
function journalNode(snapshot: ClusterSnapshot): { readonly node?: Node | undefined; readonly isGuess?: true } {
  const { subject, objects, lackingNodes } = snapshot;
  const name = subject?.kind === "node" ? subject.name : subjectPod(snapshot)?.spec.nodeName;
  if (name !== undefined) return { node: nodeNamed(snapshot, name) };
  const unready = objects.nodes.filter(isNodeDown);
  if (unready.length > 0) return unready.length === 1 ? { node: unready[0] } : {};
  return lackingNodes.length === 1 ? { node: lackingNodes[0], isGuess: true } : {};
}

interface SocketMount {
  readonly pod: Pod;
  readonly path: string;
  readonly type: string;
}

/** Mounts of a socket that create a directory at its path while the socket does not exist. */
function riskyMounts({ podsOn, objects }: ClusterSnapshot, node?: Node): SocketMount[] {
  const pods = node ? podsOn(node.metadata.name) : objects.pods;
  return pods.flatMap((pod) =>
    pod.spec.volumes.flatMap((volume) => {
      if (!("hostPath" in volume)) return [];
      const { path, type = "" } = volume.hostPath;
      const isRisky = path.endsWith(".sock") && (type === "" || type === "DirectoryOrCreate");
      return isRisky ? [{ pod, path, type }] : [];
    }),
  );
}

function mountEvidence({ pod, path, type }: SocketMount) {
  return evidenceOf(pod, "spec.volumes[].hostPath", `${path}, type ${type === "" ? "none" : type}`);
}

const maxMounts = 10;

function socketMounts(snapshot: ClusterSnapshot): Finding[] {
  return riskyMounts(snapshot)
    .slice(0, maxMounts)
    .map((mount) => finding("socket-mount-untyped", mount.pod, { evidence: [mountEvidence(mount)], ...mount }));
}
