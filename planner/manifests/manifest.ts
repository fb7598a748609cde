import { readdirSync, readFileSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import { isRecord, optionalProperty } from "../../components/core/reader/records";
import { isUnknown } from "../../components/core/reader/truth";
import { unwrap, type Properties } from "../../components/core/wire";
import { attempt } from "../program/attempt";
import { matches } from "../../policies/engine/glob";
import { yamlDocuments } from "../../policies/engine/yaml";

/** An object of Kubernetes, in wire form, and the file that describes it. */
export interface Manifest {
  readonly object: Properties;
  readonly file?: string;
  /** The names that it had before kustomizations changed them. @default none */
  readonly names?: readonly string[];
}

/** Objects, and sentences on what cannot be read. */
export interface Manifests {
  readonly objects: readonly Manifest[];
  readonly unread: readonly string[];
}

export function joined(parts: readonly Manifests[]): Manifests {
  return { objects: parts.flatMap(({ objects }) => objects), unread: parts.flatMap(({ unread }) => unread) };
}

export function unreadable(why: string): Manifests {
  return { objects: [], unread: [why] };
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

/** The objects in a file. */
export function ofFile(file: unknown): Manifests {
  if (typeof file !== "string" || isUnknown(file))
    return unreadable("the name of a file is known only after the update");
  if (isUrl(file)) return unreadable(`${file} is not loaded`);
  const text = readText(file);
  const name = isAbsolute(file) ? relative(process.cwd(), file) : file;
  if (text === undefined) return unreadable(`${name} cannot be read`);
  return ofText(text, name);
}

/**
 * The objects in a text.
 *
 * @param file the file of the text
 */
export function ofText(text: unknown, file?: string): Manifests {
  const name = file ?? "a text";
  if (typeof text !== "string" || isUnknown(text)) return unreadable("a text is known only after the update");
  const documents = yamlDocuments(text);
  if (!documents) return unreadable(`${name} is not YAML`);
  return joined(documents.map((document) => ofObject(document, name, file)));
}

/** Objects that the program states. */
export function ofObjects(objects: unknown): Manifests {
  if (isUnknown(objects)) return unreadable("its objects are known only after the update");
  return joined(listOf(objects).map((object) => ofObject(object, "an object of objs")));
}

/** An object, or the items of a list. */
function ofObject(wire: unknown, name: string, file?: string): Manifests {
  const object = unwrap({ wire }).properties["wire"];
  if (isUnknown(object)) return unreadable(`${name} is known only after the update`);
  if (object === undefined || object === null) return none;
  if (!isRecord(object)) return unreadable(`${name} is not an object of Kubernetes`);
  // The whole object can be a secret, or the value of an output.
  const own = isRecord(wire) && Object.hasOwn(wire, "kind") ? wire : object;
  return Object.keys(object).length === 0 ? none : ofKind(object, own, name, file);
}

function ofKind(object: Properties, wire: Properties, name: string, file?: string): Manifests {
  const { apiVersion, kind, items } = object;
  if ([apiVersion, kind].some(isUnknown)) return unreadable(`the kind of ${name} is known only after the update`);
  if (typeof apiVersion !== "string" || typeof kind !== "string")
    return unreadable(`${name} has no apiVersion or kind`);
  if (!kind.endsWith("List") || !Array.isArray(items)) {
    return { objects: [{ object: wire, ...optionalProperty("file", file) }], unread: [] };
  }
  const inList = Array.isArray(wire["items"]) ? wire["items"] : items;
  return joined(inList.map((item: unknown) => ofObject(item, name, file)));
}

const none: Manifests = { objects: [], unread: [] };

/** Whether the name of a file has a scheme, such as `https:`. */
export function isUrl(file: string): boolean {
  return /^[a-z][a-z+.-]*:\/\//i.test(file);
}

/** The text of a file; undefined if it cannot be read. */
export function readText(file: string): string | undefined {
  return attempt(() => readFileSync(file, "utf8"));
}

/** The files that a pattern of the Go function `filepath.Glob` matches, in alphabetical order: `*` and `?` match no slash. */
export function matchingFiles(pattern: string): readonly string[] {
  return pattern
    .split("/")
    .reduce<readonly string[]>((paths, part) => paths.flatMap((path) => entries(path, part)), [""])
    .map((path) => path.slice(1));
}

/** Each path starts with a slash more than it has. */
function entries(path: string, part: string): readonly string[] {
  if (!/[*?[]/.test(part)) return [`${path}/${part}`];
  const class_ = /\[[^\]]+\]/.test(part) ? classPattern(part) : undefined;
  const isMatch = (name: string) => class_?.test(name) ?? matches(name, part);
  return namesIn(path === "" ? "." : path.slice(1) || "/")
    .filter((name) => isMatch(name))
    .map((name) => `${path}/${name}`);
}

function classPattern(part: string): RegExp {
  const escaped = part.replace(/[.+^${}()|\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll("*", ".*").replaceAll("?", ".")}$`);
}

function namesIn(folder: string): readonly string[] {
  return attempt(() => readdirSync(folder).sort()) ?? [];
}
