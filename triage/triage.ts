import type { Dump, Subject, Unread } from "./dump/dump";
import { explanationOf } from "./consequences";
import { fold } from "./fold";
import { findingIds, stations, type Conclusion, type Finding, type FindingId, type Station } from "./finding";
import { insideStation } from "./walk/inside/inside-station";
import { nodeStation } from "./walk/node/node-station";
import { daemonSetStation } from "./walk/operator/daemonset-station";
import { operatorStation } from "./walk/operator/operator-station";
import { podStation } from "./walk/pod/pod-station";
import { sceneOf, type Scene } from "./walk/scene";
import type { Seen } from "./walk/seen";

/** What a triage found out. */
export interface Report {
  readonly takenAt?: string;
  readonly context?: string;
  readonly subject?: Subject;
  /** What was seen on the way, by station. */
  readonly walk: readonly { readonly station: Station; readonly lines: readonly string[] }[];
  /** Causes first, then what follows from them, then notices; each in the order walked. */
  readonly conclusions: readonly Conclusion[];
  /** What was read and not judged, because there is too much like it; missing where all was. */
  readonly leftOut?: readonly string[];
  /** What could not be read: a triage without it may have missed something. */
  readonly unread: readonly Unread[];
}

const walkers: Readonly<Record<Station, (scene: Scene) => Seen>> = {
  pod: podStation,
  node: nodeStation,
  daemonset: daemonSetStation,
  operator: operatorStation,
  inside: insideStation,
};

/** Walks from the pod to the inside of the node and concludes. Reads nothing but the dump. */
export function triage(dump: Dump): Report {
  const scene = sceneOf(dump);
  const seen = stations.map((station) => ({ station, ...walkers[station](scene) }));
  const findings = unique(seen.flatMap((one) => one.findings));
  const conclusions = fold(findings.map((finding) => concluded(finding, findings)));
  const { takenAt, context, subject, unread } = dump;
  const leftOut = seen.flatMap((one) => one.leftOut ?? []);
  return {
    ...(takenAt !== undefined && { takenAt }),
    ...(context !== undefined && { context }),
    ...(subject && { subject }),
    walk: seen.map(({ station, lines }) => ({ station, lines })),
    conclusions: [...conclusions].sort((one, other) => rank(one) - rank(other)),
    ...(leftOut.length > 0 && { leftOut }),
    unread,
  };
}

function concluded(finding: Finding, all: readonly Finding[]): Conclusion {
  const causes = explanationOf(finding, all).map(({ id, subject }) => ({ id, subject }));
  const [first] = causes;
  return { ...finding, station: stationOf(finding.id), ...(first && { because: first.id, causes }) };
}

/** Whether a triage found a fault: notices are none. */
export function foundProblems({ conclusions }: Report): boolean {
  return conclusions.some(({ level }) => level === "problem");
}

function rank({ level, because, station }: Conclusion): number {
  const group = level === "notice" ? 2 : because !== undefined ? 1 : 0;
  return group * stations.length + stations.indexOf(station);
}

function stationOf(id: FindingId): Station {
  const found = stations.find((station) => findingIds[station].some((one: string) => one === id));
  return found ?? "pod";
}

function unique(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [`${finding.id} ${finding.subject}`, finding])).values()];
}
