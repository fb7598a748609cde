// Mutation testing of the policy rules: changes the code of a theme in every way that Stryker knows, one at a time, and
// runs the theme's own tests on each. Ends with 1 where less than 90 % of the mutants of a theme are found.
//
//   npm run mutate [theme...]
//   npm run mutate -- --since COMMIT    the themes whose code or tests have changed
import { execFileSync } from "node:child_process";
import { readdirSync, writeFileSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Stryker } from "@stryker-mutator/core";

const root = fileURLToPath(new URL("../..", import.meta.url));
const least = 90;
const folders = { engine: "engine", facts: "facts" };
for (const theme of readdirSync(`${root}/policies/rules`, { withFileTypes: true })) {
  if (theme.isDirectory()) folders[theme.name] = `rules/${theme.name}`;
}

const asked = process.argv[2] === "--since" ? changedSince(process.argv[3] ?? "HEAD") : process.argv.slice(2);
const unknown = asked.filter((theme) => !Object.hasOwn(folders, theme));
if (unknown.length > 0) {
  console.error(`error: no theme ${unknown.join(", ")}; there are ${Object.keys(folders).join(", ")}`);
  process.exit(2);
}
if (process.argv[2] === "--since" && asked.length === 0) {
  console.log("No theme has changed.");
  process.exit(0);
}

mkdirSync(`${root}/coverage`, { recursive: true });
const scores = [];
for (const theme of asked.length > 0 ? asked : Object.keys(folders)) {
  scores.push(await mutate(theme, folders[theme]));
  // After each theme: all of them take half an hour.
  writeFileSync(`${root}/coverage/mutation.json`, JSON.stringify(scores, undefined, 2));
  console.log(`\n${table(scores)}`);
}

function table(rows) {
  const lines = rows.map(({ theme, found, timedOut, survivors }) => {
    const all = found + survivors.length;
    const score = ((100 * found) / all).toFixed(1);
    if (found / all < least / 100) process.exitCode = 1;
    const cells = [
      `${all}`.padStart(7),
      `${found}`.padStart(6),
      `${timedOut}`.padStart(10),
      `${survivors.length}`.padStart(9),
      score.padStart(6),
    ];
    return [theme.padEnd(12), ...cells].join(" ");
  });
  return ["theme        mutants  found  timed out  survived  score", ...lines].join("\n");
}

/** The mutants of one folder: how many its tests found, and those they did not. */
async function mutate(theme, folder) {
  // Rules test most of what the facts do.
  const tests = theme === "facts" ? ["facts", "rules"] : [folder];
  process.env.MUTATION_TESTS = tests.map((one) => `test/policies/${one}/**/*.test.ts`).join();
  const results = await new Stryker({
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner", fileURLToPath(new URL("ignore-prose.mjs", import.meta.url))],
    ignorers: ["prose"],
    mutate: [`policies/${folder}/*.ts`, `!policies/${folder}/*.example.ts`],
    coverageAnalysis: "perTest",
    vitest: { configFile: "tools/mutation/vitest.config.mjs", related: false },
    reporters: ["clear-text"],
    clearTextReporter: { reportTests: false, reportScoreTable: false, logTests: false, allowColor: false },
    allowEmpty: true,
    timeoutMS: 60_000,
    tempDirName: "coverage/stryker",
  }).runMutationTest();
  const is = (...states) => results.filter(({ status }) => states.includes(status));
  const timedOut = is("Timeout").length;
  return { theme, found: is("Killed").length + timedOut, timedOut, survivors: is("Survived", "NoCoverage") };
}

/** The themes whose code or tests differ from a commit. */
function changedSince(commit) {
  const of = (folder) => [`policies/${folder}`, `test/policies/${folder}`];
  const diff = (folder) => execFileSync("git", ["diff", "--name-only", commit, "--", ...of(folder)], { cwd: root });
  return Object.keys(folders).filter((theme) => diff(folders[theme]).length > 0);
}
