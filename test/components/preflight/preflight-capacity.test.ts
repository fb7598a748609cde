import { describe, expect, test } from "vitest";
import { amiReleases, kubernetesVersion } from "../../../components/core/versions";
import { instanceType, instanceTypeNames } from "../../../components/nodes/machine/instance-types";
import { renderProblem } from "../../../components/core/problems";
import { readPreflightFacts } from "../../../components/preflight/preflight";
import { preflightChecks, preflightProblems, preflightWarnings } from "../../../components/preflight/preflight-checks";
import type { CapacityRequest, PreflightFacts } from "../../../components/preflight/preflight-facts";
import { preflightRequest } from "../../../components/preflight/preflight-request";
import type { Cloud } from "../../../planner/record/record";
import { createCloud } from "../../../simulation/create-cloud";
import { types } from "../../../simulation/aws/types";
import { plan } from "../../support/plan";

const args = { publicAccessCidrs: ["198.51.100.0/24", "8.8.8.0/24"] };
const request = preflightRequest(args) as CapacityRequest;
const release = String(amiReleases[kubernetesVersion]);
const [systemImage, gpuImage] = request.images ?? [];
const quota = (quotaVcpus: number, running: number, ...mayStart: { group: string; vcpus: number }[]) => ({
  quotaVcpus,
  vcpuUse: { running, mayStart },
});
const granted = (decision: "allowed" | "denied" | "boundary" | "not-granted", count = 1) =>
  Array.from({ length: count }, (_, index) => ({ action: `eks:Action${index}`, decision }));

describe("the request", () => {
  test("names the AMI releases, the add-ons and the addresses of a node", () => {
    expect(request.images).toEqual([
      {
        path: "systemNodes.releaseVersion",
        release,
        name: `/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/standard/amazon-eks-node-al2023-x86_64-standard-1.35-v${release.slice(-8)}`,
        newest: "/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/standard/recommended/release_version",
      },
      expect.objectContaining({ path: "gpuNodes.releaseVersion", name: expect.stringContaining("/nvidia/") as string }),
    ]);
    expect(request.addons).toContainEqual({ name: "vpc-cni" });
    // 2 interfaces of a g5.xlarge with 15 addresses each.
    expect(request.addressesPerNode).toBe(30);
    expect(request).not.toHaveProperty("gpuSubnetId");
  });

  test("with prefix delegation, a node holds two prefixes", () => {
    const { addressesPerNode } = preflightRequest({ ...args, gpuNodes: { maxPods: 100 } }) ?? {};
    expect(addressesPerNode).toBe(33);
  });

  test("names the subnet of an existing network", () => {
    const existing = {
      vpcId: "vpc-0123456789abcdef0",
      cidrBlock: "10.0.0.0/16",
      zones: ["ap-northeast-2a", "ap-northeast-2b"],
      publicSubnetIds: [],
      privateSubnetIds: ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
    };
    const found = preflightRequest({ ...args, network: { existing }, gpuNodes: { azIndex: 1 } });
    expect(found?.gpuSubnetId).toBe("subnet-0123456789abcdef1");
  });

  test("no node of the catalog takes more addresses than it has", () => {
    for (const name of instanceTypeNames) {
      const type = instanceType(name);
      expect(type?.maxPods).toBe((type?.networkInterfaces ?? 0) * ((type?.ipv4PerInterface ?? 0) - 1) + 2);
    }
  });
});

