import { describe, expect, test } from "vitest";
import { readPreflightFacts } from "../../../components/preflight/preflight";
import { preflightWarnings } from "../../../components/preflight/preflight-rules";
import { preflightProblems } from "../../../components/preflight/preflight-rules";
import type { CapacityRequest, PreflightFacts, ScaledGroup } from "../../../components/preflight/preflight-facts";
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

function gpu(minSize: number, maxSize: number): ScaledGroup {
  return { section: "gpuNodes", namePrefix: "myeks-gpu-", minSize, maxSize };
}

function running(desiredSize: number, minSize: number, maxSize: number): PreflightFacts {
  return { runningGroups: { gpuNodes: { name: "myeks-gpu-1", desiredSize, minSize, maxSize } } };
}

describe("preflightProblems", () => {
  test.for([
    ["everything fits", {}, {}, []],
    ["nothing could be read", {}, { zones: undefined, offerings: undefined, quotaVcpus: undefined }, []],
    ["the quota is met exactly", { maxSize: 2 }, { quotaVcpus: 8 }, []],
    [
      "one node too many for the quota",
      { maxSize: 3 },
      {},
      [
        "gpuNodes.maxSize: 3 x g5.xlarge take 12 vCPU, and the account's quota L-DB2E81BA is 8. -> set gpuNodes.maxSize to 2, or ask for 12 vCPU: aws service-quotas request-service-quota-increase --service-code ec2 --quota-code L-DB2E81BA --desired-value 12",
      ],
    ],
    [
      "a quota of zero, as new accounts have it",
      { maxSize: 1 },
      { quotaVcpus: 0 },
      [
        "gpuNodes.maxSize: 1 x g5.xlarge take 4 vCPU, and the account's quota L-DB2E81BA is 0. -> ask for 4 vCPU: aws service-quotas request-service-quota-increase --service-code ec2 --quota-code L-DB2E81BA --desired-value 4",
      ],
    ],
    [
      "another zone of the network offers the type",
      {},
      { offerings: { "t3.medium": zones, "g5.xlarge": ["r-1b", "r-1c"] } },
      [
        "gpuNodes.instanceType: r-1a does not offer it. -> set gpuNodes.azIndex to 1 (r-1b) or 2 (r-1c), or choose another GPU type",
      ],
    ],
    [
      "only a zone outside the network offers the type",
      {},
      { offerings: { "t3.medium": zones, "g5.xlarge": ["r-1d"] } },
      ["gpuNodes.instanceType: r-1a does not offer it. -> put r-1d into network.zones, or choose another GPU type"],
    ],
    [
      "the region does not offer the type",
      {},
      { offerings: { "t3.medium": zones, "g5.xlarge": [] } },
      ["gpuNodes.instanceType: The region does not offer it. -> choose another GPU type or region"],
    ],
    [
      "a zone without the system type",
      {},
      { offerings: { "t3.medium": ["r-1a", "r-1b"], "g5.xlarge": zones } },
      [
        "systemNodes.instanceType: r-1c does not offer it, and the system nodes spread over every zone. -> choose another type, or other zones in network.zones",
      ],
    ],
    [
      "a zone that the region does not have",
      { zones: ["r-1a", "r-9z"] },
      {},
      [
        "network.zones[1]: The region has no such zone for this account. -> choose among r-1a, r-1b, r-1c, r-1d",
        "systemNodes.instanceType: r-9z does not offer it, and the system nodes spread over every zone. -> choose another type, or other zones in network.zones",
      ],
    ],
    [
      "the creator of the cluster among the admins",
      {},
      { callerArn: me },
      [
        "admins[0]: This identity creates the cluster, which makes it an admin already; EKS refuses a second entry. -> leave it out",
      ],
    ],
    ["an admin who updates a cluster that exists", {}, { callerArn: me, clusterNames: ["myeks"] }, []],
    ["a creator who could not be read", {}, { callerArn: undefined }, []],
    ["no log group is left over", { logGroupName }, { strayLogGroup: false }, []],
    ["log groups that could not be read", { logGroupName }, {}, []],
    ["a log group is left over, and none is to be made", {}, { strayLogGroup: true }, []],
    [
      "a log group is left over",
      { logGroupName },
      { strayLogGroup: true },
      [
        "controlPlaneLogs: This log group is there without a cluster: EKS wrote late logs of an earlier one. It cannot be made a second time. -> delete it with its logs: aws logs delete-log-group --region r-1 --log-group-name /aws/eks/myeks/cluster",
      ],
    ],
    ["a key of the region", { secretsKeyArn: "arn:aws:kms:r-1:123456789012:key/x" }, {}, []],
    [
      "a key of a region that is not known",
      { secretsKeyArn: "arn:aws:kms:r-2:123456789012:key/x" },
      { region: undefined },
      [],
    ],
    [
      "a key of another region",
      { secretsKeyArn: "arn:aws:kms:r-2:123456789012:key/x" },
      {},
      [
        'secretsKey: The key is in r-2, and EKS takes none but of the cluster\'s region, r-1. -> give the ARN of a key in r-1, or "own"',
      ],
    ],
    ["limits that hold the nodes that run", { scaledGroups: [gpu(0, 2)] }, running(2, 0, 2), []],
    ["limits of a group that is not there", { scaledGroups: [gpu(1, 1)] }, { runningGroups: {} }, []],
    ["a group that Pulumi sizes", { scaledGroups: [] }, running(2, 0, 2), []],
    [
      "a maximum below the nodes that run",
      { scaledGroups: [gpu(0, 1)] },
      running(2, 0, 2),
      [
        "gpuNodes.maxSize: The desired size of myeks-gpu-1 is 2. To hold this maximum the update would end nodes that somebody started. -> set gpuNodes.maxSize to 2 or more, or first run aws eks update-nodegroup-config --region r-1 --cluster-name myeks --nodegroup-name myeks-gpu-1 --scaling-config minSize=0,maxSize=2,desiredSize=1 and then pulumi up --refresh",
      ],
    ],
    [
      "a minimum above the nodes that run",
      { scaledGroups: [gpu(3, 4)] },
      running(2, 0, 2),
      [
        "gpuNodes.minSize: The desired size of myeks-gpu-1 is 2. EKS refuses a minimum above the desired size, which Pulumi leaves as it is. -> set gpuNodes.minSize to 2 or less, or first run aws eks update-nodegroup-config --region r-1 --cluster-name myeks --nodegroup-name myeks-gpu-1 --scaling-config minSize=0,maxSize=3,desiredSize=3 and then pulumi up --refresh",
      ],
    ],
    [
      "a new minimum above one that only just held",
      { scaledGroups: [gpu(0, 1)] },
      running(2, 2, 2),
      [expect.stringContaining("minSize=1,maxSize=2,desiredSize=1") as string],
    ],
  ] as const)("%s", ([, asked, known, expected]) => {
    const found = preflightProblems({ ...request, ...asked }, { ...facts, ...known } as PreflightFacts);
    expect(found.map(({ path, why, fix }) => `${path}: ${why} -> ${fix}`)).toEqual(expected);
  });
});

