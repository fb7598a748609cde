import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { gpuNodeGroupDefaults } from "../../components/nodes/gpu-node-group-settings";
import { systemNodeGroupDefaults } from "../../components/nodes/system-node-group";
import { gpuOperatorDefaults } from "../../components/gpu/operator/gpu-operator-rules";
import { eksClusterDefaults } from "../../components/cluster/eks-cluster-schema";
import { environmentDefaults } from "../../components/environment/environment-defaults";
import { findProject } from "../../planner/program/project";
import { configKeys } from "../../stacks/run/config-keys";
import { pictureOf } from "../../planner/draw/graph";
import { svgOf } from "../../planner/draw/svg";
import { openProject, planStack } from "../../planner/plan-stack";
import { lab } from "../../policies/packs/lab/rules";

test("Pulumi.yaml and the README hold what npm run docs writes", async () => {
  const { files, render } = await import("../../scripts/docs.mjs");
  for (const file of files) expect(await render(file)).toBe(readFileSync(file, "utf8"));
});

test("docs/policies and the packs' example configurations are what npm run docs writes", async () => {
  const { renderPolicies } = await import("../../scripts/docs.mjs");
  const pages = await renderPolicies();
  expect(
    readdirSync("docs/policies")
      .map((file) => `docs/policies/${file}`)
      .sort(),
  ).toEqual(
    Object.keys(pages)
      .filter((path) => path.startsWith("docs/"))
      .sort(),
  );
  for (const [path, text] of Object.entries(pages)) expect(text, path).toBe(readFileSync(path, "utf8"));
});

test("docs/accidents.md is what npm run docs writes, and names every lab, rule, alert and conclusion", async () => {
  const { renderAccidents } = await import("../../scripts/docs.mjs");
  for (const [path, text] of Object.entries(await renderAccidents())) {
    expect(text, path).toBe(readFileSync(path, "utf8"));
  }
});

test("the picture in the README is the plan's", async () => {
  const { recording, region } = await planStack(await openProject(process.cwd()), "gpu-lab", [], lab);
  expect(await svgOf(pictureOf(recording, region))).toBe(readFileSync("docs/gpu-lab.svg", "utf8"));
});

test("the pictures of the labs are what npm run docs writes", async () => {
  const { renderLabs } = await import("../../scripts/docs.mjs");
  const pictures = await renderLabs();
  const drawn = readdirSync("docs/labs").filter((file) => file.endsWith(".svg"));
  expect(drawn.map((file) => `docs/labs/${file}`).sort()).toEqual(Object.keys(pictures).sort());
  for (const [path, text] of Object.entries(pictures)) expect(text, path).toBe(readFileSync(path, "utf8"));
});

test("the defaults that Pulumi.yaml declares are the components' own", () => {
  const { defaults } = findProject(process.cwd());
  const declared = (key: string) => defaults.get(`eks-gpu-lab:${key}`);
  expect(declared("clusterName")).toBe(environmentDefaults.clusterName);
  expect(declared("kubernetesVersion")).toBe(environmentDefaults.kubernetesVersion);
  expect(declared("nccl")).toBe(environmentDefaults.nccl);
  for (const key of ["controlPlaneLogs", "logRetentionDays", "secretsKey", "deletionProtection"] as const) {
    expect(declared(key)).toEqual(eksClusterDefaults[key]);
  }
});

test("the defaults that the documentation of inner keys names are the components' own", () => {
  const sections = {
    systemNodes: systemNodeGroupDefaults,
    gpuNodes: { ...gpuNodeGroupDefaults, azIndex: environmentDefaults.azIndex },
    gpuOperator: { ...gpuOperatorDefaults, enabled: false },
  };
  for (const [section, defaults] of Object.entries(sections)) {
    const docs: Record<string, string> = configKeys[section as keyof typeof sections].keys;
    for (const [key, value] of Object.entries(defaults)) {
      if (typeof value === "object" || docs[key] === undefined || !/default (\S+)/.test(docs[key])) continue;
      if (key === "repository") continue; // "NVIDIA's"
      const [, named] = /default ([^,;]+)/.exec(docs[key]) ?? [];
      expect(`${section}.${key} ${named}`).toBe(`${section}.${key} ${JSON.stringify(value).replaceAll('"', "")}`);
    }
  }
});
