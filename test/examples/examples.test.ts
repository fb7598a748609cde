import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { consumerDependencies, run, type Manifest } from "../package/project";
import { findPulumi } from "../../simulation/pulumi/find-pulumi";
import { commandsOf, exampleFolders, examples, fileOf, installedExample, needs, shell, textOf } from "./examples";

const own = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;

test("examples/README.md lists every example", () => {
  const page = readFileSync("examples/README.md", "utf8");
  const listed = [...page.matchAll(/^\| \[`([a-z-]+)`\]\(([a-z-]+)\/README\.md\)/gm)].map(([, name, link]) => [
    name,
    link,
  ]);
  expect(listed.sort()).toEqual(exampleFolders.map((name) => [name, name]).sort());
});

describe.for(examples)("%s", (example) => {
  test("has the dependencies of this repository, which are those of every example", () => {
    const { dependencies, devDependencies } = JSON.parse(textOf(example, "package.json")) as Manifest;
    const expected = consumerDependencies(own, `../../eks-gpu-lab-${own.version}.tgz`);
    expect({ dependencies, devDependencies }).toEqual(expected);
  });

  test("its README shows the plan, installed before", () => {
    const [first, ...others] = commandsOf(example);
    expect(first?.line).toBe("npm install");
    expect(others.map(({ golden }) => golden)).toContain("plan.txt");
  });

  test("its README's commands print what its files say", { timeout: 600_000 }, async () => {
    const copy = await installedExample(example);
    for (const { line, status, golden } of commandsOf(example)
      .slice(1)
      .filter((command) => !needs(command))) {
      const result = await shell(line, copy);
      expect([line, result.status], result.err).toEqual([line, status]);
      if (golden !== undefined) await expect(result.out).toMatchFileSnapshot(resolve(fileOf(example, golden)));
    }
  });

  // Without an account, only the names can be checked.
  test("its README sets only configuration keys that its program reads", () => {
    const program = textOf(example, "index.ts");
    const keys = commandsOf(example).flatMap(({ line }) =>
      [...line.matchAll(/pulumi config set (?:--\S+ )*'?([A-Za-z:]+)/g)].map(([, key = ""]) => key),
    );
    const known = (key: string) => key.startsWith("aws:") || program.includes(`"${key}"`) || isFaultKey(program, key);
    expect(keys.filter((key) => !known(key))).toEqual([]);
  });
});

const isFaultKey = (program: string, key: string) => program.includes("faultSwitch(") && /^(fault|expires)$/.test(key);

const rehearsals = examples.flatMap((example) =>
  commandsOf(example)
    .filter((command) => needs(command) === "cli")
    .map((command) => ({ example, ...command })),
);

test("an example rehearses its own lab", () => {
  expect(rehearsals).not.toEqual([]);
});

// The reason of a skip is printed by the setup of the engine tests.
test.skipIf(!findPulumi().cli).for(rehearsals)("$example: $line", async ({ example, line, status }) => {
  const result = await shell(line, await installedExample(example));
  expect(result.status, `${result.out}\n${result.err}`).toBe(status);
  expect(result.out).toMatch(/^rehearsed: /m);
});

test("every program has no type error against the packed declarations", async () => {
  const copies = await Promise.all(examples.map(installedExample));
  const script = join(process.cwd(), "test/examples/type-check.mjs");
  const { out, err } = await run(process.execPath, [script, ...copies], inject("consumer").project);
  expect(JSON.parse(out || "{}"), err).toEqual(Object.fromEntries(examples.map((example) => [example, []])));
});
