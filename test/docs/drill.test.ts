import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { drillCommand } from "../../commands/drill/drill-options";
import { documentOf } from "../../commands/drill/report";
import { scenarios } from "../../commands/drill/scenarios/scenarios";
import { notStarted } from "../../commands/drill/session";

const page = readFileSync("docs/drill.md", "utf8");
const sectionOf = (title: string) => page.split(/^## /m).find((section) => section.startsWith(`${title}\n`)) ?? "";

test("the page has commands that the tool accepts", () => {
  const commands = [...page.matchAll(/npx eks-gpu-lab drill ([^\n`]*)/g)].map(([, args = ""]) =>
    args.trim().split(" "),
  );
  expect(commands.length).toBeGreaterThan(3);
  for (const args of commands) expect(() => drillCommand.read(args)).not.toThrow();
});

test("the page lists each symptom once, with the number of failures that have it", () => {
  const word = ["Thirteen", "Fourteen", "Fifteen", "Sixteen"][scenarios.length - 13] ?? "";
  expect(sectionOf("Symptoms")).toContain(`${word} failures have`);
  const plain = (text: string) =>
    text.replace(" Find out why.", "").replace("Node gpu-1", "A node").replace("pod server-1 ", "pod ");
  const symptoms = scenarios.map(({ id, symptom }) => {
    const name = { unhealthy: "gpu-1", rollout: "server-1" }[id] ?? "server";
    return plain(symptom(name));
  });
  const counted = [...new Set(symptoms)].map((text) => {
    const count = symptoms.filter((one) => one === text).length;
    return count === 1 ? text : `${text} (${count} failures)`;
  });
  const ofPage = [...sectionOf("Symptoms").matchAll(/^- (.*)$/gm)].map(([, text]) => text);
  expect(ofPage.sort()).toEqual(counted.sort());
});

describe("the JSON document", () => {
  const [scenario] = scenarios;
  if (!scenario) throw new Error("There is no scenario.");
  const target = { name: "gpu-1", hostname: "gpu-1", freeGpus: 1, taints: [], isFake: true };
  const document = documentOf({
    ...{ context: "kwok", seed: 1, scenario, site: { target, maxGpus: 1, maxCpus: 4, products: [] } },
    ...{ symptom: "", triage: { rootCauses: [], consequences: [] }, progress: notStarted, result: "given-up" },
    ...{ seconds: 1, leftovers: [] },
  });

  test("has the keys of the page", () => {
    const example = /```jsonc\n([^]*?)```/.exec(page)?.[1] ?? "";
    const keys = [...example.matchAll(/^ {2}"(\w+)":/gm)].map(([, key]) => key);
    expect(keys).toEqual(Object.keys(document));
  });
});
