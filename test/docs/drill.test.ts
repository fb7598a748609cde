import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { drillCommand } from "../../commands/drill/drill-options";
import { documentOf } from "../../commands/drill/report";
import { scenarios } from "../../commands/drill/scenarios/scenarios";
import { notStarted } from "../../commands/drill/session";

const page = readFileSync("docs/drill.md", "utf8");

test("the page has commands that the tool accepts", () => {
  const commands = [...page.matchAll(/npx eks-gpu-lab drill ([^\n`]*)/g)].map(([, args = ""]) =>
    args.trim().split(" "),
  );
  expect(commands.length).toBeGreaterThan(3);
  for (const args of commands) expect(() => drillCommand.read(args)).not.toThrow();
});

describe("the JSON document", () => {
  const [scenario] = scenarios;
  if (!scenario) throw new Error("There is no scenario.");
  const target = { name: "gpu-1", hostname: "gpu-1", freeGpus: 1, taints: [], isFake: true };
  const result = {
    ...{ context: "kwok", seed: 1, scenario, site: { target, maxGpus: 1, maxCpus: 4, products: [], hasClaims: true } },
    ...{ symptom: "", triage: { rootCauses: [], consequences: [] }, progress: notStarted },
    ...{ result: "given-up" as const, seconds: 1 },
  };
  const document = documentOf(result, []);

  test("has the keys of the page", () => {
    const example = /```jsonc\n([^]*?)```/.exec(page)?.[1] ?? "";
    const keys = [...example.matchAll(/^ {2}"(\w+)":/gm)].map(([, key]) => key);
    expect(keys).toEqual(Object.keys(document));
  });
});
