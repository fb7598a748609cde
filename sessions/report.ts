import { oldestPrice } from "../components/cost/cost-summary";
import { aligned, countOf, indented, pageOf, wrapped } from "../components/core/text";
import { textPage, type TextOptions, type TextPage } from "../components/core/text-page";
import { formatDuration } from "../triage/snapshot/time";
import type { AwsError } from "./aws-error";
import { costOf, hourly, withoutDisks, withoutText } from "./cost";
import { gpuCommand, groupText, type Group, type Instance } from "./group";
import { between, endText, expiredEnd, nextEnd, timeText, type LeaseEnds } from "./lease";
import type { GroupNode } from "./nodes";
import type { SessionResult } from "./session";
import type { Snapshot } from "./snapshot";

/** More lines would hide the rest of the report. */
const mostLines = 20;

/** A snapshot as text. It has the same content without colors. */
export function renderStatus(snapshot: Snapshot, options: TextOptions): string {
  return pageOf(snapshotSections(snapshot, textPage(options)));
}

/** The end of `up` or `down` as text: the snapshot, and what holds now. */
export function renderResult(command: "up" | "down", result: SessionResult, options: TextOptions): string {
  const page = textPage(options);
  const lines = command === "up" ? upLines(result) : downLines(result);
  const end = lines.flatMap((line) =>
    typeof line === "string" ? wrapped(line, page.width) : indented([line.command]),
  );
  const note = command === "up" ? upNote(result).flatMap((line) => wrapped(line, page.width)) : [];
  return pageOf([...snapshotSections(result.snapshot, page), end, note]);
}

function snapshotSections(snapshot: Snapshot, page: TextPage): string[][] {
  const { colors, width } = page;
  const rows = [sizeRows, instanceRows, nodeRows, costRows, costSoFarRows, leaseRows].flatMap((rowsOf) =>
    rowsOf(snapshot),
  );
  return [
    wrapped(`GPU node group ${groupText(snapshot.group)}`, width).map(colors.bold),
    indented(aligned(rows, [{}, { flexible: true }], width - 2)),
    problems(snapshot, page),
    unread(snapshot, page),
  ];
}

type Row = [label: string, text: string];

