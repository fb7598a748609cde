import type { Conclusion } from "../conclusions";
import { withoutUndefined } from "../../components/core/reader/records";
import { foundProblems, type Report } from "../triage";

/** Version of the document. New keys keep the version; a change that breaks a reader increments it. */
const reportVersion = 1;

/** The document of `triage --json`; docs/triage.md describes it. Equal dumps give equal documents. */
export function renderJson(report: Report): string {
  const { takenAt, context, subject, checks, conclusions, leftOut, unread } = report;
  const document = {
    ...withoutUndefined({ kind: "TriageReport", version: reportVersion, takenAt, context }),
    subject: subject ?? { kind: "cluster" },
    result: foundProblems(report) ? "problems" : "nothing-found",
    layers: checks.map(({ layer: name, lines }) => ({ name, lines })),
    conclusions: conclusions.map(conclusionJson),
    ...(leftOut && { leftOut }),
    unread,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function conclusionJson(conclusion: Conclusion): object {
  const { id, subject, nodes, pods, level, confidence, what, evidence, next, layer, because, causes } = conclusion;
  const head = { id, subject, nodes, pods, level, confidence, what, evidence, next, layer };
  return withoutUndefined({ ...head, because, causes });
}
