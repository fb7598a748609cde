import { readCluster } from "../../../triage/snapshot/live/read-cluster";
import type { Subject } from "../../../triage/snapshot/dump";
import { rootCauses, triage } from "../../../triage/triage";
import type { Diagnosis } from "../report";
import { getter, type Cluster } from "./cluster";

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
