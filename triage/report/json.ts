import { foundProblems, type Report } from "../triage";

/** Version of the document. It grows by keys without a new version; a change that would break a reader makes it one more. */
export const reportVersion = 1;

/** The document of `triage --json`; docs/triage.md describes it. Equal dumps give equal documents. */
export function renderJson(report: Report): string {
  const { takenAt, context, subject, walk, conclusions, leftOut, unread } = report;
  const document = {
    kind: "TriageReport",
    version: reportVersion,
    ...(takenAt !== undefined && { takenAt }),
    ...(context !== undefined && { context }),
    subject: subject ?? { kind: "cluster" },
    result: foundProblems(report) ? "problems" : "nothing-found",
    walk,
    conclusions,
    ...(leftOut && { leftOut }),
    unread,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
