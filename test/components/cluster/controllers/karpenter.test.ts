import { Vpc } from "@pulumi/aws/ec2";
import { Provider } from "@pulumi/kubernetes/provider";
import { expect, test } from "vitest";
import {
  Karpenter,
  karpenterProblems,
  karpenterValues,
  type KarpenterArgs,
} from "../../../../components/cluster/controllers/karpenter";
import { karpenterPolicy } from "../../../../components/cluster/controllers/karpenter-policy";
import { queueAccess } from "../../../../components/cluster/identity/queue-policy";
import { inlinePolicyLimit, policySize } from "../../../../components/cluster/identity/policy-document";
import { isRecord } from "../../../../components/core/reader/records";
import { karpenterChart as chart } from "../../../../components/core/versions";
import { planCost } from "../../../../planner/cost/cost";
import { resolvedCloud } from "../../../../simulation/resolved-cloud";
import values from "../../../fixtures/karpenter-v1.14.0-value-keys.json";
import { byName, ofType, only, plan, reaches } from "../../../support/plan";
import { brief } from "../../../support/problems";
import { actionsOf, statement, unscopedWrites } from "./statements";

const clusterName = "gpu-lab";
const releaseType = "kubernetes:helm.sh/v3:Release";

const planned = (args: Partial<KarpenterArgs> = {}) =>
  plan(
    () => {
      const cluster = new Vpc("cluster", {});
      const provider = new Provider("k8s", { kubeconfig: "{}" });
      new Karpenter("karpenter", { clusterName, cluster, ...args }, { provider });
    },
    { cloud: resolvedCloud("ap-northeast-2") },
  );

const place = {
  ...{ partition: "aws", region: "ap-northeast-2", accountId: "123456789012", clusterName },
  ...{ nodeRoleArn: "arn:aws:iam::123456789012:role/nodes", queueArn: "arn:aws:sqs:ap-northeast-2:123456789012:queue" },
};
const policy = karpenterPolicy(place);

test("by default the chart is not installed, and all that it needs is there", async () => {
  const recording = await planned();
  expect(ofType(recording, releaseType)).toEqual([]);
  expect(only(recording, "eks-gpu-lab:index:WorkloadIdentity").inputs).toMatchObject({
    namespace: "kube-system",
    serviceAccount: "karpenter",
  });
  const role = byName(recording, "karpenter-nodes-role");
  expect(role.inputs["description"]).toBe("Nodes that Karpenter starts");
  expect(only(recording, "aws:eks/accessEntry:AccessEntry").inputs).toMatchObject({ clusterName, type: "EC2_LINUX" });
  for (const type of ["aws:eks/accessEntry:AccessEntry", "aws:iam/instanceProfile:InstanceProfile"])
    expect(reaches(recording, only(recording, type).urn, role.urn)).toBe(true);
});

test("installed, the release is exactly this, and waits for the identity", async () => {
  const recording = await planned({ install: true, nodeRepair: true });
  const release = only(recording, releaseType);
  const { values: given, ...inputs } = release.inputs;
  expect(inputs).toEqual({
    name: "karpenter",
    chart: "oci://public.ecr.aws/karpenter/karpenter",
    version: chart.version,
    namespace: "kube-system",
    timeout: 600,
    skipAwait: false,
    atomic: false,
    compat: "true",
  });
  expect(given).toMatchObject({
    nodeSelector: { tier: "primary" },
    serviceAccount: { name: "karpenter" },
    settings: { clusterName, featureGates: { nodeRepair: true } },
  });
  const queue = only(recording, "aws:sqs/queue:Queue");
  expect(reaches(recording, release.urn, queue.urn)).toBe(true);
  expect(release.dependencies).toEqual(expect.arrayContaining([byName(recording, "karpenter-association").urn]));
});

test("every value is one of the chart", () => {
  const paths = (value: unknown, path: string): string[] =>
    isRecord(value) && !["nodeSelector", "controller.resources"].includes(path)
      ? Object.entries(value).flatMap(([key, inner]) => paths(inner, path === "" ? key : `${path}.${key}`))
      : [path];
  const given = paths(karpenterValues({ clusterName, interruptionQueue: "queue", nodeRepair: false }), "");
  expect(given.filter((path) => !values.keys.includes(path))).toEqual([]);
  expect(given).toContain("settings.featureGates.nodeRepair");
});

