import type { ConclusionId, Evidence, Finding } from "../../conclusions";
import type { Step } from "../../known-causes/known-cause";
import { groupBy, nodesWithoutPlugin, podsOfDaemonSets, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { conditionOf } from "../../snapshot/nodes";
import type { Event } from "../../snapshot/objects/cluster";
import type { Meta } from "../../snapshot/objects/common";
import type { Pod } from "../../snapshot/objects/pod";
import type { Job } from "../../snapshot/objects/workloads";
import { isOwnedBy, kubectlName } from "../../snapshot/pods";
import { conditionEvidenceOf, evidenceOf, eventEvidence, scopeOf } from "../finding-parts";

/** A controller whose pods the API server rejects. */
interface Rejection {
  readonly kind: string;
  readonly metadata: Pick<Meta, "name" | "namespace">;
  readonly message: string;
  readonly evidence: Evidence;
}

interface Reason {
  readonly id: ConclusionId;
  readonly pattern: RegExp;
  readonly what: (found: RegExpExecArray) => string;
  readonly next?: (found: RegExpExecArray) => Step;
}

/** @see https://github.com/kubernetes/kubernetes/blob/v1.35.0/staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go */
const reasons: readonly Reason[] = [
  {
    id: "quota-exceeded",
    pattern: /(?:exceeded|failed) quota: ([\w.-]+)|insufficient quota to match/,
    what: ([, name]) =>
      name === undefined
        ? "a ResourceQuota must allow their priority class (system-node-critical) in the namespace"
        : `the ResourceQuota ${name} of the namespace does not allow them`,
    next: ([, name]) =>
      `Compare what the quota allows with what is used. Then delete pods that are not needed, or raise the quota => kubectl -n {namespace} describe resourcequota${name === undefined ? "" : ` ${name}`}`,
  },
  {
    id: "pod-security-violation",
    pattern: /violates PodSecurity "([\w:.-]+)"/,
    what: ([, level = ""]) => `they violate the Pod Security level ${level} of the namespace`,
    next: () =>
      "Show the level of the namespace (pod-security.kubernetes.io/enforce). The namespace of the GPU Operator needs privileged => kubectl get namespace {namespace} --show-labels",
  },
  {
    id: "pods-not-created",
    pattern: /RuntimeClass "?([\w.-]+)"? not found/,
    what: ([, name = ""]) => `the RuntimeClass ${name} does not exist; the GPU Operator creates nvidia`,
    next: () => "Show the RuntimeClasses, and use one of them or create the missing one => kubectl get runtimeclasses",
  },
  {
    id: "pods-not-created",
    pattern: /service ?account "?([\w.-]+\/)?([\w.-]+)"? not found|error looking up service account \S+?\/([\w.-]+)/i,
    what: ([, , one, other]) =>
      `the ServiceAccount ${one ?? other ?? ""} does not exist; the chart or the operator creates it`,
    next: () => "Show the ServiceAccounts of the namespace => kubectl -n {namespace} get serviceaccounts",
  },
  {
    id: "pods-not-created",
    pattern: /(?:failed calling webhook|admission webhook) "([\w.-]+)"/,
    what: ([, name = ""]) => `the admission webhook ${name} denies them or does not answer`,
    next: () =>
      "Show the webhooks. Exclude the namespace, change the policy, or start the service of the webhook => kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations",
  },
  {
    id: "pods-not-created",
    pattern: /no PriorityClass with name ([\w.-]+) was found/,
    what: ([, name = ""]) => `the PriorityClass ${name} does not exist`,
    next: () => "Show the PriorityClasses => kubectl get priorityclasses",
  },
  { id: "pods-not-created", pattern: /^/, what: () => "see the evidence" },
];

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
    const evidence = conditionEvidenceOf("replicaset", metadata, failure);
    return [{ kind: "ReplicaSet", metadata, message: failure.message ?? "", evidence }];
  });
  const created = objects.events.filter(
    ({ reason, involvedObject: { kind, namespace: own, name } }) =>
      reason === "FailedCreate" && kind !== "Pod" && isMeant({ name, ...(own !== undefined && { namespace: own }) }),
  );
  const latest = groupBy(created, ({ involvedObject }) => JSON.stringify(involvedObject));
  const ofEvents = [...latest.values()].flatMap((events) => events.toSorted(byTime).slice(-1)).map(rejectionOfEvent);
  return [...ofConditions, ...ofEvents];
}

