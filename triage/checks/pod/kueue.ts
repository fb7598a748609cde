import { finding, type Finding } from "../../conclusions";
import { named, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { conditionOf } from "../../snapshot/nodes";
import type { Pod } from "../../snapshot/objects/resources";
import { evidenceOf } from "../finding-parts";

/** The Workload of a pod group. @see https://kueue.sigs.k8s.io/docs/reference/labels-and-annotations/ */
const groupLabel = "kueue.x-k8s.io/pod-group-name";

/** The quota can never be enough, whatever other runs do. */
const neverFits = /> maximum capacity \(/;

/** A pod that Kueue holds together with the others of its run, and what Kueue says about the run. */
export function waitsForQuota(pod: Pod, { objects }: ClusterSnapshot): Finding {
  const { namespace = "default", labels, creationTimestamp } = pod.metadata;
  const run = named(objects.workloads, { namespace, name: labels[groupLabel] ?? "" });
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
