import { describe, expect, test } from "vitest";
import { readPreflightFacts } from "../../components/preflight";
import { preflightProblems, type CapacityRequest, type PreflightFacts } from "../../components/preflight-rules";
import type { World } from "../../planner/record/record";
import { plan } from "../support/plan";

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
};

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
  ] as const)("%s", ([, asked, known, expected]) => {
    const found = preflightProblems({ ...request, ...asked }, { ...facts, ...known } as PreflightFacts);
    expect(found.map(({ path, why, fix }) => `${path}: ${why} -> ${fix}`)).toEqual(expected);
  });
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
  };

  async function read(world?: World) {
    let result: PreflightFacts | undefined;
    const recording = await plan(async () => void (result = await readPreflightFacts(request)), world ? { world } : {});
    return { facts: result, warnings: recording.diagnostics.map(({ message }) => message) };
  }

  test("gathers what AWS answers", async () => {
    const world: World = { outputsOf: () => ({}), call: (token) => answers[token] ?? {} };
    expect(await read(world)).toEqual({
      facts: {
        zones: ["a", "b"],
        offerings: { "g5.xlarge": ["a"], "t3.medium": ["a", "b"] },
        quotaVcpus: 16,
        callerArn: me,
        clusterNames: ["other"],
      },
      warnings: [],
    });
  });

  test("leaves out what may not be read, and says so", async () => {
    const world: World = {
      outputsOf: () => ({}),
      call(token) {
        if (token.includes("servicequotas")) throw new Error("AccessDenied: no\nstack");
        return answers[token] ?? {};
      },
    };
    const { facts: known, warnings } = await read(world);
    expect(known).not.toHaveProperty("quotaVcpus");
    expect(known).toHaveProperty("zones");
    expect(warnings).toEqual([
      expect.stringMatching(/^the vCPU quota could not be read, so they are not checked: .*AccessDenied: no$/),
    ]);
  });

  test("an offline plan knows zones and offerings, and neither quota nor caller", async () => {
    const { facts: known, warnings } = await read();
    expect(Object.keys(known ?? {}).sort()).toEqual(["clusterNames", "offerings", "zones"]);
    expect(warnings).toEqual([]);
  });
});