function byTime(one: Event, other: Event): number {
  return (one.lastTimestamp ?? "") < (other.lastTimestamp ?? "") ? -1 : 1;
}

function rejectionOfEvent(event: Event): Rejection {
  const { kind, name, namespace } = event.involvedObject;
  const metadata = { name, ...(namespace !== undefined && { namespace }) };
  return { kind, metadata, message: event.message, evidence: eventEvidence(event) };
}

/** How many pods are missing, e.g. `0 of 2`; `unknown` if the controller was not read. */
function missingPods({ kind, metadata, message }: Rejection, snapshot: ClusterSnapshot): string {
  const { objects } = snapshot;
  const [, podName] = /\bpods "([\w.-]+)" is forbidden/.exec(message) ?? [];
  const isNamed = (pod: Pod) => pod.metadata.name === podName && pod.metadata.namespace === metadata.namespace;
  // A StatefulSet creates a pod under the same name later.
  if (objects.pods.some(isNamed)) return "none";
  const isOwn = (one: { readonly metadata: Meta }) =>
    one.metadata.name === metadata.name && one.metadata.namespace === metadata.namespace;
  const set = kind === "ReplicaSet" ? objects.replicasets.find(isOwn) : undefined;
  if (set) return countsOf(set.status.replicas, set.spec.replicas);
  const daemon = kind === "DaemonSet" ? objects.daemonsets.find(isOwn) : undefined;
  if (daemon) {
    const { numberReady, currentNumberScheduled: scheduled, desiredNumberScheduled: desired } = daemon.status;
    // The status can be older than the rejection, or count pods that are gone.
    const isEmpty = numberReady === 0 && snapshot.wasRead("pods") && podsOfDaemonSets([daemon], snapshot).length === 0;
    return countsOf(isEmpty ? 0 : scheduled, desired);
  }
  const job = kind === "Job" ? objects.jobs.find(isOwn) : undefined;
  return job ? missingPodsOfJob(job, snapshot) : "unknown";
}

function missingPodsOfJob(job: Job, { objects }: ClusterSnapshot): string {
  const { metadata, spec, status } = job;
  const hasEnded = status.conditions.some(
    (one) => /^(Complete|Failed|FailureTarget|SuccessCriteriaMet|Suspended)$/.test(one.type) && one.status === "True",
  );
  const pods = objects.pods.filter(
    (pod) =>
      isOwnedBy(pod, "Job") &&
      !/^(Succeeded|Failed)$/.test(pod.status.phase) &&
      pod.metadata.namespace === metadata.namespace &&
      pod.metadata.ownerReferences.some(({ name }) => name === metadata.name),
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
  const found = reasons.flatMap((reason) => {
    const match = reason.pattern.exec(message);
    return match ? [{ reason, match }] : [];
  })[0];
  const isStack = namespace === snapshot.operatorNamespace || /nvidia|gpu-operator/.test(name);
  const isKnown = missing !== "unknown";
  const pods = evidenceOf(kubectlName(resource, metadata), "pods that exist", missing);
  return {
    id: found?.reason.id ?? "pods-not-created",
    ...scopeOf(`${resource} ${namespace}/${name}`, isStack ? nodesWithoutPlugin(snapshot) : []),
    atMost: isKnown ? undefined : "likely",
    what: `The API server rejects the pods of ${kind} ${name}: ${found?.reason.what(found.match) ?? ""}. The pods do not exist, so the scheduler reports nothing.`,
    evidence: [evidence, ...(isKnown ? [pods] : [])],
    next: [
      found?.reason.next?.(found.match),
      `Show the events of the controller => kubectl describe ${kubectlName(resource, { namespace, name })}`,
    ],
  };
}
