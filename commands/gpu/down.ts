import { caughtAwsError } from "../../aws/aws-error";
import { refuse } from "../../components/core/problems";
import { countOf } from "../../components/core/text";
import { listNames } from "../../triage/texts";
import { subjectOf, type Group, type GroupSizes } from "./group";
import { statusProblems } from "./preflight";
import { Run, type Session, type SessionResult } from "./session";
import type { Snapshot } from "./snapshot";

/**
 * Ends a session: sets the desired and the minimum size to 0, and waits until no instance is left. Pods that hold GPUs
 * are named first, and end with their nodes. A group that seems to be at rest gets the sizes, too: the reading can be older
 * than a request of `up`.
 *
 * @throws AwsError if AWS refuses before anything is requested; InputError if EKS cannot change the sizes of the group
 */
export async function down(session: Session): Promise<SessionResult> {
  const run = await Run.begin(session);
  const { group } = run.before;
  session.progress("");
  for (const text of downWarnings(run.before)) session.warn(text);
  refuse(subjectOf(group), statusProblems(group));
  const wanted = atRest(group.sizes);
  if (session.dryRun) return run.plan(wanted);
  const ended = await run.request(wanted);
  if (ended) return ended;
  const result = await run.until(downGoal(group));
  if (result.outcome !== "reached" || group.isPool) return result;
  await cancelEnd(session);
  const verified = await run.until(downGoal(group));
  if (verified.outcome === "changed" && session.lease?.hours !== undefined) session.warn(lostEnd);
  return verified;
}

/** Another session started after the last instance was gone. */
const lostEnd =
  "Another session started while this one ended, and lost its end time from lease.hours. gpu up sets it again.";

function atRest(sizes: GroupSizes): GroupSizes {
  return { ...sizes, min: 0, desired: 0 };
}

/** Karpenter may have decided on a node before the limit was 0, and create its NodeClaim after the others are gone. */
const emptyReadings = { group: 1, pool: 3 };

function downGoal({ isPool }: Group): Parameters<Run["until"]>[0] {
  let left: number = emptyReadings[isPool ? "pool" : "group"];
  return {
    holds: ({ desired, min }) => desired === 0 && min === 0,
    isIncomplete: ({ instances = [] }) => isPool === true && instances.some(({ state }) => state !== "stopping"),
    outcome: ({ group, instances }) => {
      // While EKS still applies an update, the Auto Scaling group may have an older size and start an instance.
      if (group.status === "UPDATING") return undefined;
      // Without the right to read instances, there is nothing more to wait for.
      if (!instances) return "lost";
      return instances.length === 0 && --left <= 0 ? "reached" : undefined;
    },
    step: ({ instances = [] }) => {
      const stopping = instances.filter(({ state }) => state === "stopping").length;
      return `instances left: ${instances.length}, stopping: ${stopping}`;
    },
    repeat: atRest,
  };
}

/** The end of this session would also end the next one. */
async function cancelEnd({ lease, warn }: Session): Promise<void> {
  if (lease?.hours === undefined) return;
  try {
    await lease.api?.cancel();
  } catch (error) {
    const { why } = caughtAwsError(error);
    warn(`The schedule that ends this session stays, and can end a later one: ${why}`);
  }
}

/** What the user should know before nodes are stopped. */
function downWarnings({ group: { sizes }, nodes = [], unread }: Snapshot): string[] {
  const pods = nodes.flatMap(({ holders }) => holders.map(({ pod }) => pod));
  const unknown = unread.find(({ what }) => what === "nodes" || what === "pods");
  return [
    ...(pods.length > 0
      ? [`${countOf(pods.length, "pod")} with GPUs will stop with their nodes: ${listNames(pods, 10)}`]
      : []),
    ...(unknown ? [`The tool does not know whether pods hold GPUs. ${unknown.why}\n  fix: ${unknown.fix}`] : []),
    ...(sizes.min > 0 ? [`minSize changes from ${sizes.min} to 0`] : []),
  ];
}
