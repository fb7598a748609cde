import { describe, expect, test } from "vitest";
import { readPreflightFacts } from "../../../components/preflight/preflight";
import { environmentSettings } from "../../../components/environment/gpu-environment-plan";
import { preflightProblems, preflightWarnings } from "../../../components/preflight/preflight-checks";
import type { CapacityRequest, Namesake, PreflightFacts } from "../../../components/preflight/preflight-facts";
import type { ScaledGroup } from "../../../components/preflight/running-group";
import { renderProblem } from "../../../components/core/problems";
import type { Cloud } from "../../../planner/record/record";
import { plan } from "../../support/plan";

const me = "arn:aws:iam::123456789012:role/me";
const request: CapacityRequest = {
  clusterName: "myeks",
  admins: [me],
  systemInstanceType: "t3.medium",
  instanceType: "g5.xlarge",
  azIndex: 0,
  maxSize: 2,
  vcpusPerNode: 4,
  quotaCode: "L-DB2E81BA",
};
const zones = ["r-1a", "r-1b", "r-1c", "r-1d"];
const facts: PreflightFacts = {
  zones,
  offerings: { "t3.medium": zones, "g5.xlarge": zones },
  quotaVcpus: 8,
  callerArn: "arn:aws:iam::123456789012:user/someone",
  clusterNames: [],
  region: "r-1",
};
const logGroupName = "/aws/eks/myeks/cluster";
const stray: Namesake = { kind: "log group", name: logGroupName, tags: {} };

function gpu(minSize: number, maxSize: number): ScaledGroup {
  return { section: "gpuNodes", namePrefix: "myeks-gpu-", minSize, maxSize };
}

function running(desiredSize: number, minSize: number, maxSize: number): PreflightFacts {
  return { runningGroups: { gpuNodes: { name: "myeks-gpu-1", desiredSize, minSize, maxSize } } };
}

