import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import type { InputError } from "../../components/core/problems";
import { drillCommand } from "../../commands/drill/drill-options";
import { scenarios } from "../../commands/drill/scenarios/scenarios";
import { FakeCluster, fakeNode, type Raw } from "./drill/support/fake-cluster";
import { runCli } from "../support/cli";
import { kubeconfigFor } from "../triage/support/api-server";

describe("options", () => {
  test("defaults", () => {
    expect(drillCommand.read(["--context", "lab"])).toEqual({
      list: false,
      restore: false,
      context: "lab",
      json: false,
    });
  });

  test("all of a drill", () => {
    const args = ["--context", "lab", "--confirm", "lab", "--kubeconfig", "f", "--seed", "0", "--scenario", "gate"];
    expect(drillCommand.read([...args, "--json"])).toEqual({
      ...{ list: false, restore: false, context: "lab", confirm: "lab", kubeconfig: "f", seed: 0, json: true },
      scenario: scenarios.find(({ id }) => id === "gate"),
    });
  });

  test("a list needs no context, a restoration does", () => {
    expect(drillCommand.read(["--list"])).toMatchObject({ list: true, restore: false });
    expect(drillCommand.read(["--restore", "--context", "lab"])).toMatchObject({ list: false, restore: true });
  });

  test.each([
    [[], "--context", undefined],
    [["--restore"], "--context", undefined],
    [["--context", "lab", "--seed", "-1"], "--seed", "-1"],
    [["--context", "lab", "--seed", "4294967296"], "--seed", "4294967296"],
    [["--context", "lab", "--seed", "1.5"], "--seed", "1.5"],
    [["--context", "lab", "--scenario", "selektor"], "--scenario", "selektor"],
    [["--context", "lab", "--restore", "--seed", "1"], "--seed", "1"],
    [["--list", "--scenario", "gate"], "--scenario", "gate"],
    [["--list", "--restore", "--context", "lab"], "--list", undefined],
    [["--sead", "1", "--context", "lab"], "--sead", undefined],
  ])("%j is rejected", (args, path, got) => {
    let problems: readonly unknown[] = [];
    try {
      drillCommand.read(args);
    } catch (error) {
      problems = (error as InputError).problems;
    }
    expect(problems[0]).toMatchObject({ path, ...(got === undefined ? {} : { got }) });
  });
});

test("--list has the ids with their symptoms, as text and as JSON", async () => {
  const { status, out } = await runCli(["drill", "--list"]);
  expect([status, out.match(/^\w[\w-]+ {2}/gm)?.length]).toEqual([0, scenarios.length]);
  expect(out).toMatch(/^cordoned +Pod gpu-drill\/NAME stays Pending\. Find out why\.$/m);
  const json = JSON.parse((await runCli(["drill", "--list", "--json"])).out) as Raw;
  expect(json).toMatchObject({ kind: "DrillScenarios", version: 1 });
  expect((json["scenarios"] as Raw[])[0]).toEqual({
    ...{ id: "cordoned", conclusion: "node-cordoned", symptom: "Pod gpu-drill/NAME stays Pending. Find out why." },
  });
});

const selector = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";

/** A cluster with a GPU node, whose scheduler rejects every pod for its selector. */
async function clusterWith(...nodes: readonly Raw[]) {
  const cluster = new FakeCluster();
  cluster.rejection = selector;
  for (const node of nodes) cluster.add("/api/v1/nodes", node);
  const kubeconfig = await cluster.serve();
  const drill = (input: string | Readable, ...args: readonly string[]) =>
    runCli(["drill", "--context", "lab", "--kubeconfig", kubeconfig, ...args], {
      input: typeof input === "string" ? Readable.from([input]) : input,
    });
  const traces = () =>
    [...cluster.objects].filter(
      ([path, { metadata }]) => path.includes("gpu-drill") || "eks-gpu-lab/drill" in (metadata.annotations ?? {}),
    );
  return { cluster, drill, traces, options: `--context lab --kubeconfig ${kubeconfig}` };
}
const selectorDrill = ["--scenario", "selector", "--seed", "7"] as const;

