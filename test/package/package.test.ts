import { readdirSync, readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { PreviewDocument, PreviewState } from "../../planner/report/json";
import { gpuOperatorChart } from "../../components/core/versions";
import { unknownSentinel } from "../../components/core/wire";
import { packs } from "../../policies/packs";
import { copyOfSource, firstLine, packed, projectWith, run, workshop, wouldPack } from "./project";
import type { Finished, Manifest, Tarball } from "./project";

/** The examples of the page; the first is the program that the project plans. */
const page = readFileSync("docs/library.md", "utf8");
const examples = [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code]) => code);
const exampleFiles = Object.fromEntries(
  examples.map((code, index) => [index === 0 ? "index.ts" : `example-${index + 1}.ts`, String(code)]),
);
const projectFiles = {
  ...exampleFiles,
  "Pulumi.yaml": "name: prod-infra\nruntime: nodejs\n",
  "Pulumi.dev.yaml": "config:\n  aws:region: ap-northeast-2\n  prod-infra:kubeconfig:\n    secure: v1:AAAA\n",
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
/** Compilers and npm share a machine with every other test: a minute alone may be three together. */
vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });
let room: Awaited<ReturnType<typeof workshop>>;
let source: string;
let tarball: Tarball;
let project: string;
let checked: Promise<Finished>;
let planned: Promise<Finished>;

beforeAll(async () => {
  room = await workshop();
  source = await copyOfSource(room.dir);
  tarball = await packed(source, room.dir);
  project = await projectWith(join(room.dir, tarball.filename), projectFiles);
  const script = join(process.cwd(), "test/package/type-check.mjs");
  checked = run(process.execPath, [script, project, ...Object.keys(exampleFiles)], project);
  planned = run("npx", ["--no-install", "eks-gpu-lab", "plan", "--json"], project);
});

afterAll(() => room.remove());

