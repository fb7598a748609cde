import { groupPreflight } from "../gpu/group-preflight";
import { AwsError } from "../../aws/aws-error";
import { awsClients } from "../../aws/clients";
import { InputError } from "../../components/core/problems";
import { countOf } from "../../components/core/text";
import { groupApi } from "../gpu/group-api";
import { hourly } from "../gpu/cost";
import { down } from "../gpu/down";
import { preflightProblems } from "../gpu/preflight";
import type { Session, SessionResult } from "../gpu/session";
import { raiseMaxOfGroup, up } from "../gpu/up";
import type { SessionPlace, SessionReport } from "../../simulation/rehearsal/session";
import { groupOfStack, leaseAt } from "../gpu/stack-group";

/** Those of a user without an account: a simulated account checks none. */
const credentials = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "none" };

/** Of a stack whose outputs name none. The server answers in each region. */
const anyRegion = "us-east-1";

/** A simulated account changes at once; what it does not have in this time, it will not have. */
const timing = { timeoutMs: 2000, intervalMs: 100 };

/** Starts or ends a session of a rehearsed stack, as `gpu up` and `gpu down` do. */
export async function rehearsedSession(action: "up" | "down", place: SessionPlace): Promise<SessionReport> {
  const stack = groupOfStack(undefined, place.outputs);
  const { cluster, group, region = anyRegion, gpuNodes = 1, lease } = stack;
  const [at, server] = [
    { cluster, group, region },
    { endpoint: place.endpoint, credentials },
  ];
  const api = await groupApi(at, server);
  const session: Session = {
    ...{ ...timing, api, lease: leaseAt(at, lease, server), dryRun: false },
    signal: place.signal ?? new AbortController().signal,
    nodes: () =>
      Promise.resolve({ unread: { what: "nodes", why: "A simulated cluster has no API.", fix: "run it on AWS" } }),
    progress: () => undefined,
    now: place.now,
    warn: () => undefined,
  };
  try {
    const result =
      action === "up"
        ? await up(session, {
            ...{ nodes: gpuNodes, raiseMax: raiseMaxOfGroup, renew },
            preflight: groupPreflight(awsClients({ region }, server)),
          })
        : await down(session);
    return { text: textOf(result), rejected: result.outcome !== "reached" };
  } catch (error) {
    if (error instanceof AwsError || InputError.is(error)) return { text: error.message, rejected: true };
    throw error;
  }
}

function renew(day: string): string {
  return `set lease.expiresAt to ${day}`;
}

/** The size and the cost, or why nodes do not start or stop. */
function textOf({ snapshot, outcome, preflight }: SessionResult): string {
  const { group, instances = [], cost, reasons } = snapshot;
  const size = `${group.group}: ${countOf(instances.length, "instance")}`;
  if (outcome === "reached") return cost && instances.length > 0 ? `${size}, ${hourly(cost)}` : size;
  const problems = preflight ? preflightProblems(preflight) : [];
  const why = [...problems.map(({ why }) => why), ...reasons.map(({ what, evidence }) => `${what} AWS: ${evidence}`)];
  return [`${size}. The session ends with ${outcome}.`, ...why].join(" ");
}
