import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { judgeProgram } from "../../planner/judge-program";
import { packs } from "../../policies/packs";

const root = process.cwd();
const ids = packs.lab.rules.map(({ rule }) => rule.id);

/** What the pack for shared clusters says of an example, as `level rule`; examples are programs like a user's. */
async function verdicts(rule: string, example: "bad" | "good"): Promise<string[]> {
  const findings = await judgeProgram(join(root, "policies/examples", rule, `${example}.ts`), root, packs.shared);
  return [...new Set(findings.filter(({ verdict }) => verdict === "fail").map((said) => `${said.level} ${said.rule}`))];
}

test("every rule has its examples, and there are no others", () => {
  expect(readdirSync("policies/examples").sort()).toEqual([...ids].sort());
});

describe.each(ids)("the examples of %s", (id) => {
  test("the bad one breaks this rule, as heavily as the pack says", async () => {
    const level = packs.shared.rules.find(({ rule }) => rule.id === id)?.level;
    expect(await verdicts(id, "bad")).toContain(`${level} ${id}`);
  });

  test("the bad one breaks no other mandatory rule, the good one none at all", async () => {
    const others = (await verdicts(id, "bad")).filter(
      (said) => said.startsWith("mandatory") && !said.endsWith(` ${id}`),
    );
    expect(others).toEqual([]);
    const good = await verdicts(id, "good");
    expect(good.filter((said) => said.startsWith("mandatory") || said.endsWith(` ${id}`))).toEqual([]);
  });
});
