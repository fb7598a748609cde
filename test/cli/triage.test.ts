import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { writeDump } from "../../triage/dump/write-dump";
import { runCli } from "../support/cli";
import { folder } from "../support/files";
import * as clusters from "../triage/support/clusters";

function files() {
  return folder({
    "dump.json": writeDump(clusters.dumpOf(clusters.pluginOff)),
    "healthy.json": writeDump(clusters.dumpOf(clusters.healthy)),
    "nodes.json": JSON.stringify({ kind: "List", items: clusters.systemNodes }),
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
    expect(out).toMatch(/^Triage of the cluster, as of 2026-11-21T10:00:00Z\n\nWalk\n {2}pod/);
    expect(out).toContain("device-plugin-disabled: clusterpolicy cluster-policy (certain)");
    expect(out).toContain("seen clusterpolicy/cluster-policy: spec.devicePlugin.enabled = false");
    expect(out).toContain("insufficient-gpu: pod gpu-lab/gpu-probe, because of device-plugin-disabled");
    expect(out).not.toContain("\u001b[");
  });

  test("0 for nothing found", async () => {
    expect(await triage("--from", "healthy.json")).toMatchObject({ status: 0, err: "" });
  });

  test("the JSON document", async () => {
    const { out } = await triage("--from", "dump.json", "--json", "pod", "gpu-probe");
    const report = JSON.parse(out) as Record<string, unknown> & {
      conclusions: Record<string, unknown>[];
      walk: { station: string }[];
    };
    expect(Object.keys(report)).toEqual([
      "kind",
      "version",
      "takenAt",
      "subject",
      "result",
      "walk",
      "conclusions",
      "unread",
    ]);
    expect(report).toMatchObject({
      kind: "TriageReport",
      version: 1,
      subject: { kind: "pod", name: "gpu-probe", namespace: "gpu-lab" },
      result: "problems",
    });
    expect(report.walk.map(({ station }) => station)).toEqual(["pod", "node", "daemonset", "operator", "inside"]);
    expect(Object.keys(report.conclusions[0] ?? {})).toEqual([
      "id",
      "subject",
      "nodes",
      "pods",
      "level",
      "sure",
      "what",
      "evidence",
      "next",
      "station",
    ]);
    expect(report.conclusions.at(-1)).toHaveProperty("because", "device-plugin-disabled");
  });

  test("several files of kubectl as one", async () => {
    const { out } = await triage("-f", "nodes.json", "-f", "dump.json");
    expect(out).toContain("4 nodes, 2 with GPUs");
  });

  test("a journal beside it", async () => {
    const { out, status } = await triage("--from", "healthy.json", "--log", "journal.txt", "node/ip-gpu-a");
    expect(status).toBe(1);
    expect(out).toContain("containerd-socket-is-directory: node ip-gpu-a (certain)");
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

describe("wrong input: 2, every mistake at once", () => {
  test.for([
    [
      ["gpu-probe"],
      /triage: got "gpu-probe"\. It is neither pod nor node\.\n {4}fix: choose pod or node, e\.g\. triage pod gpu-probe/,
    ],
    [["pod"], /triage pod: got nothing\. The name of the pod is missing/],
    [["pod", "a", "b"], /triage pod: got "b"\. One name at a time/],
    [["pod", "A_B"], /triage pod: got "A_B"\. It is no name of Kubernetes/],
    [["--form", "x"], /got "--form"\. Unknown option\.\n {4}fix: did you mean --from\?/],
    [["--from"], /--from: got nothing\. Requires a value/],
    [["--json=yes"], /--json: got "yes"\. Does not take a value/],
    [["-n", "a b"], /--namespace: got "a b"\. It is no name/],
    [["--timeout", "0"], /--timeout: got "0"\. It must be a whole number of seconds/],
    [["--from", "dump.json", "--context", "x"], /--context: got "x"\. A saved dump is judged without a cluster/],
    [["--from", "-", "--log", "-"], /Standard input cannot be both/],
    [["--from", "gone.json"], /--from: got "gone\.json"\. It cannot be read/],
    [["--from", "broken.json"], /broken\.json: got "\{"\. It is not JSON/],
    [["--from", "dump.json", "--log", "gone"], /--log: got "gone"\. It cannot be read/],
    [
      ["--from", "empty.json", "--log", "none.txt"],
      /--log: got "none\.txt"\. There is no entry in it: .*\n {4}fix: save it anew with sudo journalctl/,
    ],
    [["--from", "dump.json", "--log", "no-entries.txt"], /There is no entry in it/],
    [["--from", "dump.json", "--save", "/nowhere/x.json"], /--save: got "\/nowhere\/x\.json"\. It cannot be written/],
    [
      ["--from", "empty.json"],
      /^the dump: 1 problem[^]*empty\.json: got nothing\. Nothing was read: .*\n {4}fix: save them with/,
    ],
    [["--from", "secrets.json", "--json"], /secrets\.json: got nothing\. Nothing was read/],
    [["-f", "empty.json", "-f", "secrets.json"], /empty\.json, secrets\.json: got nothing/],
    [["--from", "dump.json", "pod", "gpu-prob"], /There is no such pod in namespace gpu-lab|There is no such pod/],
  ] as const)("%s", async ([args, expected]) => {
    const { status, out, err } = await triage(...args);
    expect([status, out]).toEqual([2, ""]);
    expect(err).toMatch(expected);
  });

  test("several at once", async () => {
    expect((await triage("cluster", "--timeout", "x", "--jsn")).err).toMatch(/^the command line: 3 problems/);
  });
});

test("an empty list is enough beside a journal, and so is a saved cluster that has nothing", async () => {
  expect((await triage("--from", "empty.json", "--log", "journal.txt")).status).toBe(1);
  const calm = await triage("--from", "empty.json", "--log", "calm.txt");
  expect(calm.status).toBe(0);
  expect(calm.out).toContain("Nothing found in what could be read");
  expect((await triage("--from", "no-cluster.json")).status).toBe(0);
  expect((await triage("-f", "empty.json", "-f", "healthy.json")).status).toBe(0);
});

test("options may stand before and after the words", async () => {
  const before = await triage("-n", "gpu-lab", "--from", "dump.json", "pod", "gpu-probe");
  const after = await triage("pod/gpu-probe", "--from", "dump.json", "-n", "gpu-lab");
  expect(before.status).toBe(1);
  expect(after).toEqual(before);
});

test("the help says what it reads, what it never does, and every exit status", async () => {
  const { status, out } = await triage("--help");
  expect(status).toBe(0);
  for (const text of [
    "Reads only",
    "--from",
    "--save",
    "--log",
    "--context",
    "0 nothing found, 1 something found, 2 the input",
  ]) {
    expect(out).toContain(text);
  }
});

test("the built tool keeps it in a bundle of its own, and loads the client for a live cluster alone", async () => {
  const { readFileSync } = await import("node:fs");
  const main = readFileSync("dist/cli.js", "utf8");
  const own = readFileSync(join("dist", "triage.js"), "utf8");
  expect(main).not.toContain("TriageDump");
  expect(own).toContain('import("@kubernetes/client-node")');
  expect(own).not.toContain('require("@kubernetes/client-node")');
});
