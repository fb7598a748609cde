import { withoutUndefined, type WithoutUndefined } from "../../../components/core/reader/records";
import type { ObjectReader } from "./object-reader";

/** Reads one value; undefined if it is missing. */
export type Read<T> = (value: ObjectReader) => T;

type Shape = Readonly<Record<string, Read<unknown>>>;
export type ObjectOf<S extends Shape> = WithoutUndefined<{ readonly [K in keyof S]: ReturnType<S[K]> }>;

export const text = (value: ObjectReader) => value.string();
export const name = (value: ObjectReader) => value.name();
export const number = (value: ObjectReader) => value.number();
export const flag = (value: ObjectReader) => value.boolean();
export const amount = (value: ObjectReader) => value.numberOrString();
export const map = (value: ObjectReader) => value.stringMap();
export const texts = (value: ObjectReader) => value.strings();

/** A value that has a default. */
export function withDefault<T>(read: Read<T | undefined>, missing: T): Read<T> {
  return (value) => read(value) ?? missing;
}
export const textOrEmpty = withDefault(text, "");
export const nameOrEmpty = withDefault(name, "");
export const numberOrZero = withDefault(number, 0);

export function listOf<T>(read: Read<T>): Read<T[]> {
  return (value) => value.items().map(read);
}

/** Keys whose values are all read in the same way. */
export function each<T, Key extends string>(read: Read<T>, ...keys: readonly Key[]) {
  return Object.fromEntries(keys.map((key) => [key, read])) as Readonly<Record<Key, Read<T>>>;
}

export function optional<T>(read: Read<T>): Read<T | undefined> {
  return (value) => (value.exists ? read(value) : undefined);
}

/** An object with these keys. All other keys are dropped, and so are those whose value is missing. */
export function objectOf<S extends Shape>(shape: S): Read<ObjectOf<S>> {
  const keys = Object.entries(shape);
  return (value) =>
    withoutUndefined(Object.fromEntries(keys.map(([key, read]) => [key, read(value.at(key))]))) as ObjectOf<S>;
}
