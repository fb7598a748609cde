import type { Pod } from "../objects/pod";
import type { Deployment, Job, ReplicaSet } from "../objects/workloads";
import type { Scene } from "./scene";

/** The Deployment behind a pod, and which of its ReplicaSets the pod belongs to. */
export function deploymentOf(pod: Pod, { dump }: Scene): { deployment: Deployment; replicaSet: string } | undefined {
  const owner = pod.metadata.ownerReferences.find(({ kind }) => kind === "ReplicaSet");
  if (!owner) return undefined;
  const { namespace } = pod.metadata;
  const set = dump.objects.replicasets.find(
    ({ metadata }) => metadata.namespace === namespace && metadata.name === owner.name,
  );
  const name = deploymentName(pod, set, owner.name);
  const deployment = dump.objects.deployments.find(
    ({ metadata }) => metadata.namespace === namespace && metadata.name === name,
  );
  return deployment && { deployment, replicaSet: owner.name };
}

/** Where the ReplicaSet could not be read its name tells: the Deployment's, and the hash of the template. */
function deploymentName(pod: Pod, set: ReplicaSet | undefined, setName: string): string | undefined {
  const known = set?.metadata.ownerReferences.find(({ kind }) => kind === "Deployment")?.name;
  const hash = pod.metadata.labels["pod-template-hash"];
  if (known !== undefined || hash === undefined || !setName.endsWith(`-${hash}`)) return known;
  return setName.slice(0, -hash.length - 1);
}

export function jobOf(pod: Pod, { dump }: Scene): Job | undefined {
  const owner = pod.metadata.ownerReferences.find(({ kind }) => kind === "Job");
  return dump.objects.jobs.find(
    ({ metadata }) => metadata.namespace === pod.metadata.namespace && metadata.name === owner?.name,
  );
}

/** What made a pod, in words: `Deployment tracker`, `Job nccl-test`, or nothing for a bare pod. */
export function ownerText(pod: Pod, scene: Scene): string {
  const found = deploymentOf(pod, scene);
  if (found) return `Deployment ${found.deployment.metadata.name}`;
  const owner = pod.metadata.ownerReferences[0];
  return owner ? `${owner.kind} ${owner.name}` : "no owner";
}
