import { countOf } from "../../components/core/text";
import type { Finding } from "../conclusions";
import type { Evidence } from "../conclusions/entry";
import type { ClusterSnapshot } from "../snapshot/cluster-snapshot";
import { gpuResource } from "../snapshot/nodes";
import type { Condition, Event, Meta, Node, Pod } from "../snapshot/objects/resources";
import { allStatuses, kubectlName } from "../snapshot/pods";
import { joinPresent } from "../texts";

/** What the check of one layer returns. */
export interface CheckResult {
  /** A summary of the layer for the report. */
  readonly lines: readonly string[];
  readonly findings: readonly Finding[];
  /** What was not checked because there is too much of it. */
  readonly leftOut?: readonly string[];
}

/** The first items, and a text such as `3 groups of waiting pods` for the rest. */
export function takeFirst<T>(items: readonly T[], max: number, noun: string, which: string) {
  const more = items.length - max;
  return { items: items.slice(0, max), leftOut: more > 0 ? [`${countOf(more, noun)} ${which}`] : [] };
}

/** An object of the API as evidence names it. */
interface ApiObject {
  readonly kind: string;
  readonly metadata: Pick<Meta, "name" | "namespace">;
}

/** A fact about an object of the API, or about what a text names. */
export function evidenceOf(about: ApiObject | string, field: string, value: string, at?: string): Evidence {
  const object = typeof about === "string" ? about : kubectlName(about.kind, about.metadata);
  return { object, field, value, at };
}

export function allocatableEvidence(node: Node, resource: string = gpuResource): Evidence {
  return evidenceOf(node, `status.allocatable[${resource}]`, node.status.allocatable[resource] ?? "missing");
}

export function gpuAmounts(node: Node): Evidence {
  const [allocatable, capacity] = [node.status.allocatable, node.status.capacity].map((one) => one[gpuResource]);
  const value = `"${allocatable ?? "missing"}", "${capacity ?? "missing"}"`;
  return evidenceOf(node, `status.allocatable[${gpuResource}], capacity`, value);
}

/** The containers of a pod that are not ready. An init container that has completed is ready. */
export function unreadyEvidence(pod: Pod): Evidence {
  const containers = allStatuses(pod)
    .filter(({ ready }) => !ready)
    .map(({ name, state }) => `${name}${state.waiting?.reason === undefined ? "" : ` (${state.waiting.reason})`}`);
  const value = joinPresent(pod.status.phase, ...containers);
  return evidenceOf(pod, "status.phase, containers that are not ready", value);
}

export function conditionEvidence(object: ApiObject, condition: Condition): Evidence {
  const { type, status, reason, message, lastTransitionTime } = condition;
  return evidenceOf(object, `condition ${type}`, joinPresent(status, reason, message), lastTransitionTime);
}

export function eventEvidence({ involvedObject, reason, message, count = 1, lastTimestamp }: Event): Evidence {
  const value = `${message}${count > 1 ? ` (${count} times)` : ""}`;
  const { kind, ...metadata } = involvedObject;
  return evidenceOf({ kind, metadata }, `event ${reason}`, value, lastTimestamp);
}

/** What the log of a container says at its end. */
export function logEvidence(pod: Pod, container: string, { logs }: Pick<ClusterSnapshot, "logs">): Evidence[] {
  const { namespace = "default", name } = pod.metadata;
  return logs
    .filter((one) => one.namespace === namespace && one.pod === name && (one.container ?? container) === container)
    .flatMap(({ lines }) => lines.slice(-3).map((line) => evidenceOf(pod, "log", line)));
}
