import type { ConclusionId } from "../../conclusions";
import { isOfNode } from "../../conclusions/known-causes";
import { knownError, looksLikeError, recognizedLines } from "./known-errors";

/**
 * The conclusions that a journal can show, in the order to fix them. containerd reads its configuration before it
 * creates its socket, so a broken configuration hides a directory in place of the socket. A daemon that cannot start
 * does not hang.
 */
const journalConclusions = [
  "containerd-config-broken",
  "containerd-socket-is-directory",
  "containerd-hangs",
  "containerd-left-over-shims",
  "toolkit-cannot-signal",
  "nvml-in-chroot",
] as const satisfies readonly ConclusionId[];

type JournalConclusion = (typeof journalConclusions)[number];

/** The lines of a journal that show one conclusion. */
interface JournalSign {
  readonly id: JournalConclusion;
  /** The newest of the lines that show it most clearly. */
  readonly line: string;
  readonly count: number;
  /** Whether the lines could also come from another program, or show only single slow calls. */
  readonly isVague: boolean;
}

/** `vague`: other programs use the same words. `repeated`: counts only from the third line on. */
type Weight = "clear" | "repeated" | "vague";

/** One pod that does not stop leaves two such lines. A daemon that does not respond leaves one for each call. */
const minRepeatedLines = 3;

/**
 * Messages of containerd 1.6 to 2.1, systemd and the NVIDIA tools.
 * @see https://github.com/containerd/containerd/blob/v2.1.0/plugins/server/grpc.go
 * @see https://github.com/containerd/containerd/blob/v2.1.0/cmd/containerd/server/config/config.go
 */
const patterns: readonly (readonly [JournalConclusion, RegExp, Weight?])[] = [
  ["toolkit-cannot-signal", /error signaling containerd/i],
  ["nvml-in-chroot", /failed to initialize NVML: unknown error/i],
  ["containerd-left-over-shims", /left-over process.*containerd-shim/i],
  [
    "containerd-socket-is-directory",
    /listener for main (?:\w+ )?endpoint.*is a directory|containerd\.sock\b.*is a directory/i,
  ],
  [
    "containerd-config-broken",
    /failed to load TOML|containerd: \(\d+, \d+\):|(?:toml|config)\S*:.*(?:pars(?:e|ing) error|invalid character)/i,
  ],
  ["containerd-config-broken", /pars(?:e|ing) error|invalid character/i, "vague"],
  ["containerd-hangs", /ttrpc.*(?:time|deadline|closed)/i],
  ["containerd-hangs", /context deadline exceeded/i, "repeated"],
  ["containerd-hangs", /\btimeout\b|timed out/i, "vague"],
];

/** Marks errors of a registry, a manifest or the command of a probe rather than of containerd. */
const otherSource = /\b(?:pull\w*|registry|manifest|json|cni|execsync|exec in container)\b|https?:|i\/o timeout/i;

/** The programs whose words are about containerd. */
const ofContainerd = /^(?:containerd|docker|runc|nvidia|nv-)/;

/** The program that wrote a line: `containerd` of `ip-1 containerd[12]: …`, or the kernel; undefined if none is named. */
function programOf(line: string): string | undefined {
  const program = /(?:^|\s)([\w.@-]+)\[\d+\]: /.exec(line)?.[1];
  return program ?? (/^\[[^\]]*\d\]|\skernel: |\bNVRM: /.test(line) ? "kernel" : /^[IWEF]\d{4} /.exec(line)?.[0]);
}

/** Whether the kernel, the kubelet or another unit wrote a line: they say `timeout` of their own calls. */
function isOfOthers(line: string): boolean {
  const program = programOf(line);
  if (program === "systemd") return !line.includes("containerd");
  return program !== undefined && !ofContainerd.test(program);
}

function matchLine(line: string): { readonly id: JournalConclusion; readonly weight: Weight } | undefined {
  const found = isOfOthers(line) ? undefined : patterns.find(([, pattern]) => pattern.test(line));
  if (!found) return undefined;
  const [id, , weight = "clear"] = found;
  const isAmbiguous = id === "containerd-hangs" || (id === "containerd-config-broken" && !/toml/i.test(line));
  return isAmbiguous && otherSource.test(line) ? undefined : { id, weight };
}

/** Everything that a journal shows, in the order to fix it. */
export function journalSigns(journal: readonly string[]): JournalSign[] {
  const matches = journal.flatMap((line, at) => {
    const match = matchLine(line);
    return match ? [{ ...match, line: line.trim(), at }] : [];
  });
  const signs = new Map(journalConclusions.map((id) => [id, signOf(matches.filter((one) => one.id === id))]));
  const [config, socket, hang] = journalConclusions.map((id) => signs.get(id));
  if (isFixed(config, socket, hang)) signs.delete("containerd-config-broken");
  return journalConclusions.flatMap((id) => {
    const sign = signs.get(id);
    return sign ? [{ id, line: sign.line, count: sign.count, isVague: sign.isVague }] : [];
  });
}

type PlacedSign = JournalSign & { readonly at: number };

/** The newest of the clearest lines stands for all lines of a conclusion. */
function signOf(
  lines: readonly (Pick<PlacedSign, "id" | "line" | "at"> & { weight: Weight })[],
): PlacedSign | undefined {
  const [clear, repeated] = (["clear", "repeated"] as const).map((weight) =>
    lines.filter((one) => one.weight === weight),
  );
  const best = [clear, repeated, lines].find((some) => some && some.length > 0)?.at(-1);
  const isVague = clear?.length === 0 && (repeated?.length ?? 0) < minRepeatedLines;
  return best && { id: best.id, line: best.line, count: lines.length, isVague, at: best.at };
}

/**
 * Whether the configuration has been fixed since: a later start reached the socket. A vague sign of a broken
 * configuration does not count if another fault shows clearly.
 */
function isFixed(config?: PlacedSign, socket?: PlacedSign, hang?: PlacedSign): boolean {
  if (!config) return false;
  if (config.isVague) return socket !== undefined || (hang !== undefined && !hang.isVague);
  return socket !== undefined && socket.at > config.at;
}

/** Whether a journal has no entry: a user without the right to read it gets `-- No entries --`, or nothing. */
export function isEmptyJournal(text: string): boolean {
  return text.split(/\r?\n/).every((line) => /^\s*(?:-- .* --\s*)?$/.test(line));
}

/** Whether a line of a node's log shows a conclusion: of containerd, or of the node. */
export function isKnownJournalLine(line: string): boolean {
  return matchLine(line) !== undefined || isOfNode(knownError(line) ?? "");
}

/** Informational lines of klog and logrus: the words of an error can stand in them, too. */
const informational = /(?:^|\]: )[IWD]\d{4} |\blevel=(?:info|warn\w*|debug|trace)\b/;

/** What the kubelet and the kernel print of a failure, next to the words of other programs. */
const ofSystem = /\]: [EF]\d{4} |\btimeout\b|I\/O error|call trace|\boops\b|Xid \(|blocked for more than/i;

/** The lines of a log of a node that show a conclusion, or else its last errors. Other lines may hold anything. */
export function recognizedJournalLines(text: string): string[] {
  return recognizedLines(text, {
    isKnown: isKnownJournalLine,
    isError: (line) => !informational.test(line) && (looksLikeError.test(line) || ofSystem.test(line)),
    maxKnown: 200,
  });
}
