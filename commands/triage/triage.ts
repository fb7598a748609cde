import { existsSync } from "node:fs";
import { readFile, readdir, stat } from "node:fs/promises";
import { resolve, join, relative } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { InputError, refuse } from "../../components/core/problems";
import { withoutUndefined } from "../../components/core/reader/records";
import { nearest } from "../../components/core/suggest";
import { mergeDumps, writeDump, type Dump, type Subject } from "../../triage/snapshot/dump";
import { getterFor, Unreachable } from "../../components/core/kubernetes-api/api";
import { connect } from "../../components/core/kubernetes-api/connect";
import { readCluster } from "../../triage/snapshot/live/read-cluster";
import { isEmptyJournal, recognizedJournalLines } from "../../triage/snapshot/logs/containerd-journal";
import { readCollected, readDump } from "../../triage/snapshot/read-dump";
import { areOfTwoClusters, compare } from "../../triage/compare";
import { comparisonJson, comparisonText } from "../../triage/report/comparison";
import { renderJson } from "../../triage/report/json";
import { renderText } from "../../triage/report/text";
import { foundProblems, triage } from "../../triage/triage";
import { exitStatus, type Console } from "../core/command";
import { readFileOf, writeFileOf, wrongOption } from "../core/files";
import { progressOn, textStyle } from "../core/terminal";
import { triageCommand } from "./triage-options";
import { gunzipSync } from "node:zlib";
import type { CollectedFile } from "../../triage/snapshot/collected";

type TriageOptions = ReturnType<typeof triageCommand.read>;

/** `eks-gpu-lab triage`: finds out why a GPU pod does not run. */
export async function runTriage(args: readonly string[], console: Console, now = new Date()): Promise<number> {
  const options = triageCommand.read(args);
  const { log, compare: baseline } = options;
  const before = baseline === undefined ? undefined : await readBaseline(baseline, console);
  const journal = log === undefined ? [] : await readJournal(log, console);
  const found = options.from.length > 0 ? await readFiles(options, console) : await readLive(options, console, now);
  const nodeLogs = [...(found.nodeLogs ?? []), ...(log === undefined ? [] : [`--log ${log}`])];
  const dump: Dump = { ...found, journal: [...found.journal, ...journal], nodeLogs };
  if (options.from.length > 0) requireObjects(dump, options.from);
  requireSubject(dump);
  if (options.save !== undefined) await writeFileOf("--save", options.save, writeDump(dump), console);
  if (before) return writeComparison(before, dump, options, console);
  const report = triage(dump);
  console.write(options.json ? renderJson(report) : renderText(report, textStyle(console)));
  return foundProblems(report) ? exitStatus.rejected : exitStatus.ok;
}

/** The cluster at an earlier time. Files of other tools do not say what they leave out. */
async function readBaseline(file: string, console: Console): Promise<Dump> {
  const text = await readInput("--compare", file, console);
  const dump = readDump(text, file);
  if (/"kind":\s*"TriageDump"/.test(text)) return dump;
  const fix = "save the cluster with eks-gpu-lab triage --save FILE before the change";
  throw wrongOption("--compare", file, "Must be a file that --save wrote.", fix);
}

function writeComparison(before: Dump, after: Dump, options: TriageOptions, console: Console): number {
  if (areOfTwoClusters(before, after)) {
    const why = `Was saved from another cluster (context ${before.context ?? "unknown"}, now ${after.context ?? "unknown"}): the two have no objects in common.`;
    throw wrongOption("--compare", options.compare ?? "", why, "use the context of the file, or save this cluster");
  }
  const differences = compare(before, after);
  const render = options.json ? comparisonJson : comparisonText;
  console.write(render({ before, after, differences }, textStyle(console)));
  return differences.some(({ worse }) => worse) ? exitStatus.rejected : exitStatus.ok;
}