const cases: readonly (readonly [string, PreflightFacts, readonly string[], number])[] = [
  ["nothing could be read", {}, [], 0],
  ["the quota less what runs is enough", quota(16, 8), [], 0],
  ["what runs leaves room for one node", quota(12, 8), [], 1],
  ["what runs leaves no room", quota(8, 8), [], 1],
  ["a quota of zero", quota(0, 0), ["gpuNodes.maxSize"], 0],
  ["other groups may take the rest", quota(16, 4, { group: "a/g", vcpus: 8 }), [], 1],
  ["other groups fit, too", quota(20, 4, { group: "a/g", vcpus: 8 }), [], 0],
  [
    "an AMI release that is not published",
    { region: "eu-west-1", images: { [gpuImage?.name ?? ""]: { exists: false } } },
    ["gpuNodes.releaseVersion"],
    0,
  ],
  ["AMI releases that exist", { images: { [gpuImage?.name ?? ""]: { exists: true } } }, [], 0],
  ["an AMI release by name", { images: { [systemImage?.name ?? ""]: { exists: true, release } } }, [], 0],
  [
    "another patch version on that date",
    { images: { [systemImage?.name ?? ""]: { exists: true, release: "1.35.99-20260930" } } },
    ["systemNodes.releaseVersion"],
    0,
  ],
  ["an add-on that this minor lacks", { addonVersions: { "vpc-cni": [] } }, ["addons.vpc-cni"], 0],
  ["an add-on with EKS's default", { addonVersions: { "vpc-cni": ["v1.2.3-eksbuild.4"] } }, [], 0],
  ["an address inside", { callerAddress: "8.8.8.8" }, [], 0],
  ["an address outside", { callerAddress: "9.9.9.9" }, ["publicAccessCidrs"], 0],
  ["a subnet with room", { gpuSubnet: { id: "subnet-1", freeAddresses: 60 } }, [], 0],
  ["a subnet with room for one", { gpuSubnet: { id: "subnet-1", freeAddresses: 59 } }, [], 1],
  ["a subnet with room for none", { gpuSubnet: { id: "subnet-1", freeAddresses: 0 } }, [], 1],
  ["allowed actions", { permissions: granted("allowed") }, [], 0],
  ["denied actions", { permissions: granted("denied", 10) }, ["the caller's permissions"], 0],
  ["actions beyond a boundary", { permissions: granted("boundary") }, ["the caller's permissions"], 0],
  ["actions that no policy grants on all resources", { permissions: granted("not-granted", 2) }, [], 1],
];

