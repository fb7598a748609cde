// What the search of the site finds first.

/** What readers see when a page helps, and what the page itself does not say, by the page's file. */
const symptoms: Readonly<Record<string, string>> = {
  "docs/triage.md":
    "CrashLoopBackOff, CreateContainerError, ImagePullBackOff, NotReady, OOMKilled, Unschedulable, Pending, " +
    "FailedScheduling, 0/4 nodes are available, Insufficient nvidia.com/gpu, no GPU, stuck, ContainerCreating",
  "docs/preflight.md": "quota, vCPU limit, VcpuLimitExceeded",
  "docs/recovery.md": "forgotten cluster, forgotten resources",
  "docs/labs/nccl-block.md": "NCCL timeout",
};

/** Titles that say more in a list of results than the page's own, by the page's file. */
const titles: Readonly<Record<string, string>> = { "docs/triage.md": "Triage: why a GPU pod does not run" };

/** The text of a page for the index of the search. The symptoms count twice, and no page shows them. */
export function indexedText(file: string, markup: string): string {
  const words = symptoms[file];
  const title = titles[file];
  const text = markup.replace(/<p>(?:<a [^>]*>)?English\b[^|\n]*\|.*?<\/p>/, "");
  const titled = title === undefined ? text : text.replace(/(<h1[^>]*>)[^<]*/, `$1${title} `);
  return words === undefined ? titled : titled.replace("</h1>", `$&<p>${words}. ${words}.</p>`);
}

/**
 * Pages that help with a failure come before references. A rule, and what only the API lists, comes last.
 *
 * VitePress copies the source of the function into the pages, so it uses nothing else of this file.
 */
export function boostOf(page: string): number {
  if (/\/(?:api|parity|changelog)\b/.test(page)) return 0.3;
  if (/\/(?:policies\/.|architecture|contributing)/.test(page)) return 0.25;
  if (/\/triage\./.test(page)) return 2.6;
  if (/\/(?:accidents|recovery)/.test(page)) return 1.8;
  if (/\/preflight\b/.test(page)) return 1.6;
  return /\/(?:exercises|labs)\b/.test(page) ? 1.3 : 1;
}
