import { expect, test } from "vitest";
import { show, type Problem } from "../../components/core/problems";
import { withoutVersions } from "./wording";

/** What tests assert of problems: the code and the path of each. */
export function brief(problems: readonly Problem[]): string[] {
  return problems.map(({ code, path }) => `${code} ${path}`);
}

/** What users read of problems; one snapshot per section keeps it. */
export function wording(problems: readonly Problem[]): string[] {
  return problems.map(({ path, got, why, fix }) => withoutVersions(`${path}: got ${show(got)}. ${why} fix: ${fix}`));
}

/** A value with the code and path of its problem, or of several. */
export type WrongCase = readonly [given: unknown, expected: string | readonly string[]];

/** A test for each wrong value, and one snapshot of what users read. */
export function testProblems(judge: (given: never) => readonly Problem[], cases: readonly WrongCase[]): void {
  test.for(cases)("%j: %s", ([given, expected]) => {
    expect(brief(judge(given as never))).toEqual(Array.isArray(expected) ? expected : [expected]);
  });
  test("what users read", () => {
    expect(cases.flatMap(([given]) => wording(judge(given as never)))).toMatchSnapshot();
  });
}
