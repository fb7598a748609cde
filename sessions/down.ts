import { countOf } from "../components/core/text";
import { listNames } from "../triage/checks/check-result";
import { AwsError } from "./aws-error";
import { Run, type Outcome, type Session, type SessionResult } from "./session";
import { holdersIn, readSnapshot, type Snapshot } from "./snapshot";

/**
 * Ends a session: sets the desired and the minimum size to 0, and waits until no instance is left. Pods that hold GPUs
 * are named first, and end with their nodes.
 *
 * @throws AwsError if AWS refuses before anything is requested
 */
export async function down(session: Session): Promise<SessionResult> {
  session.progress("reading the node group");
  const before = await readSnapshot(session);
  const run = new Run(session, before);
  session.progress("");
  for (const text of downWarnings(before)) session.warn(text);
  const { sizes } = before.group;
  const wanted = { ...sizes, min: 0, desired: 0 };
  if (session.dryRun) return run.plan(wanted);
  const ended = sizes.desired !== 0 || sizes.min !== 0 ? await run.request(wanted) : undefined;
  if (ended) return ended;
  // Without the right to read instances, there is nothing to wait for: the request is what matters.
  if (!before.instances) return run.end("lost");
  const result = await run.until(downOutcome, downStep);
  if (result.outcome === "reached") await cancelEnd(session);
  return result;
}

/** The end of this session would also end the next one. */
async function cancelEnd({ lease, warn }: Session): Promise<void> {
  if (lease?.hours === undefined) return;
  try {
    await lease.api?.cancel();
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    warn(`The schedule that ends this session stays, and can end a later one: ${error.why}`);
  }
}

/** What the user should know before nodes are stopped. */
function downWarnings(before: Snapshot): string[] {
  const holders = holdersIn(before);
  const pods = listNames(
    holders.map(({ pod }) => pod),
    10,
  );
  const unknown = before.unread.find(({ what }) => what === "nodes" || what === "pods");
  return [
    ...(holders.length > 0 ? [`${countOf(holders.length, "pod")} with GPUs will end with their nodes: ${pods}`] : []),
    ...(unknown ? [`The tool does not know whether pods hold GPUs. ${unknown.why}\n  fix: ${unknown.fix}`] : []),
    ...(before.group.sizes.min > 0 ? [`minSize changes from ${before.group.sizes.min} to 0`] : []),
  ];
}

/** While EKS still applies an update, the Auto Scaling group may have an older size and start an instance. */
function downOutcome({ group, instances }: Snapshot): Outcome | undefined {
  const isApplied = group.sizes.desired === 0 && group.status !== "UPDATING";
  return isApplied && instances?.length === 0 ? "reached" : undefined;
}

function downStep({ instances = [] }: Snapshot): string {
  const stopping = instances.filter(({ state }) => state === "stopping").length;
  return `instances left: ${instances.length}, stopping: ${stopping}`;
}
