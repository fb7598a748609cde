import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { namespace } from "../../drill/manifests";
import type { Scenario } from "../../drill/scenario";
import { scenarios } from "../../drill/scenarios/scenarios";
import { runCli } from "../support/cli";
import type { KubernetesObject } from "./support/client";
import { access, describeCluster, sharedCluster, startNodes } from "./support/cluster";
import { kubeconfigOf } from "./support/control-plane";
import { eventually } from "./support/eventually";
import type { Pod } from "./support/kubelet";
import { planner } from "./support/planned";
import { triageLive } from "./support/triage";

const nodesPath = "/api/v1/nodes";
const podsPath = `/api/v1/namespaces/${namespace}/pods`;
const context = "loopback";

interface Node extends KubernetesObject {
  readonly spec: { readonly unschedulable?: boolean };
  readonly status: {
    readonly capacity: object;
    readonly allocatable: object;
    readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  };
}

describeCluster("drill", () => {
  const cluster = sharedCluster();
  const planned = planner();
  let target = "";

  beforeAll(async () => {
    const names = await startNodes(cluster, await planned("device-plugin"), 2);
    target = names.find((name) => name.includes("-10."))!;
  });

  /** Everything that a drill could change, without what Kubernetes renews by itself. */
  const state = async () => {
    const nodes = (await cluster.admin.list<Node>(nodesPath)).map(({ metadata, spec, status }) => ({
      ...{ name: metadata.name, labels: metadata.labels, annotations: metadata["annotations" as never] },
      ...{ spec, capacity: status.capacity, allocatable: status.allocatable },
      conditions: status.conditions.map(({ type, status, reason }) => ({ type, status, reason })),
    }));
    const namespaces = (await cluster.admin.list("/api/v1/namespaces")).map(({ metadata }) => metadata.name);
    return { nodes, namespaces };
  };
  const kubeconfig = () => {
    const file = join(access().folder, "kubeconfig-drill");
    writeFileSync(file, kubeconfigOf(access(), access().adminToken), { mode: 0o600 });
    return file;
  };
  /** Runs a drill, whose answers are read one after the other. */
  const drill = (answers: () => AsyncGenerator<string>, ...args: readonly string[]) =>
    runCli(["drill", "--context", context, "--kubeconfig", kubeconfig(), ...args], { input: Readable.from(answers()) });
  const server = async () => {
    const [found] = await cluster.admin.list<Pod>(
      `${podsPath}?labelSelector=app%3Dserver&fieldSelector=status.phase%3DPending`,
    );
    return found;
  };

  const stateOfSymptom: Readonly<Record<string, () => Promise<unknown>>> = {
    unschedulable: async () => (await server())?.status.conditions?.map(({ type, reason }) => [type, reason]),
    gated: async () => (await server())?.status.conditions?.map(({ type, reason }) => [type, reason]),
    running: async () => (await cluster.admin.get<Pod>(`${podsPath}/server`)).status.phase,
    "job-failed": async () => (await cluster.admin.list(podsPath)).length,
    node: async () =>
      (await cluster.admin.list<Node>(nodesPath)).flatMap(({ status }) =>
        status.conditions
          .filter(({ status, reason }) => status === "False" && /XID/.test(reason))
          .map(({ type }) => type),
      ),
  };
  const expectedSymptom: Readonly<Record<string, unknown>> = {
    unschedulable: [["PodScheduled", "Unschedulable"]],
    gated: [["PodScheduled", "SchedulingGated"]],
    running: "Running",
    "job-failed": 0,
    node: ["AcceleratedHardwareReady"],
  };

  const triageOf = async ({ injection }: Scenario, node: string) => {
    const { appears } = injection(siteOf(node));
    if (appears === "node") return triageLive("admin", "node", node);
    if (appears === "job-failed") return triageLive("admin", "-n", namespace);
    const [pod] = appears === "running" ? [{ metadata: { name: "server" } }] : [await server()];
    return triageLive("admin", "pod", pod?.metadata.name ?? "", "-n", namespace);
  };

  test.each(scenarios.map((scenario) => [scenario.id, scenario] as const))(
    "%s: the symptom shows, triage agrees, and everything is restored",
    async (id, scenario) => {
      const before = await state();
      const seen: Record<string, unknown> = {};
      const answers = async function* () {
        const { appears } = scenario.injection(siteOf(target));
        seen["symptom"] = await stateOfSymptom[appears]?.();
        const marked = (await cluster.admin.list<Node>(nodesPath)).filter(
          ({ metadata }) => "eks-gpu-lab/drill" in ((metadata["annotations" as never] as object | undefined) ?? {}),
        );
        seen["marked"] = marked.length;
        const { conclusions, err } = await triageOf(scenario, marked[0]?.metadata.name ?? "");
        expect([scenario.conclusion, ...(scenario.also ?? [])], err).toContain(conclusions[0]);
        expect(conclusions).toContain(scenario.conclusion);
        yield "h\n";
        yield `${scenario.conclusion}\n`;
      };
      const { status, out, err } = await drill(answers, "--scenario", id, "--seed", "7", "--json");
      expect(seen, err).toEqual({ symptom: expectedSymptom[scenario.injection(siteOf(target)).appears], marked: 1 });
      const report = JSON.parse(out) as Record<string, unknown>;
      expect(report, err).toMatchObject({
        ...{ kind: "DrillReport", version: 1, context, seed: 7, scenario: id, result: "solved", hints: 1 },
        ...{ conclusion: scenario.conclusion, restored: true, leftovers: [] },
        ...{ tries: [{ answer: scenario.conclusion, right: true }], triage: { agrees: true } },
      });
      expect(status).toBe(0);
      expect(await state()).toEqual(before);
    },
  );

  /** The tool as a process of its own, with what it has written so far. */
  const start = (...args: readonly string[]) => {
    const cli = [join(process.cwd(), "dist/cli.js"), "drill", "--context", context, "--kubeconfig", kubeconfig()];
    const child = spawn(process.execPath, [...cli, ...args]);
    onTestFinished(() => void child.kill("SIGKILL"));
    const written = { out: "", err: "" };
    child.stdout.on("data", (chunk: Buffer) => (written.out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (written.err += chunk.toString()));
    const ended = new Promise<number | string | null>((resolve) =>
      child.on("close", (code, signal) => resolve(code ?? signal)),
    );
    const says = (text: string) =>
      eventually(text, () => (`${written.out}${written.err}`.includes(text) ? true : undefined), {
        seen: () => written,
      });
    return { child, written, ended, says };
  };

  describe("as a process", () => {
    let before: unknown;
    beforeEach(async () => {
      before = await state();
    });

    test.each(["SIGINT", "SIGTERM"] as const)("%s in the middle restores everything", async (signal) => {
      const { child, written, ended, says } = start("--scenario", "cordoned", "--seed", "7", "--json");
      await says("Symptom: ");
      expect(await state()).not.toEqual(before);
      child.kill(signal);
      expect(await ended, written.err).toBe(1);
      expect(JSON.parse(written.out)).toMatchObject({ result: "interrupted", restored: true });
      expect(written.err).toContain("Restored and checked");
      expect(await state()).toEqual(before);
    });

    test("SIGINT during the injection restores everything", async () => {
      const { child, written, ended, says } = start("--scenario", "rollout", "--seed", "7", "--json");
      await says("Injecting");
      child.kill("SIGINT");
      expect(await ended, written.err).toBe(1);
      expect(written.err).not.toContain("Symptom: ");
      expect(JSON.parse(written.out)).toMatchObject({ result: "interrupted", symptom: "", restored: true });
      expect(await state()).toEqual(before);
    });

    test("the end of the input restores everything", async () => {
      const { child, written, ended } = start("--scenario", "taint", "--seed", "7");
      child.stdin.end("h\n");
      expect(await ended, written.err).toBe(1);
      expect(written.out).toContain("The input ended without the right diagnosis.");
      expect(await state()).toEqual(before);
    });

    test("a drill that is killed is found by the next one, and undone by --restore", async () => {
      const { child, ended, says } = start("--scenario", "no-gpus", "--seed", "7");
      await says("Symptom: ");
      child.kill("SIGKILL");
      expect(await ended).toBe("SIGKILL");
      const next = start("--seed", "8");
      expect(await next.ended).toBe(2);
      expect(next.written.err).toContain("was interrupted before it restored it (seed 7)");
      const restoration = start("--restore");
      expect(await restoration.ended, restoration.written.err).toBe(0);
      expect(restoration.written.out).toContain("Restored and checked");
      expect(await state()).toEqual(before);
    });
  });
});

/** A site with a target, where only its name matters. */
function siteOf(name: string) {
  const target = { name, hostname: name, freeGpus: 1, taints: [], isFake: true };
  return { target, maxGpus: 1, maxCpus: 4, products: [] };
}