test("the queue gets each event of Karpenter's template, from these rules only, and over TLS", async () => {
  const recording = await planned();
  const rules = ofType(recording, "aws:cloudwatch/eventRule:EventRule");
  const patterns = rules.map(({ inputs }) => JSON.parse(inputs["eventPattern"] as string) as Record<string, string[]>);
  expect(patterns.map((pattern) => [pattern["source"]?.[0], pattern["detail-type"]?.[0]])).toEqual([
    ["aws.health", "AWS Health Event"],
    ["aws.ec2", "EC2 Spot Instance Interruption Warning"],
    ["aws.ec2", "EC2 Instance Rebalance Recommendation"],
    ["aws.ec2", "EC2 Instance State-change Notification"],
    ["aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning"],
  ]);
  expect(ofType(recording, "aws:cloudwatch/eventTarget:EventTarget")).toHaveLength(5);
  const access = queueAccess("arn:queue", ["arn:rule"]);
  expect(statement(access, "SendEvents")).toMatchObject({
    Condition: { ArnEquals: { "aws:SourceArn": ["arn:rule"] } },
  });
  expect(statement(access, "RequireTls").Effect).toBe("Deny");
});

test("at rest it costs nothing, and its queue is billed by use", async () => {
  const { atRest, usageBased } = planCost(await planned({ install: true }), "ap-northeast-2");
  expect(atRest.lines).toEqual([]);
  expect(usageBased.map(({ item }) => item)).toEqual(["SQS"]);
});

test("every write names the cluster, its queue or its nodes, except the use of what EC2 has", () => {
  expect(unscopedWrites(policy, clusterName)).toEqual([
    "AllowScopedEC2InstanceAccessActions ec2:RunInstances",
    "AllowScopedEC2InstanceAccessActions ec2:CreateFleet",
    "AllowPassingInstanceRole iam:PassRole",
    "AllowInterruptionQueueActions sqs:DeleteMessage",
    "AllowInterruptionQueueActions sqs:ReceiveMessage",
  ]);
  expect(statement(policy, "AllowPassingInstanceRole").Resource).toBe(place.nodeRoleArn);
  expect(statement(policy, "AllowInterruptionQueueActions").Resource).toBe(place.queueArn);
  expect(statement(policy, "AllowScopedDeletion").Condition).toEqual({
    StringEquals: { "aws:ResourceTag/kubernetes.io/cluster/gpu-lab": "owned" },
    StringLike: { "aws:ResourceTag/karpenter.sh/nodepool": "*" },
  });
});

test("it creates and deletes no instance profile, and nothing is left to fill in", () => {
  expect(actionsOf(policy).filter((action) => /^iam:/.test(action))).toEqual([
    ...["iam:GetInstanceProfile", "iam:ListInstanceProfiles", "iam:PassRole"],
  ]);
  expect(JSON.stringify(policy)).not.toMatch(/\$\{|undefined/);
  expect(JSON.stringify(karpenterPolicy({ ...place, partition: "aws-cn" }))).toContain('"arn:aws-cn:ec2:');
});

test("it fits into a role, with the longest name a cluster can have", () => {
  expect(policySize(karpenterPolicy({ ...place, clusterName: "a".repeat(100) }))).toBeLessThan(inlinePolicyLimit);
});

test.for([
  [{ install: "yes" }, "wrong-type install"],
  [{ chartVersion: "1.x" }, "version chartVersion"],
  [{ repository: "http://charts.example.com" }, "not-allowed repository"],
  [{ nodeRepair: 1 }, "wrong-type nodeRepair"],
  [{ nodeRepairs: true }, "unknown-key nodeRepairs"],
  [{ clusterName: undefined }, "missing clusterName"],
] as const)("rejected: %j", ([args, problem]) => {
  expect(brief(karpenterProblems({ clusterName, ...(args as object) }))).toEqual([problem]);
});
