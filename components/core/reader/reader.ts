import { Reading } from "./reading";
import { remembered, step, type Path } from "./paths";
import { describe, describeVersion } from "./describe";
import { isRecord } from "./records";
import { isUnknown, unknownSentinels } from "./truth";

/**
 * Reads values from untrusted data. It never throws, whatever the input: it reads only own properties and never calls a
 * getter. The result is a {@link Reading}, which distinguishes a value, no value, a value of the wrong type, and a
 * value that is known only after the update.
 */
export class Reader {
  constructor(
    private readonly value: unknown,
    /** Path of this value, for messages. */
    readonly path = "",
    /** The value at a parent path that is not an object, so that this path cannot have a value. */
    private readonly obstacle?: string,
    /** Whether another program may have set an absent value, as with a patch. */
    private readonly isPartial: (path: string) => boolean = () => false,
  ) {}

  /**
   * A reader of the value at a path. Below a value that is unknown or not an object, every path has the same result.
   */
  at(path: Path): Reader {
    let { value, path: at, obstacle } = this;
    for (const key of typeof path === "string" ? keysOf(path) : path) {
      const block = blockIn(value);
      if (isUnknown(block)) return new Reader(block, at);
      if (!isRecord(block) && block !== undefined && block !== null) obstacle ??= `${at || "it"} is ${describe(value)}`;
      value = isRecord(block) ? ownValue(block, key) : undefined;
      at = step(at, key);
    }
    return new Reader(value, at, obstacle, this.isPartial);
  }

  /**
   * A reader of this value merged over another one, as Helm merges values: objects key by key, any other value replaces
   * the one under it. Over an unknown value, a key that this value lacks is unknown. Paths are those of this reader.
   */
  over(under: Reader): Reader {
    const value = this.value === null ? under.value : merged(under.value, this.value);
    return new Reader(value, this.path, this.obstacle, this.isPartial);
  }

  /** A whole number. A string of digits counts as a number, as in Terraform's providers. */
  integer(path?: Path): Reading<number> {
    return this.read(path, (value) => {
      const number = typeof value === "string" && /^\s*[+-]?\d{1,16}\s*$/.test(value) ? Number(value) : value;
      return Number.isSafeInteger(number) ? (number as number) : undefined;
    });
  }

  /** A finite number. A string of digits is not one. */
  number(path?: Path): Reading<number> {
    return this.read(path, (value) => (Number.isFinite(value) ? (value as number) : undefined));
  }

  /** True or false, also as a string. */
  boolean(path?: Path): Reading<boolean> {
    return this.read(path, (value) => {
      if (value === "true" || value === "false") return value === "true";
      return typeof value === "boolean" ? value : undefined;
    });
  }

  /** A text. Messages do not show it. */
  text(path?: Path): Reading<string> {
    return this.read(path, textOf);
  }

  /** A string that should be a version. Messages show the string if it looks like a version. */
  version(path?: Path): Reading<string> {
    return this.read(path, textOf, describeVersion);
  }

  /** One of a closed list of words. Messages show it. */
  choice<Word extends string>(path: Path | undefined, words: readonly Word[]): Reading<Word> {
    return this.read(
      path,
      (value) => words.find((word) => word === value),
      (value) => (words.includes(value as Word) ? String(value) : describe(value)),
    );
  }

  /** A list, with a reader of each item. */
  list(path?: Path): Reading<readonly Reader[]> {
    const here = this.to(path);
    return here.read(undefined, (value) =>
      Array.isArray(value)
        ? value.map((item, index) => new Reader(item, step(here.path, index), undefined, this.isPartial))
        : undefined,
    );
  }

  /** The known strings of a list; an empty list if the value is not a list. */
  strings(path?: Path): readonly string[] {
    const items = this.list(path).value ?? [];
    return items.map((item) => item.text().value).filter((item) => item !== undefined);
  }

  /** The entries of an object such as labels, with a reader of each value. */
  entries(path?: Path): Reading<readonly (readonly [key: string, value: Reader])[]> {
    const here = this.to(path);
    const given = blockIn(here.value);
    const isOpen = isRecord(given) && Object.hasOwn(given, overUnknown);
    const block = new Reader(isOpen ? unknownSentinels.object : given, here.path, here.obstacle, this.isPartial);
    return block.read(undefined, (value) =>
      isRecord(value)
        ? Object.keys(value).map((key) => [
            key,
            new Reader(ownValue(value, key), step(here.path, key), undefined, this.isPartial),
          ])
        : undefined,
    );
  }

  /** A string that contains JSON, with a reader of its content. */
  json(path?: Path): Reading<Reader> {
    const here = this.to(path);
    return here.read(undefined, (value) => {
      try {
        return typeof value === "string" ? new Reader(JSON.parse(value), here.path) : undefined;
      } catch {
        return undefined;
      }
    });
  }

  private to(path: Path | undefined): Reader {
    return path === undefined ? this : this.at(path);
  }

  private read<T>(path: Path | undefined, parse: (value: unknown) => T | undefined, show = describe): Reading<T> {
    const { value, path: at, obstacle } = this.to(path);
    if (obstacle !== undefined) return Reading.malformed(at, `nothing, for ${obstacle}`);
    if (isUnknown(value)) return Reading.unknown(at);
    if (value === undefined || value === null) return this.isPartial(at) ? Reading.unseen(at) : Reading.absent(at);
    const parsed = parse(value);
    if (parsed === undefined) return Reading.malformed(at, show(value));
    return Reading.known(at, parsed, show(typeof parsed === "object" ? value : parsed));
  }
}

/** The only item of a list: a block of Terraform may be a list of one item instead of an object. */
function blockIn(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

/**
 * Reads the property descriptor, which avoids prototypes, getters, and the proxies of the policy SDK, which throw on
 * unknown values.
 */
function ownValue(object: object, key: string): unknown {
  const own = Object.getOwnPropertyDescriptor(object, key);
  return own === undefined && Object.hasOwn(object, overUnknown) ? unknownSentinels.text : own?.value;
}

/** Marks an object that is merged over an unknown one: a key that it lacks is unknown. */
const overUnknown = Symbol("merged over an unknown value");

function merged(under: unknown, over: unknown): unknown {
  if (over === undefined) return under;
  const isOverUnknown = isUnknown(under) || (isRecord(under) && Object.hasOwn(under, overUnknown));
  if (!isRecord(over) || !(isRecord(under) || isOverUnknown)) return over;
  const base = isRecord(under) ? under : { [overUnknown]: true };
  const keys = new Set([...Object.keys(base), ...Object.keys(over)]);
  const values = Object.fromEntries([...keys].map((key) => [key, merged(ownValue(base, key), ownValue(over, key))]));
  return isOverUnknown || Object.hasOwn(over, overUnknown) ? { ...values, [overUnknown]: true } : values;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

const keysOf = remembered((path: string) => path.split("."));
