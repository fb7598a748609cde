import { refuse, type Problem } from "../../components/core/problems";
import { named } from "./cluster-snapshot";
import { contentByPath, contentOf, type CollectedFile, type Content } from "./collected";
import { dumpVersion, latestTime, mergeDumps, type Dump, type LogExcerpt, type Subject, type Unread } from "./dump";
import { isRecord, withoutUndefined } from "../../components/core/reader/records";
import {
  groupByResource,
  resourceNames,
  resourceOfKind,
  resources,
  type KubernetesObject,
  type Meta,
  type Objects,
} from "./objects/resources";
import { saysError } from "./logs/known-errors";
import { ObjectReader } from "./objects/object-reader";
import { listOf, name, nameOrEmpty, objectOf, textOrEmpty, texts } from "./objects/shape";
import { allStatuses, keepsEnding } from "./pods";

const howToSave = "create it with eks-gpu-lab triage --save or kubectl get ... -o json";

/**
 * Reads a file that `--save` wrote, or the output of `kubectl get` or `kubectl cluster-info dump` in JSON or YAML.
 *
 * @throws InputError with every problem, each with its path in the file
 */
export function readDump(text: string, file: string): Dump {
  const content = contentOf(text);
  if (!content) return refuseText(text, file);
  const problems: Problem[] = [];
  const dump = dumpOfContent(content, problems);
  refuse(`the dump ${file}`, problems);
  return withoutIdleLogs(dump);
}

/** Reads what a tool collected into a directory or an archive. Files that hold nothing for triage are skipped. */
export function readCollected(files: readonly CollectedFile[]): Dump {
  const dumps = files
    .filter(({ path }) => /\.(?:json|ya?ml|descr?|describe)$|logs\.txt$/.test(path))
    .map(({ text }) => contentOf(text));
  const objects = dumps.flatMap((content) => (content ? [dumpOfContent(content, [])] : []));
  const pods = objects.flatMap((dump) => dump.objects.pods);
  const podNamed = (name: string) => pods.find(({ metadata }) => metadata.name === name || isOperator(name, metadata));
  const namespaceOf = (name: string) => podNamed(name)?.metadata.namespace ?? "gpu-operator";
  const byPath = files
    .flatMap((one) => contentByPath(one, namespaceOf) ?? [])
    .map((content) => ({
      ...content,
      logs: content.logs.map((log) => ({ ...log, pod: podNamed(log.pod)?.metadata.name ?? log.pod })),
    }));
  return withoutIdleLogs(
    mergeDumps([
      dumpOfContent({ documents: [], logs: [], journal: [] }, []),
      ...objects,
      ...byPath.map((one) => dumpOfContent(one, [])),
    ]),
  );
}

/** Without the last lines of containers that run: they may hold anything, and tell of no fault. */
function withoutIdleLogs(dump: Dump): Dump {
  const isEnding = ({ namespace, pod: name, container }: LogExcerpt) => {
    const pod = named(dump.objects.pods, { namespace, name });
    return pod && allStatuses(pod).some((one) => keepsEnding(one) && (container ?? one.name) === one.name);
  };
  return { ...dump, logs: dump.logs.filter((log) => saysError(log.lines) || isEnding(log)) };
}

function isOperator(name: string, { labels }: Meta): boolean {
  return name === "gpu-operator" && labels["app"] === "gpu-operator";
}

function refuseText(text: string, file: string): never {
  try {
    JSON.parse(text);
  } catch (error) {
    const why =
      text.trim() === ""
        ? "The file is empty."
        : `Must be JSON or YAML: ${(error as Error).message.replace(/\s+/g, " ").slice(0, 120)}.`;
    refuse("the dump", [{ code: "wrong-type", path: file, got: text.slice(0, 40) || undefined, why, fix: howToSave }]);
  }
  throw new Error("unreadable dump");
}

