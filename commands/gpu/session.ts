import { setTimeout as delay } from "node:timers/promises";
import { caughtAwsError, type AwsError } from "../../aws/aws-error";
import type { BeforeChange } from "../core/interruptible";
import type { GroupSizes } from "./group";
import type { SessionPreflight } from "./preflight";
import { readSnapshot, type Readers, type Snapshot } from "./snapshot";

/** How a command ended. */
export type Outcome =
  /** The group is as requested. */
  | "reached"
  /** A dry run: nothing was requested. */
  | "planned"
  /** The account cannot start the nodes: nothing was requested. */
  | "refused"
  /** AWS states why it does not start a node, and waiting does not help. */
  | "blocked"
  /** The group lost the sizes that were requested: another writer changed them. */
  | "changed"
  /** The time is over. */
  | "timeout"
  /** Ctrl-C. */
  | "interrupted"
  /** AWS or Kubernetes can no longer be read. */
  | "lost";

/** What `up` or `down` did. */
export interface SessionResult {
  readonly outcome: Outcome;
  /** What was requested of EKS; missing if nothing was. */
  readonly requested?: GroupSizes;
  /** What a dry run would request; missing if the group already has these sizes. */
  readonly planned?: GroupSizes;
  /** When the lease ends the session next, or would end it after a dry run. Undefined if that is not known. */
  readonly endsAt?: Date;
  /** What was checked before the request of `up`; missing if there was none to make. */
  readonly preflight?: SessionPreflight;
  /** The last one that was read. */
  readonly snapshot: Snapshot;
  /** Whether it was read after the last request. */
  readonly isCurrent: boolean;
  /** Why it is lost. */
  readonly error?: AwsError;
  readonly seconds: number;
}

export interface Session extends Readers {
  readonly signal: AbortSignal;
  /** Waits for a reading before anything is changed, unless Ctrl-C ends the command. @default Ctrl-C does not end it */
  readonly beforeChange?: BeforeChange;
  readonly timeoutMs: number;
  /** Between two readings. */
  readonly intervalMs: number;
  readonly dryRun: boolean;
  /** Shows what is being waited for. */
  readonly progress: (step: string) => void;
  /** Shows a warning before something is changed. */
  readonly warn: (text: string) => void;
}

/** Waits for a reading before anything is changed. */
export function reading<T>({ beforeChange }: Session, work: Promise<T>): Promise<T> {
  return beforeChange ? beforeChange(work) : work;
}

/** What a run waits for. */
interface Goal {
  /** Whether a group has the sizes that the command wants. */
  readonly holds: (sizes: GroupSizes) => boolean;
  /** How the run ends, while the group has them. */
  readonly outcome: (now: Snapshot) => Outcome | undefined;
  readonly step: (now: Snapshot) => string;
  /** Whether to repeat the request although the group has the sizes. @default never */
  readonly isIncomplete?: (now: Snapshot) => boolean;
  /** What to request again of a group that does not have them. @default nothing: the run only waits */
  readonly repeat?: (sizes: GroupSizes) => GroupSizes;
}

/** Readings without an update and without the requested sizes. More of them are not stale answers. */
const mostStale = 2;

/** One run of `up` or `down`, with its deadline. */
export class Run {
  private readonly started = Date.now();
  private last: Snapshot;
  private isCurrent = true;
  private wasHeld = false;
  private stale = 0;
  private requested?: GroupSizes;

  private constructor(
    readonly session: Session,
    readonly before: Snapshot,
  ) {
    this.last = before;
  }

  /** Reads the group. @throws AwsError */
  static async begin(session: Session): Promise<Run> {
    session.progress("reading the GPU nodes");
    return new Run(session, await reading(session, readSnapshot(session)));
  }

  /** Ends a dry run. */
  plan(planned: GroupSizes): SessionResult {
    const { desired, min } = this.before.group.sizes;
    const isSame = desired === planned.desired && min === planned.min;
    return { ...this.end("planned"), ...(!isSame && { planned }) };
  }

  end(outcome: Outcome, error?: AwsError): SessionResult {
    const seconds = Math.round((Date.now() - this.started) / 1000);
    const { last: snapshot, requested, isCurrent } = this;
    return { outcome, snapshot, isCurrent, seconds, requested, error };
  }

  /**
   * Requests sizes. Repeats a request that AWS is too busy for, such as during another update of the group, and one
   * whose answer is lost: the sizes are absolute, so a repetition changes nothing.
   *
   * @returns how the run ended, unless the request was accepted
   * @throws AwsError if AWS refuses the request
   */
  async request(sizes: GroupSizes): Promise<SessionResult | undefined> {
    for (;;) {
      if (this.session.signal.aborted) return this.end("interrupted");
      try {
        // Not interruptible: after Ctrl-C it is known whether EKS received the request.
        await this.session.api.scale(sizes);
        this.requested = sizes;
        this.isCurrent = false;
        return undefined;
      } catch (error) {
        const failure = caughtAwsError(error);
        if (!failure.passes) throw failure;
        if (this.isLate()) return this.end("lost", failure);
        this.session.progress(`waiting to send the request: ${failure.why}`);
      }
      await this.pause();
    }
  }

  /** Reads the group until the goal has an outcome, or the time is over. */
  async until(goal: Goal): Promise<SessionResult> {
    for (;;) {
      let failure: AwsError | undefined;
      try {
        const ended = await this.read(goal);
        if (ended) return ended;
        this.session.progress(goal.step(this.last));
      } catch (error) {
        failure = caughtAwsError(error);
        if (!failure.passes) return this.end("lost", failure);
        this.session.progress(`waiting for AWS: ${failure.why}`);
      }
      if (this.isLate()) return failure ? this.end("lost", failure) : this.end("timeout");
      await this.pause();
      if (this.session.signal.aborted) return this.end("interrupted");
    }
  }

  /** Reads the group once, and requests its sizes again if they did not last. A late answer does not delay the end. */
  private async read(goal: Goal): Promise<SessionResult | undefined> {
    const { before, session } = this;
    const now = await this.inTime(readSnapshot(session, before, this.requested !== undefined));
    if (!now) return undefined;
    this.last = now;
    this.isCurrent = true;
    const { sizes, status } = now.group;
    // EKS can show the sizes from before an update while it runs, and for a while after it.
    const isSettled = status !== "UPDATING";
    if (goal.holds(sizes)) {
      this.wasHeld ||= isSettled;
      if (goal.repeat && goal.isIncomplete?.(now)) return this.request(goal.repeat(sizes));
      const outcome = goal.outcome(now);
      return outcome && this.end(outcome);
    }
    if (!isSettled) return undefined;
    if (this.wasHeld || ++this.stale > mostStale) return this.end("changed");
    return goal.repeat && this.request(goal.repeat(sizes));
  }

  private isLate(): boolean {
    return Date.now() - this.started >= this.session.timeoutMs;
  }

  /** Waits until the next reading, the deadline or Ctrl-C. */
  private async pause(): Promise<void> {
    await this.inTime(delay(this.session.intervalMs, undefined, { ref: false }));
  }

  /** What a work returns, if it ends before the deadline and Ctrl-C. The work itself goes on. */
  private async inTime<T>(work: Promise<T>): Promise<T | undefined> {
    const { signal, timeoutMs } = this.session;
    const ended = new AbortController();
    const left = Math.max(0, this.started + timeoutMs - Date.now());
    const over = delay(left, undefined, { signal: AbortSignal.any([signal, ended.signal]) }).catch(() => undefined);
    try {
      return await Promise.race([work, over]);
    } finally {
      ended.abort();
      work.catch(() => undefined);
    }
  }
}
