import { expect, test } from "vitest";
import { gpuInputs, makeGroup } from "../../../simulation/aws/eks/foundation";
import { instances, offerings, quota, subnets } from "../../../aws/account/support/answers";
import { expectValidExchanges, failure, type Answers, type Params } from "../../../support/aws-server";
import { lab, type Lab } from "./support/lab";

// What `gpu up` checks before it requests nodes, on the simulated account, with other answers of AWS between them.

expectValidExchanges();

const region = "ap-northeast-2";
const denied = failure("AccessDeniedException", 403, "User: x is not authorized to perform this action");
const deniedEc2 = failure("UnauthorizedOperation", 403, "You are not authorized to perform this operation");

interface Check {
  readonly id: string;
  readonly status: string;
  readonly reason?: string;
  readonly problems: readonly { readonly path: string; readonly got: unknown; readonly fix: string }[];
  readonly warnings: readonly string[];
}

/** Runs `up` with JSON and returns its status, outcome and checks. */
async function checked({ gpu }: Lab, ...args: readonly string[]) {
  const { status, out, err } = await gpu("up", ...args, "--json");
  const document = JSON.parse(out) as {
    readonly outcome: string;
    readonly preflight: { readonly checks: Check[]; readonly notes: string[] } | null;
  };
  const { checks = [], notes = [] } = document.preflight ?? {};
  const check = (id: string) => checks.find((one) => one.id === id);
  const is = (state: string) => checks.filter((one) => one.status === state).map(({ id }) => id);
  return { status, err, notes, outcome: document.outcome, check, problems: is("problem"), skipped: is("skipped"), is };
}

/** Nothing was requested, neither of EKS nor of the account. */
function expectUnchanged({ changes, running }: Lab): void {
  expect([changes(), running()]).toEqual([[], 0]);
}

test("an account in which everything fits: each check is ok, and the session starts", async () => {
  const account = await lab();
  const { status, outcome, is, notes } = await checked(account, "2");
  expect([status, outcome, notes]).toEqual([0, "reached", []]);
  expect(is("ok")).toEqual(["group", "gpu-type", "quota", "subnet", "permissions"]);
  expect(account.changes().length).toBe(1);
});

test("a quota of 0 refuses the session before EKS is called, in text, in JSON and in a dry run", async () => {
  const account = await lab();
  account.cloud.account.gpuVcpuQuota = 0;
  const { status, out, err } = await account.gpu("up", "1");
  expect([status, out]).toEqual([2, ""]);
  expect(err).toContain(
    "gpu up: got 1. The account's quota L-DB2E81BA is 0 vCPU, as in new accounts: no g5.xlarge can",
  );
  expect(err).toContain(`fix: request a quota of 4 vCPU: aws service-quotas request-service-quota-increase`);
  expect(err).toContain(`--region ${region}`);
  for (const dry of [[], ["--dry-run"]]) {
    const json = await checked(account, "1", ...dry);
    expect(json).toMatchObject({ status: 2, outcome: "refused", problems: ["quota"] });
  }
  expectUnchanged(account);
});

test("a quota that is enough for fewer nodes: the fix names that number, and it starts", async () => {
  const account = await lab();
  account.cloud.account.gpuVcpuQuota = 7;
  const { status, check } = await checked(account, "2");
  expect(status).toBe(2);
  expect(check("quota")?.problems).toMatchObject([
    { path: "gpu up", got: 2, fix: expect.stringMatching(/^run gpu up 1, or request a quota of 8 vCPU/) as string },
  ]);
  expectUnchanged(account);
  expect((await account.gpu("up", "1")).status).toBe(0);
  expect(account.running()).toBe(1);
});

test("instances outside the group count, those of the group do not", async () => {
  const own = { "eks:cluster-name": "lab", "eks:nodegroup-name": "gpu" };
  const list = instances({ type: "g4dn.xlarge" }, { type: "g5.xlarge", tags: own }, { type: "g5.xlarge", spot: true });
  const account = await lab({ DescribeInstances: () => list });
  const { status, check } = await checked(account, "2");
  expect(status).toBe(2);
  expect(check("quota")?.problems).toMatchObject([
    { why: expect.stringContaining("Instances outside this node group use 4 vCPU of it.") as string },
  ]);
  expectUnchanged(account);
  expect((await checked(account, "1")).problems).toEqual([]);
});

test("a spot group has the quota of spot instances", async () => {
  const quotas = (params: Params) => quota(params["QuotaCode"] === "L-3819A6DF" ? 0 : 8);
  const account = await lab({ GetServiceQuota: quotas }, { capacityType: "SPOT" });
  const { status, check } = await checked(account, "1");
  expect([status, check("quota")?.problems[0]?.fix]).toEqual([2, expect.stringContaining("--quota-code L-3819A6DF")]);
  expectUnchanged(account);
});

test("what other groups may start is a warning, and the session starts", async () => {
  const account = await lab();
  await makeGroup(account.cloud, { ...gpuInputs, nodeGroupName: "other" });
  const { status, check, err } = await checked(account, "1");
  expect([status, check("quota")?.status]).toEqual([0, "warning"]);
  expect(err).toContain(
    "gpu up: Other node groups can start nodes that count against the quota L-DB2E81BA of 8 vCPU: lab/other",
  );
});

