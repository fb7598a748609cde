import {
  allObjects,
  groupByResource,
  resourceNames,
  type Condition,
  type KubernetesObject,
  type Objects,
  type Resource,
} from "./objects/resources";
import { withoutUndefined } from "../../components/core/reader/records";

/** Version of the file that `--save` writes. Increment it on a change that an older reader would misread. */
export const dumpVersion = 1;

/** The pod or node that the user asks about. Without one, triage checks the whole cluster. */
export type Subject =
  | { readonly kind: "pod"; readonly name: string; readonly namespace: string }
  | { readonly kind: "node"; readonly name: string };

/** Data that could not be read. */
export interface Unread {
  /** A resource such as `events`, or `logs`. */
  readonly what: string;
  /** E.g. `all namespaces`. */
  readonly where: string;
  readonly why: string;
}

/** The lines of a pod's log that match a known error, or else its last error lines. */
export interface LogExcerpt {
  readonly namespace: string;
  readonly pod: string;
  /** Missing if the log is of an unknown or of several containers. */
  readonly container?: string;
  readonly lines: readonly string[];
}

/** The state of a cluster at one time, without secrets. */
export interface Dump {
  /** The time that ages are relative to; missing if no object has a time. */
  readonly takenAt?: string;
  readonly context?: string;
  readonly subject?: Subject;
  /** Limits the pods that are checked to one namespace. */
  readonly namespace?: string;
  /** Resources that were read in at least one namespace. */
  readonly read: readonly Resource[];
  readonly unread: readonly Unread[];
  readonly objects: Objects;
  readonly logs: readonly LogExcerpt[];
  /** The lines of a node's logs that match a known error, or else the last errors of each log. */
  readonly journal: readonly string[];
  /** The logs of a node that were read. */
  readonly nodeLogs?: readonly string[];
}

/** The content of a `--save` file: a Kubernetes-style list of reduced objects, with the other fields of the dump. */
export function writeDump({ objects, ...dump }: Dump): string {
  const { takenAt, context, subject, namespace, read, unread, logs, journal, nodeLogs } = dump;
  const head = withoutUndefined({ kind: "TriageDump", version: dumpVersion, takenAt, context, subject, namespace });
  return `${JSON.stringify({ ...head, read, unread, logs, journal, nodeLogs, items: allObjects(objects) }, null, 1)}\n`;
}

/** Merges dumps of one cluster: `kubectl get` writes a file per command. */
export function mergeDumps([first, ...others]: readonly [Dump, ...Dump[]]): Dump {
  return others.reduce(mergeTwo, first);
}

function mergeTwo(one: Dump, other: Dump): Dump {
  const read = resourceNames.filter((name) => one.read.includes(name) || other.read.includes(name));
  return {
    ...one,
    ...other,
    ...withoutUndefined({ takenAt: latest(one.takenAt, other.takenAt) }),
    read,
    unread: uniqueUnread([...one.unread, ...other.unread]).filter(({ what }) => !read.some((name) => name === what)),
    objects: groupByResource([...allObjects(one.objects), ...allObjects(other.objects)]),
    logs: [...one.logs, ...other.logs],
    journal: [...one.journal, ...other.journal],
    nodeLogs: [...(one.nodeLogs ?? []), ...(other.nodeLogs ?? [])],
  };
}

/** The last one of each resource and place. */
export function uniqueUnread(all: readonly Unread[]): Unread[] {
  return [...new Map(all.map((one) => [`${one.what} ${one.where}`, one])).values()];
}

function latest(one: string | undefined, other: string | undefined): string | undefined {
  return one !== undefined && (other === undefined || one > other) ? one : other;
}

/**
 * The latest time in the objects, as an estimate of when they were read. A kubelet refreshes the conditions of its node
 * every 5 minutes (`lastHeartbeatTime`), so ages are at most minutes too short.
 *
 * @returns undefined if no object has a time
 */
export function latestTime(objects: Objects): string | undefined {
  const times = allObjects(objects)
    .flatMap((object) => [
      object.metadata.creationTimestamp,
      ...(object.kind === "Event" ? [object.lastTimestamp] : []),
      ...conditionsOf(object).flatMap(({ lastTransitionTime, lastHeartbeatTime }) => [
        lastTransitionTime,
        lastHeartbeatTime,
      ]),
    ])
    .map((time) => Date.parse(time ?? ""))
    .filter((time) => !Number.isNaN(time));
  return times.length === 0 ? undefined : new Date(times.reduce((one, other) => Math.max(one, other))).toISOString();
}

function conditionsOf(object: KubernetesObject): readonly Condition[] {
  return "status" in object && "conditions" in object.status ? (object.status.conditions ?? []) : [];
}
