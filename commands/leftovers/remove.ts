import { setTimeout as delay } from "node:timers/promises";
import { AwsError, codeOf } from "../../aws/aws-error";
import type { Aws } from "../../aws/clients";
import { kinds } from "./kinds/kinds";
import { findLeftovers } from "./list";
import type { Leftover, Listing } from "./leftover";
import { plural, type Kind } from "./kinds/kind";

interface RemoveOptions {
  readonly signal: AbortSignal;
  /** Shows the current step. */
  readonly progress: (step: string) => void;
  /** Milliseconds between two requests of a wait. */
  readonly intervalMs: number;
  /** How long one wait may take, e.g. until a cluster is gone. */
  readonly waitMs: number;
  /** Whether the user has seen the object, and confirmed its removal. */
  readonly isConfirmed: (one: Leftover) => boolean;
}

/** What identifies an object in a list. */
export function keyOf({ kind, id }: Leftover): string {
  return `${kind} ${id}`;
}

/** A leftover that could not be removed. */
interface Failure {
  readonly leftover: Leftover;
  /** The command of the AWS CLI that fails. */
  readonly cli: string;
  readonly why: string;
  readonly fix: string;
}

export interface Removal {
  readonly removed: readonly Leftover[];
  readonly failures: readonly Failure[];
  /** What is left. */
  readonly remaining: Listing;
}

/** What can be removed: neither what must stay, nor what the state should adopt, nor what goes with another object. */
export function removable({ leftovers }: Pick<Listing, "leftovers">): Leftover[] {
  const own = leftovers.filter(({ keep, steps }) => keep === undefined && steps.length > 0);
  const ids = new Set(own.map(({ id, pulumiId = id }) => pulumiId));
  return own.filter(({ adopts, within }) => !adopts && (within === undefined || !ids.has(within)));
}

/**
 * Removes leftovers in the order that AWS requires, and waits where it needs time. Continues after a failure. Reads again after
 * each wait, because something can use an object since then; and before a kind that grows.
 *
 * @throws AwsError when AWS no longer accepts the credentials
 */
export async function removeLeftovers(aws: Aws, listing: Listing, options: RemoveOptions): Promise<Removal> {
  const removed: Leftover[] = [];
  const failures: Failure[] = [];
  let latest: Listing | undefined = listing;
  for (const kind of kinds) {
    if (options.signal.aborted) break;
    const isListed = removable(listing).some((one) => one.kind === kind.kind);
    if (!isListed && !(kind.grows === true && removed.length > 0)) continue;
    if (kind.grows === true || !latest) latest = await findLeftovers(aws, listing);
    const isWanted = (one: Leftover) =>
      one.kind === kind.kind &&
      (options.isConfirmed(one) || (kind.grows === true && isLeftBy(one, listing, options.isConfirmed)));
    const done = await removeAll(aws, removable(latest).filter(isWanted), failures, options);
    for (const one of done) {
      const failure = await untilGone(aws, one, kind, options);
      if (failure) failures.push(failure);
      else removed.push(one);
      if (one.wait) latest = undefined;
    }
  }
  options.progress("checking what is left");
  return { removed, failures, remaining: await findLeftovers(aws, listing) };
}

/** Whether it was inside of a confirmed object, or is used by one: AWS leaves it some time after that. */
function isLeftBy(one: Leftover, listing: Listing, isConfirmed: RemoveOptions["isConfirmed"]): boolean {
  const { leftovers, ending = [] } = listing;
  const before = leftovers.find((other) => keyOf(other) === keyOf(one));
  const names = [one, before].flatMap((each) => [each?.within, ...(each?.usedBy ?? [])]);
  const owners = leftovers.filter(({ id, pulumiId = id }) => names.includes(pulumiId));
  // The interfaces of what can be removed are not listed themselves.
  return ending.includes(one.id) || owners.some((owner) => isConfirmed(owner) || isLeftBy(owner, listing, isConfirmed));
}

/** Removes the objects of a kind. Each first loses what refers to others: two security groups can name each other. */
async function removeAll(aws: Aws, all: readonly Leftover[], failures: Failure[], options: RemoveOptions) {
  let open = all;
  for (const end of [[0, -1], [-1]]) {
    const done: Leftover[] = [];
    for (const one of open) {
      if (options.signal.aborted) break;
      const failure = await removeOne(aws, { ...one, steps: one.steps.slice(...end) }, options);
      if (failure) failures.push(failure);
      else done.push(one);
    }
    open = done;
  }
  return open;
}

/** AWS rejects the removal of what something still uses; interfaces and attachments end some time after their owner. */
const inUse =
  /^(?:DependencyViolation|ResourceInUse|DeleteConflict|VolumeInUse|InvalidIPAddress\.InUse)|\.InUse$|InUse$/;
const isGone = /NotFound|NoSuchEntity|QueueDoesNotExist|NonExistentQueue/;
const attempts = 5;

async function removeOne(aws: Aws, one: Leftover, options: RemoveOptions): Promise<Failure | undefined> {
  options.progress(`removing ${one.kind} ${one.id}`);
  for (const { cli, action, run } of one.steps) {
    for (let attempt = 1; ; attempt++) {
      try {
        await aws.send(action, run);
        break;
      } catch (error) {
        const code = codeOf(error);
        if (isGone.test(code)) break;
        if (!inUse.test(code) || attempt === attempts || options.signal.aborted) return failureOf(one, cli, error);
        await pause(options);
      }
    }
  }
  return undefined;
}

function failureOf(leftover: Leftover, cli: string, error: unknown): Failure {
  if (!(error instanceof AwsError) || error.kind === "identity") throw error;
  const fix = inUse.test(error.code) ? "remove the objects that still use it, and run the command again" : error.fix;
  return { leftover, cli, why: error.why, fix };
}

async function untilGone(aws: Aws, one: Leftover, { reads }: Kind, options: RemoveOptions) {
  const { wait } = one;
  if (!wait) return undefined;
  options.progress(`waiting until ${one.kind} ${one.id} is gone`);
  for (const end = Date.now() + options.waitMs; Date.now() < end && !options.signal.aborted; await pause(options)) {
    try {
      if (await aws.send(reads.join(", "), wait.isOver)) return undefined;
    } catch (error) {
      if (isGone.test(codeOf(error))) return undefined;
      if (!(error instanceof AwsError && error.passes)) return failureOf(one, wait.cli, error);
    }
  }
  const why = options.signal.aborted ? "The command was interrupted." : "AWS is still removing it.";
  return { leftover: one, cli: wait.cli, why, fix: "run the command again" };
}

/** Ctrl-C ends it, too. */
async function pause({ intervalMs, signal }: RemoveOptions): Promise<void> {
  await delay(intervalMs, undefined, { signal }).catch(() => undefined);
}

/** `3 subnets, 1 VPC`. */
export function countText(leftovers: readonly Leftover[]): string {
  const counts = kinds.flatMap(({ kind }) => {
    const count = leftovers.filter((one) => one.kind === kind).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? kind : plural(kind)}`];
  });
  return counts.join(", ");
}
