import { EC2 } from "@aws-sdk/client-ec2";
import { EventBridge } from "@aws-sdk/client-eventbridge";
import { IAM } from "@aws-sdk/client-iam";
import { Scheduler } from "@aws-sdk/client-scheduler";
import { SSM } from "@aws-sdk/client-ssm";
import { beforeEach, expect, test } from "vitest";
import { awsClients } from "../../../aws/clients";
import { identify } from "../../../commands/leftovers/identify";
import type { Target } from "../../../commands/leftovers/leftover";
import { findLeftovers } from "../../../commands/leftovers/list";
import { removeLeftovers } from "../../../commands/leftovers/remove";
import { useAws } from "../../support/aws-environment";
import { awsServer, failure, type Answer } from "../../support/aws-server";
import { simulator } from "../../support/aws-simulators";
import { idOf, region, stackTags } from "./support/orphans";

// What Karpenter, its component and the second line of a lease leave, against moto.

const moto = simulator("moto", "leftovers of nodes on demand");
let endpoint = "";
beforeEach(async (context) => {
  endpoint = moto(context);
  useAws(endpoint);
  await fetch(`${endpoint}/moto-api/reset`, { method: "POST" });
});

const account = "123456789012";
const stack = "organization/eks-gpu-lab/gpu-lab";
const target: Target = { region, account, ids: [idOf("myeks")], clusters: ["myeks"], stack };
const listOf = (tags: Record<string, string>) => Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
const ownTags = (name: string) => ({ ...stackTags("gpu-lab", name), "eks-gpu-lab/id": idOf("myeks") });
const trust = JSON.stringify({ Version: "2012-10-17", Statement: [] });
const queue = (name: string) => `arn:aws:sqs:${region}:${account}:${name}`;

async function makeRule(Name: string, tags: Record<string, string>, ...targets: readonly string[]): Promise<void> {
  const events = new EventBridge({ region });
  const EventPattern = JSON.stringify({
    source: ["aws.ec2"],
    "detail-type": ["EC2 Spot Instance Interruption Warning"],
  });
  await events.putRule({ Name, EventPattern, Tags: listOf(tags) });
  if (targets.length === 0) return;
  await events.putTargets({ Rule: Name, Targets: targets.map((Arn, at) => ({ Id: `terraform-${at}`, Arn })) });
}

async function makeDocument(Name: string, tags: Record<string, string>): Promise<void> {
  const Content = JSON.stringify({ schemaVersion: "0.3", mainSteps: [{ name: "a", action: "aws:sleep", inputs: {} }] });
  const given = { Content, DocumentType: "Automation", DocumentFormat: "JSON" } as const;
  await new SSM({ region }).createDocument({ ...given, Name, Tags: listOf(tags) });
}

/** The group of the second line, and a schedule in it that starts a document. */
async function makeSchedule(GroupName: string, DocumentName: string): Promise<void> {
  const scheduler = new Scheduler({ region });
  await scheduler.createScheduleGroup({ Name: GroupName, Tags: listOf(ownTags("second-line-schedules")) });
  const Arn = "arn:aws:scheduler:::aws-sdk:ssm:startAutomationExecution";
  const Target = { Arn, RoleArn: `arn:aws:iam::${account}:role/lease`, Input: JSON.stringify({ DocumentName }) };
  const at = { ScheduleExpression: "cron(15 23 * * ? *)", FlexibleTimeWindow: { Mode: "OFF" } } as const;
  await scheduler.createSchedule({ ...at, GroupName, Name: "nightly-instances", Target });
}

/**
 * What Karpenter makes for an EC2NodeClass with these tags.
 * @see https://github.com/aws/karpenter-provider-aws/blob/v1.14.0/pkg/apis/v1/ec2nodeclass.go
 */
