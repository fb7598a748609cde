import type { AwsError } from "../../aws/aws-error";
import { countOf } from "../../components/core/text";
import { formatDuration } from "../../triage/snapshot/time";
import { costText } from "./cost";
import { gpuCommand, isAutoMode, sizeText } from "./group";
import { showGroup } from "./reasons";
import { timeText } from "./lease";
import type { Outcome, SessionResult } from "./session";
import { countsOf, type Snapshot } from "./snapshot";

/** What the session costs or will cost, and what ends it. */
export function upNote({ outcome, snapshot: { group }, planned, endsAt }: SessionResult): Line[] {
  if (outcome !== "planned" && outcome !== "reached") return [];
  const nodes = planned?.desired ?? group.sizes.desired;
  const latest = endsAt ? `, at the latest at ${timeText(endsAt)}` : "";
  const what = group.isPool ? `Up to ${countOf(nodes, "GPU")}` : countOf(nodes, "GPU node");
  return [
    `${what}: ${costText(group, nodes)}, until you run gpu down${latest}`,
    ...(group.stack === undefined
      ? []
      : ["pulumi destroy ends the session without asking, unless deletionProtection is true."]),
  ];
}

/** A text, or a command that is not wrapped. */
export type Line = string | { readonly command: string };

const unchanged = "Nothing was requested: the group is unchanged";

/** How the command ended, and what holds now. */
export function endLines(command: "up" | "down", result: SessionResult): readonly Line[] {
  const { snapshot, outcome, seconds, error } = result;
  const time = formatDuration(seconds);
  const isUp = command === "up";
  const state = isUp ? stillWanted(result) : stillEnding(result);
  const late = isUp
    ? `Not all nodes were usable within ${time}.`
    : `Not all instances stopped within ${time}. They cost money until they stop.`;
  const ends: Readonly<Record<Outcome, readonly Line[]>> = {
    planned: [planned(result)],
    reached: isUp
      ? [`The session runs: ${arrived(snapshot)}, after ${time}.`, "To end it:", commandLine("down", snapshot)]
      : [`The session is over: no instance is left, after ${time}.`, ...(snapshot.group.isPool ? [untilUp] : [])],
    refused: [`${unchanged}.`],
    blocked: ["AWS does not start a node, and waiting does not help.", ...state],
    changed: state,
    timeout: [late, ...state],
    interrupted: ["Interrupted.", ...state],
    lost: error
      ? [`The tool can no longer read data from AWS. ${error.action}: ${error.why}`, `fix: ${error.fix}`, ...state]
      : ["The tool cannot see whether the instances stop.", ...state],
  };
  return ends[outcome];
}

const untilUp = "Pods that request GPUs wait until gpu up restores the limit.";

function planned({ planned: sizes, snapshot }: SessionResult): string {
  const { group, instances = [] } = snapshot;
  if (sizes && group.isPool) {
    const ends = sizes.desired === 0 ? `, and delete ${countOf(instances.length, "NodeClaim")}` : "";
    return `Dry run, nothing was changed. The command would set ${sizeText(group, sizes.desired)}${ends}.`;
  }
  return sizes
    ? `Dry run, nothing was changed. The command would request desired ${sizes.desired}, min ${sizes.min}, max ${sizes.max}.`
    : "Dry run, nothing was changed. The group already has the sizes that the command would request.";
}

/** What is known of the nodes. */
function arrived(snapshot: Snapshot): string {
  const { running, ready, withGpus } = countsOf(snapshot);
  const { group, waiting = [] } = snapshot;
  if (group.isPool) {
    const pods = waiting.length > 0 ? `; ${countOf(waiting.length, "pod")} in the cluster waiting for GPUs` : "";
    return `nodes start for pods, up to ${sizeText(group, group.sizes.desired)}${pods}`;
  }
  if (!snapshot.nodes) return `${countOf(running, "instance")} in service; Kubernetes was not read`;
  const nodes = `${countOf(ready, "node")} Ready`;
  if (withGpus > 0) return `${nodes}, with GPUs`;
  return snapshot.expectsGpus ? nodes : `${nodes}; pods get GPUs once a device plugin runs`;
}

/** The sizes of the group, as far as they were read after the request. */
function sizesNow({ requested, isCurrent, snapshot: { group } }: SessionResult, isHeld: boolean): string {
  const { desired, min } = group.sizes;
  const [the, server] = group.isPool ? ["The NodePool", "The API server"] : ["The group", "EKS"];
  if (!requested) return `${the} is at ${sizeText(group, desired)}`;
  if (!isCurrent)
    return `${server} accepted ${sizeText(group, requested.desired)}, and the tool has not read the group since`;
  if (isHeld) return `${the} stays at ${sizeText(group, desired)}`;
  if (group.isPool) return `Another writer changed the limit after the request. It is ${sizeText(group, desired)}`;
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
  if (!requested && error) return unknownRequest(error, snapshot);
  const { desired: read } = snapshot.group.sizes;
  const desired = requested && isUnread(result) ? requested.desired : read;
  const sizes = sizesNow(result, requested !== undefined && read >= requested.desired);
  if (desired > 0 && snapshot.group.isPool) {
    const cost = costText(snapshot.group, desired);
    return [`${sizes}: nodes start for pods, and cost up to ${cost}. To stop that:`, commandLine("down", snapshot)];
  }
  if (desired > 0) {
    const cost = `these nodes cost ${costText(snapshot.group, desired)} once they run`;
    return [`${sizes}: AWS keeps trying, and ${cost}. To stop that:`, commandLine("down", snapshot)];
  }
  return requested ? [`${sizes}. To check:`, commandLine("status", snapshot)] : [`${unchanged}.`];
}

function unknownRequest({ kind }: AwsError, snapshot: Snapshot): Line[] {
  const what = kind === "busy" ? "EKS did not accept the request." : "The tool does not know whether EKS received it.";
  return [`${what} To check:`, commandLine("status", snapshot)];
}

/** The state that an unfinished `down` leaves. */
function stillEnding(result: SessionResult): Line[] {
  const { requested, snapshot, error } = result;
  const { desired, min } = snapshot.group.sizes;
  const cost = desired > 0 ? ", and its nodes cost money" : "";
  const again = commandLine("down", snapshot);
  if (!requested && error) return [...unknownRequest(error, snapshot), "To repeat it:", again];
  if (!requested) return [`${unchanged}${cost}.`];
  const isHeld = desired === 0 && min === 0;
  const sizes = sizesNow(result, isHeld);
  return isHeld || isUnread(result)
    ? [...endingBy(snapshot, sizes), "To check:", commandLine("status", snapshot)]
    : [`${sizes}${cost}. To end the session again:`, again];
}

/** Who ends the rest, and why a NodeClaim can stay. */
function endingBy({ group, instances = [] }: Snapshot, sizes: string): Line[] {
  if (!group.isPool) return [`${sizes}: EKS drains and stops the rest.`];
  const pods = isAutoMode(group) ? "" : " && kubectl get pods -A -l app.kubernetes.io/name=karpenter";
  return [
    `${sizes}: Karpenter drains and terminates the rest, as long as it runs. Their instances cost money until then.`,
    ...instances.map(({ id, lifecycle }) => `${id}: ${lifecycle}`),
    "To see why a NodeClaim stays:",
    { command: `${showGroup(group).command}${pods}` },
  ];
}

function commandLine(action: "down" | "status", { group }: Snapshot): Line {
  return { command: gpuCommand(action, group) };
}
