import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(path, "utf8");

test("the command of the README is what .ci/run runs", () => {
  const [, command = ""] = /^(npm (?:run )?test\b.*?) +# the tests/m.exec(read("README.md")) ?? [];
  expect(command).toBe("npm test");
  expect(read(".ci/run").split("\n")).toContain(command);
});

test("nothing of the project depends on the variable CI", () => {
  const files = execFileSync("git", ["ls-files", "*.ts", "*.mts", "*.mjs", "*.cjs", "*.json", ".ci", ".github"], {
    encoding: "utf8",
  });
  const reading = /\benv(?:\.CI\b|\[["'`]CI["'`]\])|\$\{?CI\b|^\s*CI=|\bCI=(?:1|true)\b/m;
  const own = files.split("\n").filter((file) => file !== "" && file !== "test/docs/test-command.test.ts");
  expect(own.length).toBeGreaterThan(100);
  expect(own.filter((file) => reading.test(read(file)))).toEqual([]);
});

test("vitest's defaults that depend on the variable CI are set", async () => {
  const { default: config } = await import("../../vitest.config.mjs");
  expect(config).toMatchObject({ test: { update: "none", allowOnly: false } });
});
