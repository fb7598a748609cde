import type { Problem } from "../../../components/core/problems";
import { Reader } from "../../../components/core/reader/reader";
import type { Reading } from "../../../components/core/reader/reading";

const maxProblems = 20;
/** Control characters other than tab and line feed. */
const controlCharacters = /(?![\t\n])\p{Cc}/gu;
const nameForm = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,252}$/;

/**
 * Reads one value of a JSON document of unknown origin and its children. Reads never throw: a value of the wrong type
 * counts as missing, and a problem with its path is added to a shared list.
 */
export class ObjectReader {
  private objectForm: boolean | undefined;

  private constructor(
    private readonly reader: Reader,
    private readonly problems: Problem[],
  ) {}

  /** A reader of a whole document. `path` names the document in problems. */
  static of(value: unknown, path = "", problems: Problem[] = []): ObjectReader {
    return new ObjectReader(new Reader(value, path), problems);
  }

  at(key: string): ObjectReader {
    const child = this.reader.at([key]);
    if (this.isObject()) return new ObjectReader(child, this.problems);
    if (this.exists) this.report("an object");
    return ObjectReader.of(undefined, child.path, this.problems);
  }

  /** Whether the value is present. `null` counts as missing: Go writes a missing value so. */
  get exists(): boolean {
    return this.reader.text().isAbsent !== true;
  }

  /** A string without control characters, so that a message cannot overwrite the terminal. */
  string(): string | undefined {
    return this.valueOf(this.reader.text(), "a string")?.replace(controlCharacters, "");
  }

  /** A Kubernetes name. Names become part of commands that users copy, so other characters are rejected. */
  name(): string | undefined {
    const name = this.string();
    if (name === undefined || name === "" || nameForm.test(name)) return name;
    this.report("a name: letters, digits, dashes and dots");
    return undefined;
  }

  number(): number | undefined {
    return this.valueOf(this.reader.number(), "a number");
  }

  boolean(): boolean | undefined {
    const isWord = this.reader.text().value !== undefined;
    if (!isWord) return this.valueOf(this.reader.boolean(), "true or false");
    this.report("true or false");
    return undefined;
  }

  /** A number or a string with one: `IntOrString` and quantities. */
  numberOrString(): number | string | undefined {
    return this.reader.number().value ?? this.valueOf(this.reader.text(), "a number or a string");
  }

  /** The strings and numbers of an object, as strings. With `keys`, only those of these keys. */
  stringMap(keys?: readonly string[]): Readonly<Record<string, string>> {
    const entries = this.keys()
      .filter((key) => !keys || keys.includes(key))
      .map((key) => [key, this.at(key).numberOrString()] as const);
    const present = entries.filter(([, value]) => value !== undefined);
    return Object.fromEntries(present.map(([key, value]) => [key, String(value).replace(controlCharacters, "")]));
  }

  /** The items of a list. */
  items(): ObjectReader[] {
    const items = this.valueOf(this.reader.list(), "a list") ?? [];
    return items.map((item) => new ObjectReader(item, this.problems));
  }

  strings(): string[] {
    return this.items().flatMap((item) => item.string() ?? []);
  }

  /** Adds a problem with this value, unless one is known. */
  report(expected: string, fix = "take the dump again"): void {
    const path = this.reader.path || "document";
    if (this.problems.length >= maxProblems || this.problems.some((one) => one.path === path)) return;
    this.problems.push({ code: "wrong-type", path, got: this.shown(), why: `Must be ${expected}.`, fix });
  }

  private keys(): readonly string[] {
    if (this.isObject()) return (this.reader.entries().value ?? []).map(([key]) => key);
    if (this.exists) this.report("an object");
    return [];
  }

  /** The reader treats a list of one item as that item. In a Kubernetes object such a list is a mistake. */
  private isObject(): boolean {
    this.objectForm ??= this.reader.list().value === undefined && this.reader.entries().value !== undefined;
    return this.objectForm;
  }

  private valueOf<T>(reading: Reading<T>, expected: string): T | undefined {
    if (reading.isMalformed === true) this.report(expected);
    return reading.value;
  }

  /** What a problem shows: the start of a string, but never the inside of an object. */
  private shown(): unknown {
    const scalar = this.reader.text().value ?? this.reader.number().value ?? this.reader.boolean().value;
    if (typeof scalar === "string" && scalar.length > 60) return `${scalar.slice(0, 60)}...`;
    if (scalar !== undefined || !this.exists) return scalar;
    return this.isObject() ? "an object" : "a list";
  }
}

/** Drops keys whose value is undefined: `{a: undefined}` becomes `{}`. */
export function withoutUndefined<T extends object>(record: T): WithoutUndefined<T> {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as WithoutUndefined<T>;
}

export type WithoutUndefined<T> = {
  readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};