async function makeWhatKarpenterMade(cluster: string, tags: Record<string, string>, place = region): Promise<void> {
  const iam = new IAM({ region });
  const nodesRole = { "eks-gpu-lab/name": "karpenter-nodes-role" };
  const InstanceProfileName = `${cluster}_${place.length}067990795380418201`;
  const ofProfile = { [`kubernetes.io/cluster/${cluster}`]: "owned", "topology.kubernetes.io/region": place };
  const ofBoth = { "eks:eks-cluster-name": cluster, "karpenter.k8s.aws/ec2nodeclass": "gpu", ...tags };
  await iam.createInstanceProfile({ InstanceProfileName, Tags: listOf({ ...ofBoth, ...ofProfile }) });
  const RoleName = `${InstanceProfileName}-nodes`;
  await iam.createRole({ RoleName, AssumeRolePolicyDocument: trust, Tags: listOf({ ...nodesRole, ...tags }) });
  await iam.addRoleToInstanceProfile({ InstanceProfileName, RoleName });
  const Tags = listOf({ ...ofBoth, "karpenter.k8s.aws/cluster": cluster });
  await new EC2({ region }).createLaunchTemplate({
    ...{ LaunchTemplateName: `karpenter.k8s.aws/${cluster}-${place}`, LaunchTemplateData: {} },
    TagSpecifications: [{ ResourceType: "launch-template", Tags }],
  });
}

const listing = (of = target) => findLeftovers(awsClients({ region }), of);
const namesIn = ({ leftovers }: Awaited<ReturnType<typeof listing>>) =>
  leftovers.map(({ kind, id, detail, keep }) => `${kind} ${kind === "launch template" ? detail : id}: ${keep ?? "-"}`);

test("what has the id is removed, a rule after its targets; what others have is not listed", async () => {
  const others = [
    { "eks-gpu-lab/id": idOf("other"), "eks-gpu-lab/name": "events-spot" },
    { "eks-gpu-lab/id": idOf("myeks", "210987654321") },
    { "eks-gpu-lab/id": idOf("myeks").replace(region, "us-east-1") },
    stackTags("other", "events-spot"),
    {},
  ];
  for (const [at, tags] of others.entries()) {
    await makeRule(`myeks-theirs-${at}`, tags, queue("theirs"));
    await makeDocument(`myeks-theirs-${at}`, tags);
  }
  await makeRule("myeks-karpenter-1", ownTags("events-spot"), queue("myeks-karpenter"), queue("second"));
  await makeRule("myeks-karpenter-2", ownTags("events-health"));
  await makeDocument("second-line-1", ownTags("second-line-document"));
  await makeSchedule("myeks-lease-1", "second-line-1");
  await makeWhatKarpenterMade("myeks", { "eks-gpu-lab/id": idOf("myeks") });
  await makeWhatKarpenterMade("other", { "eks-gpu-lab/id": idOf("other") });
  const found = await listing();
  expect(namesIn(found)).toEqual([
    "schedule group myeks-lease-1: -",
    ...["EventBridge rule myeks-karpenter-1: -", "EventBridge rule myeks-karpenter-2: -"],
    "SSM document second-line-1: -",
    "launch template karpenter.k8s.aws/myeks-ap-northeast-2: -",
    "instance profile myeks_14067990795380418201: -",
    "role myeks_14067990795380418201-nodes: -",
  ]);
  expect(found.unread.map(({ what }) => what)).toEqual([]);
  expect(found.leftovers.find(({ id }) => id === "myeks-karpenter-1")?.steps.map(({ cli }) => cli)).toEqual([
    "events remove-targets --rule myeks-karpenter-1 --ids terraform-0 terraform-1",
    "events delete-rule --name myeks-karpenter-1",
  ]);
  const options = { isConfirmed: () => true, signal: new AbortController().signal, progress: () => undefined };
  const done = await removeLeftovers(awsClients({ region }), found, { ...options, intervalMs: 10, waitMs: 5000 });
  expect([done.failures, namesIn(done.remaining)]).toEqual([[], []]);
  const { Rules = [] } = await new EventBridge({ region }).listRules({});
  expect(Rules.map(({ Name }) => Name)).toEqual(others.map((_, at) => `myeks-theirs-${at}`));
  for (const { Name } of Rules)
    expect((await new EventBridge({ region }).listTargetsByRule({ Rule: Name })).Targets).toHaveLength(1);
  const { DocumentIdentifiers } = await new SSM({ region }).listDocuments({});
  expect(DocumentIdentifiers?.map(({ Name }) => Name)).toEqual(others.map((_, at) => `myeks-theirs-${at}`));
});