describe("the tarball", () => {
  test("holds the bundles, the declarations, the packs and the papers, and nothing else", () => {
    const expected = [
      /^(LICENSE|README\.md|CHANGELOG\.md|package\.json)$/,
      /^dist\/(index|cli|lab-commands|cluster-commands|testing|provider|policies\/[a-z]+)\.js$/,
      /^dist\/scripts\/[a-z_-]+\.(py|sh|pl)$/,
      /^dist\/types\/(components|policies)\/[a-z0-9/-]+\.d\.ts$/,
      /^dist\/types\/simulation\/mocks\.d\.ts$/,
      /^docs\/([a-z]+\/)?[A-Za-z0-9-]+\.(md|svg)$/,
      /^docs\/(alerts|exercises)\/[a-z.-]+\.yaml$/,
      /^provider\/(PulumiPlugin\.yaml|package\.json|install\.cjs)$/,
      /^policies\/packs\/[a-z]+\/(PulumiPolicy\.yaml|package\.json|policy-config\.example\.json)$/,
    ];
    const paths = tarball.files.map(({ path }) => path);
    expect(paths.filter((path) => !expected.some((form) => form.test(path)))).toEqual([]);
    expect(expected.filter((form) => !paths.some((path) => form.test(path)))).toEqual([]);
    expect(tarball.unpackedSize).toBeLessThan(5_800_000);
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

  test("names no path of the machine that built it", async () => {
    const machine = [process.cwd(), room.dir, "file:///"];
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
    const npx = ["--no-install", "--cache", join(room.dir, "npm-cache"), "eks-gpu-lab", "--version"];
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
    const { status, err } = await run(process.execPath, ["scripts/run.mjs", "api-report", "--check"], source);
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

describe("a plan of another project", () => {
  const states = async (type: string): Promise<PreviewState[]> => {
    const { steps } = JSON.parse((await planned).out) as PreviewDocument;
    return steps.map(({ newState }) => newState).filter((state) => state.type === type);
  };

  test("makes GPU nodes and the operator, and neither network nor cluster", async () => {
    expect(await planned).toMatchObject({ status: 0 });
    expect(await states("aws:eks/nodeGroup:NodeGroup")).toMatchObject([
      {
        inputs: {
          clusterName: "prod",
          subnetIds: ["subnet-0123456789abcdef0"],
          scalingConfig: { desiredSize: 0, minSize: 0, maxSize: 2 },
          taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
        },
      },
    ]);
    expect(await states("kubernetes:helm.sh/v3:Release")).toMatchObject([
      {
        inputs: { chart: "gpu-operator", version: gpuOperatorChart.version, values: { dcgm: { enabled: true } } },
        provider: expect.stringContaining("::pulumi:providers:kubernetes::prod::") as string,
      },
    ]);
    const others = ["aws:ec2/vpc:Vpc", "aws:ec2/subnet:Subnet", "eks:index:Cluster", "aws:eks/cluster:Cluster"];
    expect((await Promise.all(others.map(states))).flat()).toEqual([]);
  });

  test("leaves unknown what it would have to look up in AWS", async () => {
    const [template] = await states("aws:ec2/launchTemplate:LaunchTemplate");
    expect(template?.inputs?.["vpcSecurityGroupIds"]).toEqual([unknownSentinel]);
  });

  test("refuses wrong arguments with exit status 2 and every problem", async () => {
    const tool = join(project, "node_modules/.bin/eks-gpu-lab");
    const { status, out, err } = await run(tool, ["plan", "--config", "gpuMaxSize=0"], project);
    expect({ status, out, err }).toEqual({
      status: 2,
      out: "",
      err: [
        'GpuNodeGroup "gpu": 1 problem in the input',
        "  maxSize: got 0. EKS requires a maximum of at least 1; for a group without nodes set desiredSize and minSize to 0.",
        "    fix: set maxSize to a whole number, from 1 to 450",
        "",
      ].join("\n"),
    });
  });
});

describe("a policy pack of one's own, as in docs/library.md", () => {
  const folder = "policies";
  let ofTool: Promise<Finished>;

  beforeAll(async () => {
    const code = examples.find((example) => example?.includes("eks-gpu-lab/policies"));
    await mkdir(join(project, folder));
    await writeFile(join(project, folder, "index.ts"), String(code));
    await writeFile(join(project, folder, "PulumiPolicy.yaml"), "runtime: nodejs\n");
    await writeFile(join(project, folder, "package.json"), '{ "name": "acme-gpu", "version": "1.0.0" }');
    const tool = join(project, "node_modules/.bin/eks-gpu-lab");
    ofTool = run(tool, ["plan", "--json", "--pack", `./${folder}`], project);
  });

  test("judges the offline plan", async () => {
    const { status, out, err } = await ofTool;
    const { policies, policyPack } = JSON.parse(out) as PreviewDocument;
    expect([status, err]).toEqual([1, ""]);
    expect(policyPack).toMatchObject({ name: "acme-gpu", version: "1.0.0" });
    expect(policies.map(({ rule }) => rule)).toContain("gpu-cost-center");
  });

  test("is started by the engine, from TypeScript", async () => {
    const runner = join(project, "node_modules/@pulumi/pulumi/cmd/run-policy-pack/index.js");
    expect(await firstLine(process.execPath, [runner, "127.0.0.1:0", "."], join(project, folder))).toMatch(/^\d{2,5}$/);
  });

  test("importing the rules starts nothing and loads no SDK", async () => {
    const script =
      'const { lab } = require("eks-gpu-lab/policies"); console.log(lab.rules.length, Object.keys(require.cache).filter((f) => f.includes("@pulumi")).length)';
    const { status, out } = await run(process.execPath, ["-e", script], project);
    expect([status, out]).toEqual([0, `${packs.lab.rules.length} 0\n`]);
  });
});

describe("unit tests with the mocks, as in docs/library.md", () => {
  test("pass with the commands of the page", async () => {
    const code = String(examples.find((example) => example?.includes("eks-gpu-lab/testing")));
    await writeFile(join(project, "lab.test.ts"), code);
    const [, tsc = "", tests = ""] = /^npx (tsc lab\.test\.ts .*)\nnode (--test .*)$/m.exec(page) ?? [];
    const compiler = join(process.cwd(), "node_modules/typescript/bin/tsc");
    const translated = await run(process.execPath, [compiler, ...tsc.split(" ").slice(1)], project);
    expect([translated.status, translated.out]).toEqual([0, ""]);
    const { status, out } = await run(process.execPath, ["--test-reporter=tap", ...tests.split(" ")], project);
    expect(out).toMatch(/^# pass 2$/m);
    expect(status).toBe(0);
  });

  test("importing the mocks loads no SDK", async () => {
    const script =
      'const { mocks } = require("eks-gpu-lab/testing"); console.log(typeof mocks, Object.keys(require.cache).filter((f) => f.includes("@pulumi")).length)';
    const { status, out } = await run(process.execPath, ["-e", script], project);
    expect([status, out]).toEqual([0, "function 0\n"]);
  });
});

describe("the policy pack", () => {
  test("starts as the engine starts it, and prints the port it listens on", async () => {
    const runner = join(project, "node_modules/@pulumi/pulumi/cmd/run-policy-pack/index.js");
    const pack = join(project, "node_modules/eks-gpu-lab/policies/packs/lab");
    expect(await firstLine(process.execPath, [runner, "127.0.0.1:0", "."], pack)).toMatch(/^\d{2,5}$/);
  });
});
