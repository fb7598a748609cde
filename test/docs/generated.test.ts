import { readdirSync, readFileSync, statSync } from "node:fs";
import { Ajv, type AnySchema } from "ajv";
import { load } from "js-yaml";
import { describe, expect, test } from "vitest";
import { eksClusterDefaults } from "../../components/cluster/eks-cluster-schema";
import { environmentDefaults } from "../../components/environment/gpu-environment-sections";
import { commands } from "../../commands/eks-gpu-lab";
import { findProject } from "../../planner/program/project";
import { renderEnvironment, renderLabs, renderParts, renderWhole } from "../../tools/docs";
import { lab } from "../../policies/packs/lab/rules";
import { labs } from "../../stacks/labs";
import { runCli } from "../support/cli";
import { ownProject } from "../support/own-project";

function expectWritten(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) expect(text, path).toBe(readFileSync(path, "utf8"));
}

test("Pulumi.yaml and the README are what npm run docs writes", async () => {
  expectWritten(await renderParts());
});

/** A type as the pages show it. */
function kindOf(type: string): string {
  const [provider, api = "", kind] = type.split(":");
  const group = api.split("/").slice(0, -1).join("/");
  return provider !== "kubernetes" || kind === undefined ? type : group === "core" ? kind : `${group}/${kind}`;
}

