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
  /** The newest line that shows it. */
  readonly line: string;
  /** How many lines do. */
  readonly count: number;
}

/**
 * Texts of containerd 1.6 to 2.1, systemd and the NVIDIA tools.
 * @see https://github.com/containerd/containerd/blob/v2.1.0/plugins/server/grpc.go
 * @see https://github.com/containerd/containerd/blob/v2.1.0/cmd/containerd/server/config/config.go
 */
const signs: readonly (readonly [RuntimeCase, RegExp])[] = [
  ["toolkit-cannot-signal", /error signaling containerd/i],
  ["nvml-in-chroot", /failed to initialize NVML: unknown error/i],
  ["left-over-shims", /left-over process.*containerd-shim/i],
  ["socket-is-directory", /listener for main (?:\w+ )?endpoint.*is a directory|containerd\.sock\b.*is a directory/i],
  ["config-broken", /failed to load TOML|containerd: \(\d+, \d+\):|(?:toml|config)\S*:.*pars(?:e|ing) error/i],
  ["config-broken", /pars(?:e|ing) error|invalid character/i],
  ["hangs", /ttrpc.*(?:time|deadline|closed)|context deadline exceeded|\btimeout\b|timed out/i],
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

/** Of a registry or a manifest, not of containerd itself. */
const elsewhere = /\b(?:pull\w*|registry|manifest|json|cni)\b|https?:|i\/o timeout/i;

export function runtimeCaseOf(line: string): RuntimeCase | undefined {
  const found = signs.find(([, pattern]) => pattern.test(line))?.[0];
  const vague = found === "hangs" || (found === "config-broken" && !/toml/i.test(line));
  return vague && elsewhere.test(line) ? undefined : found;
}

/** Everything that a journal shows, in the order in which to see to it. */
export function runtimeSigns(journal: readonly string[]): RuntimeSign[] {
  const found = new Map<RuntimeCase, RuntimeSign & { readonly at: number }>();
  journal.forEach((text, at) => {
    const kind = runtimeCaseOf(text);
    if (kind) found.set(kind, { case: kind, line: text.trim(), count: (found.get(kind)?.count ?? 0) + 1, at });
  });
  const [config, socket] = [found.get("config-broken"), found.get("socket-is-directory")];
  // A later start came as far as the socket: the configuration has been mended since.
  if (config && socket && socket.at > config.at) found.delete("config-broken");
  return order.flatMap((kind) => {
    const sign = found.get(kind);
    return sign ? [{ case: sign.case, line: sign.line, count: sign.count }] : [];
  });
}

const mostLines = 200;
const longestLine = 300;

/** The lines of a journal that show something; the others may hold anything and are not kept. */
export function tellingJournal(text: string): string[] {
  return text
    .split(/\r?\n/)
    .filter((line) => runtimeCaseOf(line) !== undefined)
    .map((line) => line.trim().slice(0, longestLine))
    .slice(-mostLines);
}
