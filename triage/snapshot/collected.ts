import type * as yaml from "js-yaml";
import { createRequire } from "node:module";
import { basename } from "node:path";
import { isRecord, withoutUndefined } from "../../components/core/reader/records";
import { groupBy } from "./cluster-snapshot";
import type { Dump, LogExcerpt } from "./dump";
import { recognizedJournalLines } from "./logs/containerd-journal";
import { lastLines } from "./logs/known-errors";

/** A file of a directory or an archive that another tool collected. */
export interface CollectedFile {
  /** Relative to the directory or in the archive. */
  readonly path: string;
  readonly text: string;
}

/** What a file holds: objects, and logs that stand between or beside them. */
export type Content = Pick<Dump, "logs" | "journal" | "nodeLogs"> & { readonly documents: readonly unknown[] };

const logSection = /^==== START logs for container (\S+) of pod ([^\s/]+)\/(\S+) ====\n([^]*?)^==== END logs .*$/gm;

/**
 * The content of one file: JSON, YAML, what `kubectl describe nodes` prints, or what `kubectl cluster-info dump` prints,
 * which is JSON documents and logs.
 *
 * @returns undefined if the text is none of these
 */
export function contentOf(text: string): Content | undefined {
  const logs = [...text.matchAll(logSection)].flatMap(([, container = "", namespace = "", pod = "", log = ""]) =>
    excerptOf({ namespace, pod, container }, log),
  );
  const rest = text
    .replace(logSection, "")
    .replace(/^\uFEFF/, "")
    .trim();
  if (rest === "" && logs.length === 0) return undefined;
  const isDescription = /^Name: +\S+ *\r?\n(?:Roles?|Labels):/.test(rest);
  if (isDescription) return { documents: describedNodes(rest), logs, journal: [] };
  const documents = rest === "" ? [] : (jsonOf([rest]) ?? jsonOf(rest.split(/^(?=\{$)/m)) ?? yamlOf(rest));
  return documents && { documents, logs, journal: [] };
}

function jsonOf(texts: readonly string[]): unknown[] | undefined {
  try {
    return texts.map((text): unknown => JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Only an object counts: any text is a string in YAML. */
function yamlOf(text: string): unknown[] | undefined {
  if (!/^(?:---\s*$|[\w-]+:(?: |$))/m.test(text.slice(0, 2000))) return undefined;
  const { CORE_SCHEMA, loadAll } = createRequire(__filename)("js-yaml") as typeof yaml;
  try {
    const documents = loadAll(text, { schema: CORE_SCHEMA });
    return documents.length > 0 && documents.every(isRecord) ? documents : undefined;
  } catch {
    return undefined;
  }
}

function excerptOf(of: Omit<LogExcerpt, "lines">, log: string): LogExcerpt[] {
  const lines = lastLines(log);
  return lines.length === 0 ? [] : [{ ...of, lines }];
}

const nodeLog =
  /(?:^|\/)(?:containerd\/containerd-log\.txt$|kernel\/dmesg|kubelet\/kubelet\.log$|var_log\/messages$|gpu\/nvidia-bug-report)/;

/**
 * The content of a file that is known by its path: of EKS's log collector, or a log of the GPU Operator's must-gather.
 *
 * @see https://github.com/awslabs/amazon-eks-ami/blob/main/log-collector-script/linux/eks-log-collector.sh
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/hack/must-gather.sh
 */
export function contentByPath(
  { path, text }: CollectedFile,
  namespaceOf: (pod: string) => string,
): Content | undefined {
  if (nodeLog.test(path)) {
    return { documents: [], logs: [], journal: recognizedJournalLines(text), nodeLogs: [path] };
  }
  const [, pod] = /^gpu_oper(?:and|ator)_pod_?(.*?)(?:\.previous)?\.log$/.exec(basename(path)) ?? [];
  if (pod === undefined) return undefined;
  const name = pod === "" ? "gpu-operator" : pod;
  const containers = groupBy(
    [...text.matchAll(/^\[pod\/[^\]/]+\/([^\]]+)\] (.*)$/gm)],
    ([, container = ""]) => container,
  );
  const place = { namespace: namespaceOf(name), pod: name };
  const logs = [...containers].flatMap(([container, lines]) =>
    excerptOf({ ...place, container }, lines.map(([, , line]) => line).join("\n")),
  );
  return { documents: [], logs: containers.size > 0 ? logs : excerptOf(place, text), journal: [] };
}

/**
 * The nodes in the output of `kubectl describe nodes`, as the API gives them. Only the fields that triage reads are
 * there; the pods and the events at the end are left out.
 *
 * @see https://github.com/kubernetes/kubectl/blob/v0.35.0/pkg/describe/describe.go describeNode
 */
function describedNodes(text: string): unknown[] {
  return text.split(/^(?=Name: )/m).flatMap((block) => {
    const sections = sectionsOf(block);
    const [name] = sections.get("Name") ?? [];
    return name === undefined ? [] : [nodeOf(name, sections)];
  });
}

type Sections = ReadonlyMap<string, readonly string[]>;

/** The lines of each section: what stands after its name, and the indented lines below. */
function sectionsOf(block: string): Sections {
  const sections = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of block.split("\n")) {
    const [, name, rest = ""] = /^(\w[\w -]*):(.*)$/.exec(line) ?? [];
    if (name !== undefined) sections.set(name, (lines = []));
    const value = (name === undefined ? line : rest).trim();
    if (value !== "" && value !== "<none>") lines.push(value);
  }
  return sections;
}

function nodeOf(name: string, sections: Sections) {
  const lines = (section: string) => sections.get(section) ?? [];
  const values = (section: string, separator: string) =>
    Object.fromEntries(lines(section).map((line) => splitAt(line, separator)));
  return {
    kind: "Node",
    metadata: withoutUndefined({
      name,
      labels: values("Labels", "="),
      creationTimestamp: timeOf(lines("CreationTimestamp")[0]),
    }),
    spec: withoutUndefined({
      providerID: lines("ProviderID")[0],
      unschedulable: lines("Unschedulable")[0] === "true" ? true : undefined,
      taints: lines("Taints").map(taintOf),
    }),
    status: {
      capacity: values("Capacity", ":"),
      allocatable: values("Allocatable", ":"),
      conditions: lines("Conditions").slice(2).map(conditionOf),
      nodeInfo: withoutUndefined({ osImage: values("System Info", ":")["OS Image"] }),
    },
  };
}

function splitAt(line: string, separator: string): [name: string, value: string] {
  const at = line.indexOf(separator);
  return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}

function taintOf(line: string) {
  const [, key, value, effect] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(line) ?? [];
  return withoutUndefined({ key, value, effect });
}

/** A row of the table, below its two lines of headings. */
function conditionOf(row: string) {
  const [type, status, heartbeat, transition, reason, ...message] = row.split(/ {2,}/);
  return withoutUndefined({
    ...{ type, status, reason, message: message.join("  ") },
    lastHeartbeatTime: timeOf(heartbeat),
    lastTransitionTime: timeOf(transition),
  });
}

/** `Sun, 22 Nov 2026 10:00:00 +0000` as the API writes it. */
function timeOf(text: string | undefined): string | undefined {
  // kubectl writes a missing time as one of the year 1, which JavaScript reads as 2001.
  const time = / 0001 /.test(text ?? "") ? NaN : Date.parse(text ?? "");
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
