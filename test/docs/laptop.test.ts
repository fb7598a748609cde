import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { describe, expect, test } from "vitest";
import { kubernetesVersion, nvmlMockChart } from "../../components/core/versions";
import { findProject } from "../../planner/program/project";
import { stackConfig } from "../../planner/program/stack-config";
import { labs } from "../../stacks/labs";
import type { Lab } from "../../stacks/run/lab";
import { readLabConfig } from "../../stacks/run/lab-config";
import { ownProject } from "../support/own-project";

const text = readFileSync("docs/laptop.md", "utf8");
const blocks = [...text.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, block = ""]) => block);
const typed = blocks.join("\n");
const project = findProject(ownProject);

/** The parts of a page under its second-level headings. */
const sections = new Map(text.split(/^## /m).map((part) => [part.slice(0, part.indexOf("\n")), part] as const));

test("its shell is readable for bash", () => {
  for (const block of blocks) expect(spawnSync("bash", ["-n"], { input: block, encoding: "utf8" }).stderr).toBe("");
});

describe.each([
  ["Fake GPUs", "fake"],
  ["Mock GPUs", "mock"],
])("%s", (section, gpus) => {
  const own = sections.get(section) ?? "";
  const [, stack = ""] = /pulumi stack init ([\w-]+)/.exec(own) ?? [];
  const settings = [...own.matchAll(/pulumi config set --path (\S+) (\S+)/g)].map(
    ([, key, value]) => `${key}=${value}`,
  );

  test("the commands configure a stack without a problem", () => {
    expect(settings).toContain(`localCluster.gpus=${gpus}`);
    const { config, problems } = readLabConfig(stackConfig(project, stack, settings).values, stack);
    expect(problems).toEqual([]);
    expect(config?.lab).toBe(stack);
  });

  test("the context is the one that the tool creates for the cluster", () => {
    const context = settings.find((one) => one.startsWith("localCluster.context="))?.split("=")[1];
    const [, kwok] = /kwokctl create cluster --name (\S+)/.exec(own) ?? [];
    const [, yaml = "{}"] = /^```yaml\n([^]*?)^```/m.exec(own) ?? [];
    const { name: kind } = load(yaml) as { name?: string };
    expect(context).toBe(kwok === undefined ? `kind-${kind}` : `kwok-${kwok}`);
  });
});

test("as many nodes of kind as the labs need have the label that mock GPUs select, and one has no label", () => {
  const [, yaml = ""] = /^```yaml\n([^]*?)^```/m.exec(text) ?? [];
  const { nodes } = load(yaml) as { nodes: { role: string; labels?: Record<string, string> }[] };
  const labels = nodes.filter(({ role }) => role === "worker").map((worker) => worker.labels);
  const needed = Math.max(...Object.values<Lab>(labs).map(({ gpuNodes }) => gpuNodes));
  // The exercise taints the GPU nodes, and the control plane has a taint.
  expect(labels).toEqual([undefined, ...Array.from({ length: needed }, () => ({ tier: "gpu" }))]);
});

test("the versions are those that are pinned and tested", () => {
  const [, kwok] = /sigs\.k8s\.io\/kwok (v[\d.]+)/.exec(readFileSync("test/cluster/controllers/go.mod", "utf8")) ?? [];
  expect([...text.matchAll(/kwok\/releases\/download\/(v[\d.]+)/g)].map(([, version]) => version)).toEqual([kwok]);
  expect(text).toContain(`KWOK_KUBE_VERSION=v${kubernetesVersion}.`);
  expect(text).toContain(`kind-nvidia-cdi:v${kubernetesVersion}.`);
  expect(text).toContain(`ghcr.io/nvidia/nvml-mock:${nvmlMockChart.image}`);
  expect(typed).toContain(`#v${nvmlMockChart.version}:`);
});

test("every lab states whether it runs, and its page what differs", () => {
  for (const [name, { local, fault }] of Object.entries<Lab>(labs)) {
    if (!fault) continue;
    const row = new RegExp(`^\\| \\[${name}\\]\\(labs/${name}\\.md\\) +\\| (.+?) +\\| (.+?) +\\|$`, "m").exec(text);
    const answers = row?.slice(1).map((cell) => cell.split(/[:,]/)[0]);
    const supports = (kind: "fake" | "mock") => (typeof local !== "string" && local[kind] ? "yes" : "no");
    expect([name, answers]).toEqual([name, [supports("fake"), supports("mock")]]);
    const page = readFileSync(join("docs/labs", `${name}.md`), "utf8");
    expect(page).toContain(typeof local === "string" ? "## Why it needs AWS" : "## On a local cluster");
  }
});

test("its links lead somewhere", () => {
  for (const [link, target = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (!target.startsWith("https://")) expect(existsSync(join("docs", target)), link).toBe(true);
  }
});
