import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { writeDump } from "../../triage/snapshot/dump";
import { runCli } from "../support/cli";
import { folder } from "../support/files";
import * as clusters from "../triage/support/clusters";

function files() {
  return folder({
    "dump.json": writeDump(clusters.dumpOf(clusters.pluginOff)),
    "healthy.json": writeDump(clusters.dumpOf(clusters.healthy)),
    "nodes.json": JSON.stringify({ kind: "List", items: clusters.systemNodes }),
    "half.json": writeDump(clusters.dumpOf(clusters.healthy)).slice(0, 5000),
    "version.json": writeDump(clusters.dumpOf([])).replace('"version": 1', '"version": 2'),
    "other.json": writeDump(clusters.dumpOf(clusters.healthy)).replaceAll('"uid": "', '"uid": "other-'),
    "journal.txt": "containerd: failed to get listener for main endpoint: is a directory\n",
    "broken.json": "{",
    "empty.json": JSON.stringify({ kind: "List", items: [] }),
    "secrets.json": JSON.stringify({ kind: "List", items: [{ kind: "Secret", metadata: { name: "s" } }] }),
    "no-cluster.json": writeDump(clusters.dumpOf([])),
    "none.txt": "\n",
    "no-entries.txt": "-- No entries --\n",
    "calm.txt": "containerd successfully booted\n",
  });
}

function triage(...args: string[]) {
  return runCli(["triage", ...args], { cwd: files() });
}

describe("a saved dump, without a cluster", () => {
  test("1 for something found, with the cause and its command", async () => {
    const { status, out, err } = await triage("--from", "dump.json");
    expect([status, err]).toEqual([1, ""]);
    expect(out).toMatch(/^Triage of the cluster, as of 2026-11-21T10:00:00Z\n\n\w+\n {2}pod/);
    expect(out).toContain("device-plugin-disabled: clusterpolicy cluster-policy (certain)");
    expect(out).toContain("clusterpolicy/cluster-policy: spec.devicePlugin.enabled = false");
    expect(out).toMatch(/insufficient-gpu: pod gpu-lab\/gpu-probe, .* device-plugin-disabled/);
    expect(out).not.toContain("\u001b[");
    expect(out).toMatchSnapshot();
    const [, sample = "no sample"] =
      /```text\n(Conclusion\n[^]*?)```/.exec(readFileSync("docs/triage.md", "utf8")) ?? [];
    expect(out).toContain(sample);
  });

  test("0 for nothing found", async () => {
    expect(await triage("--from", "healthy.json")).toMatchObject({ status: 0, err: "" });
  });

  test("the JSON document", async () => {
    const { out } = await triage("--from", "dump.json", "--json", "pod", "gpu-probe");
    const report = JSON.parse(out) as Record<string, unknown> & {
      conclusions: Record<string, unknown>[];
      layers: { name: string }[];
    };
    expect(Object.keys(report)).toEqual([
      "kind",
      "version",
      "takenAt",
      "subject",
      "result",
      "layers",
      "conclusions",
      "unread",
    ]);
    expect(report).toMatchObject({
      kind: "TriageReport",
      version: 1,
      subject: { kind: "pod", name: "gpu-probe", namespace: "gpu-lab" },
      result: "problems",
    });
    expect(report.layers.map(({ name }) => name)).toEqual(["pod", "node", "daemonset", "operator", "inside"]);
    expect(Object.keys(report.conclusions[0] ?? {})).toEqual([
      "id",
      "subject",
      "nodes",
      "pods",
      "level",
      "confidence",
      "what",
      "evidence",
      "next",
      "layer",
    ]);
    expect(report.conclusions.at(-1)).toHaveProperty("because", "device-plugin-disabled");
  });

  test("several files of kubectl as one", async () => {
    const { out } = await triage("-f", "nodes.json", "-f", "dump.json");
    expect(out).toContain("4 nodes, 2 with GPUs");
  });

  test("a journal with it", async () => {
    const { out, status } = await triage("--from", "healthy.json", "--log", "journal.txt", "node/ip-gpu-a");
    expect(status).toBe(1);
    expect(out).toContain("containerd-socket-is-directory: node ip-gpu-a (likely)");
  });

  test("colours on a terminal only, and the same words", async () => {
    const plain = await triage("--from", "dump.json");
    const painted = await runCli(["triage", "--from", "dump.json"], {
      cwd: files(),
      terminal: { isTTY: true, columns: 100 },
    });
    expect(stripVTControlCharacters(painted.out)).toBe(plain.out);
  });
});