describe("a drill in a cluster with a GPU node", () => {
  test("0 for the right diagnosis, with the conversation and the score", async () => {
    const { drill, traces, options } = await clusterWith(fakeNode("gpu-1"));
    const { status, out, err } = await drill("h\ncordoned\nselector\n", ...selectorDrill);
    expect([status, err]).toEqual([0, ""]);
    expect(out).toContain(`npx eks-gpu-lab drill ${options} --seed 7 --scenario selector\n`);
    expect(out).toContain("Symptom: Pod gpu-drill/server stays Pending. Find out why.");
    expect(out).toContain("> h\nHint 1 of 3: Read what the scheduler says");
    expect(out).toContain("> cordoned\n");
    expect(out).toContain("Right: node-selector-mismatch.");
    expect(out).toContain("Triage agrees. node-selector-mismatch: No GPU node has the labels");
    expect(out).toMatch(/Time to the right diagnosis: \d+s; 1 hint, [12] tr(y|ies)\./);
    expect(out).toMatch(/Restored and checked: node gpu-1 is as before, and\s+namespace gpu-drill is deleted\.\n$/);
    expect(traces()).toEqual([]);
  });

  test("--json writes only the document to standard output", async () => {
    const { drill } = await clusterWith(fakeNode("gpu-1"));
    const { status, out, err } = await drill("node-selector-mismatch\n", ...selectorDrill, "--json");
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ kind: "DrillReport", seed: 7, result: "solved", restored: true });
    expect(err).toContain("Symptom: ");
  });

  test.each([
    ["1 for giving up", "q\n", "given-up", "The answer is node-selector-mismatch."],
    ["1 for the end of the input", "h\n", "input-ended", "The input ended without the right diagnosis."],
    ["1 for no input", "", "input-ended", "The input ended without the right diagnosis."],
  ])("%s, and everything is restored", async (_, input, result, text) => {
    const { drill, traces } = await clusterWith(fakeNode("gpu-1"));
    const { status, out, err } = await drill(input, ...selectorDrill, "--json");
    expect([status, (JSON.parse(out) as Raw)["result"]]).toEqual([1, result]);
    expect(err).toContain(text);
    expect(traces()).toEqual([]);
  });

  test("the seed alone repeats a drill", async () => {
    const { drill } = await clusterWith(fakeNode("gpu-1"), fakeNode("gpu-2"));
    const { err, out } = await drill("q\n", ...selectorDrill.slice(2), "--json");
    const again = await drill("q\n", ...selectorDrill.slice(2), "--json");
    const part = (text: string) => {
      const { scenario, target, symptom } = JSON.parse(text) as Raw;
      return { scenario, target, symptom };
    };
    expect(err).toContain("--seed 7\n");
    expect(part(again.out)).toEqual(part(out));
  });

  test("faults from before are named, as triage may name them first", async () => {
    const { drill } = await clusterWith(fakeNode("gpu-1"), fakeNode("gpu-2", { spec: { unschedulable: true } }));
    expect((await drill("q\n", ...selectorDrill)).out).toContain(
      "Before the drill, triage already finds: node-cordoned.",
    );
  });

  test("an error restores the cluster, and has status 3", async () => {
    const { cluster, drill, traces } = await clusterWith(fakeNode("gpu-1"));
    cluster.intercept = ({ method, path }) =>
      method === "POST" && path.endsWith("/pods") ? { ok: false, status: 500, why: "etcdserver: timeout" } : undefined;
    const { status, out, err } = await drill("", "--scenario", "cordoned");
    expect(status).toBe(3);
    expect(err).toContain("/pods: etcdserver: timeout (500)");
    expect(out).toContain("Restored and checked");
    expect(traces()).toEqual([]);
  });

  test("3 if something is not restored, with the commands, and in the document", async () => {
    const { cluster, drill, options } = await clusterWith(fakeNode("gpu-1"));
    cluster.intercept = ({ method }) =>
      method === "DELETE" ? { ok: false, status: 403, why: "forbidden" } : undefined;
    const { status, out, err } = await drill("selector\n", ...selectorDrill, "--json");
    const command = `kubectl ${options} delete namespace gpu-drill`;
    expect(status).toBe(3);
    expect(err).toContain(`NOT restored:\nnamespace/gpu-drill: it cannot be deleted: forbidden. Run:\n  ${command}\n`);
    expect(err).toContain(`Or run:\n  npx eks-gpu-lab drill ${options} --restore\n`);
    expect(JSON.parse(out)).toMatchObject({ result: "solved", restored: false, leftovers: [{ commands: [command] }] });
  });

  test("3 if an error leaves something, with its reason and the commands", async () => {
    const { cluster, drill, options } = await clusterWith(fakeNode("gpu-1"));
    cluster.intercept = ({ method, path }) =>
      path.endsWith("/pods") || method === "DELETE" ? { ok: false, status: 403, why: "forbidden" } : undefined;
    const { status, out, err } = await drill("", ...selectorDrill);
    expect([status, err]).toEqual([3, ""]);
    expect(out).toContain(`kubectl ${options} delete namespace gpu-drill\n`);
    expect(out).toMatch(/The drill failed: .*\/pods: forbidden \(403\)/);
  });

  test("a cluster that stops responding: the commands are printed", async () => {
    const { cluster, drill, options } = await clusterWith(fakeNode("gpu-1"));
    const input = async function* () {
      cluster.close();
      yield await Promise.resolve("q\n");
    };
    const { status, out } = await drill(Readable.from(input()), ...selectorDrill);
    expect(status).toBe(3);
    expect(out).toContain(`kubectl ${options} annotate node gpu-1 eks-gpu-lab/drill-\n`);
    expect(out).toContain(`kubectl ${options} delete namespace gpu-drill\n`);
  });
});