/** Several documents are one list: `kubectl` writes a document for each object or kind. */
function dumpOfContent({ documents, logs, journal, nodeLogs = [] }: Content, problems: Problem[]): Dump {
  const [first, ...others] = documents;
  const isKnown = (one: unknown) =>
    isRecord(one) && ("items" in one || resourceOfKind(String(one["kind"])) !== undefined);
  const dumps = others.length === 0 ? documents : documents.filter(isKnown);
  const [dump = dumpOf({ kind: "List", items: [] }, problems), ...more] = dumps.map((one) => dumpOf(one, problems));
  const merged = first === undefined ? dump : mergeDumps([dump, ...more]);
  return {
    ...merged,
    logs: [...merged.logs, ...logs],
    journal: [...merged.journal, ...journal],
    nodeLogs: [...(merged.nodeLogs ?? []), ...nodeLogs],
  };
}

function dumpOf(value: unknown, problems: Problem[]): Dump {
  const root = ObjectReader.of(value, "", problems);
  const kind = root.at("kind").string() ?? "";
  if (kind === "TriageDump") return readSavedDump(root, problems);
  const objects = root.at("items").exists ? readList(root, kind) : readSingle(root, kind, problems);
  const read = resourceNames.filter((name) => objects[name].length > 0);
  const unread = resourceNames
    .filter((name) => !read.includes(name) && resources[name].isOptional !== true)
    .map((what): Unread => ({ what, where: "the file", why: "the file contains none" }));
  return { ...withoutUndefined({ takenAt: latestTime(objects) }), read, unread, objects, logs: [], journal: [] };
}

function readSavedDump(root: ObjectReader, problems: Problem[]): Dump {
  const version = root.at("version").number();
  if (version !== dumpVersion) {
    const why = `Must be ${dumpVersion}, the version that this tool reads.`;
    const fix = "take the dump again with this version of the tool";
    problems.push({ code: "version", path: "version", got: version, why, fix });
  }
  const takenAt = root.at("takenAt");
  const time = takenAt.string();
  if (time !== undefined && Number.isNaN(Date.parse(time))) takenAt.report("a time such as 2026-01-31T12:00:00Z");
  const read = root.at("read").strings();
  return {
    ...withoutUndefined({
      context: root.at("context").string(),
      subject: readSubject(root.at("subject")),
      namespace: root.at("namespace").name(),
      takenAt: time,
    }),
    read: resourceNames.filter((name) => read.includes(name)),
    unread: readUnread(root.at("unread")),
    logs: readLogs(root.at("logs")),
    journal: root.at("journal").strings(),
    nodeLogs: root.at("nodeLogs").strings(),
    objects: readList(root, "List"),
  };
}

function readSubject(subject: ObjectReader): Subject | undefined {
  const kind = subject.at("kind").string();
  const name = subject.at("name").name();
  const namespace = subject.at("namespace").name() ?? "default";
  if (!name) return undefined;
  return kind === "node" ? { kind, name } : { kind: "pod", name, namespace };
}

const readUnread = listOf(objectOf({ what: textOrEmpty, where: textOrEmpty, why: textOrEmpty }));
const readLogs = listOf(objectOf({ namespace: nameOrEmpty, pod: nameOrEmpty, container: name, lines: texts }));

/** Reads a list. The items of a `PodList`, as the API returns it, have no kind of their own. */
function readList(root: ObjectReader, kind: string): Objects {
  const commonKind = kind.endsWith("List") && kind !== "List" ? kind.slice(0, -"List".length) : undefined;
  const objects = root
    .at("items")
    .items()
    .map((item) => {
      const own = item.at("kind").string() ?? commonKind ?? "";
      if (own === "") item.at("kind").report("the kind of the object", "add the kind, e.g. Pod");
      return readItem(item, own);
    });
  return groupByResource(objects.flat());
}

function readSingle(root: ObjectReader, kind: string, problems: Problem[]): Objects {
  const object = readItem(root, kind);
  if (object.length === 0 && problems.length === 0) {
    const why = "The file must be a dump or a list of Kubernetes objects.";
    problems.push({ code: "missing", path: "items", got: undefined, why, fix: howToSave });
  }
  return groupByResource(object);
}

/** Reads an object; an empty list for a kind that triage does not read. Objects are identified by name. */
function readItem(item: ObjectReader, kind: string): KubernetesObject[] {
  const resource = resourceOfKind(kind);
  if (!resource) return [];
  const object = resources[resource].read(item);
  if (object.metadata.name === "") item.at("metadata").at("name").report("the name of the object");
  return [object];
}
