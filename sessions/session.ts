import { AwsError } from "./aws-error";
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
  /** AWS states why it starts no node, and waiting does not help. */
  | "blocked"
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
  /** Why it is lost. */
  readonly error?: AwsError;
  readonly seconds: number;
}

/** What a session works with. */
export interface Session extends Readers {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Between two readings. */
  readonly intervalMs: number;
  readonly dryRun: boolean;
  /** Shows what is being waited for. */
  readonly progress: (step: string) => void;
  /** Shows a warning before something is changed. */
  readonly warn: (text: string) => void;
}

/** One run of `up` or `down`, with its deadline. */
export class Run {
  private readonly started = Date.now();
  private last: Snapshot;
  private requested?: GroupSizes;

  constructor(
    private readonly session: Session,
    private readonly before: Snapshot,
  ) {
    this.last = before;
  }

  /** Ends a dry run. */
  plan(planned: GroupSizes): SessionResult {
    const { desired, min } = this.before.group.sizes;
    const isSame = desired === planned.desired && min === planned.min;
    return { ...this.end("planned"), ...(!isSame && { planned }) };
  }

  end(outcome: Outcome, error?: AwsError): SessionResult {
    const seconds = Math.round((Date.now() - this.started) / 1000);
    const { last: snapshot, requested } = this;
    return { outcome, snapshot, seconds, ...(requested && { requested }), ...(error && { error }) };
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
        return undefined;
      } catch (error) {
        if (!(error instanceof AwsError) || !error.passes) throw error;
        if (this.isLate()) return this.end("lost", error);
        this.session.progress(`waiting to send the request: ${error.why}`);
      }
      await this.pause();
    }
  }

  /** Reads the group until `check` returns an outcome, or the time is over. */
  async until(check: (snapshot: Snapshot) => Outcome | undefined, step: (snapshot: Snapshot) => string) {
    const { before } = this;
    for (;;) {
      let failure: AwsError | undefined;
      try {
        this.last = await readSnapshot(this.session, { before, isRequested: this.requested !== undefined });
        const outcome = check(this.last);
        if (outcome) return this.end(outcome);
        this.session.progress(step(this.last));
      } catch (error) {
        if (!(error instanceof AwsError)) throw error;
        if (!error.passes) return this.end("lost", error);
        failure = error;
        this.session.progress(`waiting for AWS: ${error.why}`);
      }
      if (this.session.signal.aborted) return this.end("interrupted");
      if (this.isLate()) return failure ? this.end("lost", failure) : this.end("timeout");
      await this.pause();
      if (this.session.signal.aborted) return this.end("interrupted");
    }
  }

  private isLate(): boolean {
    return Date.now() - this.started >= this.session.timeoutMs;
  }

  /** Waits until the next reading, the deadline or Ctrl-C. */
  private async pause(): Promise<void> {
    const { signal, intervalMs, timeoutMs } = this.session;
    const left = Math.max(0, this.started + timeoutMs - Date.now());
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.min(intervalMs, left));
      if (signal.aborted) wake();
      else signal.addEventListener("abort", wake);
    });
  }
}