async function readLive(options: TriageOptions, console: Console, now: Date): Promise<Dump> {
  const progress = progressOn(console);
  progress("connecting");
  const { context, kubeconfig: file } = options;
  const kubeconfig = file === undefined ? file : resolve(console.cwd, file);
  const connection = await connect(withoutUndefined({ kubeconfig, context }));
  const subject = subjectOf(options, options.namespace ?? connection.namespace ?? "default");
  try {
    const dump = await readCluster(getterFor(connection, options.timeout * 1000), {
      ...{ logs: !options.noLogs, now, progress, context: connection.context },
      subject,
      namespace: options.namespace,
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
  const why = `Nodes and pods cannot be read (${whys}).`;
  const fix = "ask your administrator for the role in docs/triage.md, or check a saved dump with --from FILE";
  return { code: "missing" as const, path: context ?? "context", got: undefined, why, fix };
}

/** A file without any object that triage checks does not show whether a cluster is healthy. */
function requireObjects({ read, logs, journal, nodeLogs = [] }: Dump, files: readonly string[]): void {
  if (read.length + logs.length + journal.length + nodeLogs.length > 0) return;
  const why = "Contains no node, pod or other object that triage checks.";
  const fix = "save them with eks-gpu-lab triage --save or kubectl get nodes,pods,events -A -o json";
  refuse("the dump", [{ code: "missing", path: files.join(", "), got: undefined, why, fix }]);
}

function subjectOf({ subject }: TriageOptions, namespace: string): Subject | undefined {
  if (!subject) return undefined;
  return subject.kind === "pod" ? { kind: "pod", name: subject.name, namespace } : { kind: "node", name: subject.name };
}

/** The subject on the command line takes precedence over the subject of a saved dump. */
async function readFiles(options: TriageOptions, console: Console): Promise<Dump> {
  const dumps: Dump[] = [];
  for (const file of options.from) dumps.push(await readSource(file, console));
  const [first, ...others] = dumps;
  if (!first) throw new Error("no dump");
  const dump = mergeDumps([first, ...others]);
  const namespace = options.namespace ?? dump.namespace;
  const subject =
    subjectOf(options, namespace ?? namespaceOf(dump, options.subject?.name) ?? "default") ?? dump.subject;
  return { ...dump, namespace, subject };
}

/** A file, or the directory or archive that another tool collected. */
async function readSource(file: string, console: Console): Promise<Dump> {
  const path = resolve(console.cwd, file);
  const files = file === "-" || !existsSync(path) ? undefined : await collectedFiles(path);
  return files ? readCollected(files) : readDump(await readInput("--from", file, console), file);
}

/** The namespace of the only pod with a name. */
function namespaceOf({ objects }: Dump, name: string | undefined): string | undefined {
  const found = objects.pods.filter(({ metadata }) => metadata.name === name);
  return found.length === 1 ? found[0]?.metadata.namespace : undefined;
}

/** Rejects the name of a pod or node that does not exist, if these objects could be read. */
function requireSubject({ subject, objects, read, unread }: Dump): void {
  if (!subject) return;
  const resource = subject.kind === "pod" ? "pods" : "nodes";
  const existing = objects[resource].filter(
    ({ metadata }) => subject.kind === "node" || metadata.namespace === subject.namespace,
  );
  const names = existing.map(({ metadata }) => metadata.name);
  const isDenied = unread.some(({ what }) => what === resource || what === `${resource}/${subject.name}`);
  if (names.includes(subject.name) || !read.includes(resource) || isDenied) return;
  const place = subject.kind === "pod" ? `-n ${subject.namespace} ` : "";
  const guess = nearest(subject.name, names);
  const fix = guess === undefined ? `list them with kubectl get ${place}${resource}` : `did you mean ${guess}?`;
  const where = subject.kind === "pod" ? ` in namespace ${subject.namespace}` : "";
  throw wrongOption(`triage ${subject.kind}`, subject.name, `The ${subject.kind} does not exist${where}.`, fix);
}

async function readJournal(file: string, console: Console): Promise<string[]> {
  const text = await readInput("--log", file, console);
  if (isEmptyJournal(text)) {
    const why = "The file contains no entries. On a node, only root can read the journal of containerd.";
    const fix = "save it again with sudo journalctl -u containerd --no-pager -n 500 > /tmp/journal.txt";
    throw wrongOption("--log", file, why, fix);
  }
  return recognizedJournalLines(text);
}

async function readInput(option: string, file: string, { cwd }: Console): Promise<string> {
  return file === "-" ? await readAll(process.stdin) : await readFileOf(option, file, cwd);
}

/** Triage does not read larger files. */
const maxBytes = 64 * 1024 * 1024;
const maxFiles = 20_000;
const readable = /\.(?:json|ya?ml|log|txt|descr|describe)$|dmesg[\w.]*$|messages$/;

/** The files of a directory, or of an archive that tar and gzip wrote; undefined for any other file. */
export async function collectedFiles(path: string): Promise<CollectedFile[] | undefined> {
  if ((await stat(path)).isDirectory()) return filesIn(path);
  return /\.(?:tar\.gz|tgz)$/.test(path) ? filesOfTar(gunzipSync(await readFile(path))) : undefined;
}

async function filesIn(folder: string): Promise<CollectedFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((one) => one.isFile() && readable.test(one.name))
    .map((one) => join(one.parentPath, one.name));
  const files = paths.slice(0, maxFiles).map(async (path) => {
    const isSmall = (await stat(path)).size <= maxBytes;
    return isSmall ? [{ path: relative(folder, path), text: await readFile(path, "utf8") }] : [];
  });
  return (await Promise.all(files)).flat();
}

/** @see https://www.gnu.org/software/tar/manual/html_node/Standard.html */
function filesOfTar(archive: Buffer): CollectedFile[] {
  const files: CollectedFile[] = [];
  let longName: string | undefined;
  for (let at = 0; at + 512 <= archive.length && archive[at] !== 0;) {
    const field = (from: number, length: number) =>
      archive.toString("utf8", at + from, at + from + length).replace(/\0[^]*$/, "");
    const size = Number.parseInt(field(124, 12).trim(), 8) || 0;
    const content = archive.subarray(at + 512, at + 512 + size);
    const [type, prefix] = [field(156, 1), field(257, 5) === "ustar" ? field(345, 155) : ""];
    const path = longName ?? join(prefix, field(0, 100));
    longName = type === "L" ? content.toString("utf8").replace(/\0[^]*$/, "") : undefined;
    if ((type === "0" || type === "") && readable.test(path)) files.push({ path, text: content.toString("utf8") });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}
