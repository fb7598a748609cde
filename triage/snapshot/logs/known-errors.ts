import {
  causeRanks,
  isOfProgram,
  knownCauseIds,
  knownCauses,
  rankOf,
  type KnownCauseId,
} from "../../conclusions/known-causes";

/** Shows a conclusion of the operator check, which has other evidence. */
const pluginDisabled = /state-device-plugin\W.*"?status"?\W+disabled/i;

/** The conclusions that one message can show. */
type KnownError = KnownCauseId | "device-plugin-disabled";

/** Longer lines are cut. */
const maxLineLength = 300;
/** Lines that tell a reader more than an exit code, if none of them is known. */
const maxErrorLines = 3;
export const looksLikeError =
  /\b(?:error|fatal|panic|exception|traceback|fail(?:ed|ure)?|cannot|can't|could not|unable|denied|refused|killed|timed out|not found|no such|invalid|segfault|core dumped)\b|\w(?:Error|Exception)\b|^E\d{4} /i;
/** How Python ends a traceback. */
const exception = /\b[\w.]*(?:Error|Exception): /;
const secrets =
  /\b(?:hf_\w{8,}|sk-[\w-]{8,}|nvapi-[\w-]{8,}|A[KS]IA[A-Z0-9]{12,}|gh[ps]_\w{8,}|eyJ[\w-]{8,}\.[\w.-]+)|(?<=\b(?:token|password|passwd|secret|api[-_]?key|authorization|bearer)\b["']?\s*[:=]?\s*["']?(?:bearer\s+)?)[^\s"',:=]{6,}|(?<=:\/\/)[^\s/@]+(?=@)/gi;

/** Words of a registry about an image are not words of a program about its model, or of a component about the API. */
const isAboutPull = /\bpull(?:ing)?\b.*\bimage\b|failed to pull/i;

const idsByRank = causeRanks.flatMap((rank) => knownCauseIds.filter((id) => rankOf(id) === rank));

/** The conclusion that a message shows, of the best rank; undefined for all other messages. */
export function knownError(message: string): KnownError | undefined {
  const aboutPull = isAboutPull.test(message);
  const isOther = (id: KnownCauseId) => isOfProgram(id) || knownCauses[id].from === "component";
  const found = idsByRank.find((id) => knownCauses[id].pattern.test(message) && !(aboutPull && isOther(id)));
  return found ?? (pluginDisabled.test(message) ? "device-plugin-disabled" : undefined);
}

/** Which lines of a log to keep: those that show a conclusion, or else those that tell why something failed. */
const ofPod = {
  isKnown: (line: string) => knownError(line) !== undefined,
  isError: (line: string) => looksLikeError.test(line),
  maxKnown: 20,
};

/** The known lines that name the cause, without those that only say that something ended. */
function causeLines(known: readonly string[]): readonly string[] {
  const ranks = known.map((line) => rankOf(knownError(line) ?? ""));
  const best = Math.min(...new Set(ranks));
  return known.filter((_, at) => ranks[at] === best);
}

/** The last different errors that no pattern names, if the known lines may be effects of them. */
function unnamedErrors(lines: readonly string[], known: readonly string[], isError: typeof ofPod.isError) {
  if (known.some((line) => rankOf(knownError(line) ?? "") === 1)) return [];
  const errors = lines.filter((line) => isError(line) && !known.includes(line));
  const exceptions = errors.filter((line) => exception.test(line));
  const found = exceptions.length > 0 ? exceptions : errors;
  const textOf = (line: string) => line.slice(Math.max(0, line.search(exception)));
  return [...new Map(found.map((line) => [textOf(line), line])).values()].slice(-maxErrorLines);
}

/**
 * The lines of a log that show a conclusion of the best rank, the newest last; if there is none, the last lines that look
 * like an error. They are without secrets. Other lines are dropped: they may hold anything.
 */
export function recognizedLines(log: string, of = ofPod): string[] {
  const lines = log.split("\n").map((line) => line.trim());
  const known = lines.filter(of.isKnown);
  const kept =
    known.length > 0
      ? [...unnamedErrors(lines, known, of.isError), ...causeLines(known).slice(-of.maxKnown)]
      : lines.filter(of.isError).slice(-maxErrorLines);
  return kept.map((line) => withoutSecrets(excerptOf(line)));
}

/** The same of a container that ended: without an error, its last lines are all that it says. */
export function lastLines(log: string): string[] {
  const found = recognizedLines(log);
  return found.length > 0 ? found : recognizedLines(log, { ...ofPod, isError: (line) => line !== "" });
}

/** Whether a log says more than any program says at last. */
export function saysError(lines: readonly string[]): boolean {
  return lines.some((line) => ofPod.isKnown(line) || ofPod.isError(line));
}

function withoutSecrets(line: string): string {
  return line.replace(secrets, "***");
}

/** The part of a long line that shows its conclusion. The cause is often at the end of a message of containerd. */
function excerptOf(line: string): string {
  const id = knownError(line);
  const start = line.slice(0, maxLineLength);
  if (start === line || id === undefined || knownError(start) !== undefined) return start;
  const pattern = id === "device-plugin-disabled" ? pluginDisabled : knownCauses[id].pattern;
  const at = Math.max(0, Math.min(line.search(pattern), line.length - maxLineLength));
  return line.slice(line.indexOf(" ", at - 1) + 1).slice(0, maxLineLength);
}
