import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readBase, reviewOf } from "../../../planner/review/review";
import { renderJson } from "../../../planner/report/json";
import { renderJunit } from "../../../planner/report/junit";
import { renderSarif } from "../../../planner/report/sarif";
import { folder } from "../../support/files";
import { noSchemas, python, schemaProblems } from "../../support/report-schemas";
import { finding, planOf, recordingOf } from "../recordings";

const findings = [
  finding({ message: 'a: got "<b>&\u0001". Why.\nfix: x' }),
  finding({ rule: "pin", level: "advisory", severity: "low" }),
  finding({ rule: "later", verdict: "unknown" }),
  finding({ rule: "stack-rule", urn: "", name: "" }),
];
const plan = planOf(recordingOf([], { stack: "dev" }), { findings });
const base = readBase(JSON.stringify([renderJson({ ...plan, findings: findings.slice(0, 1) })]), "base.json");
const review = reviewOf(
  [
    { stack: "dev", plan },
    { stack: "broken", error: "no <region>" },
  ],
  base,
);
const options = {
  ...{
    version: "1.2.3",
    titleOf: (rule: string) => `Title of ${rule}.`,
    fileOf: (stack: string) => `labs/a ${stack}.yaml`,
  },
  pageOf: ({ rule }: { readonly rule: string }) => (rule === "pin" ? undefined : `https://x/${rule}.md`),
};

interface SarifResult {
  readonly ruleId: string;
  readonly level: string;
  readonly baselineState?: string;
  readonly partialFingerprints: Readonly<Record<string, string>>;
  readonly locations: readonly { readonly physicalLocation: unknown }[];
}

interface SarifRun {
  readonly tool: { readonly driver: { readonly rules: readonly Record<string, unknown>[] } };
  readonly results: readonly SarifResult[];
  readonly invocations: readonly { readonly executionSuccessful: boolean }[];
}

const runOf = (log: unknown) => (log as { runs: [SarifRun] }).runs[0];

describe("SARIF", () => {
  const run = runOf(renderSarif(review, options));

  test("has what code scanning requires of each result and rule", () => {
    expect(run.results.map(({ ruleId, level, baselineState }) => [ruleId, level, baselineState])).toEqual([
      ["gpu-taint", "error", "unchanged"],
      ["pin", "warning", "new"],
      ["stack-rule", "error", "new"],
    ]);
    expect(run.results[0]?.locations[0]?.physicalLocation).toEqual({
      artifactLocation: { uri: "labs/a%20dev.yaml" },
      region: { startLine: 1 },
    });
    const { rules } = run.tool.driver;
    for (const { ruleId } of run.results) expect(rules.map(({ id }) => id)).toContain(ruleId);
    expect(rules.find(({ id }) => id === "gpu-taint")).toMatchObject({
      ...{ shortDescription: { text: "Not met: Title of gpu-taint." }, helpUri: "https://x/gpu-taint.md" },
    });
    expect(rules.find(({ id }) => id === "pin")).not.toHaveProperty("helpUri");
    expect(run.invocations[0]?.executionSuccessful).toBe(false);
  });

  test("a fingerprint differs between findings, and stays when the value changes", () => {
    const prints = run.results.map(({ partialFingerprints }) => Object.values(partialFingerprints).join());
    expect(new Set(prints).size).toBe(3);
    const other = { ...plan, findings: [finding({ message: "a: got 7. Why.\nfix: x" })] };
    const again = runOf(renderSarif(reviewOf([{ stack: "dev", plan: other }]), options));
    expect(Object.values(again.results[0]?.partialFingerprints ?? {}).join()).toBe(prints[0]);
    expect(again.results[0]).not.toHaveProperty("baselineState");
  });

  test.skipIf(noSchemas)("is valid by the schema of OASIS", () => {
    const dir = folder({
      "plan.sarif": JSON.stringify(renderSarif(review, options)),
      "wrong.sarif": '{"version":"2"}',
    });
    expect(schemaProblems("sarif", join(dir, "plan.sarif"))).toBe("ok -- validation done");
    expect(schemaProblems("sarif", join(dir, "wrong.sarif"))).toContain("Schema validation errors");
  });
});

describe("JUnit", () => {
  test.skipIf(noSchemas)("is read by another program", () => {
    const file = join(folder({ "plan.xml": renderJunit(review) }), "plan.xml");
    const code = `
import sys
from junitparser import JUnitXml
for suite in JUnitXml.fromfile(sys.argv[1]):
    print(suite.name, suite.tests, suite.failures, suite.errors, suite.skipped)
    for case in suite:
        print(" ", case.name, [(type(r).__name__, r.message) for r in case.result], case.system_out)`;
    expect(python(code, file).trimEnd().split("\n")).toEqual([
      "broken 1 0 1 0",
      "  plan [('Error', 'cannot be planned')] None",
      "dev 5 2 0 1",
      "  plan [] None",
      "  gpu-taint: gpu [('Failure', 'a: got \"<b>&\ufffd\". Why.')] None",
      "  stack-rule: the stack [('Failure', 'taints: got nothing. Pods that need no GPU can fill this node.')] None",
      expect.stringMatching(/^ {2}pin: gpu \[\] gpu$/) as string,
      expect.anything() as string,
      expect.anything() as string,
      expect.stringMatching(/^ {2}later: gpu \[\('Skipped', /) as string,
    ]);
  });
});