test.for([
  ["no free address refuses", 0, 2, "problem"],
  ["fewer than the VPC CNI holds only warn", 20, 0, "warning"],
  ["enough are ok", 30, 0, "ok"],
] as const)("addresses: %s", async ([, free, status, result]) => {
  const account = await lab({ DescribeSubnets: () => subnetsIn("a", free) });
  const found = await checked(account, "1");
  expect([found.status, found.check("subnet")?.status]).toEqual([status, result]);
  if (status === 2) expectUnchanged(account);
  if (status === 2) expect(found.check("subnet")?.problems[0]).toMatchObject({ path: "gpu up", got: 1 });
  if (result === "warning") expect(found.err).toContain("subnet-0123456789abcdef0 has 20 free addresses.");
});

/** A subnet in a zone. */
function subnetsIn(letter: string, free: number): string {
  return subnets(free).replace("</subnetId>", `</subnetId><availabilityZone>${region}${letter}</availabilityZone>`);
}

test("a type that the zone of the group does not offer refuses; the zones that do are named", async () => {
  const account = await lab({ DescribeInstanceTypeOfferings: () => offerings(["g5.xlarge", "bc"]) });
  const { status, check } = await checked(account, "1");
  expect([status, check("gpu-type")?.problems]).toMatchObject([
    2,
    [
      {
        path: "instance type",
        fix: `give the node group another instance type or a subnet in ${region}b or ${region}c`,
      },
    ],
  ]);
  expectUnchanged(account);
});

test("of several types, one that can start is enough", async () => {
  const answers = { DescribeInstanceTypeOfferings: () => offerings(["g5.xlarge", "b"], ["g4dn.xlarge", "a"]) };
  const account = await lab(answers, { instanceTypes: ["g5.xlarge", "g4dn.xlarge"] });
  expect((await checked(account, "1", "--dry-run")).problems).toEqual([]);
});

test("a type that this tool does not know: no check is made, which is said", async () => {
  const { gpu } = await lab({}, { instanceTypes: ["g99.xlarge"] });
  const { status, err } = await gpu("up", "1", "--dry-run");
  expect([status, err]).toEqual([0, expect.stringContaining("Not checked: the account. This tool does not know g99")]);
});

const unreadable: readonly (readonly [title: string, answers: Answers, check: string, why: string])[] = [
  [
    "AccessDenied on quotas",
    { GetServiceQuota: () => denied },
    "quota",
    "The permission servicequotas:GetServiceQuota is missing.",
  ],
  ["a region without Service Quotas", { GetServiceQuota: () => "lost" }, "quota", "AWS cannot be reached"],
  [
    "throttled quotas",
    { GetServiceQuota: () => failure("TooManyRequestsException", 400, "Slow down") },
    "quota",
    "AWS throttles",
  ],
  [
    "no right to see instances",
    { DescribeInstances: () => deniedEc2 },
    "quota",
    "The permission ec2:DescribeInstances is missing.",
  ],
  [
    "subnets are denied",
    { DescribeSubnets: () => deniedEc2 },
    "subnet",
    "The permission ec2:DescribeSubnets is missing.",
  ],
  [
    "no right to see offerings",
    { DescribeInstanceTypeOfferings: () => deniedEc2 },
    "gpu-type",
    "ec2:DescribeInstanceTypeOfferings",
  ],
  [
    "IAM is denied",
    { SimulatePrincipalPolicy: () => failure("AccessDenied", 403, "no") },
    "permissions",
    "iam:Simulate",
  ],
];

test.for(unreadable)("%s is a note, and the session goes on", async ([, answers, id, why]) => {
  const account = await lab(answers);
  const { status, err, check, problems } = await checked(account, "1");
  expect([status, account.running(), problems], err).toEqual([0, 1, []]);
  expect(check(id)).toMatchObject({ status: "unread", reason: expect.stringContaining(why) as string });
  expect(err).toContain(`Not checked: `);
});

test("no right to list clusters: the quota is checked without what other groups may start", async () => {
  const { status, notes, check } = await checked(await lab({ ListClusters: () => denied }), "1");
  expect([status, check("quota")?.status]).toEqual([0, "ok"]);
  expect(notes).toEqual([
    "Not checked: the instances that other node groups may start. The permission eks:ListClusters is missing.",
  ]);
});

const decision = (more: object) => () => ({
  ...{ IsTruncated: false },
  EvaluationResults: [{ EvalActionName: "eks:UpdateNodegroupConfig", EvalDecision: "explicitDeny", ...more }],
});

test("a policy that denies the request refuses; with a condition that IAM cannot know, it only warns", async () => {
  const account = await lab({ SimulatePrincipalPolicy: decision({}) });
  expect(await checked(account, "1")).toMatchObject({ status: 2, problems: ["permissions"] });
  expectUnchanged(account);
  expect(account.aws.paramsOf("SimulatePrincipalPolicy")[0]).toMatchObject({
    "ResourceArns.member.1": expect.stringMatching(/^arn:aws:eks:.*:nodegroup\/lab\/gpu\//) as string,
  });
  const conditional = await lab({
    SimulatePrincipalPolicy: decision({ MissingContextValues: ["aws:MultiFactorAuthPresent"] }),
  });
  const { status, err } = await checked(conditional, "1");
  expect([status, err]).toEqual([0, expect.stringContaining("A condition may allow it.")]);
});

test("a command that requests nothing new checks nothing: it only waits", async () => {
  const account = await lab();
  expect((await account.gpu("up", "1")).status).toBe(0);
  account.cloud.account.gpuVcpuQuota = 0;
  const again = await checked(account, "1");
  expect([again.status, again.outcome, again.check("quota")]).toEqual([0, "reached", undefined]);
});
