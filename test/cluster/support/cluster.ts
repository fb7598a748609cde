import { afterAll, beforeAll, describe, inject } from "vitest";
import type { Recording } from "../../../planner/record/record";
import { Client, type KubernetesObject } from "./client";
import type { Access } from "./control-plane";
import { eventually } from "./eventually";
import { Kubelet } from "./kubelet";
import { nodesOf } from "./nodes";

/** Like `describe`, but skipped without a control plane. */
export const describeCluster = describe.skipIf(inject("clusters").length === 0);

/** The running control plane of this worker. */
export function access(): Access {
  const found = inject("clusters")[Number(process.env["VITEST_POOL_ID"]) - 1];
  if (!found) throw new Error("There is no control plane.");
  return found;
}

export interface Cluster {
  readonly admin: Client;
  readonly kubelet: Kubelet;
}

const classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
const policies = "/apis/nvidia.com/v1/clusterpolicies";
/** Namespaces of Kubernetes itself. */
const ownNamespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** The cluster for all tests of a file or block. What they create is deleted at the end. */
export function sharedCluster(): Cluster {
  let opened: Cluster | undefined;
  beforeAll(() => {
    const admin = new Client(access());
    opened = { admin, kubelet: new Kubelet(admin) };
    opened.kubelet.start();
  });
  afterAll(async () => {
    if (!opened) return;
    await empty(opened);
    await opened.kubelet.stop();
  });
  const current = () => {
    if (!opened) throw new Error("The cluster is not open.");
    return opened;
  };
  return {
    get admin() {
      return current().admin;
    },
    get kubelet() {
      return current().kubelet;
    },
  };
}

/** Deletes all nodes, and all that tests have created. */
export async function empty({ admin, kubelet }: Cluster): Promise<void> {
  const namespaces = (await admin.list("/api/v1/namespaces")).map(({ metadata }) => metadata.name);
  await deleteNamespaces(
    admin,
    namespaces.filter((name) => !ownNamespaces.includes(name)),
  );
  for (const { metadata } of await admin.list(classes)) {
    if (!metadata.name.startsWith("system-")) await admin.delete(`${classes}/${metadata.name}`);
  }
  for (const { metadata } of await admin.list(policies)) await admin.delete(`${policies}/${metadata.name}`);
  await kubelet.removeNodes();
}

/** The objects in own namespaces of Kubernetes stay, except for what labs create there. */
async function deleteNamespaces(admin: Client, names: readonly string[]): Promise<void> {
  for (const name of names) await admin.delete(`/api/v1/namespaces/${name}`);
  const lists = await admin.namespacedLists();
  // Controllers take away finalizers of some objects.
  await eventually("empty namespaces", async () => {
    const left = await Promise.all(lists.map((list) => deleteObjects(admin, list, names)));
    return left.every((count) => count === 0) || undefined;
  });
  for (const name of names) await admin.finalize(name);
  for (const name of names) await eventually(`the end of ${name}`, () => isGone(admin, `/api/v1/namespaces/${name}`));
}

const workloads = ["cronjobs", "jobs", "deployments", "statefulsets", "daemonsets"];

/** Deletes the objects of a list. Returns the number of those that were there. */
async function deleteObjects(
  admin: Client,
  [group, resource]: readonly [group: string, resource: string],
  namespaces: readonly string[],
): Promise<number> {
  const all = (await admin.list(`${group}/${resource}`)).map(({ metadata }) => metadata);
  const emptied = [...namespaces, ...(workloads.includes(resource) ? ownNamespaces : [])];
  const [whole, single] = [all.filter(isIn(emptied)), all.filter((one) => !isIn(emptied)(one) && isOfLab(one))];
  for (const namespace of new Set(whole.map((one) => one.namespace ?? ""))) {
    await admin.delete(`${group}/namespaces/${namespace}/${resource}`, { gracePeriodSeconds: 0 });
  }
  for (const { namespace, name } of single) await admin.delete(`${group}/namespaces/${namespace}/${resource}/${name}`);
  return whole.length + single.length;
}

type Metadata = KubernetesObject["metadata"];

const isIn = (namespaces: readonly string[]) => (one: Metadata) => namespaces.includes(one.namespace ?? "");

/** Labs also create objects in kube-system. */
const isOfLab = ({ labels }: Metadata) => labels?.["app.kubernetes.io/part-of"] === "eks-gpu-lab";

async function isGone(admin: Client, path: string): Promise<true | undefined> {
  return (await admin.find(path)) ? undefined : true;
}

/** Starts the nodes of a plan: the system nodes that it states, and a number of GPU nodes. */
export async function startNodes({ kubelet }: Cluster, recording: Recording, gpuNodes: number): Promise<string[]> {
  const nodes = nodesOf(recording, gpuNodes);
  await kubelet.addNodes(nodes);
  return nodes.map(({ metadata }) => metadata.name);
}

/** Creates the objects of a plan in order, after the service accounts of their namespaces. Returns the warnings. */
export async function applyAll(
  { admin }: Pick<Cluster, "admin">,
  objects: readonly KubernetesObject[],
): Promise<string[]> {
  const warnings: string[] = [];
  for (const object of objects) {
    const { warning } = await admin.apply(object);
    if (warning !== undefined) warnings.push(`${object.kind} ${object.metadata.name}: ${warning}`);
    if (object.kind === "Namespace") await serviceAccountOf(admin, object.metadata.name);
  }
  return warnings;
}

/** The API server refuses pods until the namespace has its service account. */
async function serviceAccountOf(admin: Client, namespace: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/default`;
  await eventually(path, () => admin.find(path));
}
