// Mutation testing of the policy rules: changes the code of a theme in every way that Stryker knows, one at a time, and
// runs the theme's own tests on each. Ends with 1 where less than 90 % of the mutants of a theme are found.
//
//   npm run mutate [theme...]
import { readdirSync, writeFileSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Stryker } from "@stryker-mutator/core";

const root = fileURLToPath(new URL("../..", import.meta.url));
const least = 90;
const folders = { core: "core" };
for (const theme of readdirSync(`${root}/policies/rules`, { withFileTypes: true })) {
  if (theme.isDirectory()) folders[theme.name] = `rules/${theme.name}`;
}

const asked = process.argv.slice(2);
const unknown = asked.filter((theme) => !Object.hasOwn(folders, theme));
if (unknown.length > 0) {
  console.error(`error: no theme ${unknown.join(", ")}; there are ${Object.keys(folders).join(", ")}`);
  process.exit(2);
}

const scores = [];
for (const theme of asked.length > 0 ? asked : Object.keys(folders)) scores.push(await mutate(theme, folders[theme]));

console.log("\ntheme        mutants  found  survived  score");
for (const { theme, found, survivors } of scores) {
  const all = found + survivors.length;
  const score = ((100 * found) / all).toFixed(1);
  console.log(
    theme.padEnd(12),
    `${all}`.padStart(7),
    `${found}`.padStart(6),
    `${survivors.length}`.padStart(9),
    score.padStart(6),
  );
  if (found / all < least / 100) process.exitCode = 1;
}
mkdirSync(`${root}/coverage`, { recursive: true });
writeFileSync(`${root}/coverage/mutation.json`, JSON.stringify(scores, undefined, 2));

/** The mutants of one folder: how many its tests found, and those they did not. */
async function mutate(theme, folder) {
  process.env.MUTATION_TESTS = `test/policies/${folder}`;
  const results = await new Stryker({
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner", fileURLToPath(new URL("ignore-prose.mjs", import.meta.url))],
    ignorers: ["prose"],
    mutate: [`policies/${folder}/*.ts`],
    coverageAnalysis: "perTest",
    vitest: { configFile: "scripts/mutation/vitest.config.mjs", related: false },
    reporters: ["clear-text"],
    clearTextReporter: { reportTests: false, reportScoreTable: false, logTests: false, allowColor: false },
    allowEmpty: true,
    timeoutMS: 20_000,
    tempDirName: "coverage/stryker",
  }).runMutationTest();
  const is = (...states) => results.filter(({ status }) => states.includes(status));
  return { theme, found: is("Killed", "Timeout").length, survivors: is("Survived", "NoCoverage") };
}
