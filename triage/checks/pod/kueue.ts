import { finding, type Finding } from "../../conclusions";
import type { ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { conditionOf } from "../../snapshot/nodes";
import type { Pod } from "../../snapshot/objects/resources";
import { evidenceOf } from "../finding-parts";

/** The quota can never be enough, whatever other runs do. */
const neverFits = /> maximum capacity \(/;

/** A pod that Kueue holds together with the others of its run, and what Kueue says about the run. */
export function waitsForQuota(pod: Pod, { objects }: ClusterSnapshot): Finding {
  const { namespace, name, ownerReferences, creationTimestamp } = pod.metadata;
  // The Workload belongs to the StatefulSet of the pod, or to the pods of a group themselves.
  const owners = [...ownerReferences, { kind: "Pod", name }];
  const run = objects.workloads.find(
    ({ metadata }) =>
      metadata.namespace === namespace &&
      metadata.ownerReferences.some((own) => owners.some((one) => one.kind === own.kind && one.name === own.name)),
  );
  const { message, lastTransitionTime } = conditionOf(run?.status.conditions ?? [], "QuotaReserved") ?? {};
  const gates = pod.spec.schedulingGates.map(({ name }) => name).join(", ");
  const isTooLarge = neverFits.test(message ?? "");
  return finding("waits-for-quota", pod, {
    level: isTooLarge ? "problem" : "notice",
    evidence: [
      evidenceOf(pod, "spec.schedulingGates", gates, creationTimestamp),
      run && message ? evidenceOf(run, "condition QuotaReserved", message, lastTransitionTime) : undefined,
    ],
    isTooLarge,
  });
}
