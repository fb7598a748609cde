/** What is wrong with a node's container runtime, by its journal. */
export type RuntimeCase =
  /** Case A: a directory stands where containerd makes its socket. */
  | "socket-is-directory"
  /** Case B: the daemon runs and does not answer. */
  | "hangs"
  /** Case C: containerd cannot read its configuration. */
  | "config-broken"
  /** Processes of earlier containers are still there. */
  | "left-over-shims"
  /** The NVIDIA container toolkit found nobody behind the socket: a symptom of any of the others. */
  | "toolkit-cannot-signal"
  /** `nvidia-smi` of the host, run in a debug pod: proves nothing. */
  | "nvml-in-chroot";

export interface RuntimeSign {
  readonly case: RuntimeCase;
  /** The newest line that shows it, of those that show it best. */
  readonly line: string;
  /** How many lines do. */
  readonly count: number;
  /** Words that others than containerd use, too, or one slow call among many. */
  readonly vague: boolean;
}

/** What a line is worth: words that others use, too, count for little, and a single call that ran out of time. */
type Weight = "vague" | "several";

/** One pod that will not stop leaves two such lines; a daemon that does not answer leaves one for each call. */
const severalLines = 3;

/**
 * Texts of containerd 1.6 to 2.1, systemd and the NVIDIA tools.
 * @see https://github.com/containerd/containerd/blob/v2.1.0/plugins/server/grpc.go
 * @see https://github.com/containerd/containerd/blob/v2.1.0/cmd/containerd/server/config/config.go
 */
const signs: readonly (readonly [RuntimeCase, RegExp, Weight?])[] = [
  ["toolkit-cannot-signal", /error signaling containerd/i],
  ["nvml-in-chroot", /failed to initialize NVML: unknown error/i],
  ["left-over-shims", /left-over process.*containerd-shim/i],
  ["socket-is-directory", /listener for main (?:\w+ )?endpoint.*is a directory|containerd\.sock\b.*is a directory/i],
  [
    "config-broken",
    /failed to load TOML|containerd: \(\d+, \d+\):|(?:toml|config)\S*:.*(?:pars(?:e|ing) error|invalid character)/i,
  ],
  ["config-broken", /pars(?:e|ing) error|invalid character/i, "vague"],
  ["hangs", /ttrpc.*(?:time|deadline|closed)/i],
  ["hangs", /context deadline exceeded/i, "several"],
  ["hangs", /\btimeout\b|timed out/i, "vague"],
];

/**
 * What to see to first. containerd reads its configuration before it makes its socket, so a broken one hides a
 * directory in the socket's place; and a daemon that hung is gone as soon as it cannot start.
 */
const order: readonly RuntimeCase[] = [
  "config-broken",
  "socket-is-directory",
  "hangs",
  "left-over-shims",
  "toolkit-cannot-signal",
  "nvml-in-chroot",
];

/** Of a registry, a manifest or the command of a probe, not of containerd itself. */
const elsewhere = /\b(?:pull\w*|registry|manifest|json|cni|execsync|exec in container)\b|https?:|i\/o timeout/i;

interface Shown {
  readonly case: RuntimeCase;
  readonly weight: Weight | "clear";
}

function shownBy(line: string): Shown | undefined {
  const found = signs.find(([, pattern]) => pattern.test(line));
  if (!found) return undefined;
  const [kind, , weight = "clear"] = found;
  const doubtful = kind === "hangs" || (kind === "config-broken" && !/toml/i.test(line));
  return doubtful && elsewhere.test(line) ? undefined : { case: kind, weight };
}

/** Everything that a journal shows, in the order in which to see to it. */
export function runtimeSigns(journal: readonly string[]): RuntimeSign[] {
  const shown = journal.flatMap((text, at) => {
    const one = shownBy(text);
    return one ? [{ ...one, line: text.trim(), at }] : [];
  });
  const found = new Map(order.map((kind) => [kind, signOfLines(shown.filter((one) => one.case === kind))]));
  if (isPast(found.get("config-broken"), found.get("socket-is-directory"), found.get("hangs"))) {
    found.delete("config-broken");
  }
  return order.flatMap((kind) => {
    const sign = found.get(kind);
    return sign ? [{ case: sign.case, line: sign.line, count: sign.count, vague: sign.vague }] : [];
  });
}

/** What the lines of one case come to: the newest of the best stands for them. */
function signOfLines(lines: readonly (Shown & { readonly line: string; readonly at: number })[]): Found {
  const of = (weight: Shown["weight"]) => lines.filter((one) => one.weight === weight);
  const [clear, several] = [of("clear"), of("several")];
  const best = [clear, several, lines].find((some) => some.length > 0)?.at(-1);
  const vague = clear.length === 0 && several.length < severalLines;
  return best && { case: best.case, line: best.line, count: lines.length, vague, at: best.at };
}

type Found = (RuntimeSign & { readonly at: number }) | undefined;

/**
 * A later start came as far as the socket: the configuration has been mended since. And a vague word about it counts
 * for nothing beside a clear sign of another trouble.
 */
function isPast(config: Found, socket: Found, hang: Found): boolean {
  if (!config) return false;
  if (config.vague) return socket !== undefined || (hang !== undefined && !hang.vague);
  return socket !== undefined && socket.at > config.at;
}

const mostLines = 200;
const longestLine = 300;

/** Who may not see any entry gets `-- No entries --`, or nothing. */
export function isEmptyJournal(text: string): boolean {
  return text.split(/\r?\n/).every((line) => /^\s*(?:-- .* --\s*)?$/.test(line));
}

/** The lines of a journal that show something; the others may hold anything and are not kept. */
export function tellingJournal(text: string): string[] {
  return text
    .split(/\r?\n/)
    .filter((line) => shownBy(line) !== undefined)
    .map((line) => line.trim().slice(0, longestLine))
    .slice(-mostLines);
}
