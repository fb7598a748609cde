import type { Node } from "./snapshot/objects/cluster";
import type { Pod } from "./snapshot/objects/pod";
import { podKey } from "./snapshot/pods";
import { listNames } from "./texts";

/** One fact about one object. */
export interface Evidence {
  /** As kubectl takes it, e.g. `node/ip-10-0-0-1` or `-n gpu-lab pod/probe`. */
  readonly object: string;
  /** E.g. `status.allocatable[nvidia.com/gpu]` or `event FailedScheduling`. */
  readonly field: string;
  readonly value: string;
  /** Since when, or when last observed, if the object has a time. */
  readonly at?: string | undefined;
}

/** The objects that a finding applies to. */
export interface Scope {
  /** E.g. `pod gpu-lab/probe`. */
  readonly subject: string;
  /** Nodes by name. */
  readonly nodes: readonly string[];
  /** Pods as `namespace/name`. */
  readonly pods: readonly string[];
}

/** A notice is not a fault. */
export type Level = "problem" | "notice";

/** How sure a finding is at most; without it, the evidence alone decides. No check can say that it is certain. */
export type Doubt = "likely" | "possible" | undefined;

/** `certain`: the evidence proves it. `likely`: it fits all evidence. `possible`: verify it before you act. */
export type Confidence = "certain" | NonNullable<Doubt>;

/** The scope of a pod or a node, or the one that is given. */
export function scopeAbout(about: Scope | Pod | Node): Scope {
  if (!("kind" in about)) return about;
  return about.kind === "Pod" ? scopeOfPod(about) : scopeOfNodes([about.metadata.name]);
}

export function scopeOfNodes(names: readonly string[]): Scope {
  return { subject: `node${names.length === 1 ? "" : "s"} ${listNames(names)}`, nodes: names, pods: [] };
}

/** A pod with its node, or with the nodes that it waits for. */
export function scopeOfPod(pod: Pod, waitsFor: readonly Node[] = []): Scope {
  const { nodeName } = pod.spec;
  const nodes = nodeName === undefined ? nodeNames(waitsFor) : [nodeName];
  return { subject: podName(pod), nodes, pods: [podKey(pod)] };
}

/** An object that is neither a node nor a pod, with the nodes that it affects. */
export function scopeOf(subject: string, nodes: readonly Node[] = []): Scope {
  return { subject, nodes: nodeNames(nodes), pods: [] };
}

export function podName(pod: Pod): string {
  return `pod ${podKey(pod)}`;
}

export function nodeNames(nodes: readonly Node[]): string[] {
  return nodes.map(({ metadata }) => metadata.name);
}
