import { withoutUndefined } from "../components/core/reader/records";
import { clusterSnapshot, groupBy, isGpuStack, nodeNamed, type ClusterSnapshot } from "./snapshot/cluster-snapshot";
import type { Dump, Unread } from "./snapshot/dump";
import { gpuAmounts, instanceTypeOf, isNodeDown, isNodeReady, taintText } from "./snapshot/nodes";
import { allObjects, resourceOfKind, type KubernetesObject, type Node, type Pod } from "./snapshot/objects/resources";
import { allStatuses, requestsGpu } from "./snapshot/pods";
import { listNames } from "./texts";
import { triage, type Report } from "./triage";

/** What is compared: a value, or a text with its score, which is 0 for all others. A lower score is worse. */
type Fact = string | number | undefined | { readonly text: string; readonly score: number };
type Facts = Readonly<Record<string, Fact>>;
interface Found {
  readonly facts: Facts;
  readonly object?: KubernetesObject;
}
type Entry = readonly [name: string, found: Found];

interface Side {
  readonly dump: Dump;
  readonly snapshot: ClusterSnapshot;
  readonly report: Report;
}

/** A fact that is bad or not. */
function state(text: string, isBad: boolean): Fact {
  return { text, score: isBad ? -1 : 0 };
}

function amount(count: number): Fact {
  return { text: String(count), score: count };
}

/** `1/2`: the more are missing, the worse. */
function readyOf(ready: number, desired: number): Fact {
  return { text: `${ready}/${desired}`, score: Math.min(0, ready - desired) };
}

function totals({ objects, gpuNodes }: ClusterSnapshot): Facts {
  const gpus = gpuNodes.flatMap(({ status }) => gpuAmounts(status.allocatable)).reduce((sum, [, one]) => sum + one, 0);
  return { "Ready nodes": amount(objects.nodes.filter(isNodeReady).length), "allocatable GPUs": amount(gpus) };
}

function nodeFacts(node: Node): Facts {
  const { spec } = node;
  return {
    Ready: state(isNodeReady(node) ? "True" : isNodeDown(node) ? "False" : "unknown", isNodeDown(node)),
    type: instanceTypeOf(node),
    instance: spec.providerID?.split("/").at(-1),
    taints: spec.taints.map(taintText).toSorted().join(" "),
    ...Object.fromEntries(gpuAmounts(node.status.allocatable).map(([name, count]) => [name, amount(count)])),
  };
}

function podFacts(pod: Pod): Facts {
  const { phase, reason, conditions } = pod.status;
  const statuses = allStatuses(pod);
  const waits = conditions.find(({ type, status }) => type === "PodScheduled" && status === "False")?.reason;
  const states = statuses.map((one) => one.state.waiting?.reason ?? one.state.terminated?.reason);
  const reasons = [...new Set([reason, waits, ...states])].filter((one) => one !== undefined && one !== "Completed");
  return {
    phase: state(phase, phase !== "Running" && phase !== "Succeeded"),
    reason: state(reasons.join(" "), reasons.length > 0),
    restarts: statuses.reduce((sum, { restartCount }) => sum + restartCount, 0),
    node: pod.spec.nodeName,
  };
}

/** All conclusions with one id, because the pods that they name can have other names each time. */
function conclusionFacts(all: Report["conclusions"]): Facts {
  const problems = all.filter(({ level }) => level === "problem");
  const affected = new Set(problems.flatMap(({ nodes, pods }) => [...nodes, ...pods])).size;
  return {
    level: state(problems.length > 0 ? "problem" : "notice", problems.length > 0),
    about: listNames(all.map(({ subject }) => subject)),
    affected: { text: affected === 0 ? "" : String(affected), score: -affected },
  };
}

function entriesOf<T extends KubernetesObject>(objects: readonly T[], factsOf: (object: T) => Facts): Entry[] {
  return objects.map((object) => {
    const { namespace, name, creationTimestamp: created } = object.metadata;
    const facts = { ...factsOf(object), created };
    return [namespace === undefined ? name : `${namespace}/${name}`, { facts, object }];
  });
}

/** What is compared, in the order of the report. */
const kinds = {
  Total: ({ snapshot }) => (snapshot.wasRead("nodes") ? [["all nodes", { facts: totals(snapshot) }]] : []),
  Node: ({ snapshot }) => entriesOf(snapshot.objects.nodes, nodeFacts),
  ClusterPolicy: ({ snapshot }) =>
    entriesOf(snapshot.policies, ({ spec, status }) => {
      const parts = Object.entries(spec).flatMap(([name, { enabled } = {}]): [string, Fact][] =>
        enabled === undefined ? [] : [[`${name}.enabled`, state(String(enabled), !enabled)]],
      );
      return { state: state(status.state ?? "", status.state !== "ready"), ...Object.fromEntries(parts) };
    }),
  DaemonSet: ({ snapshot }) =>
    entriesOf(snapshot.objects.daemonsets.filter(isGpuStack(snapshot)), ({ status }) => ({
      ready: readyOf(status.numberReady, status.desiredNumberScheduled),
    })),
  Deployment: ({ snapshot }) =>
    entriesOf(snapshot.objects.deployments.filter(isGpuStack(snapshot)), ({ metadata, spec, status }) => ({
      ready: readyOf(status.readyReplicas, spec.replicas),
      revision: metadata.annotations["deployment.kubernetes.io/revision"],
    })),
  Pod: ({ snapshot }) => entriesOf(snapshot.objects.pods, podFacts),
  Conclusion: ({ report }) =>
    [...groupBy(report.conclusions, ({ id }) => id)].map(([id, all]) => [id, { facts: conclusionFacts(all) }]),
} satisfies Readonly<Record<string, (side: Side) => Entry[]>>;

