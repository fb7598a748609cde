import type { CustomResourceOptions } from "@pulumi/pulumi";
import * as v from "valibot";
import { isOutput } from "./outputs";
import { type Problem, requirePlainValue } from "./problems";
import { anything, check, isPlainObject, problemsIn, unknownKeys, type Schema } from "./schema";
import { join } from "./reader/paths";

/**
 * The escape hatch of every component: adjusts one underlying resource before it is created, so that no argument
 * of a provider has to be copied into a component. Either values that are merged over the arguments (top level only), or a
 * function that changes arguments and options in place.
 */
export type Transform<Args extends object> =
  Partial<Args> | ((args: Args, opts: CustomResourceOptions, name: string) => void);

/** Applies a {@link Transform} to copies of the arguments and options: what the resource's constructor accepts. */
export function transformed<Args extends object>(
  transform: Transform<Args> | undefined,
  name: string,
  args: Args,
  opts: CustomResourceOptions,
): [string, Args, CustomResourceOptions] {
  const changed = { ...args };
  const changedOpts = { ...opts };
  if (typeof transform === "function") transform(changed, changedOpts, name);
  else Object.assign(changed, transform);
  return [name, changed, changedOpts];
}

/** Checks the value of one key of a `transform`. */
type ValueCheck = (path: string, got: unknown, key: string) => readonly Problem[];

/**
 * Problems of a `transform`: unknown keys, and values without effect. The provider checks the adjusted resource.
 */
function transformProblems(path: string, got: unknown, keys: readonly string[], check: ValueCheck): Problem[] {
  if (!isPlainObject(got)) return wrongType(path, shape(got), "Must be an object.", `set the keys of ${path}`);
  const shapes = Object.fromEntries(Object.entries(got).map(([key, value]) => [key, shape(value)]));
  return [
    ...unknownKeys(path, shapes, keys),
    ...keys.flatMap((key) => (got[key] === undefined ? [] : check(join(path, key), got[key], key))),
  ];
}

function valueProblems(path: string, got: unknown): Problem[] {
  if (typeof got === "function" || isPlainObject(got)) return [];
  const why = "Must be an object, which is merged over the resource's arguments, or a function that changes them.";
  const fix = `set ${path} to an object such as { tags: { Team: "research" } }, or to a function (args, opts) => { … }`;
  return wrongType(path, shape(got), why, fix);
}

function wrongType(path: string, got: unknown, why: string, fix: string): Problem[] {
  return isOutput(got) ? requirePlainValue(path) : [{ code: "wrong-type", path, got, why, fix }];
}

/** A value as a message shows it. It leaves out the content, because a resource's arguments may hold a password. */
function shape(value: unknown): unknown {
  if (isOutput(value)) return value;
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "a list";
  return isPlainObject(value) ? "an object" : value;
}

/** `transform` of a component whose resources have these keys: the compiler finds one that is missing. */
export function transformOf<T extends object>(keys: Readonly<Record<keyof T, true>>) {
  return v.pipe(
    anything<T>(),
    check((got: T, at) => transformProblems(at, got, Object.keys(keys), valueProblems)),
  );
}

/** `transform` of several parts, each with its own. */
export function transformsOf<T extends object>(parts: Readonly<Record<keyof T, Schema>>): Schema<T> {
  const partProblems: ValueCheck = (path, got, key) => problemsIn(parts[key as keyof T], got, path);
  return v.pipe(
    anything<T>(),
    check((got: T, at) => transformProblems(at, got, Object.keys(parts), partProblems)),
  );
}
