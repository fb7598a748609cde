import { beforeAll, describe, expect, test } from "vitest";
import { NodePoolLease } from "../../components/lease/node-pool-lease";
import { Client, type KubernetesObject } from "./support/client";
import { runCronJob, tokenOf } from "./support/cron-job-run";
import { eventually } from "./support/eventually";
import { describeKarpenter, Karpenter } from "./support/karpenter";
import { fakePool, gpuDeployment, KarpenterObjects, planObjects } from "./support/karpenter-objects";
import { startJob } from "./support/job";
import type { Pod } from "./support/kubelet";
import { KwokCluster } from "./support/kwok-cluster";
import { expectMessage, schedulerMessageOf } from "./support/messages";
import { triageWith } from "./support/triage";
import type { GpuNodePoolArgs } from "../../components/nodes/pool/gpu-node-pool-schema";

describeKarpenter("GPU nodes that Karpenter starts", () => {
  const cluster = new KwokCluster();
  const karpenter = new Karpenter(cluster);
  const objects = new KarpenterObjects(cluster);

  describe("with a limit of one GPU", () => {
    let claim = "";

    beforeAll(async () => {
      await objects.apply(await fakePool("gpu", { gpuLimit: 1 }), gpuDeployment("first", "gpu"));
      [claim = ""] = await objects.claims("gpu", 1);
    });

    test("the first pod runs on a node of its own, and the second waits", async () => {
      await objects.podOf("first", "Running");
      await objects.apply(gpuDeployment("second", "gpu"));
      expectMessage("karpenter limit", await objects.refusalOf("second"));
      expect(await objects.claims("gpu", 1)).toEqual([claim]);
    });

    test("a limit of 0 leaves the node, and its end starts no other", async () => {
      await objects.setLimit("gpu", "0");
      await objects.restart("second");
      expect(await objects.refusalOf("second")).toMatch(/exceed limits/);
      expect(await objects.claims("gpu", 1)).toEqual([claim]);
      await objects.deleteClaim(claim);
      await objects.claims("gpu", 0);
      expect(await objects.refusalOf("first")).toMatch(/exceed limits/);
      expect(await objects.claims("gpu", 0)).toEqual([]);
    });
  });

  test("an expired node is replaced while its pod exists: expiry ends no cost", async () => {
    await objects.apply(
      await fakePool("short", { gpuLimit: 1 }, { expireAfter: "10s" }),
      gpuDeployment("third", "short"),
    );
    const [old = ""] = await objects.claims("short", 1);
    await eventually("another node", async () => (await objects.all("short")).find((name) => name !== old));
    await objects.setLimit("short", "0");
  });

  describe("that a pod waits for", () => {
    const selected = (zone: string) => ({ "karpenter.sh/nodepool": "zone", "topology.kubernetes.io/zone": zone });
    const gpus = (count: number) => ({
      containers: [{ name: "main", image: "pause", resources: { limits: { "nvidia.com/gpu": String(count) } } }],
    });

    test.each<[name: string, args: GpuNodePoolArgs, pod: object]>([
      ["taint", { taints: [{ key: "team", value: "research", effect: "NO_SCHEDULE" }] }, {}],
      ["zone", { zone: "ap-northeast-2a" }, { nodeSelector: selected("ap-northeast-2c") }],
      ["type", { gpuLimit: 4 }, gpus(2)],
      ["claims", {}, { resourceClaims: [{ name: "gpu", resourceClaimName: "none" }] }],
    ])("%s: Karpenter says why it starts no node, and so does triage", async (name, args, pod) => {
      await objects.apply(await fakePool(name, args), gpuDeployment(`of-${name}`, name, pod));
      const refusal = await objects.refusalOf(`of-${name}`);
      expectMessage(`karpenter ${name}`, refusal);
      const { metadata } = await objects.podOf(`of-${name}`, "Pending");
      const { conclusions, evidence } = await triageWith(cluster.kubeconfig, ["pod", metadata.name, "-n", "default"]);
      console.log(name, conclusions, evidence);
      expect(evidence).toContain(refusal.replace(/^\w+: /, ""));
    });

    test("a start-up taint that stays", async () => {
      const startupTaints = [{ key: "example.com/setup", effect: "NO_SCHEDULE" }] as const;
      await objects.apply(await fakePool("setup", { startupTaints }), gpuDeployment("of-setup", "setup"));
      await objects.claims("setup", 1);
      const { metadata } = await objects.podOf("of-setup", "Pending");
      const said = await schedulerMessageOf(cluster.admin, "default", metadata.name);
      const all = await cluster.admin.list("/api/v1/namespaces/default/events");
      console.log(said, all.map(({ reason, message }) => `${String(reason)} ${String(message)}`).slice(-12));
      console.log(
        JSON.stringify(
          (
            await cluster.admin.list("/apis/karpenter.sh/v1/nodeclaims?labelSelector=karpenter.sh%2Fnodepool%3Dsetup")
          )[0],
        ),
      );
      console.log(await triageWith(cluster.kubeconfig, ["pod", metadata.name, "-n", "default"]));
    });
  });

  describe("and that a lease ends", () => {
    const namespace = "lease";
    let lease: readonly KubernetesObject[] = [];
    let claim = "";
    let kept: Pod;

    const run = async (pool: string) => {
      const cronJob = lease.find(({ metadata }) => metadata.name === `lease-nightly-${pool}`);
      const ended = await runCronJob(cluster.access, cronJob as KubernetesObject);
      return ended.map(({ name, status, text }) => `${name}: ${status === 0 ? "done" : text.trim()}`);
    };
    const whole = ["stop-new-nodes: done", "end-nodes: done", "end-late-nodes: done"];

    beforeAll(async () => {
      const args = { nodePools: ["leased", "gone"], namespace };
      lease = await planObjects((provider) => new NodePoolLease("lease", args, { provider }));
      const enforce = { "pod-security.kubernetes.io/enforce": "restricted" };
      const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels: enforce } };
      await objects.apply(space, ...lease, await fakePool("leased"), await fakePool("other"));
      await objects.apply(gpuDeployment("fourth", "leased"), gpuDeployment("fifth", "other"));
      await objects.podOf("fourth", "Running");
      [claim = ""] = await objects.claims("leased", 1);
      kept = await objects.podOf("fifth", "Running");
    });

    /** Takes a right from the service account while a run takes place. */
    async function runWithout(resource: string, verb: string): Promise<string[]> {
      const role = lease.find(({ kind }) => kind === "ClusterRole") as Role;
      const rules = role.rules.map((rule) => {
        const isMeant = rule.resources.includes(resource) && rule.verbs.includes(verb);
        return isMeant ? { ...rule, verbs: rule.verbs.filter((one) => one !== verb) } : rule;
      });
      expect(rules).not.toEqual(role.rules);
      await objects.apply({ ...role, rules });
      const ended = await run("leased");
      await objects.apply(role);
      return ended;
    }

    test("its pod is allowed in a restricted namespace, and avoids the nodes that it ends", async () => {
      await objects.apply(systemNode);
      const cronJob = lease.find(({ metadata }) => metadata.name === "lease-nightly-gone");
      const { metadata } = await startJob(cluster.admin, cronJob as KubernetesObject);
      const pods = `/api/v1/namespaces/${namespace}/pods?labelSelector=job-name%3D${metadata.name}`;
      const node = await eventually("a node", async () => (await cluster.admin.list<Pod>(pods))[0]?.spec.nodeName);
      expect(node).toBe(systemNode.metadata.name);
    });

    test.each([
      ["nodepools", "get"],
      ["nodepools", "patch"],
      ["nodeclaims", "list"],
      ["nodeclaims", "delete"],
    ])("it needs the right to %s: %s", async (resource, verb) => {
      const ended = await runWithout(resource, verb);
      expect(ended.at(-1)).toContain(`cannot ${verb} resource "${resource}"`);
      expect(await objects.all("leased")).toEqual([claim]);
    });

    test("it needs the right to get NodeClaims to wait for their end", async () => {
      await karpenter.stop();
      expect(await runWithout("nodeclaims", "get")).toEqual(whole);
      expect(await objects.all("leased")).toEqual([claim]);
    });

    test("it waits for Karpenter, then no node is left and none comes; another pool keeps its node", async () => {
      const ended = run("leased");
      expect(await objects.all("leased")).toEqual([claim]);
      await karpenter.start();
      expect(await ended).toEqual(whole);
      expect(await objects.all("leased")).toEqual([]);
      expect(await objects.refusalOf("fourth")).toMatch(/exceed limits/);
      expect(await objects.all("leased")).toEqual([]);
      expect((await objects.podOf("fifth", "Running")).metadata.uid).toBe(kept.metadata.uid);
    });

    test("a node that a person lets start after it ends with the next run", async () => {
      await objects.setLimit("leased", "2");
      await objects.podOf("fourth", "Running");
      expect(await run("leased")).toEqual(whole);
      expect(await objects.all("leased")).toEqual([]);
    });

    test("a run for a pool that does not exist fails", async () => {
      const notFound = 'Error from server (NotFound): nodepools.karpenter.sh "gone" not found';
      expect(await run("gone")).toEqual([`stop-new-nodes: ${notFound}`]);
    });

    test("it may do nothing else", async () => {
      const client = new Client(cluster.access, await tokenOf(cluster.access, namespace, "lease"));
      const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectRulesReview", spec: { namespace } };
      const { body } = await client.request("POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", review);
      const { resourceRules } = (body as { status: { resourceRules: { apiGroups: string[]; verbs: string[] }[] } })
        .status;
      // Every user may ask for its own rights.
      const own = resourceRules.filter(({ apiGroups }) => !/^auth/.test(apiGroups[0] ?? ""));
      expect(own.sort((one, other) => one.verbs.length - other.verbs.length)).toEqual([
        {
          ...{ apiGroups: ["karpenter.sh"], resources: ["nodepools"], verbs: ["get", "patch"] },
          resourceNames: ["leased", "gone"],
        },
        { apiGroups: ["karpenter.sh"], resources: ["nodeclaims"], verbs: ["get", "list", "watch", "delete"] },
      ]);
    });
  });
});

interface Role extends KubernetesObject {
  readonly rules: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[];
}

/** A node that Karpenter did not start, for KWOK. */
const systemNode: KubernetesObject = {
  ...{ apiVersion: "v1", kind: "Node" },
  metadata: { name: "system-1", annotations: { "kwok.x-k8s.io/node": "fake" }, labels: { tier: "system" } },
  status: { allocatable: { cpu: "2", memory: "4Gi", pods: "17" }, capacity: { cpu: "2", memory: "4Gi", pods: "17" } },
} as KubernetesObject;