describe("the rules", () => {
  test.for(cases)("%s", ([, facts, paths, warnings]) => {
    expect(preflightProblems(request, facts).map(({ path }) => path)).toEqual(paths);
    expect(preflightWarnings(request, facts)).toHaveLength(warnings);
  });

  test("nodes that run hold their addresses already", () => {
    const gpuNodes = { name: "g", desiredSize: 1, minSize: 0, maxSize: 2 };
    const gpuSubnet = { id: "subnet-1", freeAddresses: 30 };
    expect(preflightWarnings(request, { gpuSubnet, runningGroups: { gpuNodes } })).toEqual([]);
    expect(preflightWarnings(request, { gpuSubnet, runningGroups: {} })).toHaveLength(1);
  });

  test("a pinned add-on version must be offered", () => {
    const pinned = preflightRequest({ ...args, addons: { coredns: "v1.2.3-eksbuild.4" } });
    const versions = ["v4.0.0-eksbuild.1", "v3.0.0-eksbuild.1", "v2.0.0-eksbuild.1", "v1.0.0-eksbuild.1"];
    const [problem] = preflightProblems(pinned, { addonVersions: { coredns: versions } });
    expect(problem).toMatchObject({ code: "version", path: "addons.coredns", got: "v1.2.3-eksbuild.4" });
    expect(problem?.fix).toBe("set addons.coredns to v4.0.0-eksbuild.1 or v3.0.0-eksbuild.1 or v2.0.0-eksbuild.1");
    const offered = { addonVersions: { coredns: [...versions, "v1.2.3-eksbuild.4"] } };
    expect(preflightProblems(pinned, offered)).toEqual([]);
  });

  test("the wording", () => {
    const texts = cases.flatMap(([, facts]) => [
      ...preflightProblems(request, facts).map((problem) => renderProblem(problem)),
      ...preflightWarnings(request, facts),
    ]);
    expect(texts.map((text) => `${text}\n`).join("")).toMatchInlineSnapshot(`
      "gpuNodes.maxSize: 2 x g5.xlarge need 8 vCPU. The account's quota L-DB2E81BA is 12 vCPU. Instances outside this node group use 8 vCPU of it. So that all nodes can start, set gpuNodes.maxSize to 1, or terminate these instances, or request a quota of 16 vCPU: aws service-quotas request-service-quota-increase --service-code ec2 --quota-code L-DB2E81BA --desired-value 16.
      gpuNodes.maxSize: 2 x g5.xlarge need 8 vCPU. The account's quota L-DB2E81BA is 8 vCPU. Instances outside this node group use 8 vCPU of it. So that all nodes can start, terminate these instances, or request a quota of 16 vCPU: aws service-quotas request-service-quota-increase --service-code ec2 --quota-code L-DB2E81BA --desired-value 16.
      gpuNodes.maxSize: got 2. The account's quota L-DB2E81BA is 0 vCPU, as in new accounts: no g5.xlarge can start.
        fix: request a quota of 8 vCPU: aws service-quotas request-service-quota-increase --service-code ec2 --quota-code L-DB2E81BA --desired-value 8
      gpuNodes.maxSize: Other node groups can start nodes that count against the quota L-DB2E81BA of 16 vCPU: a/g (8 vCPU). The quota does not suffice for all nodes at the same time; request a quota of 20 vCPU: aws service-quotas request-service-quota-increase --service-code ec2 --quota-code L-DB2E81BA --desired-value 20
      gpuNodes.releaseVersion: got "1.35.8-20260930". AWS publishes no such release of the EKS optimized AMI in this region.
        fix: set gpuNodes.releaseVersion to the output of aws ssm get-parameter --name /aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/nvidia/recommended/release_version --query Parameter.Value --output text --region eu-west-1
      systemNodes.releaseVersion: got "1.35.8-20260930". AWS publishes no such release; the release of that date has another Kubernetes patch version.
        fix: set systemNodes.releaseVersion to "1.35.99-20260930"
      addons.vpc-cni: EKS offers no version of this add-on for Kubernetes 1.35 in this region.
        fix: use another Kubernetes version or region
      publicAccessCidrs: got ["198.51.100.0/24","8.8.8.0/24"]. Your address 9.9.9.9 is in none of these blocks, so you could not reach the cluster's API.
        fix: pulumi config set --path 'publicAccessCidrs[0]' 9.9.9.9/32
      gpuNodes.maxSize: subnet-1 has 59 free addresses. 2 more x g5.xlarge need 60: the VPC CNI reserves 30 for each node. So that all nodes can start, set gpuNodes.maxSize to 1, or use a larger subnet, or delete unused network interfaces in this one.
      gpuNodes.maxSize: subnet-1 has 0 free addresses. 2 more x g5.xlarge need 60: the VPC CNI reserves 30 for each node. So that all nodes can start, use a larger subnet, or delete unused network interfaces in this one.
      the caller's permissions: got "eks:Action0, eks:Action1, eks:Action2, eks:Action3, eks:Action4, eks:Action5, eks:Action6, eks:Action7 and 2 more". A policy of this identity denies these actions.
        fix: ask your administrator for them, or use another identity
      the caller's permissions: got "eks:Action0". A permissions boundary or a policy of the organization does not allow these actions.
        fix: ask your administrator for them, or use another identity
      No policy grants these actions on every resource: eks:Action0, eks:Action1. Policies that name resources were not examined; ask your administrator whether they cover this environment.
      "
    `);
  });

  test("each check has an id of its own", () => {
    expect(new Set(preflightChecks.map(({ id }) => id)).size).toBe(preflightChecks.length);
  });
});

