import { section, unreadSection, withNull } from "../core/terminal";
import { oldestPrice } from "../../components/cost/cost-summary";
import { aligned, countOf, indented, pageOf, wrapped } from "../../components/core/text";
import { textPage, type TextOptions, type TextPage } from "../../components/core/text-page";
import { costText, hourly } from "./cost";
import { endLines, upNote, type Line } from "./ending";
import { groupText, type Group, type GroupSizes, type Instance } from "./group";
import { between, endText, expiredEnd, nextEnd, timeText, type LeaseEnd, type LeaseEnds } from "./lease";
import type { GroupNode } from "./nodes";
import type { SessionResult } from "./session";
import { countsOf, type Snapshot } from "./snapshot";

/** More lines would hide the rest of the report. */
const mostLines = 20;

/** A snapshot as text. It has the same content without colors. */
export function renderStatus(snapshot: Snapshot, options: TextOptions): string {
  return pageOf(snapshotSections(snapshot, textPage(options)));
}

/** The end of `up` or `down` as text: the snapshot, and what holds now. */
export function renderResult(command: "up" | "down", result: SessionResult, options: TextOptions): string {
  const page = textPage(options);
  const linesOf = (line: Line) => (typeof line === "string" ? wrapped(line, page.width) : indented([line.command]));
  const [end, note] = [endLines(command, result), command === "up" ? upNote(result) : []];
  return pageOf([...snapshotSections(result.snapshot, page), end.flatMap(linesOf), note.flatMap(linesOf)]);
}

function snapshotSections(snapshot: Snapshot, page: TextPage): string[][] {
  const { colors, width } = page;
  const { group } = snapshot;
  const kind = group.isPool ? "NodePool" : "node group";
  const rows = [sizeRows, instanceRows, nodeRows, waitingRows, costRows, leaseRows].flatMap((rowsOf) =>
    rowsOf(snapshot),
  );
  return [
    wrapped(`GPU ${kind} ${groupText(group)}`, width).map(colors.bold),
    indented(aligned(rows, [{}, { flexible: true }], width - 2)),
    problems(snapshot, page),
    unreadSection("Not read", snapshot.unread, page),
  ];
}

type Row = [label: string, text: string];

function sizeRows({ group }: Snapshot): Row[] {
  const { sizes, status } = group;
  if (!group.isPool) return [["size", `desired ${sizes.desired}, min ${sizes.min}, max ${sizes.max}; ${status}`]];
  const limit = sizes.desired === Infinity ? "none" : countOf(sizes.desired, "GPU");
  return [
    ["limit", `${limit}; the stack states ${countOf(sizes.max, "GPU")}; ${status}`],
    ["at limit", costText(group, sizes.desired)],
  ];
}

function waitingRows({ waiting }: Snapshot): Row[] {
  if (!waiting || waiting.length === 0) return [];
  return [
    ["waiting", `${countOf(waiting.length, "pod")} without a node`],
    ...listRows(waiting.map((pod) => `  ${pod}`)),
  ];
}

function instanceRows({ instances }: Snapshot): Row[] {
  if (!instances) return [["instances", "not read"]];
  const states = ["running", "starting", "stopping"] as const;
  const counts = states.flatMap((state) => {
    const count = instances.filter((one) => one.state === state).length;
    return count > 0 ? [`${count} ${state}`] : [];
  });
  const line = ({ id, type, zone, lifecycle }: Instance) => `  ${[id, type, zone, lifecycle].join("  ")}`;
  return [["instances", counts.join(", ") || "none"], ...listRows(instances.map(line))];
}

function nodeRows(snapshot: Snapshot): Row[] {
  const { nodes, expectsGpus } = snapshot;
  if (!nodes) return [["nodes", "not read"]];
  if (nodes.length === 0) return [["nodes", "none"]];
  const { ready, withGpus } = countsOf(snapshot);
  const plugin = expectsGpus || withGpus > 0 ? "" : "; no device plugin advertises GPUs";
  return [["nodes", `${ready} Ready of ${nodes.length}${plugin}`], ...listRows(nodes.map(nodeLine))];
}

function nodeLine({ name, ready, gpus, holders }: GroupNode): string {
  const used = holders.reduce((sum, one) => sum + one.gpus, 0);
  const by = holders.length === 0 ? "" : ` by ${holders.map(({ pod, gpus: held }) => `${pod} (${held})`).join(", ")}`;
  return `  ${name}  ${ready ? "Ready" : "not Ready"}  ${countOf(gpus, "GPU")}, ${used} in use${by}`;
}

function listRows(lines: readonly string[]): Row[] {
  const more = lines.length - mostLines;
  return [...lines.slice(0, mostLines), ...(more > 0 ? [`  and ${more} more`] : [])].map((line) => ["", line]);
}

