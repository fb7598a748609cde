import { all, Undetermined, type Truth } from "./truth";

type State = "known" | "absent" | "malformed" | "unknown" | "unseen";

/**
 * The result of reading one path of a resource: a value of the requested type, no value, a value of another type, or a
 * value that is known only after the update. Conditions on it return a {@link Truth}, so that an unknown value is never
 * mistaken for an answer.
 */
export class Reading<T> {
  private constructor(
    readonly path: string,
    private readonly state: State,
    /** The value as a message shows it: never a string that could be a secret. */
    readonly shown: string,
    /** The value, where it is known. For messages; use {@link is} for conditions. */
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

  /** Whether the path has no value. As in Pulumi, an explicit null counts as no value. */
  get isAbsent(): Truth {
    return this.answer((state) => state === "absent");
  }

  /** Whether the path has a value of another type. */
  get isMalformed(): Truth {
    return this.answer((state) => state === "malformed");
  }

  /** Whether the path has a value of the right type that meets a condition. */
  is(condition: (value: T) => Truth): Truth {
    return this.state === "known" ? condition(this.value as T) : this.answer(() => false);
  }

  /** The same, with a default for a path without a value: the one that AWS, Kubernetes or the chart uses. */
  or(fallback: T, shown = String(fallback)): Reading<T> {
    return this.state === "absent" ? Reading.known(this.path, fallback, shown) : this;
  }

  /** Another value derived from this one; `undefined` means that there is none. */
  map<U>(change: (value: T) => U | undefined, show: (value: U) => string): Reading<U> {
    if (this.state !== "known") return new Reading<U>(this.path, this.state, this.shown, undefined);
    const changed = change(this.value as T);
    return changed === undefined ? Reading.absent(this.path) : Reading.known(this.path, changed, show(changed));
  }

  /** The path has no value, but another program may have set it, and no update reveals it. */
  static unseen<T>(path: string): Reading<T> {
    return new Reading<T>(path, "unseen", "nothing", undefined);
  }

  private answer(settled: (state: State) => boolean): Truth {
    if (this.state === "unseen") return new Undetermined([]);
    return this.state === "unknown" ? new Undetermined([this.path]) : settled(this.state);
  }
}

/** Whether two paths both have a value of the right type, and the values meet a condition. */
export function compare<A, B>(a: Reading<A>, b: Reading<B>, condition: (a: A, b: B) => boolean): Truth {
  const isThere = b.is(() => true);
  const together = a.is((left) => b.is((right) => condition(left, right)));
  return all(together, isThere);
}

/** Whether a value is one of these. */
export function equals<T>(reading: Reading<T>, ...values: readonly T[]): Truth {
  return reading.is((value) => values.includes(value));
}
