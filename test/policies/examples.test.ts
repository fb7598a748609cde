import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { judgeProgram } from "../../tools/judge-program";
import { packs } from "../../policies/packs";

const root = process.cwd();
const rules = "policies/rules";
const files = readdirSync(rules, { recursive: true, encoding: "utf8" });
const examples = new Map(
  files.filter((file) => file.endsWith(".example.ts")).map((file) => [basename(file, ".example.ts"), file]),
);
const ids = packs.lab.rules.map(({ rule }) => rule.id);

/** What an example shows does not depend on a lease, so only the example of that rule has one. */
const lease = "gpu-lease-present";

/** The rules of the pack for shared clusters that an example breaks, as `level rule`. */
async function verdicts(rule: string, program: "bad" | "good"): Promise<string[]> {
  const findings = await judgeProgram(join(root, rules, examples.get(rule) ?? ""), root, packs.shared, program);
  return [
    ...new Set(
      findings
        .filter((finding) => finding.verdict === "fail" && (finding.rule !== lease || rule === lease))
        .map((finding) => `${finding.level} ${finding.rule}`),
    ),
  ];
}

test("every rule has an example next to it, and every example has a rule", () => {
  expect([...examples.keys()].sort()).toEqual([...ids].sort());
  expect([...examples.values()].filter((file) => !files.includes(file.replace(".example", "")))).toEqual([]);
});

describe.each(ids)("the example of %s", (id) => {
  test("its bad program breaks this rule, at the level of the pack", async () => {
    const level = packs.shared.rules.find(({ rule }) => rule.id === id)?.level;
    expect(await verdicts(id, "bad")).toContain(`${level} ${id}`);
  });

  test("its bad program breaks no other mandatory rule, and its good program none", async () => {
    const others = (await verdicts(id, "bad")).filter(
      (verdict) => verdict.startsWith("mandatory") && !verdict.endsWith(` ${id}`),
    );
    expect(others).toEqual([]);
    const good = await verdicts(id, "good");
    expect(good.filter((verdict) => verdict.startsWith("mandatory") || verdict.endsWith(` ${id}`))).toEqual([]);
  });
});
