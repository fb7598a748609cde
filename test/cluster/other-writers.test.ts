import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, inject as given, test } from "vitest";
import { patchCommand } from "../../components/core/text";
import { connectLocal, type LocalCluster } from "../../components/local/local-cluster";
import { choose } from "../../commands/drill/choose";
import { readFacts } from "../../commands/drill/live/facts";
import { createNamespace, inject } from "../../commands/drill/live/inject";
import { restore, restoreNodes } from "../../commands/drill/live/restore";
import type { Scenario } from "../../commands/drill/scenario";
import { labs } from "../../stacks/labs";
import { togglesOf } from "../../stacks/run/lab";
import { clusterWrites } from "../support/cluster-writes";
import { remediesOf } from "../support/labs";
import type { KubernetesObject } from "./support/client";
import { describeCluster } from "./support/cluster";
import { emptyDrill } from "./support/empty-drill";
import { eventually } from "./support/eventually";
import { shell } from "./support/kubeconfig";
import { KwokCluster, localSettings } from "./support/kwok-cluster";
import { LocalStack } from "./support/local-stack";
import { nodeCount, nodeDrills, nodeOf, nodeWriters } from "./support/node-writers";

interface Node extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & { readonly annotations: Readonly<Record<string, string>> };
  readonly spec: { readonly taints: readonly { readonly key: string }[] };
}

const isMissing = given("pulumi") === undefined || given("kubernetesProvider") === undefined;
const seed = 7;
const now = new Date();

/** The settings that turn the fault of a lab on, on a fake node. */
function faultOf(name: "device-plugin" | "gpu-rollout"): readonly string[] {
  const [fault] = togglesOf(labs[name], now);
  return (fault?.config ?? []).map((one) => one.replace(/^node=.*/, "node=gpu-1"));
}

const object = "deployment/inference -n gpu-rollout";
const inPlace = { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 2 } };
const recreate = { type: "Recreate", rollingUpdate: null };

const deploymentWriters = [
  ["patch deployment/… -n …", "in place", patchCommand(object, { spec: { strategy: inPlace } })],
  ["patch deployment/… -n …", "Recreate", patchCommand(object, { spec: { strategy: recreate } })],
  ["rollout undo deployment NAME", "", `kubectl rollout undo ${object}`],
] as const;

const policyWriters = { "patch clusterpolicy/…": [{ devicePlugin: { enabled: true } }, withoutWorkload()] };

function withoutWorkload() {
  return { validator: { plugin: { env: [{ name: "WITH_WORKLOAD", value: "false" }] } } };
}

test.each([
  ["Node", nodeWriters.flatMap(({ row }) => row ?? [])],
  ["ClusterPolicy", Object.keys(policyWriters)],
  ["Deployment", deploymentWriters.map(([row]) => row)],
])("each command that writes a %s has a writer", (kind, rows) => {
  const written = Object.entries(clusterWrites).filter(([, one]) => one === kind);
  expect([...new Set(rows)].sort()).toEqual(written.map(([row]) => row).sort());
});