test.for([
  ["the limits stay", gpu(0, 2), []],
  ["the limits cannot hold the nodes, which is a problem of its own", gpu(0, 1), []],
  [
    "the limits change",
    gpu(1, 4),
    [
      "gpuNodes: myeks-gpu-1 has minSize 0 and maxSize 2, the configuration 1 and 4. An update of them sends the desired size too, as Pulumi last saw it, and 2 is the present one: run pulumi up --refresh, which reads it first.",
    ],
  ],
] as const)("preflightWarnings: %s", ([, group, expected]) => {
  expect(preflightWarnings({ ...request, scaledGroups: [group] }, running(2, 0, 2))).toEqual(expected);
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
    "aws:eks/getClusters:getClusters": { names: ["other"] },
    "aws:index/getRegion:getRegion": { region: "r-1" },
  };

  async function read(cloud?: Cloud, asked: Partial<CapacityRequest> = {}) {
    let result: PreflightFacts | undefined;
    const ask = async () => void (result = await readPreflightFacts({ ...request, ...asked }));
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
        strayLogGroup: false,
      },
      warnings: [],
    });
  });

  test("leaves out what may not be read, and says so", async () => {
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
      expect.stringMatching(/^Not checked against the vCPU quota, which could not be read: .*AccessDenied: no$/),
    ]);
  });

  test("an offline plan knows zones and offerings, and neither quota nor caller", async () => {
    const { facts: known, warnings } = await read();
    expect(Object.keys(known ?? {}).sort()).toEqual(["clusterNames", "offerings", "region", "strayLogGroup", "zones"]);
    expect(warnings).toEqual([]);
  });

  /** A cloud with these answers beside the others, and the functions it was asked. */
  function cloudWith(more: typeof answers) {
    const asked: string[] = [];
    const call = (token: string) => {
      asked.push(token);
      return { ...answers, ...more }[token] ?? {};
    };
    return { cloud: { outputsOf: () => ({}), call } satisfies Cloud, asked };
  }

  test.for([
    ["EKS made it", [logGroupName], { tags: {} }, true],
    ["EKS made it, and the answer holds no tags", [logGroupName], {}, true],
    ["an update that failed later made it", [logGroupName], { tags: { Name: logGroupName } }, false],
    ["another group begins with the name", [`${logGroupName}-2`], { tags: {} }, false],
    ["there is none", [], {}, false],
  ] as const)("a log group without a cluster is left over when EKS made it: %s", async ([, names, group, stray]) => {
    const { cloud } = cloudWith({
      "aws:cloudwatch/getLogGroups:getLogGroups": { logGroupNames: [...names] },
      "aws:cloudwatch/getLogGroup:getLogGroup": group,
    });
    expect((await read(cloud, { logGroupName })).facts?.strayLogGroup).toBe(stray);
  });

  test("the log group of a cluster that is there is its own", async () => {
    const { cloud, asked } = cloudWith({ "aws:eks/getClusters:getClusters": { names: ["myeks"] } });
    expect((await read(cloud, { logGroupName })).facts).not.toHaveProperty("strayLogGroup");
    expect(asked.filter((token) => /LogGroup|NodeGroup/.test(token))).toEqual([]);
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

  test("a group that is not there yet has no size", async () => {
    const { cloud } = cloudWith({
      "aws:eks/getClusters:getClusters": { names: ["myeks"] },
      "aws:eks/getNodeGroups:getNodeGroups": { names: [] },
    });
    expect((await read(cloud, { scaledGroups: [gpu(0, 2)] })).facts?.runningGroups).toEqual({ gpuNodes: undefined });
  });
});
