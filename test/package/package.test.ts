import { readdirSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { packs } from "../../policies/packs";
import { startProvider } from "../provider/support/provider-process";
import { firstLine, run, wouldPack } from "./project";
import type { Finished, Manifest } from "./project";

/** The examples of the page. */
const page = readFileSync("docs/library.md", "utf8");
const examples = [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code]) => code);
const exampleFiles = Object.fromEntries(examples.map((code, index) => [`example-${index + 1}.ts`, String(code)]));
const projectFiles = {
  ...exampleFiles,
  "load.mjs": `
    import { createRequire } from "node:module";
    import * as library from "eks-gpu-lab";
    const loaded = Object.keys(createRequire(import.meta.url).cache).map((file) => file.split("node_modules/").pop());
    process.stdout.write(JSON.stringify({ names: Object.keys(library), loaded }));`,
};

interface Declarations {
  readonly resolution: Readonly<Record<"node10" | "node16" | "bundler", Resolution>>;
  readonly errors: readonly { readonly file: string; readonly text: string }[];
}
interface Resolution {
  readonly entries: readonly string[];
  readonly packages: readonly string[];
  readonly missing: readonly string[];
}

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
const { room, source, tarball, project } = inject("consumer");
let checked: Promise<Finished>;

beforeAll(async () => {
  for (const [file, content] of Object.entries(projectFiles)) await writeFile(join(project, file), content);
  const script = join(process.cwd(), "test/package/type-check.mjs");
  checked = run(process.execPath, [script, project, ...Object.keys(exampleFiles)], project);
});

describe("the tarball", () => {
  test("holds the bundles, the declarations, the packs and the papers, and nothing else", () => {
    const expected = [
      /^(LICENSE|README\.md|CHANGELOG\.md|package\.json)$/,
      /^dist\/(index|cli|plan|commands|testing|provider|policies\/[a-z]+)\.js$/,
      /^dist\/assets\/[a-z-]+\.(css|js)$/,
      /^dist\/scripts\/[a-z_-]+\.(py|sh|pl|bash|zsh|fish)$/,
      /^dist\/types\/(components|policies)\/[a-z0-9/-]+\.d\.ts$/,
      /^dist\/types\/simulation\/mocks\.d\.ts$/,
      /^docs\/([a-z]+\/)?[A-Za-z0-9-]+\.(md|svg|png)$/,
      /^docs\/ko\/(labs\/)?[A-Za-z0-9-]+\.md$/,
      /^docs\/(alerts|exercises)\/[a-z.-]+\.yaml$/,
      /^docs\/parity\/resources\.yaml$/,
      /^examples\/([a-z-]+\/)?[A-Za-z_.-]+\.(md|txt|ts|py|json|yaml)$/,
      /^examples\/policies-only\/policies\/(index\.ts|package\.json|PulumiPolicy\.yaml)$/,
      /^examples\/pull-request-gate\/\.github\/workflows\/[a-z-]+\.yml$/,
      /^provider\/(PulumiPlugin\.yaml|package\.json|install\.cjs)$/,
      /^policies\/packs\/[a-z]+\/(PulumiPolicy\.yaml|package\.json|policy-config\.example\.json)$/,
    ];
    const paths = tarball.files.map(({ path }) => path);
    expect(paths.filter((path) => !expected.some((form) => form.test(path)))).toEqual([]);
    expect(expected.filter((form) => !paths.some((path) => form.test(path)))).toEqual([]);
    expect(tarball.unpackedSize).toBeLessThan(7_500_000);
  });

  test("holds every script that a component reads, as it is in the source", async () => {
    const sources = readdirSync("components", { recursive: true, encoding: "utf8" }).filter((path) =>
      /(^|\/)scripts\/[^/]+$/.test(path),
    );
    expect(sources).not.toEqual([]);
    for (const path of sources) {
      const packed = await readFile(join(project, "node_modules/eks-gpu-lab/dist/scripts", basename(path)), "utf8");
      expect(packed, path).toBe(readFileSync(join("components", path), "utf8"));
    }
  });

  test("has everything that its pages link to", async () => {
    const paths = tarball.files.map(({ path }) => path);
    const links = paths
      .filter((path) => path.endsWith(".md"))
      .map(async (page) => {
        const text = await readFile(join(project, "node_modules/eks-gpu-lab", page), "utf8");
        const targets = [...text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)[^)\s]*\)/g)].map(([, target = ""]) => target);
        return targets.map((target) => [page, target, join(dirname(page), target)] as const);
      });
    const found = (await Promise.all(links)).flat();
    expect(found.map(([page]) => page)).toContain("docs/languages.md");
    expect(found.filter(([, , path]) => !paths.includes(path))).toEqual([]);
  });

  test("names no path of the machine that built it", async () => {
    const machine = [process.cwd(), room, "file:///"];
    const named = tarball.files.map(async ({ path }) => {
      const content = await readFile(join(project, "node_modules/eks-gpu-lab", path), "utf8");
      return machine.filter((text) => content.includes(text)).map((text) => `${path}: ${text}`);
    });
    expect((await Promise.all(named)).flat()).toEqual([]);
  });

  test("has its declarations still when npm runs prepare, which it does between prepack and packing", async () => {
    await run("npm", ["run", "prepare"], source);
    expect((await wouldPack(source)).files.map(({ path }) => path)).toEqual(tarball.files.map(({ path }) => path));
  });
});