describe("--compare", () => {
  test("1 for a cluster that got worse, with what got worse first in each section", async () => {
    const { status, out, err } = await triage("--compare", "healthy.json", "--from", "dump.json");
    expect([status, err]).toEqual([1, ""]);
    expect(out).toMatchSnapshot();
  });

  test("0 for the way back, and for no difference", async () => {
    const back = await triage("--compare", "dump.json", "--from", "healthy.json");
    expect(back).toMatchObject({ status: 0, err: "" });
    expect(back.out).toContain("- device-plugin-disabled: level problem");
    const same = await triage("--compare", "dump.json", "--from", "dump.json");
    expect(same.status).toBe(0);
    expect(same.out).toMatch(/^Before: .*\nNow: .* \(0s later\)\n\n0 differences, none for the worse\.\n$/);
  });

  test("the JSON document", async () => {
    const { out, status } = await triage("--compare", "healthy.json", "--from", "dump.json", "--json");
    const document = JSON.parse(out) as Record<string, unknown> & { differences: unknown[] };
    expect(status).toBe(1);
    expect(Object.keys(document)).toEqual(["kind", "version", "result", "before", "after", "differences"]);
    expect(document).toMatchObject({ kind: "TriageComparison", version: 1, result: "worse" });
    expect(document.differences).toContainEqual({
      ...{ kind: "Node", name: "ip-gpu-a", change: "changed", worse: true },
      facts: [{ name: "nvidia.com/gpu", before: "1", after: "0" }],
    });
  });
});

test("the report fits 40 columns, except commands, which users copy", async () => {
  const { out } = await runCli(["triage", "--from", "dump.json"], { cwd: files(), terminal: { columns: 40 } });
  const tooWide = out.split("\n").filter((line) => line.length > 40 && !/^ +(kubectl|pulumi) /.test(line));
  expect(tooWide).toEqual([]);
});

