import type { Call, Get } from "../../../components/core/kubernetes-api/api";
import { find, list, nameOf, type Cluster } from "./requests";
import type { Subject } from "../../../triage/snapshot/dump";
import type { Diagnosis } from "../report";
import { clusterSnapshot, type ClusterSnapshot } from "../../../triage/snapshot/cluster-snapshot";
import { readCluster } from "../../../triage/snapshot/live/read-cluster";
import { conditionOf, isLifecycleTaint, isNodeReady } from "../../../triage/snapshot/nodes";
import type { Node } from "../../../triage/snapshot/objects/resources";
import { gpuRequest, holdsResources } from "../../../triage/snapshot/pods";
import { numberOf } from "../../../triage/snapshot/requests";
import { rootCauses, triage } from "../../../triage/triage";
import type { ConclusionId } from "../../../triage/conclusions";
import type { ClusterFacts } from "../choose";
import { claimsApi, gpuResource, type GpuNode } from "../manifests";
import { isFakeNode } from "../node-state";

const hostnameLabel = "kubernetes.io/hostname";

/** Reads what a drill needs to know, and the faults that the cluster has already. */
export async function readFacts(
  cluster: Cluster,
): Promise<{ readonly facts: ClusterFacts; readonly faults: readonly ConclusionId[] }> {
  const { call, context } = cluster;
  const raw = new Map((await list(call, "/api/v1/nodes")).map((node) => [nameOf(node), node]));
  const dump = await readCluster(getter(call), { logs: false, now: new Date(), progress: () => undefined, context });
  const snapshot = clusterSnapshot(dump);
  const gpuNodes = [...snapshot.gpuNodes].sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
  const judged = gpuNodes.map((node) => ({ node, why: whyUnusable(node, snapshot) }));
  const amounts = (resource: string) => dump.objects.nodes.map(({ status }) => numberOf(status.allocatable[resource]));
  const labels = (key: string) => gpuNodes.flatMap(({ metadata }) => metadata.labels[key] ?? []);
  const facts: ClusterFacts = {
    nodes: judged.flatMap(({ node, why }) =>
      why === undefined ? [gpuNodeOf(node, raw.get(node.metadata.name), snapshot)] : [],
    ),
    unusable: judged.flatMap(({ node, why }) => (why === undefined ? [] : [{ name: node.metadata.name, why }])),
    maxGpus: Math.max(0, ...amounts(gpuResource)),
    maxCpus: Math.max(0, ...amounts("cpu")),
    products: [...new Set(labels("nvidia.com/gpu.product"))],
    hasClaims: (await find(call, claimsApi)) !== undefined,
  };
  return { facts, faults: [...new Set(rootCauses(triage(dump)).map(({ id }) => id))] };
}

/** Why a drill cannot use a GPU node; undefined if it can. */
function whyUnusable(node: Node, snapshot: ClusterSnapshot): string | undefined {
  const { metadata, spec, status } = node;
  if (!isNodeReady(node)) return "it is not Ready";
  if (spec.unschedulable === true) return "it is cordoned";
  if (conditionOf(status.conditions, "AcceleratedHardwareReady")?.status === "False") return "its GPU is unhealthy";
  if (metadata.labels[hostnameLabel] === undefined) return `it has no label ${hostnameLabel}`;
  if (numberOf(status.allocatable[gpuResource]) === 0) return `it advertises no ${gpuResource}`;
  return freeGpus(node, snapshot) < 1 ? `all of its ${gpuResource} are in use` : undefined;
}

function freeGpus({ metadata, status }: Node, { podsOn }: ClusterSnapshot): number {
  const held = podsOn(metadata.name)
    .filter(holdsResources)
    .reduce((sum, { spec }) => sum + (gpuRequest(spec).get(gpuResource) ?? 0), 0);
  return numberOf(status.allocatable[gpuResource]) - held;
}

function gpuNodeOf(node: Node, raw: unknown, snapshot: ClusterSnapshot): GpuNode {
  const { metadata, spec } = node;
  return {
    name: metadata.name,
    hostname: metadata.labels[hostnameLabel] ?? metadata.name,
    freeGpus: freeGpus(node, snapshot),
    taints: spec.taints.filter(({ key }) => !isLifecycleTaint(key)).map(({ key, effect }) => ({ key, effect })),
    isFake: isFakeNode(raw),
  };
}

/** Runs the triage that `eks-gpu-lab triage` runs, on the object with the symptom. */
export async function diagnose({ call, context }: Cluster, subject: Subject): Promise<Diagnosis> {
  const dump = await readCluster(getter(call), {
    ...{ context, subject, logs: true, now: new Date(), progress: () => undefined },
  });
  const report = triage(dump);
  const roots = rootCauses(report);
  const [first] = roots;
  return {
    ...(first && { first: { id: first.id, what: first.what } }),
    rootCauses: roots.map(({ id }) => id),
    consequences: report.conclusions.filter(({ because }) => because !== undefined).map(({ id }) => id),
  };
}

/** What triage reads with. */
function getter(call: Call): Get {
  return (path) => call({ method: "GET", path });
}