test("npx runs the tool in a clone after each build, not only after the first", async () => {
  const buildAndRun = async () => {
    expect((await run("npm", ["run", "prepare"], source)).status).toBe(0);
    const npx = ["--no-install", "--cache", join(room, "npm-cache"), "eks-gpu-lab", "--version"];
    const { status, out } = await run("npx", npx, source);
    return [status, out];
  };
  const ran = [0, `${manifest.version}\n`];
  expect([await buildAndRun(), await buildAndRun()]).toEqual([ran, ran]);
});

describe("loading the library", () => {
  test("gives an ES module its names, and loads no root of a provider and no policy SDK", async () => {
    const { out } = await run(process.execPath, ["load.mjs"], project);
    const { names, loaded } = JSON.parse(out) as { names: string[]; loaded: string[] };
    expect(names).toEqual(expect.arrayContaining(["GpuEnvironment", "GpuNodeGroup", "GpuOperator", "InputError"]));
    const roots = ["@pulumi/aws", "@pulumi/eks", "@pulumi/kubernetes"].map((name) => `${name}/index.js`);
    expect(loaded.filter((file) => roots.includes(file) || file.startsWith("@pulumi/policy/"))).toEqual([]);
    expect(loaded).toContain("@pulumi/pulumi/index.js");
  });
});

describe("the declarations", () => {
  test("are those of the API reports in api/, which npm run api writes", async () => {
    const { status, err } = await run(process.execPath, ["tools/run.mjs", "api-report", "--check"], source);
    expect([status, err]).toEqual([0, ""]);
  });

  const declarations = async () => JSON.parse((await checked).out) as Declarations;

  test.for(["node10", "node16", "bundler"] as const)(
    "are found by moduleResolution %s, and what they import",
    async (mode) => {
      const { entries, packages, missing } = (await declarations()).resolution[mode];
      const types = "node_modules/eks-gpu-lab/dist/types";
      const expected = ["components/index", "policies/index", "simulation/mocks"];
      expect(entries).toEqual(expected.map((entry) => `${types}/${entry}.d.ts`));
      expect(missing).toEqual([]);
      const promised = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
      expect(packages.filter((name) => !promised.includes(name))).toEqual([]);
    },
  );

  test("have no error of their own under strict options", async () => {
    const { errors } = await declarations();
    expect(errors.filter(({ file }) => !(file in exampleFiles))).toEqual([]);
  });

  test.for(Object.keys(exampleFiles))("fit docs/library.md: %s", async (example) => {
    const { errors } = await declarations();
    expect(errors.filter(({ file }) => file === example)).toEqual([]);
  });
});

describe("importing", () => {
  test.for([
    ["eks-gpu-lab/policies", "lab.rules.length", packs.lab.rules.length],
    ["eks-gpu-lab/testing", "typeof mocks", "function"],
  ] as const)("%s starts nothing and loads no SDK", async ([name, shown, expected]) => {
    const script = `const { lab, mocks } = require("${name}"); console.log(${shown}, Object.keys(require.cache).filter((f) => f.includes("@pulumi")).length)`;
    const { status, out } = await run(process.execPath, ["-e", script], project);
    expect([status, out]).toEqual([0, `${expected} 0\n`]);
  });
});

describe("the policy pack", () => {
  test("starts as the engine starts it, and prints the port it listens on", async () => {
    const runner = join(project, "node_modules/@pulumi/pulumi/cmd/run-policy-pack/index.js");
    const pack = join(project, "node_modules/eks-gpu-lab/policies/packs/lab");
    expect(await firstLine(process.execPath, [runner, "127.0.0.1:0", "."], pack)).toMatch(/^\d{2,5}$/);
  });
});

test("the component provider starts as the engine starts it, and serves the schema", async () => {
  const provider = await startProvider(join(project, "node_modules/eks-gpu-lab/provider"));
  onTestFinished(() => provider.stop());
  const schema = JSON.parse(readFileSync("provider/schema.json", "utf8")) as object;
  expect(JSON.parse(await provider.schema())).toEqual({ ...schema, version: manifest.version });
});
