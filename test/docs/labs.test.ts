import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { readPlanOptions } from "../../commands/plan/plan-options";
import { rehearseCommand } from "../../commands/rehearse/rehearse-options";
import { triageCommand } from "../../commands/triage/triage-options";
import { isRecord } from "../../components/core/reader/records";
import { gpuAlertGroups } from "../../components/observe/alerts/gpu-alert-rules";
import { openProject, recordStack } from "../../planner/plan-stack";
import type { Recording } from "../../planner/record/record";
import { fatalXids } from "../../components/workloads/fault/dcgm-faults";
import { keysOf } from "../../components/core/schema";
import { configSection, innerKeys } from "../../stacks/run/config-keys";
import { togglesOf, type Lab } from "../../stacks/run/lab";
import { anchorOf } from "../../tools/site/links";
import { labs } from "../../stacks/labs";
import { conclusionIds } from "../../triage/conclusions";
import { ownProject } from "../support/own-project";

const folder = "docs/labs";
const pages = readdirSync(folder).filter((file) => file.endsWith(".md"));
const textOf = (page: string) => readFileSync(join(folder, page), "utf8");
const all = Object.entries<Lab>(labs);
const alerts = gpuAlertGroups().flatMap(({ rules }) => rules);

/** What a lab registers and exports, with the fault off and on. */
const plans = new Map<string, readonly Recording[]>();

beforeAll(async () => {
  const project = await openProject(ownProject);
  for (const [name, lab] of all) {
    const configs = [[], ...togglesOf(lab, new Date()).map(({ config }) => config)];
    const recordings: Recording[] = [];
    for (const config of configs) recordings.push((await recordStack(project, name, config)).recording);
    plans.set(name, recordings);
  }
}, 120_000);

test("each lab has a page and a picture, and there are no others", () => {
  const expected = all.map(([name]) => name).sort();
  const of = (ending: string) =>
    readdirSync(folder).flatMap((file) => (file.endsWith(ending) ? [file.slice(0, -ending.length)] : []));
  expect(of(".md").sort()).toEqual(["README", ...expected].sort());
  expect(of(".svg").sort()).toEqual(expected);
});

