// What the search of the site finds first.

/** What readers see when a page helps, and what the page itself does not say, by the page's file. */
const symptoms: Readonly<Record<string, string>> = {
  "docs/triage.md": "CrashLoopBackOff, CreateContainerError, ImagePullBackOff, NotReady, OOMKilled, Unschedulable",
  "docs/preflight.md": "quota, vCPU limit, VcpuLimitExceeded",
  "docs/recovery.md": "forgotten cluster, forgotten resources",
  "docs/labs/nccl-block.md": "NCCL timeout",
};

/** The text of a page for the index of the search. The symptoms count twice, and no page shows them. */
export function indexedText(file: string, markup: string): string {
  const words = symptoms[file];
  return words === undefined ? markup : markup.replace("</h1>", `$&<p>${words}. ${words}.</p>`);
}

/**
 * Pages that help with a failure come before references. A rule, and what only the API lists, comes last.
 *
 * VitePress copies the source of the function into the pages, so it uses nothing else of this file.
 */
export function boostOf(page: string): number {
  if (/\/(?:api|parity|changelog)\b/.test(page)) return 0.3;
  if (/\/(?:policies\/.|architecture|contributing)/.test(page)) return 0.25;
  if (/\/(?:triage\.|recovery)/.test(page)) return 1.8;
  return /\/(?:exercises|labs|preflight)\b/.test(page) ? 1.3 : 1;
}
