import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { newestVersions } from "../../tools/newest-peers";
import { folder } from "../support/files";

test("the newest version in a range is the highest one, whatever the order", () => {
  const published: Record<string, string | string[]> = {
    one: "7.48.0",
    many: ["3.257.0", "3.270.0", "3.99.0", "4.0.0"],
  };
  expect(newestVersions({ one: "^7.48.0", many: ">=3.248.0 <4" }, (name) => published[name] ?? [])).toEqual({
    one: "7.48.0",
    many: "3.270.0",
  });
  expect(() => newestVersions({ none: "^9.0.0" }, () => [])).toThrow("none: got no version. The range is ^9.0.0.");
});

/** Runs the script with an npm that has these versions, and installs this one. */
function runWith(published: string[], installed: string) {
  const dir = folder({
    "package.json": JSON.stringify({ peerDependencies: { "@pulumi/x": ">=1.2.0 <2" } }),
    "node_modules/@pulumi/x/package.json": JSON.stringify({ version: installed }),
    "bin/npm": `#!/bin/sh\nif [ "$1" = view ]; then echo '${JSON.stringify(published)}'; else echo "$@" > asked; fi\n`,
  });
  spawnSync("chmod", ["+x", join(dir, "bin/npm")]);
  const env = { ...process.env, PATH: [join(dir, "bin"), process.env["PATH"]].join(delimiter) };
  const script = resolve("tools/run.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, "newest-peers"], {
    cwd: dir,
    env,
    encoding: "utf8",
  });
  return { status, stdout, stderr, asked: readFileSync(join(dir, "asked"), "utf8") };
}

test("the newest versions are installed exactly, and an older one is a failure", () => {
  const published = ["1.9.0", "1.10.0", "1.3.0"];
  const newest = runWith(published, "1.10.0");
  expect(newest).toMatchObject({ status: 0, stdout: "@pulumi/x 1.10.0\n", stderr: "" });
  expect(runWith(published, "v1.10.0").status).toBe(0);
  expect(newest.asked).toContain(" @pulumi/x@1.10.0\n");
  expect(runWith(published, "1.2.0")).toMatchObject({
    status: 1,
    stdout: "@pulumi/x 1.2.0\n",
    stderr: "@pulumi/x: got 1.2.0. The newest version in the range is 1.10.0.\n",
  });
});
