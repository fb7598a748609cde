import { refuse, type Problem } from "../components/core/problems";
import { scaleCommand } from "../components/nodes/scaling";
import { groupText, type Group, type GroupSizes } from "./group";
import { leaseProblems, leaseWarnings, nextEnd, readLease, sessionEnd, withLease, withSession } from "./lease";
import { preflightOf, preflightProblems, preflightTexts, type Preflight, type SessionPreflight } from "./preflight";
import { Run, type Outcome, type Session, type SessionResult } from "./session";
import { readSnapshot, type Snapshot } from "./snapshot";

/** What `up` is asked for. */
export interface UpOptions {
  /** The number of nodes. */
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
 * advertise GPUs.
 *
 * @throws InputError if the group cannot have so many nodes; AwsError if AWS refuses before anything is requested
 */
export async function up(session: Session, options: UpOptions): Promise<SessionResult> {
  session.progress("reading the node group");
  const before = await readSnapshot(session);
  const run = new Run(session, before);
  const lease = await readLease(session);
  refuse(`node group ${groupText(before.group)}`, [
    ...upProblems(before, options),
    ...leaseProblems(lease, options.renew),
  ]);
  const now = session.now?.() ?? new Date();
  const own = sessionEnd(session.lease, now);
  const ends = withSession(lease.ends ?? { all: [], now }, own);
  session.progress("");
  for (const text of leaseWarnings(ends, lease.unread)) session.warn(text);
  const withEnds = ({ snapshot, ...result }: SessionResult): SessionResult => {
    const next = nextEnd(ends);
    const shown = withLease(snapshot, { ...lease, ...(lease.ends && { ends }) });
    return { ...result, snapshot: shown, ...(next && { endsAt: next.at }) };
  };
  const sizes = { ...before.group.sizes, desired: options.nodes };
  const { preflight, ...stop } = await checkedBefore(session, before, options);
  const withAll = (result: SessionResult) => withEnds({ ...result, ...(preflight && { preflight }) });
  if (stop.outcome) return withAll(run.end(stop.outcome));
  if (session.dryRun) return withAll(run.plan(sizes));
  if (session.signal.aborted) return withAll(run.end("interrupted"));
  // Before the nodes start, so that no interruption leaves nodes without an end.
  if (own) await session.lease?.api?.endAt(own);
  return withAll(await start(run, before.group, sizes));
}

/** What is known before the request, and how the run ends because of it. */
interface Checked {
  readonly preflight?: SessionPreflight;
  readonly outcome?: "refused" | "interrupted";
}

/** Without a request there is nothing to check: a repeated command only waits. */
async function checkedBefore(session: Session, before: Snapshot, { nodes, preflight }: UpOptions): Promise<Checked> {
  if (before.group.sizes.desired === nodes) return {};
  session.progress("checking the account");
  const found = await preflightOf(before, nodes, preflight);
  session.progress("");
  for (const text of preflightTexts(found)) session.warn(text);
  if (preflightProblems(found).length > 0) return { preflight: found, outcome: "refused" };
  return { preflight: found, ...(session.signal.aborted && !session.dryRun && { outcome: "interrupted" as const }) };
}

async function start(run: Run, before: Group, sizes: GroupSizes): Promise<SessionResult> {
  const ended = before.sizes.desired === sizes.desired ? undefined : await run.request(sizes);
  if (ended) return ended;
  return run.until(
    (now) => upOutcome(now, sizes.desired),
    (now) => upStep(now, sizes.desired),
  );
}

/** What AWS reported before the command may be over: a quota was raised, and EKS reports health issues for a while. */
function upOutcome(now: Snapshot, nodes: number): Outcome | undefined {
  if (hasArrived(now, nodes)) return "reached";
  const isBlocked = now.reasons.some(({ id, passes, isOlder }) => id !== "unknown" && !passes && !isOlder);
  return isBlocked ? "blocked" : undefined;
}

/** Whether the nodes run, and as far as Kubernetes can be read, are Ready and advertise GPUs. */
function hasArrived({ instances = [], nodes, expectsGpus }: Snapshot, wanted: number): boolean {
  if (instances.filter(({ state }) => state === "running").length < wanted) return false;
  if (!nodes) return true;
  const usable = nodes.filter(({ ready, gpus }) => ready && (gpus > 0 || !expectsGpus));
  return usable.length >= wanted;
}

function upStep({ instances = [], nodes, expectsGpus, reasons }: Snapshot, wanted: number): string {
  const running = instances.filter(({ state }) => state === "running").length;
  const parts = [
    `instances running: ${running} of ${wanted}`,
    ...(nodes ? [`nodes Ready: ${nodes.filter(({ ready }) => ready).length} of ${wanted}`] : []),
    ...(nodes && expectsGpus ? [`with GPUs: ${nodes.filter(({ gpus }) => gpus > 0).length} of ${wanted}`] : []),
    ...(running < wanted ? reasons.filter(({ isOlder }) => !isOlder).slice(0, 1) : []).map(({ what }) => what),
  ];
  return parts.join(", ");
}

const settled = ["ACTIVE", "UPDATING", "DEGRADED"];

/** The engine takes a failed create for done, so `pulumi up` alone changes nothing. */
const replaceGroup =
  "EKS never repairs it. Replace it: pulumi up --target-replace URN, with the URN that pulumi preview names, then pulumi up";

function upProblems(before: Snapshot, { nodes, raiseMax }: UpOptions): Problem[] {
  const { group, instances, unread } = before;
  const { sizes, status } = group;
  const problem = (why: string, fix: string): Problem => ({
    ...{ code: "not-allowed", path: "gpu up", got: nodes },
    ...{ why, fix },
  });
  const problems: Problem[] = [];
  if (!settled.includes(status)) {
    problems.push({
      ...{ code: "not-allowed", path: "status", got: status },
      why: "EKS changes the size only of a group that is ACTIVE.",
      fix: status === "CREATE_FAILED" ? replaceGroup : "wait until it is",
    });
  }
  if (nodes > sizes.max) problems.push(problem(`The group has at most ${sizes.max}.`, raiseMax(group, nodes)));
  if (nodes < sizes.min) {
    problems.push(problem(`The group has at least ${sizes.min}.`, `run gpu up ${sizes.min}, or lower minSize`));
  } else if (nodes < sizes.desired) {
    const why = `The desired size is already ${sizes.desired}, and up never stops nodes.`;
    problems.push(problem(why, `run gpu up ${sizes.desired}, or end the session with gpu down`));
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
