import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { scenarios } from "../../commands/drill/scenarios/scenarios";
import type { Site } from "../../commands/drill/scenario";
import { labs } from "../../stacks/labs";
import type { Lab } from "../../stacks/run/lab";

// A page shows the symptom first. What gives the cause away is folded.

const textOf = (lab: string) => readFileSync(`docs/labs/${lab}.md`, "utf8");
const fold = /^ *<details><summary>([^<]+)<\/summary>\n\n([^]*?)\n\n *<\/details>$/gm;
const foldsOf = (text: string) => [...text.matchAll(fold)].map(([, title = "", inside = ""]) => ({ title, inside }));

const faulty = Object.entries<Lab>(labs).flatMap(([name, { fault }]) => (fault ? [name] : []));

describe.each(faulty)("the page of %s", (name) => {
  const text = textOf(name);
  const open = text.replace(fold, "");

  test("has folds that GitHub and the site render: with empty lines around what is inside", () => {
    expect(open).not.toMatch(/<\/?(details|summary)>/);
    expect(foldsOf(text).filter(({ inside }) => inside.includes("<details>"))).toEqual([]);
  });

  test("folds the solution, and what the preview shows", () => {
    expect(open).not.toMatch(/\*\*Hypothesis\.\*\*|\.svg\)/);
    expect(foldsOf(text).find(({ title }) => title === "Solution")?.inside).toContain("**Hypothesis.**");
    const [, inject = ""] = /^## Inject\n([^]*?)^## /m.exec(text) ?? [];
    expect(inject).not.toMatch(/^pulumi up$/m);
    expect(foldsOf(inject).map(({ title }) => title)).toEqual(["What the preview shows"]);
  });

  test("asks a question in each step of the search, and folds its hints, then its command, then its answer", () => {
    const [, search = ""] = /^## Find the cause\n([^]*?)^<details><summary>Solution/m.exec(text) ?? [];
    const steps = search.split(/^\d\. /m).slice(1);
    expect(steps.length).toBeGreaterThan(3);
    for (const step of steps) {
      const prose = step.replace(fold, "").replace(/^ *```[^]*?^ *```/gm, "");
      expect(prose).toContain("?");
      expect(
        foldsOf(step)
          .map(({ title }) => title)
          .join(", "),
      ).toMatch(/^(Hint 1, (Hint 2, )?(Command, )?)?Answer$/);
    }
    const titles = foldsOf(search).map(({ title }) => title);
    expect(titles.filter((title) => title.startsWith("Hint ")).length).toBeGreaterThan(1);
  });
});

const target = { name: "gpu-1", hostname: "gpu-1", freeGpus: 1, taints: [], isFake: true };
const site: Site = { target, maxGpus: 1, maxCpus: 4, products: [], hasClaims: true };

test.for([
  ["device-plugin", "no-gpus"],
  ["gpu-rollout", "rollout"],
  ["node-health", "unhealthy"],
])("the hints of %s have the words of the drill %s", ([lab = "", id]) => {
  const ofDrill = scenarios
    .find((scenario) => scenario.id === id)
    ?.hints(site)
    .join("\n");
  const hints = foldsOf(textOf(lab)).filter(({ title }) => title.startsWith("Hint "));
  expect(hints.length).toBeGreaterThan(1);
  for (const { inside } of hints) {
    // The commands differ: a drill has a namespace and objects of its own.
    const [words = ""] = inside.replace(/\s+/g, " ").trim().split("`");
    expect(ofDrill).toContain(words.replace(/[:.]? ?$/, ""));
  }
});
