import { all, Undetermined, type Truth } from "./truth";

type State = "known" | "absent" | "malformed" | "unknown" | "unseen";

/**
 * What stood at one path of a resource: a value of the type asked for, nothing, something of another type, or a
 * value that is known only after the update. Questions to it answer with a {@link Truth}, so that an unknown value
 * cannot pass for an answer.
 */
export class Reading<T> {
  private constructor(
    readonly path: string,
    private readonly state: State,
    /** What a message may say of it: never a string that could be a secret. */
    readonly shown: string,
    /** The value, where it is known. For messages: a condition on it belongs into {@link is}. */
    readonly value: T | undefined,
  ) {}

  static known<T>(path: string, value: T, shown: string): Reading<T> {
    return new Reading(path, "known", shown, value);
  }

  static absent<T>(path: string): Reading<T> {
    return new Reading<T>(path, "absent", "nothing", undefined);
  }

  static malformed<T>(path: string, shown: string): Reading<T> {
    return new Reading<T>(path, "malformed", shown, undefined);
  }

  static unknown<T>(path: string): Reading<T> {
    return new Reading<T>(path, "unknown", "a value known only after the update", undefined);
  }

  /** Whether the value is known only after the update. */
  get isUnknown(): boolean {
    return this.state === "unknown";
  }

  /** Whether nothing stands there. An explicit null is nothing: Pulumi treats it so. */
  get isAbsent(): Truth {
    return this.answer((state) => state === "absent");
  }

  /** Whether something of another type stands there. */
  get isMalformed(): Truth {
    return this.answer((state) => state === "malformed");
  }

  /** Whether a value of the right type stands there and meets a condition. */
  is(condition: (value: T) => Truth): Truth {
    return this.state === "known" ? condition(this.value as T) : this.answer(() => false);
  }

  /** The same, with a value for the case that nothing stands there: what AWS, Kubernetes or the chart then uses. */
  or(fallback: T, shown = String(fallback)): Reading<T> {
    return this.state === "absent" ? Reading.known(this.path, fallback, shown) : this;
  }

  /** Another value made from this one; `undefined` means that this one holds none. */
  map<U>(change: (value: T) => U | undefined, show: (value: U) => string): Reading<U> {
    if (this.state !== "known") return new Reading<U>(this.path, this.state, this.shown, undefined);
    const changed = change(this.value as T);
    return changed === undefined ? Reading.absent(this.path) : Reading.known(this.path, changed, show(changed));
  }

  /** Nothing stands there, but somebody else may have set it, and no update will tell. */
  static unseen<T>(path: string): Reading<T> {
    return new Reading<T>(path, "unseen", "nothing", undefined);
  }

  private answer(settled: (state: State) => boolean): Truth {
    if (this.state === "unseen") return new Undetermined([]);
    return this.state === "unknown" ? new Undetermined([this.path]) : settled(this.state);
  }
}

/** Whether two values are both there, of the right type, and meet a condition together. */
export function compare<A, B>(a: Reading<A>, b: Reading<B>, condition: (a: A, b: B) => boolean): Truth {
  const isThere = b.is(() => true);
  const together = a.is((left) => b.is((right) => condition(left, right)));
  return all(together, isThere);
}
