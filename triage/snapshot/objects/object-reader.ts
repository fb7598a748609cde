import type { Problem } from "../../../components/core/problems";
import { isRecord, ownValue } from "../../../components/core/reader/records";

const maxProblems = 20;
/** Control characters other than tab and line feed. */
const controlCharacters = /(?![\t\n])\p{Cc}/gu;
const nameForm = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,252}$/;

/**
 * Reads one value of a JSON document of unknown origin and its children. Reads never throw: a value of the wrong type
 * counts as missing, and a problem with its path is added to a shared list. A large cluster has millions of values, so a
 * path is composed only for a problem.
 */
export class ObjectReader {
  private constructor(
    private readonly value: unknown,
    private readonly problems: Problem[],
    private readonly key: string | number,
    private readonly parent?: ObjectReader,
  ) {}

  /** A reader of a whole document. `path` names the document in problems. */
  static of(value: unknown, path = "", problems: Problem[] = []): ObjectReader {
    return new ObjectReader(value, problems, path);
  }

  at(key: string): ObjectReader {
    const { value } = this;
    if (this.exists && !isRecord(value)) this.report("an object");
    return new ObjectReader(isRecord(value) ? ownValue(value, key) : undefined, this.problems, key, this);
  }

  /** Whether the value is present. `null` counts as missing: Go writes a missing value so. */
  get exists(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  /** A string without control characters, so that a message cannot overwrite the terminal. */
  string(): string | undefined {
    const { value } = this;
    return typeof value === "string" ? value.replace(controlCharacters, "") : this.missing("a string");
  }

  /** A Kubernetes name. Names become part of commands that users copy, so other characters are rejected. */
  name(): string | undefined {
    const name = this.string();
    if (name === undefined || name === "" || nameForm.test(name)) return name;
    return this.missing("a name: letters, digits, dashes and dots");
  }

  number(): number | undefined {
    return Number.isFinite(this.value) ? (this.value as number) : this.missing("a number");
  }

  boolean(): boolean | undefined {
    return typeof this.value === "boolean" ? this.value : this.missing("true or false");
  }

  /** A number or a string with one: `IntOrString` and quantities. */
  numberOrString(): number | string | undefined {
    const { value } = this;
    return Number.isFinite(value) || typeof value === "string"
      ? (value as number | string)
      : this.missing("a number or a string");
  }

  /** The strings and numbers of an object, as strings. With `keys`, only those of these keys. */
  stringMap(keys?: readonly string[]): Readonly<Record<string, string>> {
    const map: Record<string, string> = {};
    for (const key of this.keys()) {
      const value = keys && !keys.includes(key) ? undefined : this.at(key).numberOrString();
      if (value !== undefined) map[key] = String(value).replace(controlCharacters, "");
    }
    return map;
  }

  items(): ObjectReader[] {
    const items: readonly unknown[] = Array.isArray(this.value) ? this.value : (this.missing("a list") ?? []);
    return items.map((item, index) => new ObjectReader(item, this.problems, index, this));
  }

  strings(): string[] {
    return this.items().flatMap((item) => item.string() ?? []);
  }

  /** Adds a problem with this value, unless one is known. */
  report(expected: string, fix = "take the dump again"): void {
    if (this.problems.length >= maxProblems) return;
    const path = this.path || "document";
    if (this.problems.some((one) => one.path === path)) return;
    this.problems.push({ code: "wrong-type", path, got: this.shown(), why: `Must be ${expected}.`, fix });
  }

  private get path(): string {
    const { key, parent } = this;
    const above = parent?.path ?? "";
    if (typeof key === "number") return `${above}[${key}]`;
    return above === "" ? key : `${above}.${key}`;
  }

  private keys(): readonly string[] {
    const { value } = this;
    return isRecord(value) ? Object.keys(value) : (this.missing("an object") ?? []);
  }

  /** Reports a value of another type than expected. */
  private missing(expected: string): undefined {
    if (this.exists) this.report(expected);
  }

  /** What a problem shows: the start of a string, but never the inside of an object. */
  private shown(): unknown {
    const { value } = this;
    if (typeof value === "string" && value.length > 60) return `${value.slice(0, 60)}...`;
    if (typeof value !== "object" || value === null) return value ?? undefined;
    return Array.isArray(value) ? "a list" : "an object";
  }
}