describe("preflightProblems", () => {
  const cases = [
    ["everything fits", {}, {}, []],
    ["nothing could be read", {}, { zones: undefined, offerings: undefined, quotaVcpus: undefined }, []],
    ["the quota is met exactly", { maxSize: 2 }, { quotaVcpus: 8 }, []],
    ["one node too many for the quota", { maxSize: 3 }, {}, ["gpuNodes.maxSize"]],
    ["a quota of zero, as new accounts have it", { maxSize: 1 }, { quotaVcpus: 0 }, ["gpuNodes.maxSize"]],
    [
      "another zone of the network offers the type",
      {},
      { offerings: { "t3.medium": zones, "g5.xlarge": ["r-1b", "r-1c"] } },
      ["gpuNodes.instanceType"],
    ],
    [
      "only a zone outside the network offers the type",
      {},
      { offerings: { "t3.medium": zones, "g5.xlarge": ["r-1d"] } },
      ["gpuNodes.instanceType"],
    ],
    ["not in the region", {}, { offerings: { "t3.medium": zones, "g5.xlarge": [] } }, ["gpuNodes.instanceType"]],
    [
      "a zone without the system type",
      {},
      { offerings: { "t3.medium": ["r-1a", "r-1b"], "g5.xlarge": zones } },
      ["systemNodes.instanceType"],
    ],
    ["a zone of another region", { zones: ["r-1a", "r-9z"] }, {}, ["network.zones[1]", "systemNodes.instanceType"]],
    ["the creator of the cluster among the admins", {}, { callerArn: me }, ["admins[0]"]],
    ["an admin who updates a cluster that exists", {}, { callerArn: me, clusterNames: ["myeks"] }, []],
    ["a creator who could not be read", {}, { callerArn: undefined }, []],
    ["no log group is left over", { logGroupName }, { namesakes: [] }, []],
    ["log groups that could not be read", { logGroupName }, {}, []],
    ["a log group is left over", { logGroupName }, { namesakes: [stray] }, ["controlPlaneLogs"]],
    ["a key of the region", { secretsKeyArn: "arn:aws:kms:r-1:123456789012:key/x" }, {}, []],
    ["a key, the region unknown", { secretsKeyArn: "arn:aws:kms:r-2:123456789012:key/x" }, { region: undefined }, []],
    ["topics of the region, and not known", { alarmTopicArns: ["arn:aws:sns:r-1:1:a", {}] }, {}, []],
    ["a topic, the region unknown", { alarmTopicArns: ["arn:aws:sns:r-2:1:a"] }, { region: undefined }, []],
    [
      "a topic of another region",
      { alarmTopicArns: ["arn:aws:sns:r-1:1:a", "arn:aws:sns:r-2:1:a"] },
      {},
      ["lease.alarmTopicArns[1]"],
    ],
    ["a key of another region", { secretsKeyArn: "arn:aws:kms:r-2:123456789012:key/x" }, {}, ["secretsKey"]],
    ["limits that hold the nodes that run", { scaledGroups: [gpu(0, 2)] }, running(2, 0, 2), []],
    ["limits of a group that is not there", { scaledGroups: [gpu(1, 1)] }, { runningGroups: {} }, []],
    ["a group that Pulumi sizes", { scaledGroups: [] }, running(2, 0, 2), []],
    ["a maximum below the nodes that run", { scaledGroups: [gpu(0, 1)] }, running(2, 0, 2), ["gpuNodes.maxSize"]],
    ["a minimum above the nodes that run", { scaledGroups: [gpu(3, 4)] }, running(2, 0, 2), ["gpuNodes.minSize"]],
    ["a new minimum above the one that held", { scaledGroups: [gpu(0, 1)] }, running(2, 2, 2), ["gpuNodes.maxSize"]],
  ] as const;
  const problemsOf = (changes: object, known: object) =>
    preflightProblems({ ...request, ...changes }, { ...facts, ...known });

  test.for(cases)("%s", ([, changes, known, paths]) => {
    expect(problemsOf(changes, known).map(({ path }) => path)).toEqual(paths);
  });

  test("the paths start with a prefix", () => {
    const problems = preflightProblems({ ...request, maxSize: 3 }, facts, "args");
    expect(problems.map(({ path, code }) => [path, code])).toEqual([["args.gpuNodes.maxSize", "not-offered"]]);
  });

  test("the wording", () => {
    const problems = cases.flatMap(([, changes, known]) => problemsOf(changes, known));
    expect(problems.map((problem) => `${renderProblem(problem)}\n`).join("")).toMatchInlineSnapshot(`
      "gpuNodes.maxSize: got 3. 3 x g5.xlarge need 12 vCPU. The account's quota L-DB2E81BA is 8 vCPU.
        fix: set gpuNodes.maxSize to 2, or request a quota of 12 vCPU: aws service-quotas request-service-quota-increase --service-code ec2 --quota-code L-DB2E81BA --desired-value 12 --region r-1
      gpuNodes.maxSize: got 1. The account's quota L-DB2E81BA is 0 vCPU, as in new accounts: no g5.xlarge can start.
        fix: request a quota of 4 vCPU: aws service-quotas request-service-quota-increase --service-code ec2 --quota-code L-DB2E81BA --desired-value 4 --region r-1
      gpuNodes.instanceType: got "g5.xlarge". r-1a does not offer this instance type.
        fix: set gpuNodes.azIndex to 1 (r-1b) or 2 (r-1c), or use another GPU instance type
      gpuNodes.instanceType: got "g5.xlarge". r-1a does not offer this instance type.
        fix: add r-1d to network.zones, or use another GPU instance type
      gpuNodes.instanceType: got "g5.xlarge". The region does not offer this instance type.
        fix: use another GPU instance type or region
      systemNodes.instanceType: got "t3.medium". r-1c does not offer this instance type. System nodes run in every zone.
        fix: use another instance type, or other zones in network.zones
      network.zones[1]: got "r-9z". The zone is not available to this account.
        fix: use one of r-1a, r-1b, r-1c, r-1d
      systemNodes.instanceType: got "t3.medium". r-9z does not offer this instance type. System nodes run in every zone.
        fix: use another instance type, or other zones in network.zones
      admins[0]: got "arn:aws:iam::123456789012:role/me". This identity creates the cluster and is therefore an admin. EKS rejects a second access entry.
        fix: remove it
      controlPlaneLogs: got "/aws/eks/myeks/cluster". The log group already exists. EKS created it to write the last logs of a deleted cluster.
        fix: delete the log group and its logs: aws logs delete-log-group --region r-1 --log-group-name /aws/eks/myeks/cluster
      lease.alarmTopicArns[1]: got "arn:aws:sns:r-2:1:a". The topic is in r-2. CloudWatch requires a topic in the region of its alarm, r-1.
        fix: use the ARN of a topic in r-1: aws sns create-topic --name gpu-labs --region r-1
      secretsKey: got "arn:aws:kms:r-2:123456789012:key/x". The key is in r-2. EKS requires a key in the cluster's region, r-1.
        fix: use the ARN of a key in r-1, or "own"
      gpuNodes.maxSize: got 1. The desired size of myeks-gpu-1 is 2. The update would terminate running nodes.
        fix: set gpuNodes.maxSize to 2 or more, or run aws eks update-nodegroup-config --region r-1 --cluster-name myeks --nodegroup-name myeks-gpu-1 --scaling-config minSize=0,maxSize=2,desiredSize=1 and then pulumi up --refresh
      gpuNodes.minSize: got 3. The desired size of myeks-gpu-1 is 2. EKS rejects a minimum above the desired size, and the update does not change the desired size.
        fix: set gpuNodes.minSize to 2 or less, or run aws eks update-nodegroup-config --region r-1 --cluster-name myeks --nodegroup-name myeks-gpu-1 --scaling-config minSize=0,maxSize=3,desiredSize=3 and then pulumi up --refresh
      gpuNodes.maxSize: got 1. The desired size of myeks-gpu-1 is 2. The update would terminate running nodes.
        fix: set gpuNodes.maxSize to 2 or more, or run aws eks update-nodegroup-config --region r-1 --cluster-name myeks --nodegroup-name myeks-gpu-1 --scaling-config minSize=1,maxSize=2,desiredSize=1 and then pulumi up --refresh
      "
    `);
  });
});