function costRows({ group: { volumes }, cost, costSoFar }: Snapshot): Row[] {
  if (!cost) return [["cost now", "unknown: the instances were not read"]];
  if (cost.lines.length === 0) return [["cost now", "0 USD per hour for GPU nodes"]];
  const notes = cost.lines.flatMap(({ note }) => note ?? []);
  const without = volumes ? "without traffic" : "without disks and traffic";
  const now: Row = ["cost now", [hourly(cost), without, ...notes, `prices of ${oldestPrice(cost.lines)}`].join("; ")];
  if (!costSoFar) return [now];
  const { usd, complete, since } = costSoFar;
  if (since === undefined) return [now, ["so far", "unknown: AWS no longer lists the start of the instances"]];
  return [now, ["so far", `${complete ? "" : "at least "}${usd.toFixed(2)} USD since ${since.slice(0, 16)}Z`]];
}

/** The lease: its end, if it is over, and the next time at which nodes end. */
function leaseRows({ lease, leaseEnds }: Snapshot): Row[] {
  const text = lease ?? (leaseEnds ? undefined : "unknown: only the outputs of a stack state it");
  const rows: Row[] = text === undefined ? [] : [["lease", text]];
  if (!leaseEnds) return rows;
  const { all, now } = leaseEnds;
  const [ended, next] = [expiredEnd(leaseEnds), nextEnd(leaseEnds)];
  if (ended) {
    const ago = `${timeText(ended)}, ${between(ended, now)} ago`;
    rows.push(["ended", `${ago}: gpu up does not start a node until you renew the lease`]);
  }
  const isKnown = all.every(({ at }) => at !== undefined);
  const missing = isKnown ? "none: no schedule of the lease ends nodes" : "unknown: the tool cannot compute it";
  return [...rows, ["next end", next ? endText(next, now) : missing]];
}

function problems({ reasons, group }: Snapshot, page: TextPage): string[] {
  const { colors, width } = page;
  const title = group.issues.length > 0 ? "Why nodes are missing, or what EKS reports" : "Why nodes are missing";
  const lines = reasons.flatMap(({ what, evidence, at, next, isOlder }) => {
    const source = ["AWS", at, isOlder ? "before this command" : undefined].filter(Boolean).join(", ");
    return [
      ...wrapped(what, width - 2).map(colors.red),
      ...indented(wrapped(`${source}: ${evidence}`, width - 4)),
      // Commands are not wrapped, so that they can be copied.
      ...next.flatMap(({ why, command }) => indented([...wrapped(`${why}:`, width - 4), `  ${command}`])),
    ];
  });
  return section(title, lines, page);
}

/** The JSON document of a command. Keys are added, never renamed. */
export function documentOf(
  command: "up" | "down" | "status",
  snapshot: Snapshot,
  result?: SessionResult,
): Readonly<Record<string, unknown>> {
  const { instances, nodes, expectsGpus, lease, leaseEnds, reasons, unread } = snapshot;
  const { group } = snapshot;
  const { outcome, requested, isCurrent, planned, seconds, preflight, error } = result ?? {};
  const endsAt = result ? result.endsAt : leaseEnds && nextEnd(leaseEnds)?.at;
  return {
    ...{ kind: "GpuSession", version: 1, command },
    ...(result && withNull({ outcome, requested: sizesIn(group, requested), isCurrent, seconds })),
    ...(outcome === "planned" && withNull({ planned: sizesIn(group, planned) })),
    ...(command !== "down" && withNull({ endsAt: endsAt?.toISOString() })),
    ...(command === "up" && withNull({ preflight })),
    ...(error && { error: { action: error.action, code: error.code, why: error.why, fix: error.fix } }),
    ...groupDocument(snapshot),
    ...withNull({ instances, nodes, expectsGpus, cost: costDocument(snapshot) }),
    ...withNull({ lease, leaseEnds: leaseEnds && endsDocument(leaseEnds), reasons, unread }),
  };
}

function sizesIn({ isPool }: Group, sizes: GroupSizes | undefined) {
  return isPool && sizes ? { limit: sizes.desired } : sizes;
}

function groupDocument({ group, waiting }: Snapshot) {
  const { region, cluster, group: name, status, sizes, issues } = group;
  if (!group.isPool) return { group: { region, cluster, group: name, status, sizes, issues } };
  // JSON has no infinity: a NodePool without a limit has null.
  const limit = sizes.desired === Infinity ? null : sizes.desired;
  return { pool: { region, cluster, pool: name, status, limit, stated: sizes.max }, ...withNull({ waiting }) };
}

/** The earliest first, and one at an unknown time last. */
function endsDocument({ all, now }: LeaseEnds) {
  const time = ({ at }: LeaseEnd) => at?.getTime() ?? Number.MAX_VALUE;
  const sorted = [...all].sort((one, other) => time(one) - time(other));
  return sorted.map(({ by, at }) => ({ by, at: at?.toISOString() ?? null, hasEnded: at !== undefined && at <= now }));
}

function costDocument({ group, cost, costSoFar }: Snapshot) {
  if (!cost) return undefined;
  const { usdPerHour, complete, lines } = cost;
  return { usdPerHour, complete, withDisks: group.volumes !== undefined, lines, soFar: costSoFar ?? null };
}
