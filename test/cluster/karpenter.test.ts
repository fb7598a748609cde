import { beforeAll, describe, expect, test } from "vitest";
import { NodePoolLease } from "../../components/lease/node-pool-lease";
import { definitionOf } from "../support/definitions";
import { Client, type KubernetesObject } from "./support/client";
import { describeControllers } from "./support/controllers";
import { runCronJob, tokenOf } from "./support/cron-job-run";
import { eventually } from "./support/eventually";
import { Karpenter } from "./support/karpenter";
import {
  fakePool,
  gpuDeployment,
  KarpenterObjects,
  planObjects,
  poolObjects,
  systemNode,
} from "./support/karpenter-objects";
import { gpuWith } from "./support/gpu";
import { startJob } from "./support/job";
import type { Pod } from "./support/kubelet";
import { KwokCluster } from "./support/kwok-cluster";
import { expectMessage } from "./support/messages";
import { triageWith } from "./support/triage";
import type { ConclusionId } from "../../triage/conclusions";
import type { GpuNodePoolArgs } from "../../components/nodes/pool/gpu-node-pool-schema";

describeControllers("GPU nodes that Karpenter starts", () => {
  const cluster = new KwokCluster();
  const karpenter = new Karpenter(cluster);
  const objects = new KarpenterObjects(cluster);

  describe("from the objects of GpuNodePool, which the API server judges", () => {
    /** What the API server says to a new object; undefined if it accepts it. Creates nothing. */
    const judge = async (object: KubernetesObject) => {
      const path = (await cluster.admin.pathOf(object)).replace(/\/[^/]+$/, "");
      const { status, body, warning } = await cluster.admin.request(
        "POST",
        `${path}?dryRun=All&fieldValidation=Strict`,
        object,
      );
      return status === 201 ? warning : (body as { message: string }).message;
    };
    const types = ["g5.xlarge", "g5.12xlarge"];

    beforeAll(async () => {
      await objects.apply(definitionOf("karpenter.k8s.aws/v1 EC2NodeClass") as KubernetesObject);
      const [nodeClass] = await poolObjects("gpu");
      await eventually("the kind EC2NodeClass", () =>
        judge(nodeClass as KubernetesObject).then(Boolean, () => undefined),
      );
    });

    test.each<GpuNodePoolArgs>([
      {},
      { capacityType: "SPOT", zone: "ap-northeast-2a", gpuLimit: 0, labels: { team: "ml" }, tags: { Team: "ml" } },
      { instanceTypes: types, gpuLimit: 8, localStorage: "raid0", maxPods: 30, diskSizeGiB: 500 },
      {
        taints: [{ key: "team", value: "ml", effect: "NO_SCHEDULE" }],
        startupTaints: [{ key: "a", effect: "NO_EXECUTE" }],
      },
      { consolidationPolicy: "WhenEmptyOrUnderutilized", maxDisruptedNodes: 1, expireAfterHours: 720 },
      { provisioner: "autoMode", nodeClassName: "default", zone: "ap-northeast-2a" },
    ])("%j is accepted without a warning", async (args) => {
      for (const object of await poolObjects("judged", args)) {
        expect([object.kind, await judge(object)]).toEqual([object.kind, undefined]);
      }
    });

    test.each<[kind: string, path: string, value: unknown, said: string]>([
      ["NodePool", "replicas", 1, "only 'limits.nodes' is supported on static NodePools"],
      ["NodePool", "template.metadata.labels", { "karpenter.sh/nodepool": "a" }, "is restricted"],
      [
        "EC2NodeClass",
        "amiSelectorTerms",
        [{ alias: "al2023@v1" }, { id: "ami-0123456789abcdef0" }],
        "mutually exclusive",
      ],
      ["EC2NodeClass", "role", "nodes", "must specify exactly one of"],
      ["EC2NodeClass", "tags", { "karpenter.sh/nodepool": "a" }, "karpenter.sh/nodepool"],
    ])("%s with another %s is rejected", async (kind, path, value, said) => {
      const object = (await poolObjects("judged")).find((one) => one.kind === kind) as KubernetesObject;
      expect(await judge({ ...object, spec: withValue(object["spec"], path.split("."), value) })).toContain(said);
    });
  });

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
      await objects.remove("gpu", "first", "second");
    });
  });

  test("an expired node is replaced while its pod exists: expiry ends no cost", async () => {
    await objects.apply(
      await fakePool("short", { gpuLimit: 1 }, { expireAfter: "10s" }),
      gpuDeployment("third", "short"),
    );
    const [old = ""] = await objects.claims("short", 1);
    await eventually("another node", async () => (await objects.all("short")).find((name) => name !== old));
    await objects.remove("short", "third");
  });

  describe("that do not start, or that no pod can use", () => {
    const selected = { "karpenter.sh/nodepool": "zone", "topology.kubernetes.io/zone": "ap-northeast-2c" };
    const resources = { limits: { "nvidia.com/gpu": "2" } };
    const triagePod = ({ metadata }: Pod) => triageWith(cluster.kubeconfig, ["pod", metadata.name, "-n", "default"]);

    beforeAll(() => objects.apply(systemNode));

    test.each<[name: string, args: GpuNodePoolArgs, pod: object, id: ConclusionId]>([
      ["taint", { taints: [{ key: "team", value: "research", effect: "NO_SCHEDULE" }] }, {}, "nodepool-taint"],
      ["zone", { zone: "ap-northeast-2a" }, { nodeSelector: selected }, "nodepool-labels"],
      ["type", { gpuLimit: 4 }, { containers: [{ name: "main", image: "pause", resources }] }, "nodepool-too-small"],
    ])("%s: Karpenter says why, and triage shows it", async (name, args, pod, id) => {
      await objects.apply(await fakePool(name, args), gpuDeployment(`of-${name}`, name, pod));
      const refusal = await objects.refusalOf(`of-${name}`);
      expectMessage(`karpenter ${name}`, refusal);
      const { conclusions, evidence } = await triagePod(await objects.podOf(`of-${name}`, "Pending"));
      expect(conclusions[0]).toBe(id);
      expect(evidence).toContain(refusal.replace("FailedScheduling: ", ""));
      await objects.remove(name, `of-${name}`);
    });

    test("a start-up taint that nothing removes: the scheduler does not name it, and triage does", async () => {
      const startupTaints = [{ key: "example.com/setup", effect: "NO_SCHEDULE" }] as const;
      await objects.apply(await fakePool("setup", { startupTaints }), gpuDeployment("of-setup", "setup"));
      expectMessage("karpenter start-up taint", await objects.startupOf("setup"));
      const live = await triagePod(await objects.podOf("of-setup", "Pending"));
      expect(live.conclusions[0]).toBe("startup-taint-stays");
      await objects.remove("setup", "of-setup");
    });
  });

  describe("and that gpu ends", () => {
    const down = ["down", "--timeout", "60"];

    beforeAll(async () => {
      await objects.apply(await fakePool("session", { gpuLimit: 1 }), await fakePool("kept", { gpuLimit: 1 }));
      await objects.apply(gpuDeployment("sixth", "session"), gpuDeployment("seventh", "kept"));
      await objects.podOf("sixth", "Running");
      await objects.podOf("seventh", "Running");
    });

    test("status shows the NodeClaim, and the pod that holds its GPU", async () => {
      const [claim = ""] = await objects.claims("session", 1);
      const { metadata } = await objects.podOf("sixth", "Running");
      const { status, document } = await gpuWith(cluster.access, "session", 1, ["status"]);
      expect([status, document]).toMatchObject([
        0,
        {
          pool: { pool: "session", limit: 1 },
          instances: [{ id: claim, type: "g5.xlarge", state: "running" }],
          nodes: [{ ready: true, gpus: 1, holders: [{ pod: `default/${metadata.name}` }] }],
        },
      ]);
    });

    test("without Karpenter, down says that the NodeClaim stays, and ends it when Karpenter runs again", async () => {
      const [claim = ""] = await objects.claims("session", 1);
      await karpenter.stop();
      const first = await gpuWith(cluster.access, "session", 1, ["down", "--timeout", "3"]);
      expect([first.status, first.document]).toMatchObject([1, { outcome: "timeout", requested: { limit: 0 } }]);
      expect(first.document.instances).toMatchObject([
        { id: claim, state: "stopping", lifecycle: expect.stringContaining("Karpenter has not begun") as string },
      ]);
      const running = gpuWith(cluster.access, "session", 1, down);
      await karpenter.start();
      expect([(await running).status, (await running).document.outcome]).toEqual([0, "reached"]);
      expect(await objects.all("session")).toEqual([]);
    });

    test("the pod waits, no node comes, and another pool keeps its node, until up restores the limit", async () => {
      expect(await objects.refusalOf("sixth")).toMatch(/exceed limits/);
      expect(await objects.all("session")).toEqual([]);
      expect(await objects.all("kept")).toHaveLength(1);
      const { document } = await gpuWith(cluster.access, "session", 1, ["up"]);
      expect(document).toMatchObject({ outcome: "reached", requested: { limit: 1 } });
      await objects.podOf("sixth", "Running");
      expect((await gpuWith(cluster.access, "session", 1, down)).document.outcome).toBe("reached");
      expect(await objects.all("session")).toEqual([]);
      await objects.remove("session", "sixth");
      await objects.remove("kept", "seventh");
    });

    test("a NodePool that does not exist is named, and so are definitions that are not installed", async () => {
      const { status, err } = await gpuWith(cluster.access, "session", 1, ["status"]);
      expect([status, err.replaceAll(/\s+/g, " ")]).toEqual([
        2,
        expect.stringContaining(
          'has no NodePool session, or its node class is missing: nodepools.karpenter.sh "session" not found',
        ),
      ]);
      const { status: missing, body } = await cluster.admin.request("GET", "/apis/karpenter.example/v1/nodepools/a");
      expect([missing, body]).toEqual([404, "404 page not found\n"]);
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

/** A copy with another value at a path. */
function withValue(inside: unknown, [key = "", ...rest]: readonly string[], value: unknown): object {
  const object = inside as Readonly<Record<string, unknown>>;
  return { ...object, [key]: rest.length === 0 ? value : withValue(object[key], rest, value) };
}

interface Role extends KubernetesObject {
  readonly rules: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[];
}
