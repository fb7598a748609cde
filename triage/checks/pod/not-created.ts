import { finding, scopeOf, type Finding } from "../../conclusions";
import { rejectionOf } from "../../conclusions/rejected-pods";
import type { Evidence } from "../../conclusions/entry";
import {
  byTime,
  groupBy,
  jobOf,
  named,
  nodesWithoutPlugin,
  podsOfDaemonSets,
  type ClusterSnapshot,
} from "../../snapshot/cluster-snapshot";
import { conditionOf } from "../../snapshot/nodes";
import type { Event, Job, Meta } from "../../snapshot/objects/resources";
import { conditionEvidence, eventEvidence, evidenceOf } from "../finding-parts";

/** A controller whose pods the API server rejects. */
interface Rejection {
  readonly kind: string;
  readonly metadata: Pick<Meta, "name" | "namespace">;
  readonly message: string;
  readonly evidence: Evidence;
}

/** Controllers that cannot create their pods. Such pods do not exist, so nothing else shows the fault. */
export function podsNotCreated(snapshot: ClusterSnapshot): Finding[] {
  const unique = new Map(
    rejectionsOf(snapshot).map((one) => [`${one.kind} ${one.metadata.namespace ?? ""}/${one.metadata.name}`, one]),
  );
  return [...unique.values()].flatMap((rejection) => {
    const missing = missingPods(rejection, snapshot);
    return missing === "none" ? [] : [findingOf(rejection, missing, snapshot)];
  });
}

/** The condition of a ReplicaSet stays after its events have expired. */
function rejectionsOf({ objects, namespace }: ClusterSnapshot): Rejection[] {
  const isMeant = (metadata: Rejection["metadata"]) => namespace === undefined || metadata.namespace === namespace;
  const ofConditions = objects.replicasets.flatMap(({ metadata, status }): Rejection[] => {
    const failure = conditionOf(status.conditions, "ReplicaFailure");
    if (failure?.status !== "True" || failure.reason !== "FailedCreate" || !isMeant(metadata)) return [];
    const evidence = conditionEvidence({ kind: "ReplicaSet", metadata }, failure);
    return [{ kind: "ReplicaSet", metadata, message: failure.message ?? "", evidence }];
  });
  const created = objects.events.filter(
    ({ reason, involvedObject }) =>
      reason === "FailedCreate" && involvedObject.kind !== "Pod" && isMeant(involvedObject),
  );
  const latest = groupBy(created, ({ involvedObject }) => JSON.stringify(involvedObject));
  const ofEvents = [...latest.values()].flatMap((events) => events.toSorted(byTime).slice(-1)).map(rejectionOfEvent);
  return [...ofConditions, ...ofEvents];
}

function rejectionOfEvent(event: Event): Rejection {
  const { kind, ...metadata } = event.involvedObject;
  return { kind, metadata, message: event.message, evidence: eventEvidence(event) };
}

/** How many pods are missing, e.g. `0 of 2`; `unknown` if the controller was not read. */
function missingPods({ kind, metadata, message }: Rejection, snapshot: ClusterSnapshot): string {
  const { objects } = snapshot;
  const [, name] = /\bpods "([\w.-]+)" is forbidden/.exec(message) ?? [];
  // A StatefulSet creates a pod under the same name later.
  if (named(objects.pods, { ...metadata, name })) return "none";
  const set = kind === "ReplicaSet" ? named(objects.replicasets, metadata) : undefined;
  if (set) return countsOf(set.status.replicas, set.spec.replicas);
  const daemon = kind === "DaemonSet" ? named(objects.daemonsets, metadata) : undefined;
  if (daemon) {
    const { numberReady, currentNumberScheduled: scheduled, desiredNumberScheduled: desired } = daemon.status;
    // The status can be older than the rejection, or count pods that are gone.
    const isEmpty = numberReady === 0 && snapshot.wasRead("pods") && podsOfDaemonSets([daemon], snapshot).length === 0;
    return countsOf(isEmpty ? 0 : scheduled, desired);
  }
  const job = kind === "Job" ? named(objects.jobs, metadata) : undefined;
  return job ? missingPodsOfJob(job, snapshot) : "unknown";
}

function missingPodsOfJob(job: Job, snapshot: ClusterSnapshot): string {
  const { spec, status } = job;
  const hasEnded = status.conditions.some(
    (one) => /^(Complete|Failed|FailureTarget|SuccessCriteriaMet|Suspended)$/.test(one.type) && one.status === "True",
  );
  const pods = snapshot.objects.pods.filter(
    (pod) => jobOf(pod, snapshot) === job && !/^(Succeeded|Failed)$/.test(pod.status.phase),
  );
  const { parallelism = 1, completions } = spec;
  const { succeeded = 0, active = 0 } = status;
  // Without completions, a Job creates no more pods once one has succeeded.
  const rest = completions === undefined ? (succeeded > 0 ? 0 : parallelism) : completions - succeeded;
  return hasEnded ? "none" : countsOf(Math.max(pods.length, active), Math.min(parallelism, rest));
}

function countsOf(existing: number, wanted: number): string {
  return existing >= wanted ? "none" : `${existing} of ${wanted}`;
}

function findingOf(
  { kind, metadata, message, evidence }: Rejection,
  missing: string,
  snapshot: ClusterSnapshot,
): Finding {
  const { name, namespace = "default" } = metadata;
  const resource = kind.toLowerCase();
  const isStack = namespace === snapshot.operatorNamespace || /nvidia|gpu-operator/.test(name);
  const isKnown = missing !== "unknown";
  const scope = scopeOf(`${resource} ${namespace}/${name}`, isStack ? nodesWithoutPlugin(snapshot) : []);
  return finding(rejectionOf(message).id, scope, {
    atMost: isKnown ? undefined : "likely",
    evidence: [evidence, isKnown ? evidenceOf({ kind, metadata }, "pods that exist", missing) : undefined],
    ...{ kind, controller: { namespace, name }, message },
  });
}