type Kind = keyof typeof kinds;
export const kindNames = Object.keys(kinds) as Kind[];

/** What differs between two snapshots of one cluster. */
export interface Difference {
  readonly kind: Kind;
  readonly name: string;
  /** `unknown`: the other snapshot may not contain the object although it existed. */
  readonly change: "added" | "gone" | "recreated" | "changed" | "unknown";
  readonly worse: boolean;
  readonly facts: readonly { readonly name: string; readonly before?: string; readonly after?: string }[];
}

export function compare(before: Dump, after: Dump): Difference[] {
  const [was, is] = [sideOf(before), sideOf(after)];
  return kindNames.flatMap((kind) => {
    const [old, now] = [new Map(kinds[kind](was)), new Map(kinds[kind](is))];
    const names = [...new Set([...old.keys(), ...now.keys()])];
    return names.flatMap((name) => difference({ kind, name }, [old.get(name), was], [now.get(name), is]));
  });
}

function sideOf(dump: Dump): Side {
  return { dump, snapshot: clusterSnapshot(dump), report: triage(dump) };
}

/** Whether no object is in both dumps. Objects have a uid, while users choose the names of their contexts. */
export function areOfTwoClusters(before: Dump, after: Dump): boolean {
  const uidsOf = ({ objects }: Dump) => allObjects(objects).flatMap(({ metadata }) => metadata.uid ?? []);
  const [old, now] = [new Set(uidsOf(before)), uidsOf(after)];
  return old.size === 0 || now.length === 0 ? before.context !== after.context : !now.some((uid) => old.has(uid));
}

type Place = readonly [found: Found | undefined, side: Side];

function difference(about: Pick<Difference, "kind" | "name">, old: Place, now: Place): Difference[] {
  const [before = {}, after = {}] = [old[0]?.facts, now[0]?.facts];
  const changed = Object.keys({ ...before, ...after }).filter((key) => textOf(before[key]) !== textOf(after[key]));
  if (old[0] && now[0] && changed.length === 0) return [];
  const facts = changed.map((key) =>
    withoutUndefined({ name: key, before: textOf(before[key]), after: textOf(after[key]) }),
  );
  const hasFallen = changed.some((key) => scoreOf(after[key]) < scoreOf(before[key]));
  const isRecreated = changed.includes("created");
  return [{ ...about, ...changeOf(about.kind, old, now, { hasFallen, isRecreated }), facts }];
}

function changeOf(
  kind: Kind,
  [old, was]: Place,
  [now, is]: Place,
  { hasFallen, isRecreated }: { readonly hasFallen: boolean; readonly isRecreated: boolean },
): Pick<Difference, "change" | "worse"> {
  if (old && now) return { change: isRecreated ? "recreated" : "changed", worse: hasFallen };
  if (now) {
    const change = wouldContain(was, kind, now, is) ? "added" : "unknown";
    return { change, worse: kind === "Conclusion" && hasFallen };
  }
  const isGone = old !== undefined && wouldContain(is, kind, old, was);
  const isPart = ["DaemonSet", "Deployment", "ClusterPolicy"].includes(kind);
  return { change: isGone ? "gone" : "unknown", worse: isGone && isPart };
}

function textOf(fact: Fact): string | undefined {
  const text = typeof fact === "object" ? fact.text : fact;
  return text === undefined || text === "" ? undefined : String(text);
}

function scoreOf(fact: Fact): number {
  return typeof fact === "object" ? fact.score : 0;
}

/** Whether a side would contain what only the other side contains. */
function wouldContain({ dump, ...side }: Side, kind: Kind, { object }: Found, other: Side): boolean {
  const { read, unread, subject, namespace } = dump;
  if (subject !== undefined || namespace !== undefined) return false;
  if (kind === "Conclusion") {
    const isUnreadToo = ({ what, where }: Unread) =>
      other.dump.unread.some((one) => one.what === what && one.where === where);
    return unread.every(isUnreadToo) && side.report.leftOut === undefined;
  }
  const resource = resourceOfKind(kind);
  if (!object || !resource || !read.includes(resource)) return false;
  return !unread.some(({ what }) => what.split("/")[0] === resource) && isAlwaysRead(object, side.snapshot);
}

/** Of Deployments, triage always reads the operator; of pods, those of the operator, of GPUs, and of nodes with a fault. */
function isAlwaysRead(object: KubernetesObject, snapshot: ClusterSnapshot): boolean {
  if (object.kind === "Deployment") return object.metadata.labels["app.kubernetes.io/component"] === "gpu-operator";
  if (object.kind !== "Pod" || object.metadata.namespace === snapshot.operatorNamespace) return true;
  if (object.spec.nodeName === undefined) return requestsGpu(object);
  const node = nodeNamed(snapshot, object.spec.nodeName);
  return !node || snapshot.gpuNodes.includes(node) || !isNodeReady(node);
}
