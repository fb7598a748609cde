import type { Call } from "../../components/core/kubernetes-api/api";
import { valueAt, valuesAt } from "../../components/core/reader/paths";
import { isRecord } from "../../components/core/reader/records";
import { scheduleTimes } from "../../components/core/schedule-expression";
import type { GroupReference } from "./group";
import type { LeaseEnd } from "./lease";
import { nodeLabel } from "./nodes";
import { asking, textAt } from "./pool-api";

const labels = encodeURIComponent("app.kubernetes.io/name=node-pool-lease");
const path = `/apis/batch/v1/namespaces/kube-system/cronjobs?labelSelector=${labels}`;

/**
 * Reads when the CronJobs of a lease end the nodes of a NodePool, if they are not suspended. A CronJob has no year: the
 * sentence of the lease states the day of its end. Throws an AwsError if the API server does not answer.
 */
export function poolLeaseEnds(at: GroupReference, caller: () => Promise<Call>, text = "") {
  const [, stated] = /at (\d{4}-\S+Z)$/.exec(text) ?? [];
  const expiresAt = stated === undefined ? undefined : new Date(stated);
  return async (now: Date): Promise<LeaseEnd[]> => {
    const body = await asking(at, caller)({ method: "GET", path });
    const jobs = isRecord(body) ? valuesAt(body, "items[*]") : [];
    const ends = jobs.filter((job) => isEnabled(job, at)).map((job) => endOf(job, now, expiresAt));
    const isOver = expiresAt !== undefined && expiresAt <= now;
    return isOver ? [...ends.filter(({ by }) => by === "nightly"), { by: "expiresAt", at: expiresAt }] : ends;
  };
}

/** Whether a CronJob runs, and ends the NodeClaims of this pool. */
function isEnabled(job: unknown, at: GroupReference): boolean {
  const args = isRecord(job) ? valuesAt(job, "spec.jobTemplate.spec.template.spec.containers[*].args[*]") : [];
  return args.includes(`--selector=${nodeLabel(at)}`) && valueAt(job, "spec.suspend") !== true;
}

/** The times of another schedule than those of a lease are not known. */
function endOf(job: unknown, now: Date, expiresAt: Date | undefined): LeaseEnd {
  const [, time] = /^(\d+ \d+) \* \* \*$/.exec(textAt(job, "spec.schedule")) ?? [];
  if (time === undefined) return { by: "expiresAt", at: expiresAt };
  return { by: "nightly", at: scheduleTimes(`cron(${time} * * ? *)`, textAt(job, "spec.timeZone"))?.next(now) };
}