test("the page of node-health states what a restart of the engine does to the exporter", () => {
  const restore = /## Restore([\s\S]*?)## Verify([\s\S]*?)\n## /.exec(textOf("node-health.md")) ?? [];
  expect(restore[1]).toMatch(/`dcgm-server` also drops the exporter's connection/);
  expect(restore[2]).toContain("app=nvidia-dcgm-exporter");
});

describe.each(all)("the page of %s", (name, lab) => {
  const text = textOf(`${name}.md`);
  const flat = text.replace(/\s+/g, " ");

  test("states the lab's question and hypothesis, and shows its picture", () => {
    expect(flat).toContain(`**Question.** ${lab.question} `);
    expect(flat.toLowerCase()).toContain(`**hypothesis.** ${lab.hypothesis}.`.toLowerCase());
    expect(text).toMatch(new RegExp(`!\\[[^\\]]{40,}\\]\\(${name}\\.svg\\)`));
  });

  test("goes from the start to the end of a session", () => {
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    const steps = lab.fault
      ? ["Start", "Baseline", "Inject", "Observe", "Find the cause", "Restore", "Verify"]
      : ["Start"];
    const wanted = [...steps, "End the session", "Lessons for production"];
    expect(headings.filter((heading) => wanted.includes(heading ?? ""))).toEqual(wanted);
    expect(flat).toContain(`pulumi stack init ${name} `);
    for (const command of ["npx eks-gpu-lab gpu up", "npx eks-gpu-lab gpu down", "pulumi destroy"]) {
      expect(flat).toContain(command);
    }
  });

  test("names every alert on its fault, every remedy, and every variant of the fault", () => {
    for (const { name: alert } of alerts.filter((rule) => rule.lab === name)) expect(flat).toContain(`[${alert}]`);
    for (const name of Object.keys({ ...lab.remedies, ...lab.fault?.variants }))
      expect(flat).toMatch(new RegExp(`[\` ]${name}[\` ]`));
  });

  test("names objects that the lab creates", () => {
    const made = (plans.get(name) ?? []).flatMap(({ resources }) =>
      resources.flatMap(({ inputs: { metadata } }) => (isRecord(metadata) ? [metadata["name"]] : [])),
    );
    const named = text.matchAll(/(?:pod|job|deployment|svc|daemonset)[/ ]([a-z][a-z0-9-]*) -n ([a-z-]+)/g);
    for (const [command, object, namespace] of named) {
      if (namespace === name || object === "dcgm-fault") expect(made, command).toContain(object);
    }
    for (const [command, namespace] of text.matchAll(/kubectl [^\n`]*?-n ([a-z-]+)/g)) {
      expect([name, "gpu-operator", "kube-system", "monitoring"], command).toContain(namespace);
    }
  });

  test("names outputs that the stack exports", () => {
    const outputs = (plans.get(name) ?? []).map((recording) => recording.outputs);
    for (const { output, member, stack } of outputsNamed(text)) {
      const known = stack === undefined ? outputs : (plans.get(stack) ?? []).map((recording) => recording.outputs);
      const values = known.flatMap((one) => (output in one ? [one[output]] : []));
      expect(values, output).not.toEqual([]);
      if (member !== undefined) expect(values.map((value) => isRecord(value) && member in value)).toContain(true);
    }
  });
});

/** Each `pulumi stack output NAME`, with the member that jq selects and the stack that the command names. */
function outputsNamed(text: string) {
  const commands = text.matchAll(/pulumi stack output (\w+)(?: --stack ([\w-]+))?(?: --json \\?\| jq -r \.(\w+))?/g);
  return [...commands].map(([, output = "", stack, member]) => ({ output, stack, member }));
}

test("the pages say which labs can run in a shared cluster, and the index names outputs that exist", () => {
  const text = textOf("README.md");
  const [, listed = ""] = /the cluster of another stack\. ([^.]+) support this\./.exec(text.replace(/\s+/g, " ")) ?? [];
  const supporting = all.flatMap(([name, lab]) => (lab.supportsSharedCluster ? [name] : []));
  expect(listed.split(/, | and /)).toEqual(supporting);
  for (const [name, { supportsSharedCluster = false }] of all) {
    const page = textOf(`${name}.md`).replace(/\s+/g, " ");
    expect(/can run in a \[shared cluster\]/.test(page), name).toBe(supportsSharedCluster);
  }
  // gpu-lab is the only lab without Prometheus.
  for (const { output } of outputsNamed(text)) {
    for (const [name] of all) {
      const isThere = Object.hasOwn(plans.get(name)?.[0]?.outputs ?? {}, output);
      expect([name, output, isThere]).toEqual([name, output, output !== "monitoring" || name !== "gpu-lab"]);
    }
  }
});

test("the page of node-health lists the XIDs that the agent treats as fatal", () => {
  const numbers = `${fatalXids.slice(0, -1).join(", ")} and ${fatalXids.at(-1)}`;
  expect(textOf("node-health.md").replace(/\s+/g, " ")).toContain(`The agent treats these XIDs as fatal: ${numbers}.`);
});

describe.each(pages)("%s", (page) => {
  const text = textOf(page);

  test("sets configuration keys that are declared", () => {
    const named = [...text.matchAll(/pulumi config (?:set|get|rm)(?: --path)? '?([\w:.]+)/g)].map(
      ([, key = ""]) => key,
    );
    // Keys such as aws:region are the provider's own.
    for (const key of named.filter((name) => !name.startsWith("aws:"))) {
      const [section = "", inner] = key.split(".");
      const declared = keysOf(configSection).find((name) => name === section);
      expect(declared, key).toBeDefined();
      if (inner !== undefined) expect(declared && innerKeys(declared), key).toContain(inner);
    }
    if (page !== "README.md") expect(named).toContain("publicAccessCidrs");
  });

  test("links to existing files and headings", () => {
    for (const [link, , target = ""] of text.matchAll(/\[([^\]]*)\]\(([^)\s]+)\)/g)) {
      if (/^https:\/\//.test(target)) continue;
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? join(folder, page) : join(folder, path);
      expect(existsSync(file), link).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(readFileSync(file, "utf8")), link).toContain(anchor);
    }
    for (const [, label, anchor] of text.matchAll(/\[(\w+)\]\(\.\.\/alerts\.md#(\w+)\)/g)) {
      expect(alerts.map(({ name }) => name)).toContain(label);
      expect(anchor).toBe(label?.toLowerCase());
    }
    for (const [, label, rule] of text.matchAll(/\[([\w-]+)\]\(\.\.\/policies\/([\w-]+)\.md\)/g))
      expect(rule).toBe(label);
  });

  test("has shell that bash can read", () => {
    for (const [, block = ""] of text.matchAll(/^ *```sh\n([^]*?)^ *```/gm)) {
      const { status, stderr } = spawnSync("bash", ["-n"], { input: block, encoding: "utf8" });
      expect(stderr).toBe("");
      expect(status).toBe(0);
    }
  });

  test("uses existing options of the tool", () => {
    const commands = text.matchAll(/(?:npx eks-gpu-lab|npm run) (plan|rehearse|triage)(?: --(?= ))?([^\n`#>]*)/g);
    for (const [, command, rest = ""] of commands) {
      const args = rest
        .trim()
        .split(/\s+/)
        .filter((word) => word !== "");
      const read = {
        plan: () => readPlanOptions(args, ["lab"], process.cwd()),
        rehearse: () => rehearseCommand.read(args),
        triage: () => triageCommand.read(args),
      };
      expect(read[command as keyof typeof read], rest).not.toThrow();
    }
  });

  test("names existing conclusions of triage", () => {
    const known: readonly string[] = conclusionIds;
    const own = [
      ...Object.keys(labs),
      ...["gpu-probe", "gpu-operator", "all-reduce", "socket-mount", "node-info", "socket-watch"],
      ...["train-a", "train-b"],
    ];
    const others = [
      ...own,
      ...[
        "dcgm-fault",
        "dcgm-server",
        "nv-hostengine",
        "nvidia-smi",
        "in-place",
        "nccl-init",
        "node-feature-discovery",
      ],
    ];
    const tokens = [...text.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map(([, token = ""]) => token);
    const unknown = tokens.filter((token) => !others.includes(token) && !known.includes(token));
    expect(unknown.filter((token) => !/^nvidia-|^(kube|all)-|^drwx/.test(token))).toEqual([]);
  });
});

/** The anchors that GitHub generates from headings. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
}
