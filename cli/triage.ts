import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { InputError, refuse } from "../components/core/problems";
import { nearest } from "../components/core/suggest";
import { isEmptyJournal, tellingJournal } from "../triage/classify/containerd-log";
import type { Dump, Subject } from "../triage/dump/dump";
import { mergeDumps } from "../triage/dump/merge-dumps";
import { readDump } from "../triage/dump/read-dump";
import { writeDump } from "../triage/dump/write-dump";
import { getterFor, Unreachable } from "../triage/live/api";
import { connect } from "../triage/live/connect";
import { readCluster } from "../triage/live/read-cluster";
import { renderJson } from "../triage/report/json";
import { renderText } from "../triage/report/text";
import { foundProblems, triage } from "../triage/triage";
import { exitStatus, type Console } from "./command";
import { complaint } from "./command-line";
import { progressOn, textStyle } from "./terminal";
import { readTriageOptions, type TriageOptions } from "./triage-options";

/** `eks-gpu-lab triage`: why does a GPU pod not run? */
export async function runTriage(args: readonly string[], console: Console, now = new Date()): Promise<number> {
  const options = readTriageOptions(args);
  const journal = options.log === undefined ? [] : await readJournal(options.log, console);
  const found = options.from.length > 0 ? await readFiles(options, console) : await readLive(options, console, now);
  const dump: Dump = { ...found, journal: [...found.journal, ...journal] };
  if (options.from.length > 0 && options.log === undefined) checkContents(dump, options.from);
  checkSubject(dump);
  if (options.save !== undefined) await save(options.save, dump, console);
  const report = triage(dump);
  console.write(options.json ? renderJson(report) : renderText(report, textStyle(console)));
  return foundProblems(report) ? exitStatus.rejected : exitStatus.ok;
}

async function readLive(options: TriageOptions, console: Console, now: Date): Promise<Dump> {
  const progress = progressOn(console);
  progress("connecting");
  const kubeconfig = options.kubeconfig === undefined ? undefined : resolve(console.cwd, options.kubeconfig);
  const { context } = options;
  const connection = await connect({
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
  });
  const subject = subjectOf(options, options.namespace ?? connection.namespace ?? "default");
  try {
    const dump = await readCluster(getterFor(connection, options.timeoutMs), {
      ...{ logs: options.logs, now, progress, context: connection.context },
      ...(subject && { subject }),
      ...(options.namespace !== undefined && { namespace: options.namespace }),
    });
    if (!dump.read.includes("nodes") && !dump.read.includes("pods")) refuse("the cluster", [nothingReadable(dump)]);
    return dump;
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    const { why, fix } = error;
    throw new InputError("the cluster", [{ code: "missing", path: connection.context, got: undefined, why, fix }]);
  } finally {
    progress("");
  }
}

function nothingReadable({ unread, context }: Dump) {
  const whys = [...new Set(unread.map(({ what, why }) => `${what}: ${why}`))].slice(0, 4).join("; ");
  const why = `Neither nodes nor pods can be read (${whys}).`;
  const fix = "ask for the role in docs/triage.md, or judge a dump that somebody else saved: --from FILE";
  return { code: "missing" as const, path: context ?? "context", got: undefined, why, fix };
}

/** An empty list, or one of kinds that triage does not read, says nothing of a cluster: not even that it is well. */
function checkContents({ read, logs, journal }: Dump, files: readonly string[]): void {
  if (read.length + logs.length + journal.length > 0) return;
  const why = "Nothing was read: there is no node, pod or other object in it that triage judges.";
  const fix = "save them with eks-gpu-lab triage --save, or with kubectl get nodes,pods,events -A -o json";
  refuse("the dump", [{ code: "missing", path: files.join(", "), got: undefined, why, fix }]);
}

function subjectOf({ subject }: TriageOptions, namespace: string): Subject | undefined {
  if (!subject) return undefined;
  return subject.kind === "pod" ? { kind: "pod", name: subject.name, namespace } : { kind: "node", name: subject.name };
}

/** What the command line asks about goes before what a dump was saved for. */
async function readFiles(options: TriageOptions, console: Console): Promise<Dump> {
  const dumps: Dump[] = [];
  for (const file of options.from) dumps.push(readDump(await contents("--from", file, console), file));
  const [first, ...others] = dumps;
  if (!first) throw new Error("no dump");
  const dump = mergeDumps([first, ...others]);
  const namespace = options.namespace ?? dump.namespace;
  const subject =
    subjectOf(options, namespace ?? namespaceOf(dump, options.subject?.name) ?? "default") ?? dump.subject;
  return { ...dump, ...(namespace !== undefined && { namespace }), ...(subject && { subject }) };
}

/** The namespace of the only pod of a name. */
function namespaceOf({ objects }: Dump, name: string | undefined): string | undefined {
  const found = objects.pods.filter(({ metadata }) => metadata.name === name);
  return found.length === 1 ? found[0]?.metadata.namespace : undefined;
}

/** A name that nothing has is a mistake in the question, where the answer could have been read. */
function checkSubject({ subject, objects, read, unread }: Dump): void {
  if (!subject) return;
  const resource = subject.kind === "pod" ? "pods" : "nodes";
  const there = objects[resource].filter(
    ({ metadata }) => subject.kind === "node" || metadata.namespace === subject.namespace,
  );
  const names = there.map(({ metadata }) => metadata.name);
  const denied = unread.some(({ what }) => what === resource || what === `${resource}/${subject.name}`);
  if (names.includes(subject.name) || !read.includes(resource) || denied) return;
  const place = subject.kind === "pod" ? `-n ${subject.namespace} ` : "";
  const guess = nearest(subject.name, names);
  const fix = guess === undefined ? `see kubectl get ${place}${resource}` : `did you mean ${guess}?`;
  const where = subject.kind === "pod" ? ` in namespace ${subject.namespace}` : "";
  refuse("the command line", [
    complaint(`triage ${subject.kind}`, subject.name, `There is no such ${subject.kind}${where}.`, fix),
  ]);
}

async function readJournal(file: string, console: Console): Promise<string[]> {
  const text = await contents("--log", file, console);
  if (isEmptyJournal(text)) {
    const why = "There is no entry in it: on a node only root sees the journal of containerd.";
    const fix = "save it anew with sudo journalctl -u containerd --no-pager -n 500 > /tmp/journal.txt";
    refuse("the command line", [complaint("--log", file, why, fix)]);
  }
  return tellingJournal(text);
}

async function contents(option: string, file: string, { cwd }: Console): Promise<string> {
  try {
    return file === "-" ? await readAll(process.stdin) : await readFile(resolve(cwd, file), "utf8");
  } catch (error) {
    const why = `It cannot be read: ${(error as Error).message}.`;
    throw new InputError("the command line", [complaint(option, file, why, "name a file that exists")]);
  }
}

async function save(file: string, dump: Dump, { cwd }: Console): Promise<void> {
  await writeFile(resolve(cwd, file), writeDump(dump)).catch((error: unknown) => {
    const why = `It cannot be written: ${(error as Error).message}.`;
    throw new InputError("the command line", [complaint("--save", file, why, "name a file in a folder that exists")]);
  });
}