describe("a drill does not start", () => {
  test("without a GPU node, and says what to do", async () => {
    const { cluster, drill } = await clusterWith(fakeNode("gpu-1", { spec: { unschedulable: true } }));
    const { status, err } = await drill("", "--seed", "1");
    expect(status).toBe(2);
    expect(err).toContain("The cluster has no healthy GPU node with a free GPU; gpu-1: it is cordoned.");
    expect(err).toContain("fix: create fake GPU nodes or mock GPUs as docs/laptop.md describes");
    expect(cluster.requests.filter((request) => !request.startsWith("GET "))).toEqual([]);
  });

  test("with a scenario that no node allows", async () => {
    const kubelet = { status: { nodeInfo: { containerRuntimeVersion: "containerd://2.1.3" } } };
    const { drill } = await clusterWith(fakeNode("mock", kubelet));
    const { status, err } = await drill("", "--scenario", "no-gpus");
    expect(status).toBe(2);
    expect(err).toContain('--scenario: got "no-gpus". Needs a GPU node without a kubelet');
  });

  test("while another drill runs, and one that was killed is restored with --restore", async () => {
    const { cluster, drill, traces, options } = await clusterWith(fakeNode("gpu-1"));
    const seen: Raw = {};
    const input = async function* () {
      seen["second"] = await drill("", "--seed", "2");
      seen["objects"] = structuredClone([...cluster.objects]);
      yield "q\n";
    };
    await drill(Readable.from(input()), "--scenario", "cordoned", "--seed", "1");
    expect(seen["second"]).toMatchObject({ status: 2, err: expect.stringContaining("was interrupted") as string });
    expect((seen["second"] as { err: string }).err).toContain(`npx eks-gpu-lab drill ${options} --restore`);
    // As if the first drill had been killed at that time.
    for (const [path, object] of seen["objects"] as [string, never][]) cluster.objects.set(path, object);
    expect(traces()).not.toEqual([]);
    const restored = await drill("", "--restore", "--json");
    expect([restored.status, JSON.parse(restored.out)]).toEqual([
      0,
      { kind: "DrillRestoration", version: 1, restored: true, nodes: ["gpu-1"], leftovers: [] },
    ]);
    expect(traces()).toEqual([]);
    expect(cluster.get("/api/v1/nodes/gpu-1")?.["spec"]).not.toHaveProperty("unschedulable");
    expect((await drill("", "--restore")).out).toBe("Nothing to restore: the cluster has no traces of a drill.\n");
  });

  test("while another drill starts at the same time", async () => {
    const { cluster, drill } = await clusterWith(fakeNode("gpu-1"));
    const other = { metadata: { name: "gpu-drill", labels: { "eks-gpu-lab/drill": "1" } } };
    cluster.intercept = ({ method, path }) => {
      if (method === "POST" && path.endsWith("/namespaces")) cluster.add("/api/v1/namespaces", other);
      return undefined;
    };
    const { status, err } = await drill("", "--seed", "2");
    expect(status).toBe(2);
    expect(err).toContain("A drill runs in this cluster, or was interrupted before it restored it (seed 1).");
    expect(err).not.toContain("delete namespace");
  });

  test("in a cluster with a namespace gpu-drill of its own", async () => {
    const { cluster, drill } = await clusterWith(fakeNode("gpu-1"));
    cluster.add("/api/v1/namespaces", { metadata: { name: "gpu-drill" } });
    const { status, err } = await drill("", "--seed", "2");
    expect([status, err]).toEqual([2, expect.stringContaining("delete namespace gpu-drill") as string]);
  });

  test.each([
    ["POST", "/api/v1/namespaces"],
    ["PATCH", "/api/v1/nodes/gpu-1"],
  ])("without the right to %s %s, and leaves nothing", async (method, path) => {
    const { cluster, drill, traces } = await clusterWith(fakeNode("gpu-1"));
    cluster.intercept = (request) =>
      request.method === method && request.path === path ? { ok: false, status: 403, why: "forbidden" } : undefined;
    const { status, err } = await drill("", ...selectorDrill);
    expect(status).toBe(2);
    expect(err).toContain(`Its user lacks permissions: ${method} ${path}: forbidden (403).`);
    expect(err).toContain("fix: use a context with administrator permissions");
    expect(traces()).toEqual([]);
  });

  test("in a cluster of a cloud", async () => {
    const { cluster, drill } = await clusterWith(fakeNode("gpu-1", { spec: { providerID: "aws:///a/i-0" } }));
    for (const args of [[], ["--restore"], ["--confirm", "lab"]]) {
      const { status, err } = await drill("", ...args);
      expect([status, err]).toEqual([2, expect.stringContaining("belongs to a cloud") as string]);
    }
    expect(cluster.requests.filter((request) => !request.startsWith("GET "))).toEqual([]);
  });

  test("with an API server elsewhere, unless it is confirmed", async () => {
    const kubeconfig = kubeconfigFor("https://10.0.0.1:6443");
    const { status, err } = await runCli(["drill", "--context", "lab", "--kubeconfig", kubeconfig]);
    expect([status, err]).toEqual([2, expect.stringContaining("add --confirm lab") as string]);
  });
});
