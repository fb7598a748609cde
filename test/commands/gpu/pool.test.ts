import { readFileSync } from "node:fs";
import { Provider } from "@pulumi/kubernetes/provider";
import { describe, expect, test, vi } from "vitest";
import { runGpu } from "../../../commands/gpu/gpu";
import { inDays } from "../../../components/core/faults";
import { patchCommand, shellText } from "../../../components/core/text";
import { NodePoolLease } from "../../../components/lease/node-pool-lease";
import { instances } from "../../aws/account/support/answers";
import { useAws } from "../../support/aws-environment";
import { awsServer, type Answers, type Params } from "../../support/aws-server";
import { captured } from "../../support/cli";
import { usePulumi } from "../../support/fake-pulumi";
import { ofType, plan } from "../../support/plan";
import { twoNodes } from "../../support/prices";
import { apiServer, send } from "../../triage/support/api-server";
import { gpuNode, pod } from "../../triage/support/objects";
import { cluster } from "./session/support/answers";
import { none } from "./support";

type Raw = Record<string, unknown>;

const nodeClassRef = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "lab-gpu" };
const requirements = [
  { key: "node.kubernetes.io/instance-type", operator: "In", values: ["g5.xlarge"] },
  { key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand"] },
];
const nodeClass = {
  spec: {
    blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeType: "gp3", volumeSize: "100Gi" } }],
    subnetSelectorTerms: [{ id: "subnet-0123456789abcdef0" }],
  },
};

function claimOf(name: string, more: { pool?: string; conditions?: readonly Raw[]; deletionTimestamp?: string } = {}) {
  const { pool = "lab-gpu", conditions = [{ type: "Initialized", status: "True" }], deletionTimestamp } = more;
  const labels = {
    "karpenter.sh/nodepool": pool,
    "node.kubernetes.io/instance-type": "g5.xlarge",
    "topology.kubernetes.io/zone": "ap-northeast-2a",
  };
  const creationTimestamp = "2026-11-20T10:00:00Z";
  return {
    metadata: { name, uid: `uid-${name}`, labels, creationTimestamp, deletionTimestamp },
    status: { nodeName: `node-${name}`, conditions },
  };
}

interface World {
  /** The limit; undefined for a pool without one. */
  limit?: string | undefined;
  claims: ReturnType<typeof claimOf>[];
  /** @default that of the evening */
  readonly cronJobs?: readonly Raw[];
  readonly items?: readonly Raw[];
  /** What happens before each request: another writer, or Karpenter. */
  readonly before?: (request: string, world: World) => void;
  /** The answer in the place of the API server's. */
  readonly refuse?: (request: string) => { readonly status: number; readonly message?: string } | undefined;
}

/** A cluster with one NodePool, whose Karpenter ends deleted NodeClaims at the next reading. */
async function clusterOf(world: World) {
  const changes: string[] = [];
  const server = await apiServer({
    items: world.items ?? [],
    intercept: (path, response) => {
      const request = `${response.req.method} ${path}`;
      world.before?.(request, world);
      const refusal = world.refuse?.(request);
      if (refusal) return send(response, refusal.status, refusal.message === undefined ? "no" : refusal);
      if (!request.startsWith("GET ")) changes.push(request.replace("/apis/karpenter.sh/v1/", ""));
      const own = answerTo(request, world);
      return own ? send(response, 200, own) : false;
    },
  });
  return { ...server, changes };
}

/** The CronJob of a lease as the component plans it. */
function cronJob(schedule: string, { pool = "lab-gpu", suspend }: { pool?: string; suspend?: boolean } = {}): Raw {
  const containers = [{ args: ["delete", "nodeclaims.karpenter.sh", `--selector=karpenter.sh/nodepool=${pool}`] }];
  const jobTemplate = { spec: { template: { spec: { containers } } } };
  return { metadata: { name: "lease" }, spec: { schedule, timeZone: "Asia/Seoul", suspend, jobTemplate } };
}
const [nightly, endOfLease] = ["0 22 * * *", "0 0 1 11 *"];

