import { createRequire } from "node:module";
import { basename } from "node:path";
import type * as yaml from "js-yaml";
import { isRecord } from "../../components/core/reader/records";
import { groupBy } from "./cluster-snapshot";
import { describedNodes } from "./describe";
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