describe("wrong input: 2, every mistake at once", () => {
  const cases: readonly (readonly [args: readonly string[], problem: string])[] = [
    [["gpu-probe"], 'triage: got "gpu-probe"'],
    [["pod"], "triage pod: "],
    [["pod", "a", "b"], 'triage pod: got "b"'],
    [["pod", "A_B"], 'triage pod: got "A_B"'],
    [["--form", "x"], "--form: Unknown option."],
    [["--from"], "--from: "],
    [["--json=yes"], '--json: got "yes"'],
    [["-n", "a b"], '--namespace: got "a b"'],
    [["--timeout", "0"], '--timeout: got "0"'],
    [["--from", "dump.json", "--context", "x"], '--context: got "x"'],
    [["-n", "a", "-n", "b"], '--namespace: got "b"'],
    [["--from", "-", "--log", "-"], '--log: got "-"'],
    [["--from", "gone.json"], '--from: got "gone.json"'],
    [["--from", "broken.json"], 'broken.json: got "{"'],
    [["--from", "dump.json", "--log", "gone"], '--log: got "gone"'],
    [["--from", "empty.json", "--log", "none.txt"], '--log: got "none.txt"'],
    [["--from", "dump.json", "--log", "no-entries.txt"], '--log: got "no-entries.txt"'],
    [["--from", "dump.json", "--save", "/nowhere/x.json"], '--save: got "/nowhere/x.json"'],
    [["--from", "empty.json"], "empty.json: "],
    [["--from", "secrets.json", "--json"], "secrets.json: "],
    [["-f", "empty.json", "-f", "secrets.json"], "empty.json, secrets.json: "],
    [["--compare", "dump.json", "pod", "a"], '--compare: got "dump.json"'],
    [["--compare", "dump.json", "-n", "a"], '--compare: got "dump.json"'],
    [["--compare", "dump.json", "--no-logs"], '--compare: got "dump.json"'],
    [["--compare", "dump.json", "--save", "./dump.json"], '--save: got "./dump.json"'],
    [["--compare", "-", "--from", "-"], '--compare: got "-"'],
    [["--compare", "gone.json"], '--compare: got "gone.json"'],
    [["--compare", "broken.json"], 'broken.json: got "{"'],
    [["--compare", "half.json"], 'half.json: got "{'],
    [["--compare", "version.json"], "version: got 2"],
    [["--compare", "nodes.json"], '--compare: got "nodes.json"'],
    [["--compare", "other.json", "--from", "healthy.json"], '--compare: got "other.json"'],
    [["--from", "dump.json", "pod", "gpu-prob"], 'triage pod: got "gpu-prob"'],
  ];

  test.for(cases)("%s", async ([args, problem]) => {
    const { status, out, err } = await triage(...args);
    expect([status, out]).toEqual([2, ""]);
    expect(err).toContain(problem);
  });

  test("wording", async () => {
    const messages: string[] = [];
    const own = cases.filter(
      ([args]) => !["--form", "--from", "--json=yes"].includes(args.join(" ").replace(" x", "")),
    );
    for (const [args] of own) messages.push([`[${args.join(" ")}]`, (await triage(...args)).err].join("\n"));
    // Folders of the test and messages of JSON.parse differ between runs and versions of Node.js.
    const stable = messages
      .join("\n")
      .replace(/'\S*\/(\S+)'/g, "'$1'")
      .replace(/Must be JSON or YAML: .*/g, "Must be JSON or YAML: ...");
    expect(stable).toMatchSnapshot();
  });

  test("several at once", async () => {
    expect((await triage("cluster", "--timeout", "x", "--jsn")).err).toMatch(/^3 problems with the command line:/);
  });
});

test("an empty list is enough with a journal, and so is a saved cluster that has nothing", async () => {
  expect((await triage("--from", "empty.json", "--log", "journal.txt")).status).toBe(1);
  const calm = await triage("--from", "empty.json", "--log", "calm.txt");
  expect(calm.status).toBe(0);
  expect(calm.out).toContain("Nothing found");
  expect((await triage("--from", "no-cluster.json")).status).toBe(0);
  expect((await triage("-f", "empty.json", "-f", "healthy.json")).status).toBe(0);
});

test("options may stand before and after the words", async () => {
  const before = await triage("-n", "gpu-lab", "--from", "dump.json", "pod", "gpu-probe");
  const after = await triage("pod/gpu-probe", "--from", "dump.json", "-n", "gpu-lab");
  expect(before.status).toBe(1);
  expect(after).toEqual(before);
});

test("the help describes every option and every exit status", async () => {
  const { status, out } = await triage("--help");
  expect(status).toBe(0);
  for (const option of [
    "--from",
    "--save",
    "--compare",
    "--log",
    "--no-logs",
    "--context",
    "--kubeconfig",
    "--timeout",
    "--json",
  ]) {
    expect(out).toContain(option);
  }
  expect(out).toMatch(/exit status:\n {2}0 .*\n {2}1 .*\n {2}2 .*\n {2}3 /);
  expect(out).toMatchSnapshot();
});

test("the built tool keeps it in another bundle than the plan, and loads the client for a live cluster alone", async () => {
  const { readFileSync } = await import("node:fs");
  const main = readFileSync("dist/cli.js", "utf8") + readFileSync("dist/plan.js", "utf8");
  const own = readFileSync(join("dist", "commands.js"), "utf8");
  expect(main).not.toContain("TriageDump");
  expect(own).toContain('import("@kubernetes/client-node")');
  expect(own).not.toContain('require("@kubernetes/client-node")');
});
