import { refuse, type Problem } from "../../components/core/problems";
import { scaleCommand } from "../../components/nodes/scaling";
import { subjectOf, type Group } from "./group";
import { leaseProblems, leaseWarnings, nextEnd, readLease, sessionEnd, withLease, withSession } from "./lease";
import { healthCheck, preflightProblems, preflightTexts, statusProblems, type Preflight } from "./preflight";
import { reading, Run, type Outcome, type Session, type SessionResult } from "./session";
import { countsOf, type Snapshot } from "./snapshot";

interface UpOptions {
  readonly nodes: number;
  /** The command that raises maxSize. */
  readonly raiseMax: (group: Group, nodes: number) => string;
  /** The commands that set the end of the lease to a day such as `2026-12-01`. */
  readonly renew: (day: string) => string;
  /** Checks the account. @default only the group is checked */
  readonly preflight?: Preflight;
}

/**
 * Starts a session: checks the account, sets the end of the session, requests nodes, and waits until they run, are Ready and
 * advertise GPUs. Of a NodePool it sets the limit, up to which pods start nodes.
 *
 * @throws InputError if the group cannot have so many nodes; AwsError if AWS refuses before anything is requested
 */
export async function up(session: Session, options: UpOptions): Promise<SessionResult> {
  const { nodes, renew } = options;
  const run = await Run.begin(session);
  const { before } = run;
  const lease = await reading(session, readLease(session));
  refuse(subjectOf(before.group), [
    ...upProblems(before, options),
    ...leaseProblems(lease, renew, before.group.isPool),
  ]);
  const { all, now } = lease.leaseEnds ?? { all: [], now: session.now?.() ?? new Date() };
  const own = sessionEnd(session.lease, now);
  const ends = withSession({ all, now }, own);
  session.progress("");
  for (const text of leaseWarnings(ends, lease.unread)) session.warn(text);
  // Without a request there is nothing to check.
  const checked = isRequested(before, nodes) ? undefined : await check(session, before, options);
  const result = checked && preflightProblems(checked).length > 0 ? run.end("refused") : await start(run, nodes, own);
  const endsAt = nextEnd(ends)?.at;
  return {
    ...result,
    snapshot: withLease(result.snapshot, { ...lease, ...(lease.leaseEnds && { leaseEnds: ends }) }),
    endsAt,
    preflight: checked,
  };
}

/** Whether a repeated command only waits. The sizes of a group that is being updated can be older ones. */
function isRequested({ group: { sizes, status } }: Snapshot, nodes: number): boolean {
  return sizes.desired === nodes && status !== "UPDATING";
}

async function check(session: Session, { group, instances = [] }: Snapshot, { nodes, preflight }: UpOptions) {
  session.progress("checking the account");
  const account = preflight && (await reading(session, preflight(group, { nodes, running: instances.length })));
  const found = { checks: [healthCheck(group), ...(account?.checks ?? [])], notes: account?.notes ?? [] };
  session.progress("");
  for (const text of preflightTexts(found)) session.warn(text);
  return found;
}

/** Requests the nodes, and waits for them. */
async function start(run: Run, nodes: number, own: Date | undefined): Promise<SessionResult> {
  const { before, session } = run;
  const sizes = { ...before.group.sizes, desired: nodes };
  if (session.dryRun) return run.plan(sizes);
  if (session.signal.aborted) return run.end("interrupted");
  // Before the nodes start, so that no interruption leaves nodes without an end.
  if (own) await session.lease?.api?.endAt(own);
  const ended = isRequested(before, nodes) ? undefined : await run.request(sizes);
  return (
    ended ??
    run.until({
      holds: ({ desired }) => (before.group.isPool ? desired === nodes : desired >= nodes),
      outcome: (now) => upOutcome(now, nodes),
      step: (now) => upStep(now, nodes),
    })
  );
}

/** What AWS reported before the command may be over: a quota was raised, and EKS reports health issues for a while. */
function upOutcome(now: Snapshot, nodes: number): Outcome | undefined {
  if (now.group.isPool) return "reached";
  const { running, usable } = countsOf(now);
  if (running >= nodes && (!now.nodes || usable >= nodes)) return "reached";
  const isBlocked = now.reasons.some(({ id, passes, isOlder }) => id !== "unknown" && !passes && !isOlder);
  return isBlocked ? "blocked" : undefined;
}

function upStep(now: Snapshot, wanted: number): string {
  const { nodes, expectsGpus, reasons } = now;
  const { running, ready, withGpus } = countsOf(now);
  const parts = [
    `instances running: ${running} of ${wanted}`,
    ...(nodes ? [`nodes Ready: ${ready} of ${wanted}`] : []),
    ...(nodes && expectsGpus ? [`with GPUs: ${withGpus} of ${wanted}`] : []),
    ...(running < wanted ? reasons.filter(({ isOlder }) => !isOlder).slice(0, 1) : []).map(({ what }) => what),
  ];
  return parts.join(", ");
}

function upProblems({ group, instances, unread }: Snapshot, { nodes, raiseMax }: UpOptions): Problem[] {
  const { isPool, sizes } = group;
  const { min, max, desired } = sizes;
  const at = { code: "not-allowed", path: "gpu up", got: nodes } as const;
  const problems = statusProblems(group);
  if (isPool) return problems;
  if (nodes > max) problems.push({ ...at, why: `The group has at most ${max}.`, fix: raiseMax(group, nodes) });
  if (nodes < min) {
    problems.push({ ...at, why: `The group has at least ${min}.`, fix: `run gpu up ${min}, or lower minSize` });
  } else if (nodes < desired) {
    const why = `The desired size is already ${desired}, and up never stops nodes.`;
    problems.push({ ...at, why, fix: `run gpu up ${desired}, or end the session with gpu down` });
  }
  const denied = instances ? undefined : unread.find(({ what }) => what === "instances");
  if (denied) {
    const why = `up must be able to read the instances that it starts: ${denied.why}`;
    problems.push({ code: "missing", path: "instances", got: undefined, why, fix: denied.fix });
  }
  return problems;
}

/** The command that raises the limit of a group without a stack. */
export function raiseMaxOfGroup(group: Group, nodes: number): string {
  return scaleCommand({ ...group, min: group.sizes.min, max: nodes, desired: group.sizes.desired });
}
