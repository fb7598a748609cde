import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject as given,
  onTestFinished,
  test,
} from "vitest";
import { connectLocal, type LocalCluster } from "../../components/local/local-cluster";
import { choose } from "../../commands/drill/choose";
import { diagnose, readFacts } from "../../commands/drill/live/facts";
import { createNamespace, inject } from "../../commands/drill/live/inject";
import { restore, restoreNodes } from "../../commands/drill/live/restore";
import { namespace, type GpuNode } from "../../commands/drill/manifests";
import { rightAnswers } from "../../commands/drill/report";
import type { Scenario } from "../../commands/drill/scenario";
import { scenarios } from "../../commands/drill/scenarios/scenarios";
import type { KubernetesObject } from "./support/client";
import { describeCluster } from "./support/cluster";
import { kubeconfigOf } from "./support/control-plane";
import { emptyDrill } from "./support/empty-drill";
import { eventually } from "./support/eventually";
import type { Pod } from "./support/kubelet";
import { KwokCluster, localSettings } from "./support/kwok-cluster";
import { plannedObjects, planner } from "./support/planned";
import { ReplayKubelet } from "./support/replay-kubelet";
import { triageWith } from "./support/triage";

const nodesPath = "/api/v1/nodes";
const podsPath = `/api/v1/namespaces/${namespace}/pods`;
/** As docs/drill.md names it. */
const context = "kwok-gpu-lab";
const seed = 7;

const kubeletNode: GpuNode = { name: "mock-1", hostname: "mock-1", freeGpus: 1, taints: [], isFake: false };

interface Node extends KubernetesObject {
  readonly spec: { readonly unschedulable?: boolean };
  readonly status: {
    readonly capacity: object;
    readonly allocatable: object;
    readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  };
}

interface Owner {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1: unknown;
}

/** Who owns the fields of an object. KWOK and the drill share the status of a node, which no stack applies. */
function ownersOf(metadata: object) {
  const { managedFields } = metadata as { readonly managedFields: readonly Owner[] };
  return managedFields
    .filter(({ subresource }) => subresource === undefined)
    .map(({ manager, operation, fieldsV1 }) => ({ owner: `${manager} ${operation}`, fieldsV1 }))
    .sort((one, other) => (one.owner < other.owner ? -1 : 1));
}

