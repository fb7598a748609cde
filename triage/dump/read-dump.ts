import { refuse, type Problem } from "../../components/core/problems";
import { Cursor, defined } from "../objects/cursor";
import { resourceNames, resourceOfKind, resources, type KubernetesObject, type Resource } from "../objects/kinds";
import { dumpVersion, noObjects, type Dump, type LogExcerpt, type Subject, type Unread } from "./dump";
import { latestTime } from "./latest-time";

/**
 * Reads a file that `--save` wrote, or the output of `kubectl get ... -o json`.
 *
 * @throws InputError with every problem, each with its path in the file
 */
export function readDump(text: string, file: string): Dump {
  const problems: Problem[] = [];
  const dump = dumpOf(parsed(text, file), problems);
  refuse(`the dump ${file}`, problems);
  return dump;
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const why = `It is not JSON: ${(error as Error).message.slice(0, 120)}.`;
    const fix = "write it with eks-gpu-lab triage --save, or with kubectl get ... -o json";
    refuse("the dump", [{ code: "wrong-type", path: file, got: text.slice(0, 40), why, fix }]);
    return undefined;
  }
}

function dumpOf(value: unknown, problems: Problem[]): Dump {
  const root = new Cursor(value, "", problems);
  const kind = root.at("kind").text() ?? "";
  if (kind === "TriageDump") return savedDump(root, problems);
  const objects = root.at("items").there ? listed(root, kind) : single(root, kind, problems);
  const found = resourceNames.filter((name) => objects[name].length > 0);
  const unread = resourceNames
    .filter((name) => !found.includes(name) && !optional.includes(name))
    .map((what): Unread => ({ what, where: "the file", why: "the file has none" }));
  return { ...defined({ takenAt: latestTime(objects) }), read: found, unread, objects, logs: [], journal: [] };
}

/** Resources of which a cluster may well have none. */
const optional: readonly Resource[] = ["jobs", "clusterpolicies", "persistentvolumeclaims", "replicasets"];

function savedDump(root: Cursor, problems: Problem[]): Dump {
  const version = root.at("version").number();
  if (version !== dumpVersion) {
    const why = `This tool reads version ${dumpVersion}.`;
    const fix = "take the dump again with this version of the tool";
    problems.push({ code: "version", path: "version", got: version, why, fix });
  }
  const takenAt = root.at("takenAt");
  const time = takenAt.text();
  if (time !== undefined && Number.isNaN(Date.parse(time))) takenAt.complain("a time such as 2026-01-31T12:00:00Z");
  const read = root
    .at("read")
    .each()
    .flatMap((one) => resourceNames.filter((name) => name === one.text()));
  return {
    ...defined({
      context: root.at("context").text(),
      subject: readSubject(root.at("subject")),
      namespace: root.at("namespace").name(),
      takenAt: time,
    }),
    read,
    unread: root.at("unread").each().map(readUnread),
    logs: root.at("logs").each().map(readLog),
    journal: texts(root.at("journal")),
    objects: listed(root, "List"),
  };
}

function readSubject(subject: Cursor): Subject | undefined {
  const [kind, name, namespace] = [
    subject.at("kind").text(),
    subject.at("name").name(),
    subject.at("namespace").name(),
  ];
  if (!name) return undefined;
  return kind === "node" ? { kind, name } : { kind: "pod", name, namespace: namespace ?? "default" };
}

function readUnread(one: Cursor): Unread {
  return {
    what: one.at("what").text() ?? "",
    where: one.at("where").text() ?? "",
    why: one.at("why").text() ?? "",
  };
}

function readLog(one: Cursor): LogExcerpt {
  const [namespace, pod] = [one.at("namespace").name() ?? "", one.at("pod").name() ?? ""];
  return { namespace, pod, lines: texts(one.at("lines")) };
}

function texts(list: Cursor): string[] {
  return list.each().flatMap((item) => item.text() ?? []);
}

/** The items of a list. Those of a `PodList`, as the API answers, have no kind of their own. */
function listed(root: Cursor, kind: string): Dump["objects"] {
  const common = kind.endsWith("List") && kind !== "List" ? kind.slice(0, -"List".length) : undefined;
  const objects = root
    .at("items")
    .each()
    .flatMap((item) => {
      const own = item.at("kind").text() ?? common;
      if (own === undefined || own === "") item.at("kind").complain("the kind of the object", "add it, e.g. Pod");
      return readItem(item, own ?? "");
    });
  return grouped(objects);
}

function single(root: Cursor, kind: string, problems: Problem[]): Dump["objects"] {
  const object = readItem(root, kind);
  if (object.length === 0 && problems.length === 0) {
    const why = "It is neither a dump nor a list of Kubernetes objects: it has no items.";
    const fix = "write it with eks-gpu-lab triage --save, or with kubectl get ... -o json";
    problems.push({ code: "missing", path: "items", got: undefined, why, fix });
  }
  return grouped(object);
}

/** Kinds that triage does not read are left out. A name is what everything else hangs on. */
function readItem(item: Cursor, kind: string): KubernetesObject[] {
  const resource = resourceOfKind(kind);
  if (!resource) return [];
  const object = resources[resource].read(item);
  if (object.metadata.name === "") item.at("metadata").at("name").complain("the name of the object");
  return [object];
}

/** Sorted by resource; of objects that come twice the last one counts. */
export function grouped(objects: readonly KubernetesObject[]): Dump["objects"] {
  const unique = new Map(
    objects.map((one) => [`${one.kind}/${one.metadata.namespace ?? ""}/${one.metadata.name}`, one]),
  );
  const all = [...unique.values()];
  const entries = resourceNames.map((name) => [name, all.filter(({ kind }) => kind === resources[name].kind)]);
  return { ...noObjects, ...(Object.fromEntries(entries) as Partial<Dump["objects"]>) };
}