function answerTo(request: string, world: World): Raw | undefined {
  if (request.includes("/cronjobs?labelSelector=app.kubernetes.io%2Fname%3Dnode-pool-lease"))
    return { items: world.cronJobs ?? [cronJob(nightly)] };
  const [, name = ""] = /\/nodeclaims\/([\w-]+)/.exec(request) ?? [];
  if (request.includes("/ec2nodeclasses/lab-gpu")) return nodeClass;
  if (request.startsWith("PATCH ")) world.limit = "patched";
  if (request.startsWith("DELETE ") && !request.includes("dryRun"))
    world.claims = world.claims.filter(({ metadata }) => metadata.name !== name);
  if (request.includes("/nodeclaims?")) return { items: world.claims };
  if (!request.includes("karpenter.sh/v1/node")) return undefined;
  const limit = world.limit === "patched" ? (request.startsWith("PATCH") ? undefined : patched) : world.limit;
  return {
    metadata: { name: "lab-gpu" },
    spec: {
      limits: limit === undefined ? {} : { "nvidia.com/gpu": limit },
      template: { spec: { nodeClassRef, requirements } },
    },
  };
}

let patched = "";

const scaleUp = patchCommand("nodepool lab-gpu", { spec: { limits: { "nvidia.com/gpu": "2" } } });
const outputs = {
  ...{ scaleUp, configureKubectl: "aws eks update-kubeconfig --region ap-northeast-2 --name myeks" },
  lease: "all GPU nodes are terminated every day at 22:00 Asia/Seoul",
};

interface Options {
  readonly answers?: Answers;
  readonly outputs?: Raw;
  /** The address that EKS states. @default that of the cluster */
  readonly endpoint?: string;
}

/** Runs a command on a stack whose GPU nodes are those of the NodePool, with this limit after a request. */
async function gpu(world: World, args: readonly string[], { answers = {}, endpoint, ...more }: Options = {}) {
  patched = args[0] === "up" ? "2" : "0";
  const api = await clusterOf(world);
  const { clusters } = JSON.parse(readFileSync(api.kubeconfig, "utf8")) as { clusters: { cluster: Raw }[] };
  const server = endpoint ?? String(clusters[0]?.cluster["server"]);
  const aws = await awsServer({ ...none, DescribeCluster: () => cluster(server), ...answers });
  useAws(aws.endpoint);
  usePulumi(
    `case "$*" in *show-name*) echo dev ;; *) echo ${shellText([JSON.stringify(more.outputs ?? outputs)])} ;; esac`,
  );
  const options = [...args, "--kubeconfig", api.kubeconfig];
  const { status, out, err } = await captured((console) => runGpu(options, console, { intervalMs: 5, now }));
  return {
    status,
    out: out.replaceAll(/\n +/g, " "),
    err: err.replaceAll(/\s+/g, " "),
    ...api,
    operations: aws.operations,
  };
}

const now = () => new Date("2026-11-20T12:00:00Z");
const labels = { "karpenter.sh/nodepool": "lab-gpu" };
const session = [gpuNode("n1", { labels }), pod("train", { node: "n1", gpus: 1 }), pod("waits", { gpus: 1 })];

