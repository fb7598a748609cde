import { readCluster } from "../../triage/snapshot/live/read-cluster";
import { rootCauses, triage } from "../../triage/triage";
import { namespace } from "../manifests";
import type { Diagnosis } from "../report";
import { getter, type Cluster } from "./cluster";
import type { Symptom } from "./symptom";

/** Runs the triage that `eks-gpu-lab triage` runs, on the object with the symptom. */
export async function diagnose({ call, context }: Cluster, symptom: Symptom): Promise<Diagnosis> {
  const dump = await readCluster(getter(call), {
    ...{ context, logs: true, now: new Date(), progress: () => undefined },
    ...(symptom.kind === "job" ? { namespace } : { subject: symptom }),
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
