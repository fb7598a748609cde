import { createHash } from "node:crypto";
import { groupedFindings, placeOf, type PageOf } from "./findings";
import { findingKey, type Review, type ReviewedFinding, type StackReview } from "../review/review";

/** Facts that a report of findings needs, and that no plan has. */
interface SarifOptions {
  readonly version: string;
  /** What a rule requires, and the address of its page. */
  readonly titleOf: (rule: string) => string | undefined;
  readonly pageOf: PageOf;
  /** The file of a finding, or else the one that declares its stack, relative to the root of the repository. */
  readonly fileOf: (stack: string, file?: string) => string;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * The findings of the head in SARIF 2.1.0, as GitHub's code scanning reads them. A verdict that is unknown before the update
 * is not a result, but a notification. Stacks that cannot be planned are notifications of a failed run.
 *
 * @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 * @see https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
 */
export function renderSarif(review: Review, options: SarifOptions): Json {
  const results = review.stacks.flatMap((stack) =>
    stack.findings.filter(({ verdict }) => verdict === "fail").map((finding) => ({ stack, finding })),
  );
  const byRule = new Map(results.map(({ finding }) => [finding.rule, finding]));
  const judged = [...byRule.values()].sort((a, b) => (a.rule < b.rule ? -1 : 1));
  const rules = judged.map((finding) => ruleOf(finding, options));
  const ids = rules.map(({ id }) => id);
  const errors = [
    ...(review.error === undefined ? [] : [review.error]),
    ...review.stacks.flatMap(({ stack, error }) => (error === undefined ? [] : [`${stack}: ${error}`])),
  ];
  return {
    $schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "eks-gpu-lab", semanticVersion: options.version, rules } },
        automationDetails: { id: "eks-gpu-lab/plan/" },
        invocations: [
          {
            executionSuccessful: errors.length === 0,
            toolExecutionNotifications: [...errors.map((text) => notification("error", text)), ...unknownIn(review)],
          },
        ],
        results: results.map(({ stack, finding }) => resultOf(stack, finding, ids, options)),
      },
    ],
  };
}

function notification(level: "error" | "note", text: string): Json {
  return { level, message: { text } };
}

function unknownIn({ stacks }: Review): Json[] {
  return stacks.flatMap(({ stack, findings }) =>
    groupedFindings(findings)
      .filter(({ kind }) => kind === "unknown")
      .map(({ rule, names, message }) => notification("note", `${stack}, ${rule}, ${names.join(", ")}: ${message}`)),
  );
}

function ruleOf(finding: ReviewedFinding, { titleOf, pageOf }: SarifOptions): Json & { readonly id: string } {
  const { rule: id, severity } = finding;
  const [title, page] = [titleOf(id) ?? id, pageOf(finding)];
  const see = page ?? finding.page;
  return {
    id,
    // GitHub shows it as the title of an alert.
    shortDescription: { text: `Not met: ${title}` },
    fullDescription: { text: title },
    help: { text: see === undefined ? title : `${title} See ${see}` },
    ...(page !== undefined && { helpUri: page }),
    properties: { tags: ["eks", "gpu"], "problem.severity": problemSeverities[severity] ?? "warning" },
  };
}

/** Terms of GitHub for queries that are not about security. */
const problemSeverities: Readonly<Record<string, string>> = {
  ...{ critical: "error", high: "error", medium: "warning", low: "recommendation" },
};

function resultOf(
  { stack }: StackReview,
  finding: ReviewedFinding,
  ids: readonly string[],
  options: SarifOptions,
): Json {
  const { rule, level, urn, name, message, isNew, file } = finding;
  return {
    ruleId: rule,
    ruleIndex: ids.indexOf(rule),
    level: level === "mandatory" ? "error" : "warning",
    message: { text: `${stack}, ${placeOf(finding)}: ${message}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: encodeURI(options.fileOf(stack, file)) },
          region: { startLine: 1 },
        },
        ...(urn !== "" && { logicalLocations: [{ name, fullyQualifiedName: urn, kind: "resource" }] }),
      },
    ],
    // GitHub recognizes an alert by it: all findings have the same line.
    partialFingerprints: { "eksGpuLabFinding/v1": fingerprint(stack, finding) },
    ...(isNew !== undefined && { baselineState: isNew ? "new" : "unchanged" }),
  };
}

function fingerprint(stack: string, finding: ReviewedFinding): string {
  return createHash("sha256")
    .update(`${stack} ${findingKey(finding)}`)
    .digest("hex")
    .slice(0, 32);
}
