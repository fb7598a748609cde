import type { Objects, Resource } from "../objects/kinds";

/** Version of the file that `--save` writes. A change that an older reader would misread makes it one more. */
export const dumpVersion = 1;

/** What a question to triage is about; nothing asks about the whole cluster. */
export type Subject =
  | { readonly kind: "pod"; readonly name: string; readonly namespace: string }
  | { readonly kind: "node"; readonly name: string };

/** Something that could not be read, and why. */
export interface Unread {
  /** A resource such as `events`, or `logs of pod x`. */
  readonly what: string;
  /** E.g. `all namespaces`. */
  readonly where: string;
  readonly why: string;
}

/** Lines of a log, cut down to those that say something. */
export interface LogExcerpt {
  readonly namespace: string;
  readonly pod: string;
  readonly lines: readonly string[];
}

/** Everything a triage judges: the state of a cluster at one time, and nothing secret of it. */
export interface Dump {
  /** The time all ages are counted from; missing where nothing that was read has a time in it. */
  readonly takenAt?: string;
  readonly context?: string;
  /** What the dump was taken for. */
  readonly subject?: Subject;
  /** The only namespace whose pods were asked about. */
  readonly namespace?: string;
  /** Resources that could be read, in one namespace at least. */
  readonly read: readonly Resource[];
  readonly unread: readonly Unread[];
  readonly objects: Objects;
  readonly logs: readonly LogExcerpt[];
  /** Telling lines of a node's containerd journal. */
  readonly journal: readonly string[];
}

export const noObjects: Objects = {
  pods: [],
  events: [],
  nodes: [],
  daemonsets: [],
  deployments: [],
  replicasets: [],
  jobs: [],
  clusterpolicies: [],
  persistentvolumeclaims: [],
};