test("each page lists what its rule reads, once, and the index the providers", () => {
  const index = readFileSync("docs/policies/README.md", "utf8");
  const sets = new Map(
    [...index.matchAll(/^### (.+)\n\n(`.+)$/gm)].map(([, name = "", list = ""]) => [name.toLowerCase(), codes(list)]),
  );
  for (const { rule } of lab.rules) {
    const page = readFileSync(`docs/policies/${rule.id}.md`, "utf8");
    const [, list = ""] = /## What it reads\n\n(.+)/.exec(page) ?? [];
    const named = [...list.matchAll(/\[(.+?)\]/g)].flatMap(([, name = ""]) => sets.get(name) ?? [`no set ${name}`]);
    const listed = [...named, ...codes(list)];
    expect(listed.sort(), rule.id).toEqual([...new Set(rule.types.map(kindOf))].sort());
  }
  for (const name of ["@pulumi/aws", "@pulumi/aws-native", "@pulumi/eks", "@pulumi/kubernetes"])
    expect(index).toContain(`\`${name}\``);
  for (const name of ["aws", "eks", "kubernetes", "aws-native"]) {
    expect(readFileSync("README.md", "utf8")).toContain(`\`${name}\``);
  }
});

function codes(list: string): string[] {
  return [...list.matchAll(/`(.+?)`/g)].map(([, code = ""]) => code);
}

function filesIn(folder: string): string[] {
  return statSync(folder).isDirectory() ? readdirSync(folder).map((file) => `${folder}/${file}`) : [];
}

describe("the schema of a stack's file for editors", () => {
  test("is what npm run docs writes", async () => expectWritten(await renderWhole("stackFileSchema")));

  const isValid = new Ajv({ strict: false }).compile(
    JSON.parse(readFileSync("stacks/stack-file.schema.json", "utf8")) as AnySchema,
  );
  const config = (values: object) => ({ config: values });

  test("accepts the files of the examples, and keys of each form", () => {
    const files = readdirSync("examples").flatMap((folder) =>
      filesIn(`examples/${folder}`).filter((file) => /\/Pulumi\.[\w-]+\.yaml$/.test(file)),
    );
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) expect(isValid(load(readFileSync(file, "utf8"))), file).toBe(true);
    const keys = {
      gpuNodes: { maxSize: 1, taints: [] },
      nccl: "blocked",
      tags: { Team: "a" },
      gpuOperator: { enabled: true },
    };
    const own = Object.entries(keys).map(([key, value]) => [`eks-gpu-lab:${key}`, value] as const);
    const problems = isValid(config(Object.fromEntries(own))) ? [] : isValid.errors;
    expect(problems).toEqual([]);
  });

  test.for([
    ["an unknown key", { "eks-gpu-lab:gpuNode": {} }],
    ["an unknown key of a section", { "eks-gpu-lab:gpuNodes": { maxsize: 1 } }],
    ["a text for a number", { "eks-gpu-lab:gpuNodes": { maxSize: "two" } }],
    ["a word that is none of the list", { "eks-gpu-lab:nccl": "closed" }],
    ["a value for a list", { "eks-gpu-lab:publicAccessCidrs": "203.0.113.7/32" }],
    ["a section without what it needs", { "eks-gpu-lab:localCluster": { gpus: "fake" } }],
  ] as const)("rejects %s", ([, values]) => expect(isValid(config(values))).toBe(false));
});

test("docs/policies and the packs' example configurations are what npm run docs writes", async () => {
  const pages = await renderWhole("policies");
  expect(
    readdirSync("docs/policies")
      .map((file) => `docs/policies/${file}`)
      .sort(),
  ).toEqual(
    Object.keys(pages)
      .filter((path) => path.startsWith("docs/"))
      .sort(),
  );
  expectWritten(pages);
});

test("docs/accidents.md is what npm run docs writes", async () => {
  expectWritten(await renderWhole("failures"));
});

describe("docs/commands.md", () => {
  const page = readFileSync("docs/commands.md", "utf8").replaceAll(/[\\`]/g, "").replaceAll(/\s+/g, " ");

  test("is what npm run docs writes", async () => expectWritten(await renderWhole("commands")));

  test.for(Object.keys(commands))("says what %s --help says", async (name) => {
    const { out } = await runCli([name, "--help"]);
    const [, own = ""] = page.split(` ## ${name} `);
    const [usage = ""] = out.split("\n");
    expect(own).toContain(usage.replace("usage: ", "npx "));
    const [help = "", statuses = ""] = out.split("\nexit status:\n");
    for (const [, status] of statuses.matchAll(/^ {2}(\d {2}.+)$/gm))
      expect(own).toContain(status?.replace("  ", ": "));
    const options = [...help.matchAll(/^ {2}(?: {3}|(-\w),) (--[\w-]+(?: [A-Z|[\],=]+)?)/gm)];
    expect(options.length).toBe(Object.keys(commands[name]?.options ?? {}).length);
    for (const [, short, option = ""] of options)
      expect(own).toContain(`| ${short === undefined ? "" : `${short}, `}${option} |`);
  });

  test("names the default of an option, and its unit", () => {
    expect(page).toMatch(/\| --timeout SECONDS +\| 1200 +\| how long up and down wait/);
  });
});

test("the picture in the README is the plan's", async () => {
  expectWritten(await renderEnvironment(ownProject));
});

test("the pictures of the labs are what npm run docs writes", async () => {
  const pictures = await renderLabs();
  const drawn = readdirSync("docs/labs").filter((file) => file.endsWith(".svg"));
  expect(drawn.map((file) => `docs/labs/${file}`).sort()).toEqual(Object.keys(pictures).sort());
  expectWritten(pictures);
});

test("the defaults that Pulumi.yaml declares are the components' own", () => {
  const { defaults } = findProject(ownProject);
  const declared = (key: string) => defaults.get(`eks-gpu-lab:${key}`);
  expect(declared("clusterName")).toBe(""); // Each lab has its own.
  expect(labs["gpu-lab"].clusterName).toBe(environmentDefaults.clusterName);
  expect(declared("kubernetesVersion")).toBe(environmentDefaults.kubernetesVersion);
  expect(declared("nccl")).toBe(environmentDefaults.nccl);
  for (const key of ["controlPlaneLogs", "logRetentionDays", "secretsKey", "deletionProtection"] as const) {
    expect(declared(key)).toEqual(eksClusterDefaults[key]);
  }
});