describe("the facts of a preview, from the simulated account", () => {
  async function factsIn(cloud = createCloud(), more: Partial<CapacityRequest> = {}) {
    let facts: PreflightFacts | undefined;
    const called: string[] = [];
    const simulated: Cloud = {
      outputsOf: () => ({}),
      call: (token, inputs) => {
        called.push(token);
        return cloud.call(token, inputs);
      },
    };
    const ask = async () => void (facts = await readPreflightFacts({ ...request, ...more }));
    const { diagnostics } = await plan(ask, { cloud: simulated });
    return { facts, called, warnings: diagnostics.map(({ message }) => message) };
  }

  function start(cloud: ReturnType<typeof createCloud>, id: string, type: string, more: object = {}, spot = false) {
    cloud.put({ type: types.instance, id, inputs: { instanceType: type, ...more }, computed: { spot } });
  }

  test("instances of the quota outside the node group count, each in its own market", async () => {
    const cloud = createCloud();
    const own = { "eks:cluster-name": "myeks", "eks:nodegroup-name": "myeks-gpu-20260101" };
    start(cloud, "i-1", "g5.2xlarge");
    start(cloud, "i-2", "g6.xlarge");
    start(cloud, "i-3", "g5.xlarge", {}, true);
    start(cloud, "i-4", "t3.medium");
    start(cloud, "i-5", "g5.xlarge", { tags: own });
    start(cloud, "i-6", "g5.xlarge", { tags: { ...own, "eks:cluster-name": "other" } });
    const { facts, warnings } = await factsIn(cloud);
    expect([facts?.vcpuUse, warnings]).toEqual([{ running: 8 + 4 + 4 }, []]);
    const spot = await factsIn(cloud, { quotaCode: "L-3819A6DF" });
    expect(spot.facts?.vcpuUse).toEqual({ running: 4 });
    const none = await factsIn(cloud, { quotaCode: "L-417A185B" });
    expect(none.facts?.vcpuUse).toEqual({ running: 0 });
  });

  test.for(["karpenter.sh/nodepool", "eks:kubernetes-node-pool-name"])(
    "own instances with %s do not count",
    async (tag) => {
      const cloud = createCloud();
      const own = { "eks:eks-cluster-name": "myeks", [tag]: "lab-gpu" };
      start(cloud, "i-1", "g5.xlarge", { tags: own });
      start(cloud, "i-2", "g5.xlarge", { tags: { ...own, [tag]: "my-lab-gpu" } });
      start(cloud, "i-3", "g5.xlarge", { tags: { ...own, "eks:eks-cluster-name": "other" } });
      const running = async (nodePool?: string) =>
        (await factsIn(cloud, nodePool === undefined ? {} : { nodePool })).facts?.vcpuUse?.running;
      expect([await running(), await running("lab-gpu"), await running("*-gpu")]).toEqual([12, 8, 4]);
    },
  );

  test("without other instances, none is read", async () => {
    expect((await factsIn()).called).not.toContain("aws:ec2/getInstance:getInstance");
  });

  test("AMI releases that exist, and one that does not", async () => {
    const name = `${gpuImage?.name}-x`;
    const images = [...(request.images ?? []), { path: "p", release, name, newest: "" }];
    const { facts, warnings } = await factsIn(createCloud(), { images });
    expect(Object.values(facts?.images ?? {})).toEqual([{ exists: true }, { exists: true }, { exists: false }]);
    expect(warnings).toEqual([]);
  });

  test("the free addresses of the existing subnet", async () => {
    const cloud = createCloud();
    const inputs = { cidrBlock: "10.0.0.0/24", vpcId: "vpc-1" };
    cloud.put({ type: types.subnet, id: "subnet-1", inputs, computed: {} });
    start(cloud, "i-1", "g5.xlarge", { subnetId: "subnet-1" });
    const { facts } = await factsIn(cloud, { gpuSubnetId: "subnet-1" });
    expect(facts?.gpuSubnet).toEqual({ id: "subnet-1", freeAddresses: 256 - 5 - 15 });
    const missing = await factsIn(cloud, { gpuSubnetId: "subnet-2" });
    expect(missing.facts).not.toHaveProperty("gpuSubnet");
    expect(missing.warnings.join()).toContain("Preflight cannot read the subnet of the GPU nodes");
  });
});