describeCluster("drill", () => {
  const cluster = new KwokCluster();
  const planned = planner();

  beforeAll(async () => {
    const objects = plannedObjects(await planned("device-plugin", localSettings));
    // Its probe would take a GPU from time to time.
    await cluster.apply(objects.filter(({ manifest }) => manifest.kind !== "CronJob"));
    await eventually("three pods of the operator", async () => {
      const pods = await cluster.admin.list<Pod>("/api/v1/namespaces/gpu-operator/pods");
      return pods.filter(({ status }) => status.phase === "Running").length === 3 || undefined;
    });
  }, 1_200_000);

  /** Everything that a drill could change, without what Kubernetes renews by itself. */
  const state = async () => {
    const nodes = (await cluster.admin.list<Node>(nodesPath)).map(({ metadata, spec, status }) => ({
      ...{ name: metadata.name, labels: metadata.labels, annotations: metadata["annotations" as never] },
      owners: ownersOf(metadata),
      ...{ spec, capacity: status.capacity, allocatable: status.allocatable },
      conditions: status.conditions.map(({ type, status, reason }) => ({ type, status, reason })),
    }));
    const namespaces = (await cluster.admin.list("/api/v1/namespaces")).map(({ metadata }) => metadata.name);
    return { nodes, namespaces };
  };
  const kubeconfig = () => {
    const file = join(cluster.access.folder, "kubeconfig-drill");
    const content = kubeconfigOf(cluster.access, cluster.access.adminToken).replaceAll("loopback", context);
    writeFileSync(file, content, { mode: 0o600 });
    return file;
  };
  const server = async () => {
    const [found] = await cluster.admin.list<Pod>(
      `${podsPath}?labelSelector=app%3Dserver&fieldSelector=status.phase%3DPending`,
    );
    return found;
  };

  const stateOfSymptom: Readonly<Record<string, () => Promise<unknown>>> = {
    unschedulable: async () => (await server())?.status.conditions?.map(({ type, reason }) => [type, reason]),
    stuck: async () => (await server())?.status.conditions?.map(({ type, reason }) => [type, reason]),
    gated: async () => (await server())?.status.conditions?.map(({ type, reason }) => [type, reason]),
    running: async () => (await cluster.admin.get<Pod>(`${podsPath}/server`)).status.phase,
    // As kubectl logs --previous reads it.
    restarting: async () => (await cluster.admin.request("GET", `${podsPath}/server/log?previous=true`)).status,
    node: async () =>
      (await cluster.admin.list<Node>(nodesPath)).flatMap(({ status }) =>
        status.conditions
          .filter(({ status, reason }) => status === "False" && /XID/.test(reason))
          .map(({ type }) => type),
      ),
  };
  const expectedSymptom: Readonly<Record<string, unknown>> = {
    unschedulable: [["PodScheduled", "Unschedulable"]],
    stuck: [["PodScheduled", "Unschedulable"]],
    gated: [["PodScheduled", "SchedulingGated"]],
    running: "Running",
    restarting: 200,
    node: ["AcceleratedHardwareReady"],
  };

  describe("in every scenario, the symptom shows, triage draws the conclusion, and the nodes are restored", () => {
    let local: LocalCluster;
    // One namespace for all of them: Kubernetes takes at least five seconds to delete one.
    beforeAll(async () => {
      const texts = { subject: "the test", contextPath: "context", confirmFix: "" };
      local = await connectLocal({ context, kubeconfig: kubeconfig(), ...texts });
      await createNamespace(local, seed);
    });
    afterEach(async () => {
      await restoreNodes(local);
      await emptyDrill(cluster.admin);
    });
    afterAll(async () => {
      expect(await restore(local)).toEqual({ nodes: [], leftovers: [] });
      expect((await state()).namespaces).not.toContain(namespace);
    });

    const play = async (scenario: Scenario) => {
      const before = await state();
      const choice = choose((await readFacts(local)).facts, seed, scenario);
      const { signal } = new AbortController();
      const symptom = await inject(choice, { call: local.call, seed, signal, onTarget: () => undefined });
      const appears = scenario.injection(choice.site).appears ?? "unschedulable";
      expect(await stateOfSymptom[appears]?.()).toEqual(expectedSymptom[appears]);
      const diagnosis = await diagnose(local, symptom);
      expect(diagnosis.rootCauses.concat(diagnosis.consequences)).toContain(scenario.conclusion);
      expect(rightAnswers(scenario, diagnosis)).toContain(diagnosis.first?.id);
      const command = [symptom.kind, symptom.name];
      const live = await triageWith(kubeconfig(), [...command, ...(symptom.kind === "node" ? [] : ["-n", namespace])]);
      expect(live.conclusions[0], live.err).toBe(diagnosis.first?.id);
      expect(await restoreNodes(local)).toEqual({ nodes: [choice.site.target.name], leftovers: [] });
      expect(await state()).toEqual(before);
    };

    const hasKubelet = ({ needs }: Scenario) =>
      needs?.accepts({ target: { ...kubeletNode, isFake: true }, hasClaims: true }) === false;
    const rows = (kept: readonly Scenario[]) => kept.map((scenario) => [scenario.id, scenario] as const);
    test.each(rows(scenarios.filter((scenario) => !hasKubelet(scenario))))("%s", (_, scenario) => play(scenario));

    describe("with the log of a container, on a node with a kubelet", () => {
      let kubelet: ReplayKubelet;
      beforeAll(async () => {
        kubelet = new ReplayKubelet(cluster.admin, cluster.access, kubeletNode.name);
        await kubelet.start();
      });
      afterAll(() => kubelet.stop());
      test.each(rows(scenarios.filter(hasKubelet)))("%s", (_, scenario) => play(scenario));
    });
  });

  /** The tool as a process of its own, with what it has written so far. */
  const start = (...args: readonly string[]) => {
    const cli = [join(process.cwd(), "dist/cli.js"), "drill", "--context", context];
    const child = spawn(process.execPath, [...cli, ...args], { env: { ...process.env, KUBECONFIG: kubeconfig() } });
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

    test("SIGINT in the middle, twice as from npx, restores everything", async () => {
      const { child, written, ended, says } = start("--scenario", "cordoned", "--seed", "7", "--json");
      await says("Symptom: ");
      expect(await state()).not.toEqual(before);
      child.kill("SIGINT");
      await sleep(50);
      child.kill("SIGINT");
      expect(await ended, written.err).toBe(1);
      expect(JSON.parse(written.out)).toMatchObject({ result: "interrupted", restored: true });
      expect(written.err).toContain("Restored and checked");
      expect(await state()).toEqual(before);
    });

    test("SIGTERM during the injection restores everything", async () => {
      const { child, written, ended, says } = start("--scenario", "rollout", "--seed", "7", "--json");
      await says("Injecting");
      child.kill("SIGTERM");
      expect(await ended, written.err).toBe(1);
      expect(written.err).not.toContain("Symptom: ");
      expect(JSON.parse(written.out)).toMatchObject({ result: "interrupted", symptom: "", restored: true });
      expect(await state()).toEqual(before);
    });

    test("answers from a pipe solve it, as docs/drill.md shows", async () => {
      const page = readFileSync("docs/drill.md", "utf8");
      const [, answers = "", options = ""] =
        /`printf '(.*)' \| npx eks-gpu-lab drill --context [\w-]+ (.*)`/.exec(page) ?? [];
      const { child, written, ended } = start(...options.split(" "));
      child.stdin.end(answers.replaceAll("\\n", "\n"));
      expect(await ended, written.err).toBe(0);
      expect(await state()).toEqual(before);
      const block = /```text\n([^]*?)```/;
      const transcript = written.out.replace(/(diagnosis: )\d+s/, "$10s");
      if (given("recordsMessages"))
        writeFileSync(
          "docs/drill.md",
          page.replace(block, () => `\`\`\`text\n${transcript}\`\`\``),
        );
      else expect(block.exec(page)?.[1]).toBe(transcript);
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