function sizeRows({ group: { sizes, status } }: Snapshot): Row[] {
  return [["size", `desired ${sizes.desired}, min ${sizes.min}, max ${sizes.max}; ${status}`]];
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

function nodeRows({ nodes, expectsGpus }: Snapshot): Row[] {
  if (!nodes) return [["nodes", "not read"]];
  if (nodes.length === 0) return [["nodes", "none"]];
  const ready = nodes.filter((one) => one.ready).length;
  const plugin = expectsGpus || nodes.some(({ gpus }) => gpus > 0) ? "" : "; no device plugin advertises GPUs";
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

function costRows({ group, cost }: Snapshot): Row[] {
  if (!cost) return [["cost now", "unknown: the instances were not read"]];
  if (cost.lines.length === 0) return [["cost now", "0 USD per hour for GPU nodes"]];
  const notes = cost.lines.flatMap(({ note }) => note ?? []);
  const text = [hourly(cost), withoutText(group), ...notes, `prices of ${oldestPrice(cost.lines)}`].join("; ");
  return [["cost now", text]];
}

function costSoFarRows({ costSoFar }: Snapshot): Row[] {
  if (!costSoFar) return [];
  const { usd, complete, since } = costSoFar;
  if (since === undefined) return [["so far", "unknown: AWS no longer lists the start of the instances"]];
  return [["so far", `${complete ? "" : "at least "}${usd.toFixed(2)} USD since ${since.slice(0, 16)}Z`]];
}

function leaseRows({ lease, leaseEnds }: Snapshot): Row[] {
  const isUnknown = lease === undefined && !leaseEnds;
  const text = isUnknown ? "unknown: only the outputs of a stack state it" : lease;
  return [...(text === undefined ? [] : [["lease", text] as Row]), ...(leaseEnds ? endRows(leaseEnds) : [])];
}

/** The end of the lease, if it is over, and the next time at which nodes end. */
function endRows(ends: LeaseEnds): Row[] {
  const { all, now } = ends;
  const [ended, next] = [expiredEnd(ends), nextEnd(ends)];
  const isKnown = all.every(({ at }) => at !== undefined);
  const missing = isKnown ? "none: no schedule of the lease ends nodes" : "unknown: the tool cannot compute it";
  return [
    ...(ended
      ? [
          [
            "ended",
            `${timeText(ended)}, ${between(ended, now)} ago: gpu up starts no node until you renew the lease`,
          ] as Row,
        ]
      : []),
    ["next end", next ? endText(next, now) : missing],
  ];
}

function problems({ reasons, group }: Snapshot, { colors, width }: TextPage): string[] {
  if (reasons.length === 0) return [];
  const title = group.issues.length > 0 ? "Why nodes are missing, or what EKS reports" : "Why nodes are missing";
  const lines = reasons.flatMap(({ what, evidence, at, next, isOlder }) => [
    ...wrapped(what, width - 2).map(colors.red),
    ...indented(
      wrapped(
        `${["AWS", at, isOlder ? "before this command" : undefined].filter(Boolean).join(", ")}: ${evidence}`,
        width - 4,
      ),
    ),
    // Commands are not wrapped, so that they can be copied.
    ...next.flatMap(({ why, command }) => indented([...wrapped(`${why}:`, width - 4), `  ${command}`])),
  ]);
  return [colors.bold(title), ...indented(lines)];
}

function unread(snapshot: Snapshot, { colors, width }: TextPage): string[] {
  if (snapshot.unread.length === 0) return [];
  const lines = snapshot.unread.flatMap(({ what, why, fix }) => [
    ...wrapped(`${what}: ${why}`, width - 2).map(colors.yellow),
    ...indented(wrapped(`fix: ${fix}`, width - 4)),
  ]);
  return [colors.bold("Not read"), ...indented(lines)];
}

/** What the session costs or will cost, and what ends it. */
function upNote({ outcome, snapshot: { group }, planned: sizes, endsAt }: SessionResult): string[] {
  if (outcome !== "planned" && outcome !== "reached") return [];
  const nodes = sizes?.desired ?? group.sizes.desired;
  const latest = endsAt ? `, at the latest at ${timeText(endsAt)}` : "";
  return [
    `${countOf(nodes, "GPU node")}: ${hourly(costOf(group, nodes))}${withoutDisks(group)}, until you run gpu down${latest}`,
  ];
}

type Line = string | { readonly command: string };

function upLines(result: SessionResult): Line[] {
  const { snapshot, outcome, seconds } = result;
  const { group } = snapshot;
  const time = formatDuration(seconds);
  switch (outcome) {
    case "planned":
      return [planned(result)];
    case "reached":
      return [`The session runs: ${arrived(snapshot)}, after ${time}.`, "To end it:", downCommand(group)];
    case "refused":
      return ["Nothing was requested: the group is unchanged."];
    case "blocked":
      return ["AWS starts no node, and waiting does not help.", ...stillWanted(result)];
    case "changed":
      return stillWanted(result);
    case "timeout":
      return [`Not all nodes were usable within ${time}.`, ...stillWanted(result)];
    case "interrupted":
      return ["Interrupted.", ...stillWanted(result)];
    case "lost":
      return [...lost(result), ...stillWanted(result)];
  }
}

function planned({ planned: sizes }: SessionResult): string {
  return sizes
    ? `Dry run, nothing was changed. It would request desired ${sizes.desired}, min ${sizes.min}, max ${sizes.max}.`
    : "Dry run, nothing was changed. The group already has the sizes that it would request.";
}

/** What is known of the nodes. */
function arrived({ instances = [], nodes, expectsGpus }: Snapshot): string {
  const running = instances.filter(({ state }) => state === "running");
  if (!nodes) return `${countOf(running.length, "instance")} in service; Kubernetes was not read`;
  const ready = `${countOf(nodes.filter((one) => one.ready).length, "node")} Ready`;
  const withGpus = nodes.some(({ gpus }) => gpus > 0) ? ", with GPUs" : "";
  return expectsGpus || withGpus !== "" ? `${ready}${withGpus}` : `${ready}; pods get GPUs once a device plugin runs`;
}

/** The sizes of the group, as far as they were read after the request. */
function sizesNow({ requested, isCurrent, snapshot: { group } }: SessionResult, isHeld: boolean): string {
  const { desired, min } = group.sizes;
  if (!requested) return `The group is at desired size ${desired}`;
  if (!isCurrent) return `EKS accepted desired size ${requested.desired}, and the tool has not read the group since`;
  if (isHeld) return `The group stays at desired size ${desired}`;
  const shown = `desired size ${desired} and min ${min}`;
  if (group.status === "UPDATING") return `EKS accepted desired size ${requested.desired}, and still shows ${shown}`;
  return `Another writer changed the group after the request. It is at ${shown}`;
}

/** Whether the request counts more than the sizes that were read. */
function isUnread({ isCurrent, snapshot: { group } }: SessionResult): boolean {
  return !isCurrent || group.status === "UPDATING";
}

/** The state that an unfinished `up` leaves. */
function stillWanted(result: SessionResult): Line[] {
  const { requested, snapshot, error } = result;
  const { group } = snapshot;
  if (!requested && error) return unknownRequest(error, group);
  const { desired: read } = group.sizes;
  const desired = requested && isUnread(result) ? requested.desired : read;
  const sizes = sizesNow(result, requested !== undefined && read >= requested.desired);
  if (desired > 0) {
    const cost = `${hourly(costOf(group, desired))}${withoutDisks(group)}`;
    return [
      `${sizes}: AWS keeps trying, and these nodes cost ${cost} once they run. To stop that:`,
      downCommand(group),
    ];
  }
  return requested ? [`${sizes}. To check:`, statusCommand(group)] : ["Nothing was requested: the group is unchanged."];
}

function unknownRequest({ kind }: AwsError, group: Group): Line[] {
  const what = kind === "busy" ? "EKS did not accept the request." : "The tool does not know whether EKS received it.";
  return [`${what} To check:`, statusCommand(group)];
}

/** The state that an unfinished `down` leaves. */
function stillEnding(result: SessionResult): Line[] {
  const { requested, snapshot, error } = result;
  const { group } = snapshot;
  const { desired, min } = group.sizes;
  const cost = desired > 0 ? ", and its nodes cost money" : "";
  if (!requested && error) return [...unknownRequest(error, group), "To repeat it:", downCommand(group)];
  if (!requested) return [`Nothing was requested: the group is unchanged${cost}.`];
  const isHeld = desired === 0 && min === 0;
  const sizes = sizesNow(result, isHeld);
  if (isHeld || isUnread(result)) return [`${sizes}: EKS drains and stops the rest. To check:`, statusCommand(group)];
  return [`${sizes}${cost}. To end the session again:`, downCommand(group)];
}

function downLines(result: SessionResult): Line[] {
  const { outcome, seconds } = result;
  const time = formatDuration(seconds);
  const after = stillEnding(result);
  switch (outcome) {
    case "planned":
      return [planned(result)];
    case "reached":
      return [`The session is over: no instance is left, after ${time}.`];
    case "changed":
      return after;
    case "refused":
    case "blocked":
    case "timeout":
      return [`Not all instances stopped within ${time}. They cost money until they have.`, ...after];
    case "interrupted":
      return ["Interrupted.", ...after];
    case "lost":
      return [...lost(result), ...after];
  }
}

function lost({ error }: SessionResult): Line[] {
  if (!error) return ["The tool cannot see whether the instances stop."];
  return [`AWS can no longer be read. ${error.action}: ${error.why}`, `fix: ${error.fix}`];
}

function downCommand(group: Group): Line {
  return { command: gpuCommand("down", group) };
}

function statusCommand(group: Group): Line {
  return { command: gpuCommand("status", group) };
}