describeCluster("pulumi up after another writer", () => {
  const cluster = new KwokCluster();

  /** A stack whose objects the provider has already updated once, so that it owns them by server-side apply. */
  const started = (name: "device-plugin" | "gpu-rollout", settings: readonly string[]) => {
    let stack: LocalStack;
    const up = (config: readonly string[] = [], options: Parameters<LocalStack["upAfterPreview"]>[0] = {}) => {
      stack.configure([...localSettings, ...settings, ...config]);
      return stack.upAfterPreview(options);
    };
    beforeAll(async () => {
      stack = new LocalStack(name, cluster.kubeconfig);
      await stack.init();
      for (const config of [[], faultOf(name), []]) await up(config);
    }, 600_000);
    afterAll(async () => {
      await stack.destroy();
      rmSync(stack.folder, { recursive: true, force: true });
    }, 600_000);
    return { up, expectNoChanges: async () => expect(await stack.preview()).toEqual([]) };
  };
  const run = (command: string) => shell(cluster.access, command);

  describe.skipIf(isMissing)("device-plugin", { timeout: 900_000 }, () => {
    const { up, expectNoChanges } = started("device-plugin", [`localCluster.gpuNodes=${nodeCount}`]);
    const on = faultOf("device-plugin");
    const taint = ["gpuNodes.taints[0].key=team", "gpuNodes.taints[0].effect=NO_SCHEDULE"];
    let local: LocalCluster;

    const gpuNodes = () =>
      cluster.admin.list<Node>("/api/v1/nodes?labelSelector=kubernetes.io%2Fhostname,nvidia.com%2Fgpu.present");
    const node = (name: string) => cluster.admin.get<Node>(`/api/v1/nodes/${name}`);
    /** What the stack states of each node, but for the taints of Kubernetes itself. */
    const stated = async () =>
      (await gpuNodes()).map(({ metadata, spec }) => [
        metadata.labels?.["tier"],
        (JSON.parse(metadata.annotations["eks-gpu-lab/capacity"] ?? "{}") as Record<string, unknown>)["nvidia.com/gpu"],
        spec.taints.flatMap(({ key }) => (key.startsWith("node.kubernetes.io/") ? [] : [key])).sort(),
      ]);
    const expectNodes = async (gpus: string, taints = ["nvidia.com/gpu"]) =>
      expect(await stated()).toEqual(Array.from({ length: nodeCount }, () => ["gpu", gpus, taints]));
    const isPluginEnabled = async () => {
      const { spec } = await cluster.admin.get("/apis/nvidia.com/v1/clusterpolicies/cluster-policy");
      return (spec as { devicePlugin: { enabled: boolean } }).devicePlugin.enabled;
    };
    const drill = async (scenario: Scenario, node: string) => {
      const facts = await eventually(`a free ${node}`, async () => {
        const { facts: found } = await readFacts(local);
        return found.nodes.some(({ name }) => name === node) ? found : undefined;
      });
      const choice = choose({ ...facts, nodes: facts.nodes.filter(({ name }) => name === node) }, seed, scenario);
      const { signal } = new AbortController();
      await inject(choice, { call: local.call, seed, signal, onTarget: () => undefined });
      await emptyDrill(cluster.admin);
    };
    beforeAll(async () => {
      const texts = { subject: "the test", contextPath: "context", confirmFix: "" };
      local = await connectLocal({ context: "loopback", kubeconfig: cluster.kubeconfig, ...texts });
      await createNamespace(local, seed);
      const drills = nodeDrills.map((one, index) => ({ ...one, node: nodeOf(nodeWriters.length + index) }));
      for (const { scenario, node, isRestored } of drills) {
        if (!isRestored) continue;
        await drill(scenario, node);
        expect((await restoreNodes(local)).leftovers).toEqual([]);
      }
      for (const { scenario, node, isRestored } of drills) if (!isRestored) await drill(scenario, node);
      nodeWriters.forEach(({ commands }, index) =>
        commands.forEach((command) => run(command.replaceAll("NODE", nodeOf(index)))),
      );
    }, 1_800_000);

    test("the fault comes on after drills and commands, and the preview names what it takes over", async () => {
      const text = await up(on);
      await expectNodes("0");
      expect(await isPluginEnabled()).toBe(false);
      await expectNoChanges();
      const of = (row: string) => nodeOf(nodeWriters.findIndex((one) => one.row === row));
      expect(text).toContain(`Node ${of("label node NODE …=r1")} was changed by kubectl-label.`);
      expect((await node(of("label node NODE …=r1"))).metadata.labels).not.toHaveProperty(["example.com/rack"]);
      expect((await node(of("cordon …"))).spec).not.toHaveProperty("unschedulable");
    });

    test("killed drills are restored, and an update with a refresh gives the nodes what the stack states", async () => {
      const { nodes, leftovers } = await restore(local);
      expect(leftovers).toEqual([]);
      expect(nodes).toHaveLength(nodeDrills.length / 2);
      await up(on, { options: ["--refresh"] });
      await expectNodes("0");
    });

    test("the fault goes off and on after the patches of triage", async () => {
      for (const spec of policyWriters["patch clusterpolicy/…"])
        run(patchCommand("clusterpolicy/cluster-policy", { spec }));
      await up();
      await expectNodes("1");
      expect(await isPluginEnabled()).toBe(true);
      await up(on);
      expect(await isPluginEnabled()).toBe(false);
    });

    test("the taints of the nodes change, which Kubernetes itself has written last", async () => {
      await up(taint);
      await expectNodes("1", ["nvidia.com/gpu", "team"]);
      await up();
      await expectNodes("1");
      await expectNoChanges();
    });
  });

  describe.skipIf(isMissing)("gpu-rollout", { timeout: 900_000 }, () => {
    const { up, expectNoChanges } = started("gpu-rollout", ["localCluster.gpuNodes=2"]);
    const on = faultOf("gpu-rollout");
    const strategyOf = async () => {
      const { spec } = await cluster.admin.get("/apis/apps/v1/namespaces/gpu-rollout/deployments/inference");
      return (spec as { strategy: { rollingUpdate?: object } }).strategy;
    };
    test.each(deploymentWriters)("%s %s: the fault goes off and on again", async (_row, _what, command) => {
      await up(on);
      run(command);
      await up();
      expect(await strategyOf()).toMatchObject({ rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } });
      await up(on);
      await expectNoChanges();
      await up();
    });

    test.each([
      ["kubectl-patch", { options: ["--skip-preview"] }],
      ["helm", { env: { PULUMI_K8S_ENABLE_PATCH_FORCE: "true" } }],
    ])("a field that %s has changed stops the preview, and the way out of the page works", async (manager, wayOut) => {
      run(patchCommand(object, { spec: { strategy: inPlace } }).replace("pulumi-kubernetes", manager));
      await expect(up(on)).rejects.toThrow("preview failed");
      await expect(up(on)).rejects.toThrow(`conflict with "${manager}"`);
      expect(await strategyOf()).toMatchObject(inPlace);
      await up(on, wayOut);
      await up();
      await expectNoChanges();
    });

    test("recreate after a patch in place stops the preview, and the way out of the page works", async () => {
      await up(on);
      run(
        patchCommand(object, { spec: { strategy: { ...inPlace, rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } } }),
      );
      const config = remediesOf(labs["gpu-rollout"], now).find(({ name }) => name === "recreate")?.config ?? [];
      const recreated = config.map((one) => one.replace(/^node=.*/, "node=gpu-1"));
      await expect(up(recreated)).rejects.toThrow("Forbidden");
      await up(recreated, { options: ["--skip-preview"] });
      expect(await strategyOf()).toEqual({ type: "Recreate" });
      await up();
    });
  });
});