test("without an id they stay, with their commands; those of a cluster of the name in another region are not listed", async () => {
  await makeRule("myeks-karpenter-1", stackTags("gpu-lab", "events-spot"), queue("myeks-karpenter"));
  await makeWhatKarpenterMade("myeks", {});
  await makeWhatKarpenterMade("myeks", {}, "us-east-1");
  const { leftovers } = await listing();
  const seen = leftovers.filter(({ kind }) => kind !== "launch template");
  expect(seen.map(({ id, evidence, hasCommands }) => [id, evidence, hasCommands])).toEqual([
    ["myeks-karpenter-1", "former", true],
    // Its role has no tag of the environment, and needs it.
    ["myeks_14067990795380418201", "named", false],
  ]);
});

test.for([
  ["the document of somebody else", "theirs", { "eks-gpu-lab/id": idOf("other") }],
  ["a document of AWS", "AWS-StopEC2Instance", undefined],
] as const)("a group with a schedule that starts %s stays", async ([, name, tags]) => {
  if (tags) await makeDocument(name, tags);
  await makeSchedule("myeks-lease-1", name);
  expect(namesIn(await listing())).toEqual(["schedule group myeks-lease-1: it is used by schedule nightly-instances"]);
});

test("a rule of AWS is not searched, and of a denied kind the report names the permission", async () => {
  await makeRule("myeks-karpenter-1", ownTags("events-spot"));
  const Arn = `arn:aws:events:${region}:${account}:rule/AutoScalingManagedRule`;
  const managed: Answer = { Rules: [{ Name: "AutoScalingManagedRule", Arn, ManagedBy: "autoscaling.amazonaws.com" }] };
  useAws((await awsServer({ ListRules: () => managed }, endpoint)).endpoint);
  expect(namesIn(await listing())).toEqual([]);
  const denied = failure("AccessDeniedException", 403, "User is not authorized to perform: ssm:ListDocuments");
  useAws((await awsServer({ ListDocuments: () => denied }, endpoint)).endpoint);
  const { leftovers, unread } = await listing();
  expect(leftovers.map(({ id }) => id)).toEqual(["myeks-karpenter-1"]);
  expect(unread.map(({ what, action }) => [what, action])).toEqual([
    ["SSM documents", "ssm:ListDocuments, ssm:ListTagsForResource"],
  ]);
});

test("an interrupted target is found by its rule and its queue, so that no second one blocks the rule", async () => {
  await makeRule("myeks-karpenter-1", ownTags("events-spot"), queue("other"), queue("myeks-karpenter"));
  const pending = (rule: string, arn: string) => {
    const type = "aws:cloudwatch/eventTarget:EventTarget";
    return { urn: `urn:pulumi:gpu-lab::eks-gpu-lab::${type}::spot`, type, name: "spot", inputs: { rule, arn } };
  };
  const found = async (rule: string, arn: string) => {
    const { identified, absent } = await identify(awsClients({ region }), [pending(rule, arn)]);
    return [identified.map(({ id }) => id), absent.length];
  };
  // The provider imports RULE/TARGET.
  expect(await found("myeks-karpenter-1", queue("myeks-karpenter"))).toEqual([["myeks-karpenter-1/terraform-1"], 0]);
  expect(await found("myeks-karpenter-1", queue("third"))).toEqual([[], 1]);
  expect(await found("gone", queue("third"))).toEqual([[], 1]);
});
