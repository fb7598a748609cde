import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { gpuAlertGroups, prometheusGroups } from "../../../components/observe/alerts/gpu-alert-rules";
import { renderWhole } from "../../../tools/docs";
import { checkRules, hasPromtool } from "./promtool";

const rulesFile = "docs/alerts/gpu-alerts.rules.yaml";
const page = readFileSync("docs/alerts.md", "utf8");
const alerts = gpuAlertGroups().flatMap(({ rules }) => rules);

test("docs/alerts.md and the rules file are what npm run docs writes", async () => {
  const files = await renderWhole("alerts");
  expect(Object.keys(files)).toEqual(["docs/alerts.md", rulesFile]);
  for (const [path, text] of Object.entries(files)) expect(readFileSync(path, "utf8"), path).toBe(text);
});

test("the rules file holds the rules, whatever the formatter did to it", () => {
  expect(load(readFileSync(rulesFile, "utf8"))).toEqual({ groups: prometheusGroups() });
});

test.skipIf(!hasPromtool)("promtool accepts the committed rules file", () => {
  expect(checkRules(readFileSync(rulesFile, "utf8"))).toContain(`${alerts.length} rules found`);
});

test.for(alerts)("$name has its place in the page, where its link leads", ({ name, steps }) => {
  expect(page).toContain(`\n### ${name}\n`);
  expect(page).toContain(`(#${name.toLowerCase()})`);
  for (const step of steps) expect(page).toContain(step);
});
