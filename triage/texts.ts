import { testReport } from "./snapshot/logs/test-report";
import type { ContainerStatus } from "./snapshot/objects/resources";

/** The texts that are present, e.g. `Failed, Evicted`. */
export function joinPresent(...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text !== "").join(", ");
}

/** The first few names, and how many more there are. */
export function listNames(names: readonly string[], max = 3): string {
  const more = names.length - max;
  return `${names.slice(0, max).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** How a container ended; undefined if it has not. */
export type End = ContainerStatus["state"]["terminated"];

/** Exit codes that say more than an error of the program. A signal N gives 128 + N. */
const exitCodes: Readonly<Partial<Record<number, string>>> = {
  126: "the command cannot be executed",
  127: "the command was not found",
  132: "SIGILL: an instruction that the CPU does not have",
  134: "SIGABRT",
  135: "SIGBUS",
  137: "SIGKILL",
  139: "SIGSEGV",
  143: "SIGTERM",
};

/** E.g. `with exit code 137 (OOMKilled)`. */
export function endText(end: End): string {
  if (!end) return "for an unknown reason";
  const { exitCode, reason } = end;
  const meaning = reason === "OOMKilled" ? "" : exitCodes[exitCode ?? 0];
  const text = joinPresent(reason, meaning);
  return `with exit code ${exitCode ?? "?"}${text === "" ? "" : ` (${text})`}`;
}

/** The same with the error that the container left behind. A report of a test is shown elsewhere. */
export function endEvidenceText(end: End): string {
  const error = end?.message !== undefined && !testReport(end.message) ? `: ${end.message}` : "";
  return `${endText(end)}${error}`;
}

export function isOutOfMemory(end: End): boolean {
  return end?.reason === "OOMKilled";
}
