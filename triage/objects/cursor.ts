import type { Problem } from "../../components/core/problems";
import { isRecord } from "../../components/core/reader/records";

/** More than this tells nobody anything. */
const mostProblems = 20;
const longestValue = 60;
/** Control characters but tab and line feed. */
const controls = /(?![\t\n])\p{Cc}/gu;

/**
 * A place in a JSON document of unknown origin. Reads never throw: a value of another type counts as missing, and is
 * noted with its path. `null` is how Go writes a missing value.
 */
export class Cursor {
  constructor(
    private readonly value: unknown,
    readonly path: string,
    private readonly problems: Problem[],
  ) {}

  at(key: string): Cursor {
    const path = /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? join(this.path, key) : `${this.path}[${JSON.stringify(key)}]`;
    const inside = isRecord(this.value) && Object.hasOwn(this.value, key) ? this.value[key] : undefined;
    if (this.value !== undefined && this.value !== null && !isRecord(this.value)) this.complain("an object");
    return new Cursor(inside, path, this.problems);
  }

  /** Whether there is anything here. */
  get there(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  /** Control characters are left out: a message must not be able to write over a terminal. */
  text(): string | undefined {
    const found = this.when("a text", (value): value is string => typeof value === "string");
    return found?.replace(controls, "");
  }

  /** A name as Kubernetes takes it. Names go into commands that people copy, so nothing else counts as one. */
  name(): string | undefined {
    const found = this.text();
    if (found === undefined || found === "" || /^[A-Za-z0-9][A-Za-z0-9._:-]{0,252}$/.test(found)) return found;
    this.complain("a name: letters, digits, dashes and dots");
    return undefined;
  }

  number(): number | undefined {
    return this.when("a number", (value): value is number => typeof value === "number");
  }

  flag(): boolean | undefined {
    return this.when("true or false", (value): value is boolean => typeof value === "boolean");
  }

  /** A number or a text with one: `IntOrString` and quantities. */
  amount(): number | string | undefined {
    const is = (value: unknown): value is number | string => typeof value === "number" || typeof value === "string";
    return this.when("a number or a text", is);
  }

  /** The texts of an object; `only` leaves out all keys but these. */
  texts(only?: readonly string[]): Readonly<Record<string, string>> {
    const found = this.when("an object", isRecord) ?? {};
    const keys = Object.keys(found).filter((key) => !only || only.includes(key));
    const entries = keys.map((key) => [key, this.at(key).amount()] as const);
    const known = entries.filter(([, value]) => value !== undefined);
    return Object.fromEntries(known.map(([key, value]) => [key, String(value).replace(controls, "")]));
  }

  keys(): readonly string[] {
    return Object.keys(this.when("an object", isRecord) ?? {});
  }

  /** The items of a list. */
  each(): Cursor[] {
    const items = this.when("a list", (value): value is readonly unknown[] => Array.isArray(value)) ?? [];
    return items.map((item, index) => new Cursor(item, `${this.path}[${index}]`, this.problems));
  }

  /** Notes that the value is not what it must be. */
  complain(must: string, fix = "take the dump again"): void {
    if (this.problems.length >= mostProblems || this.problems.some(({ path }) => path === this.path)) return;
    const why = `It must be ${must}.`;
    this.problems.push({ code: "wrong-type", path: this.path, got: brief(this.value), why, fix });
  }

  private when<T>(must: string, is: (value: unknown) => value is T): T | undefined {
    if (is(this.value)) return this.value;
    if (this.there) this.complain(must);
    return undefined;
  }
}

/** `{a: undefined}` becomes `{}`: what is missing has no key. */
export function defined<T extends object>(record: T): Defined<T> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Defined<T>;
}

export type Defined<T> = {
  readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

function join(at: string, key: string): string {
  return at === "" ? key : `${at}.${key}`;
}

/** A dump may hold anything: a message shows the beginning of a wrong value, and never the inside of an object. */
function brief(value: unknown): unknown {
  if (Array.isArray(value)) return "a list";
  if (isRecord(value)) return "an object";
  return typeof value === "string" && value.length > longestValue ? `${value.slice(0, longestValue)}...` : value;
}