describe("gpu with a NodePool", () => {
  test("status shows the limit, the NodeClaims, who holds and who waits for GPUs, and both costs", async () => {
    const { status, out, changes } = await gpu({ limit: "2", claims: [claimOf("gpu-1")], items: session }, ["status"]);
    expect([status, changes]).toEqual([0, []]);
    for (const text of [
      "GPU NodePool myeks/lab-gpu in ap-northeast-2",
      "limit 2 GPUs; the stack states 2 GPUs; ACTIVE",
      `${twoNodes("g5.xlarge", 100)} USD per hour`,
      "gpu-1 g5.xlarge ap-northeast-2a node-gpu-1, 120m old",
      "1 in use by gpu-lab/train (1)",
      "1 pod without a node gpu-lab/waits",
      "2.50 USD since 2026-11-20T10:00Z",
      "2026-11-20T13:00Z, in 60m (lease.nightly)",
    ])
      expect(out.replaceAll(/ +/g, " ")).toContain(text);
  });

  test("its JSON has a pool in the place of a group", async () => {
    const { out } = await gpu({ claims: [], items: session }, ["status", "--json"]);
    const { pool: found, waiting, group, instances } = JSON.parse(out) as Raw;
    expect(found).toMatchObject({ cluster: "myeks", pool: "lab-gpu", limit: null, stated: 2 });
    expect([waiting, group, instances]).toEqual([["gpu-lab/waits"], undefined, []]);
  });

  test("a NodeClaim that EC2 does not start is a reason", async () => {
    const message = "You have requested more vCPU capacity than your current vCPU limit of 0 allows";
    const conditions = [
      { type: "Launched", status: "Unknown", reason: "LaunchFailed", message: `VcpuLimitExceeded: ${message}` },
    ];
    const { status, out } = await gpu({ limit: "2", claims: [claimOf("gpu-1", { conditions })] }, ["status"]);
    expect(status).toBe(1);
    expect(out).toContain("The account's vCPU quota for this kind of instance is used up.");
  });

  test("up restores the limit, and says what starts nodes", async () => {
    const { status, out, err, changes } = await gpu({ limit: "0", claims: [], items: session }, ["up"]);
    expect([status, changes], err).toEqual([0, ["PATCH nodepools/lab-gpu?fieldManager=pulumi-kubernetes"]]);
    expect(out).toContain("nodes start for pods, up to a limit of 2 GPUs; 1 pod in the cluster waiting for\nGPUs");
    expect(out).toContain("To end it: npx eks-gpu-lab gpu down --stack dev");
    expect(out).toContain(`Up to 2 GPUs: ${twoNodes("g5.xlarge", 100)} USD per hour`);
  });

  test("up is refused if the quota is too small for the limit", async () => {
    const quotaOf = (Value: number): Answers => ({ GetServiceQuota: () => ({ Quota: { Value } }) });
    const few = await gpu({ limit: "0", claims: [] }, ["up"], { answers: quotaOf(4) });
    expect([few.status, few.changes]).toEqual([2, []]);
    expect(few.err).toContain("gpuNodes.maxSize: got 2. 2 x g5.xlarge need 8 vCPU.");
    expect(few.err).toContain("set gpuNodes.maxSize to 1");
  });

  test("up says that NodePools of other clusters do not count", async () => {
    const { status, err } = await gpu({ limit: "0", claims: [] }, ["up"], {
      answers: { ListClusters: () => ({ clusters: ["myeks", "b"] }), ListNodegroups: () => ({ nodegroups: [] }) },
    });
    expect(status, err).toBe(0);
    expect(err).toContain("Not counted against the quota: nodes that NodePools of other clusters may start (b).");
  });

  test.for([
    ["karpenter.sh/nodepool", "lab-gpu", 0],
    ["eks:kubernetes-node-pool-name", "lab-gpu", 0],
    ["karpenter.sh/nodepool", "my-lab-gpu", 2],
  ] as const)("with an instance of %s %s, which may be hidden, up exits with %i", async ([tag, pool, expected]) => {
    const own = instances({ type: "g5.xlarge", tags: { "eks:eks-cluster-name": "myeks", [tag]: pool } });
    const DescribeInstances = ({ IncludeManagedResources: all }: Params) => (all === "true" ? own : instances());
    const answers: Answers = { GetServiceQuota: () => ({ Quota: { Value: 8 } }), DescribeInstances };
    const { status, err } = await gpu({ limit: "0", claims: [] }, ["up"], { answers });
    expect(status, err).toBe(expected);
  });

  test.for([
    [["up", "1"], {}, "gpu up: got 1. The nodes belong to a NodePool, which starts them for pods"],
    [["up"], { lease: "all GPU nodes are terminated at 2026-11-01T00:00:00Z" }, "The lease ended 19d ago"],
  ] as const)("%j with %j is refused", async ([args, more, text]) => {
    const run = await gpu({ limit: "0", claims: [] }, args, { outputs: { ...outputs, ...more } });
    expect([run.status, run.changes, run.err]).toEqual([2, [], expect.stringContaining(text)]);
  });

  test.for<[string, World["cronJobs"]]>([
    ["a suspended CronJob", [cronJob(nightly, { suspend: true })]],
    ["the CronJob of another pool", [cronJob(nightly, { pool: "my-lab-gpu" })]],
    ["none", []],
  ])("with %s, no session would end: up is refused, and status says so", async ([, cronJobs]) => {
    const world = { limit: "0", claims: [], cronJobs };
    const run = await gpu(world, ["up"]);
    expect([run.status, run.changes]).toEqual([2, []]);
    expect(run.err).toContain("lease: Every CronJob of the lease for this NodePool is missing or suspended");
    expect((await gpu(world, ["status"])).out).toMatch(/next end +none: no schedule of the lease ends nodes/);
  });

  test.for([
    ["at another time", [cronJob("30 22 * * *")], "2026-11-20T13:30Z, in 90m (lease.nightly)"],
    ["before the end", [cronJob(nightly), cronJob(endOfLease)], "2026-11-20T12:30Z, in 30m (lease.expiresAt)"],
  ] as const)("a lease %s ends when its CronJobs run", async ([, cronJobs, expected]) => {
    const lease = "all GPU nodes are terminated every day at 22:00 Asia/Seoul, and at 2026-11-20T12:30:00Z";
    const { out } = await gpu({ limit: "0", claims: [], cronJobs }, ["status"], { outputs: { ...outputs, lease } });
    expect(out).toContain(expected);
  });

  test("it knows the CronJobs that the component creates", async () => {
    const expiresAt = inDays(3, new Date());
    const make = () => {
      const provider = new Provider("k8s", { kubeconfig: "{}" });
      new NodePoolLease("lab-lease", { nodePools: ["lab-gpu", "b"], nightly: "21:30", expiresAt }, { provider });
    };
    const cronJobs = ofType(await plan(make), "kubernetes:batch/v1:CronJob").map(({ inputs }) => inputs);
    const { out } = await gpu({ limit: "0", claims: [], cronJobs }, ["status", "--json"]);
    const { leaseEnds } = JSON.parse(out) as { leaseEnds: { by: string; at: string | null }[] };
    expect(leaseEnds.map(({ by, at }) => `${by} ${at}`)).toEqual([
      "nightly 2026-11-20T21:30:00.000Z",
      "expiresAt null",
    ]);
    expect(JSON.stringify(cronJobs[0])).toContain('"app.kubernetes.io/name":"node-pool-lease"');
  });

  test("without the right to list CronJobs, up goes on and says what it does not know", async () => {
    const refuse = (request: string) => (request.includes("cronjobs") ? { status: 403, message: "no" } : undefined);
    const { status, err } = await gpu({ limit: "0", claims: [], refuse }, ["up"]);
    expect(status, err).toBe(0);
    expect(err).toContain("The tool does not know when the lease ends. The API server says: no.");
  });

  test("down names the pods, sets the limit before it ends NodeClaims, and leaves those of other pools", async () => {
    const claims = [claimOf("gpu-1"), claimOf("other-1", { pool: "other" })];
    const { status, out, err, changes } = await gpu({ limit: "2", claims, items: session }, ["down"]);
    expect(status, err).toBe(0);
    expect(err).toContain("1 pod with GPUs will stop with their nodes: gpu-lab/train");
    expect(changes).toEqual([
      "DELETE nodeclaims/gpu-1?dryRun=All",
      "PATCH nodepools/lab-gpu?fieldManager=pulumi-kubernetes",
      "DELETE nodeclaims/gpu-1",
    ]);
    expect(out).toContain("Pods that request GPUs wait until gpu up restores the limit.");
  });

  test("down ends a NodeClaim that comes after the limit, too", async () => {
    let readings = 0;
    const before = (request: string, world: World) => {
      if (request.includes("/nodeclaims?") && world.limit === "patched" && ++readings === 4)
        world.claims.push(claimOf("late"));
    };
    const { status, changes } = await gpu({ limit: "2", claims: [claimOf("gpu-1")], before }, ["down"]);
    expect([status, changes.filter((one) => !one.includes("?"))]).toEqual([
      0,
      ["DELETE nodeclaims/gpu-1", "DELETE nodeclaims/late"],
    ]);
  });

  test("a dry run changes nothing", async () => {
    const { status, out, changes } = await gpu({ limit: "2", claims: [claimOf("gpu-1")] }, ["down", "--dry-run"]);
    expect([status, changes]).toEqual([0, []]);
    expect(out).toContain("The command would set a limit of 0 GPUs, and delete 1 NodeClaim.");
    const { out: json } = await gpu({ limit: "2", claims: [] }, ["down", "--dry-run", "--json"]);
    expect(JSON.parse(json)).toMatchObject({ outcome: "planned", planned: { limit: 0 } });
  });

  test("without Karpenter a NodeClaim stays, and down says why", async () => {
    const claims = [claimOf("gpu-1", { deletionTimestamp: "2026-11-20T11:59:00Z" })];
    const { status, out } = await gpu({ limit: "2", claims }, ["down", "--timeout", "1"]);
    expect(status).toBe(1);
    expect(out).toContain("gpu-1: node-gpu-1, 120m old, deleted, and Karpenter has not begun to terminate it");
    expect(out).toContain("kubectl get pods -A -l app.kubernetes.io/name=karpenter");
  });

  test("a limit that another person raises meanwhile ends down", async () => {
    let readings = 0;
    const deletionTimestamp = "2026-11-20T11:59:00Z";
    const before = (request: string, world: World) => {
      if (request.startsWith("GET /apis/karpenter.sh/v1/nodepools") && world.limit === "patched" && ++readings > 2)
        world.limit = "4";
    };
    const world = { limit: "2", claims: [claimOf("gpu-1", { deletionTimestamp })], before };
    const { status, out } = await gpu(world, ["down"]);
    expect([status, out]).toEqual([
      1,
      expect.stringContaining("Another writer changed the limit after the request. It is a limit of 4 GPUs"),
    ]);
  });

  test.for([
    ["PATCH", 403, "nodepools is forbidden", "get and patch on nodepools"],
    ["DELETE", 403, "nodeclaims is forbidden", "list and delete on nodeclaims"],
    [
      "GET /apis/karpenter.sh/v1/nodepools",
      404,
      'nodepools.karpenter.sh "lab-gpu" not found',
      "has no NodePool lab-gpu",
    ],
    ["GET /apis/karpenter.sh/v1/nodepools", 404, undefined, "installs Karpenter or enables EKS Auto Mode"],
    ["GET /apis/karpenter.sh/v1/nodeclaims", 410, "too old", "The API server says: too old."],
  ] as const)("%s answered with %d %s changes nothing", async ([start, status, message, text]) => {
    const refuse = (request: string) => (request.startsWith(start) ? { status, message } : undefined);
    const run = await gpu({ limit: "2", claims: [claimOf("gpu-1")], refuse }, ["down"]);
    expect([run.status, run.err]).toEqual([2, expect.stringContaining(text)]);
    expect(run.changes.filter((one) => !one.includes("dryRun"))).toEqual([]);
  });

  test("a context of another cluster is refused before anything is read", async () => {
    const endpoint = "https://another.example";
    const run = await gpu({ limit: "2", claims: [claimOf("gpu-1")] }, ["down", "--context", "lab"], { endpoint });
    expect([run.status, run.requests]).toEqual([2, []]);
    expect(run.err).toContain('--context: got "lab". The context does not belong to the cluster myeks');
    vi.unstubAllEnvs();
  });
});
