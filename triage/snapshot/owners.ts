import type { ClusterSnapshot } from "./cluster-snapshot";
import type { Pod } from "./objects/pod";
import type { Deployment, Job, ReplicaSet } from "./objects/workloads";

/** The Deployment of a pod, and the ReplicaSet that the pod belongs to. */
export function deploymentOf(
  pod: Pod,
  { objects }: ClusterSnapshot,
): { deployment: Deployment; replicaSet: string } | undefined {
  const owner = pod.metadata.ownerReferences.find(({ kind }) => kind === "ReplicaSet");
  if (!owner) return undefined;
  const { namespace } = pod.metadata;
  const replicaSet = objects.replicasets.find(
    ({ metadata }) => metadata.namespace === namespace && metadata.name === owner.name,
  );
  const name = deploymentName(pod, replicaSet, owner.name);
  const deployment = objects.deployments.find(
    ({ metadata }) => metadata.namespace === namespace && metadata.name === name,
  );
  return deployment && { deployment, replicaSet: owner.name };
}

/** If the ReplicaSet was not read, its name gives the Deployment: the name of a ReplicaSet ends with the template hash. */
function deploymentName(pod: Pod, replicaSet: ReplicaSet | undefined, replicaSetName: string): string | undefined {
  const known = replicaSet?.metadata.ownerReferences.find(({ kind }) => kind === "Deployment")?.name;
  const hash = pod.metadata.labels["pod-template-hash"];
  if (known !== undefined || hash === undefined || !replicaSetName.endsWith(`-${hash}`)) return known;
  return replicaSetName.slice(0, -hash.length - 1);
}

export function jobOf(pod: Pod, { objects }: ClusterSnapshot): Job | undefined {
  const owner = pod.metadata.ownerReferences.find(({ kind }) => kind === "Job");
  return objects.jobs.find(
    ({ metadata }) => metadata.namespace === pod.metadata.namespace && metadata.name === owner?.name,
  );
}

/** The owner of a pod: `Deployment tracker`, `Job nccl-test` or `no owner`. */
export function ownerText(pod: Pod, snapshot: ClusterSnapshot): string {
  const found = deploymentOf(pod, snapshot);
  if (found) return `Deployment ${found.deployment.metadata.name}`;
  const owner = pod.metadata.ownerReferences[0];
  return owner ? `${owner.kind} ${owner.name}` : "no owner";
}