test.for([
  ["the limits stay", gpu(0, 2), 0],
  ["the new limits do not allow the running nodes, which is a problem", gpu(0, 1), 0],
  ["the limits change", gpu(1, 4), 1],
] as const)("preflightWarnings: %s", ([, group, count]) => {
  expect(preflightWarnings({ ...request, scaledGroups: [group] }, running(2, 0, 2))).toHaveLength(count);
});

test("the wording of a warning", () => {
  const warnings = preflightWarnings({ ...request, scaledGroups: [gpu(1, 4)] }, running(2, 0, 2));
  expect(warnings.join("\n")).toMatchInlineSnapshot(
    `"gpuNodes: the minimum and maximum size of myeks-gpu-1 change from 0 and 2 to 1 and 4. The update also sets the desired size to the value in the Pulumi state, which can be outdated; it is 2 now. Run pulumi up --refresh to read it first."`,
  );
});

describe("readPreflightFacts", () => {
  const answers: Record<string, Record<string, unknown>> = {
    "aws:index/getAvailabilityZones:getAvailabilityZones": { names: ["a", "b"] },
    "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings": {
      instanceTypes: ["g5.xlarge", "t3.medium", "t3.medium"],
      locations: ["a", "a", "b"],
    },
    "aws:servicequotas/getServiceQuota:getServiceQuota": { value: 16 },
    "aws:index/getCallerIdentity:getCallerIdentity": { arn: "arn:aws:sts::1:assumed-role/me/session" },
    "aws:iam/getSessionContext:getSessionContext": { issuerArn: me },
    "aws:ec2/getInstances:getInstances": { ids: [] },
    "aws:eks/getClusters:getClusters": { names: ["other"] },
    "aws:index/getRegion:getRegion": { region: "r-1" },
  };

  async function read(cloud?: Cloud, more: Partial<CapacityRequest> = {}) {
    let result: PreflightFacts | undefined;
    const ask = async () => void (result = await readPreflightFacts({ ...request, ...more }));
    const recording = await plan(ask, cloud ? { cloud } : {});
    return { facts: result, warnings: recording.diagnostics.map(({ message }) => message) };
  }

  test("gathers what AWS answers", async () => {
    const cloud: Cloud = { outputsOf: () => ({}), call: (token) => answers[token] ?? {} };
    expect(await read(cloud)).toEqual({
      facts: {
        zones: ["a", "b"],
        offerings: { "g5.xlarge": ["a"], "t3.medium": ["a", "b"] },
        quotaVcpus: 16,
        callerArn: me,
        clusterNames: ["other"],
        region: "r-1",
        namesakes: [],
        vcpuUse: { running: 0 },
      },
      warnings: [],
    });
  });

  test("leaves out what it cannot read, with a warning", async () => {
    const cloud: Cloud = {
      outputsOf: () => ({}),
      call(token) {
        if (token.includes("servicequotas")) throw new Error("AccessDenied: no\nstack");
        return answers[token] ?? {};
      },
    };
    const { facts: known, warnings } = await read(cloud);
    expect(known).not.toHaveProperty("quotaVcpus");
    expect(known).toHaveProperty("zones");
    expect(warnings).toEqual([
      expect.stringMatching(/^Preflight cannot read the vCPU quota and skips its checks: .*AccessDenied: no$/),
    ]);
  });

  test("an offline plan knows zones and offerings, and neither quota, identity nor clusters", async () => {
    const { facts: known, warnings } = await read();
    const keys = ["account", "offerings", "region", "vcpuUse", "zones"];
    expect(Object.keys(known ?? {}).sort()).toEqual(keys);
    expect(warnings).toEqual([]);
  });

  /** A cloud with these answers in addition to the others, and the functions that were called. */
  function cloudWith(more: typeof answers) {
    const called: string[] = [];
    const call = (token: string) => {
      called.push(token);
      return { ...answers, ...more }[token] ?? {};
    };
    return { cloud: { outputsOf: () => ({}), call } satisfies Cloud, called };
  }

  test.for([
    ["EKS made it", [logGroupName], { tags: {} }, true],
    ["EKS made it, and the answer holds no tags", [logGroupName], {}, true],
    ["an update that failed later made it", [logGroupName], { tags: { Name: logGroupName } }, false],
    ["another group begins with the name", [`${logGroupName}-2`], { tags: {} }, false],
    ["no log group", [], {}, false],
  ] as const)("a log group without a cluster is left over when EKS made it: %s", async ([, names, group, stray]) => {
    const { cloud } = cloudWith({
      "aws:cloudwatch/getLogGroups:getLogGroups": { logGroupNames: [...names] },
      "aws:cloudwatch/getLogGroup:getLogGroup": group,
    });
    const { facts: known = {} } = await read(cloud, { logGroupName });
    const paths = preflightProblems({ ...request, logGroupName }, { ...facts, ...known }).map(({ path }) => path);
    expect(paths.includes("controlPlaneLogs")).toBe(stray);
  });

  test("the log group of a cluster that is there is its own", async () => {
    const { cloud, called } = cloudWith({ "aws:eks/getClusters:getClusters": { names: ["myeks"] } });
    expect((await read(cloud, { logGroupName })).facts).not.toHaveProperty("namesakes");
    expect(called.filter((token) => token.includes("LogGroup"))).toEqual([]);
  });

  test.for([
    ["ACTIVE", { name: "myeks-gpu-2", desiredSize: 2, minSize: 0, maxSize: 4 }],
    ["DEGRADED", { name: "myeks-gpu-2", desiredSize: 2, minSize: 0, maxSize: 4 }],
    ["CREATE_FAILED", undefined],
  ] as const)("the newest group of a section, when it is %s", async ([status, expected]) => {
    const { cloud } = cloudWith({
      "aws:eks/getClusters:getClusters": { names: ["myeks"] },
      "aws:eks/getNodeGroups:getNodeGroups": { names: ["myeks-gpu-2", "myeks-gpu-1", "myeks-system-3"] },
      "aws:eks/getNodeGroup:getNodeGroup": { status, scalingConfigs: [{ desiredSize: 2, minSize: 0, maxSize: 4 }] },
    });
    const { facts: known } = await read(cloud, { scaledGroups: [gpu(0, 2)] });
    expect(known?.runningGroups).toEqual({ gpuNodes: expected });
  });

  test("two groups of a section: an interrupted update may have left one", async () => {
    const suffixes = ["20260101000000000000000017", "20260102000000000000000018"];
    const [left = "", right = ""] = suffixes.map((suffix) => `myeks-system-${suffix}`);
    const names = [right, left, `myeks-gpu-${suffixes[0]}`, "myeks-gpu-blue", `myeks-gpu-blue-${suffixes[0]}`];
    const { cloud } = cloudWith({
      "aws:eks/getClusters:getClusters": { names: ["myeks"] },
      "aws:eks/getNodeGroups:getNodeGroups": { names },
    });
    const { facts: known = {} } = await read(cloud);
    expect(known.secondGroups).toEqual([{ section: "systemNodes", names: [left, right] }]);
    expect(preflightWarnings(request, known)).toEqual([
      expect.stringMatching(`systemNodes: the cluster has 2 node groups of this kind: ${left}, ${right}.*leftovers`),
    ]);
  });

  describe("addresses and launch templates with one logical name", () => {
    const stackTag = "organization/labs/gpu-lab";
    const change = { settings: environmentSettings({ publicAccessCidrs: ["203.0.113.7/32"] }), stackTag };
    const arn = (resource: string) => `arn:aws:ec2:ap-northeast-2:123456789012:${resource}`;
    const tagged = (resource: string, name: string, cluster = request.clusterName) => ({
      resourceArn: arn(resource),
      tags: { "eks-gpu-lab/stack": stackTag, "eks-gpu-lab/name": name, Name: `${cluster}-part` },
    });
    const listed = [
      ...[tagged("elastic-ip/eipalloc-2", "nat-1"), tagged("elastic-ip/eipalloc-1", "nat-1")],
      ...[tagged("elastic-ip/eipalloc-3", "nat-2"), tagged("launch-template/lt-1", "nat-1")],
      ...[tagged("launch-template/lt-2", "gpu"), tagged("launch-template/lt-3", "gpu")],
      // Two other labs with the tag of the stack: one of them has two.
      ...[
        tagged("launch-template/lt-4", "gpu", `${request.clusterName}-2`),
        tagged("elastic-ip/eipalloc-4", "nat-2", "second"),
      ],
      ...[tagged("elastic-ip/eipalloc-5", "nat-2", "second")],
    ];
    const getResources = "aws:resourcegroupstaggingapi/getResources:getResources";
    const region = { "aws:index/getRegion:getRegion": { region: "ap-northeast-2" } };

    test("are named with their cost; one request, and one for each of them", async () => {
      const { cloud, called } = cloudWith({ ...region, [getResources]: { resourceTagMappingLists: listed } });
      const { facts: known = {}, warnings } = await read(cloud, { change });
      expect(warnings).toEqual([]);
      expect(known.secondObjects).toEqual([
        { kind: "elastic address", name: "nat-1", ids: ["eipalloc-1", "eipalloc-2"] },
        { kind: "launch template", name: "gpu", ids: ["lt-2", "lt-3"] },
      ]);
      expect(called.filter((token) => /getResources|getElasticIp|getLaunchTemplate/.test(token))).toHaveLength(5);
      const told = "Run npx eks-gpu-lab leftovers: it names the one that is not in the state";
      expect(preflightWarnings(request, known)).toEqual([
        expect.stringMatching(`nat-1: .* 2 .*: eipalloc-1, eipalloc-2\\..* 0.12 USD per day\\. ${told}`),
        expect.stringMatching(`gpu: .* 2 .*: lt-2, lt-3\\..* costs nothing\\. ${told}`),
      ]);
      expect(preflightWarnings(request, { ...known, region: "r-1" })[0]).toContain("Its cost is not known.");
    });

    test.for([
      ["the API lists one that was deleted: nothing", "no matching EC2 EIP found", [], 0],
      ["one may not be read: a warning, and no failure", "AccessDenied", undefined, 1],
    ] as const)("%s", async ([, message, expected, count]) => {
      const call = (token: string) => {
        if (token.includes("getElasticIp")) throw new Error(message);
        return { ...answers, [getResources]: { resourceTagMappingLists: listed.slice(0, 3) } }[token] ?? {};
      };
      const { facts: known, warnings } = await read({ outputsOf: () => ({}), call }, { change });
      expect(known?.secondObjects).toEqual(expected);
      expect(warnings).toHaveLength(count);
    });
  });

  test("a group that is not there yet has no size", async () => {
    const { cloud } = cloudWith({
      "aws:eks/getClusters:getClusters": { names: ["myeks"] },
      "aws:eks/getNodeGroups:getNodeGroups": { names: [] },
    });
    expect((await read(cloud, { scaledGroups: [gpu(0, 2)] })).facts?.runningGroups).toEqual({ gpuNodes: undefined });
  });
});
