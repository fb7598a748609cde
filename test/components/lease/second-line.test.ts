import { spawnSync } from "node:child_process";
import { EC2 } from "@aws-sdk/client-ec2";
import { SQS } from "@aws-sdk/client-sqs";
import { SSM } from "@aws-sdk/client-ssm";
import { Provider } from "@pulumi/kubernetes/provider";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { NodePoolLease } from "../../../components/lease/node-pool-lease";
import { nodePoolLeaseProblems, type NodePoolLeaseArgs } from "../../../components/lease/node-pool-lease-schema";
import { useAws } from "../../support/aws-environment";
import { awsPython } from "../../support/aws-python";
import { simulator } from "../../support/aws-simulators";
import { brief } from "../../support/problems";
import { byName, ofType, only, plan } from "../../support/plan";
import { cloudWithLease, leaseArns } from "./lease-cloud";

const region = "ap-northeast-2";
const arns = leaseArns(region);
const topic = "arn:aws:sns:ap-northeast-2:123456789012:labs";

const planned = (args: Partial<NodePoolLeaseArgs> = {}) =>
  plan(
    () => {
      const provider = new Provider("k8s", { kubeconfig: "{}" });
      const secondLine = { clusterName: "myeks", alarmTopicArns: [topic] };
      return {
        lease: new NodePoolLease("lease", { nodePools: ["gpu"], secondLine, ...args }, { provider }).description,
      };
    },
    { region, cloud: cloudWithLease(region) },
  );

interface Automation {
  readonly assumeRole: string;
  readonly parameters: Readonly<Record<string, { readonly default: string }>>;
  readonly mainSteps: readonly {
    readonly inputs: { readonly Handler: string; readonly Script: string; readonly InputPayload: object };
  }[];
}

const documentOf = async (args: Partial<NodePoolLeaseArgs> = {}) =>
  String(only(await planned(args), "aws:ssm/document:Document").inputs["content"]);

test.for([
  [{}, ["nightly-instances cron(15 23 * * ? *) UTC"]],
  [{ nightly: "23:30", timeZone: "Asia/Seoul" }, ["nightly-instances cron(45 0 * * ? *) Asia/Seoul"]],
  [{ nightly: "none", expiresAt: "2026-12-01" }, ["end-instances at(2026-12-02T01:15:00) UTC"]],
] as const)("with %j it runs 75 minutes after the CronJobs", async ([times, expected]) => {
  vi.useFakeTimers({ now: new Date("2026-11-23T12:00:00Z"), toFake: ["Date"] });
  const found = ofType(await planned(times), "aws:scheduler/schedule:Schedule").map(({ inputs }) => {
    const { name, scheduleExpression: at, scheduleExpressionTimezone: zone } = inputs as Record<string, string>;
    return `${name} ${at} ${zone}`;
  });
  vi.useRealTimers();
  expect(found).toEqual(expected);
});

test("it starts the document with a role that ends only instances with both tags", async () => {
  const recording = await planned({ nodePools: ["gpu", "batch"] });
  const { target } = only(recording, "aws:scheduler/schedule:Schedule").inputs;
  expect(target).toMatchObject({
    arn: "arn:aws:scheduler:::aws-sdk:ssm:startAutomationExecution",
    ...{ roleArn: arns.role, deadLetterConfig: { arn: arns.queue } },
    input: '{"DocumentName":"lease-document-1","Parameters":{"ScheduledTime":["<aws.scheduler.scheduled-time>"]}}',
  });
  const { Statement } = JSON.parse(String(byName(recording, "lease-second-line-policy").inputs["policy"])) as {
    Statement: object[];
  };
  expect(Statement).toMatchObject([
    {
      Action: ["ssm:StartAutomationExecution"],
      Resource: [
        "arn:aws:ssm:ap-northeast-2:123456789012:automation-definition/lease-document-1:*",
        "arn:aws:ssm:ap-northeast-2:123456789012:document/lease-document-1",
      ],
    },
    { Action: ["iam:PassRole"], Resource: arns.role },
    { Action: ["ec2:DescribeInstances"], Resource: "*" },
    ...["karpenter.sh/nodepool", "eks:kubernetes-node-pool-name"].map((tag) => ({
      Action: ["ec2:TerminateInstances"],
      Resource: "arn:aws:ec2:ap-northeast-2:123456789012:instance/*",
      Condition: {
        StringEquals: {
          "aws:ResourceTag/eks:eks-cluster-name": "myeks",
          [`aws:ResourceTag/${tag}`]: ["gpu", "batch"],
        },
      },
    })),
    { Action: ["sqs:SendMessage"], Resource: arns.queue },
  ]);
  const trust = JSON.parse(
    String(byName(recording, "lease-second-line-role").inputs["assumeRolePolicy"]),
  ) as typeof Statement;
  expect(trust).toMatchObject({
    Statement: [
      { Principal: { Service: "scheduler.amazonaws.com" } },
      {
        Principal: { Service: "ssm.amazonaws.com" },
        Condition: {
          StringEquals: { "aws:SourceAccount": "123456789012" },
          ArnLike: { "aws:SourceArn": "arn:aws:ssm:ap-northeast-2:123456789012:automation-execution/*" },
        },
      },
    ],
  });
  expect(byName(recording, "lease-second-line-failed").inputs).toMatchObject({
    alarmActions: [topic],
    alarmDescription: expect.stringMatching(
      `receive-message --max-number-of-messages 10 --region ${region} --queue-url ${arns.queueUrl}$`,
    ) as string,
  });
});

test("an Automation that fails before its script runs goes to the queue, too", async () => {
  const recording = await planned();
  const { eventPattern } = only(recording, "aws:cloudwatch/eventRule:EventRule").inputs;
  expect(JSON.parse(String(eventPattern))).toEqual({
    source: ["aws.ssm"],
    "detail-type": ["EC2 Automation Execution Status-change Notification"],
    detail: { Definition: ["lease-document-1"], Status: ["Failed", "TimedOut", "Cancelled"] },
  });
  expect(only(recording, "aws:cloudwatch/eventTarget:EventTarget").inputs).toMatchObject({ arn: arns.queue });
  const { policy } = only(recording, "aws:sqs/queuePolicy:QueuePolicy").inputs;
  expect(JSON.parse(String(policy))).toMatchObject({
    Statement: [
      {
        ...{ Principal: { Service: "events.amazonaws.com" }, Action: "sqs:SendMessage", Resource: arns.queue },
        Condition: { ArnEquals: { "aws:SourceArn": [arns.eventRule] } },
      },
      { Sid: "RequireTls" },
    ],
  });
});

test("without the argument there is nothing in AWS, and a wrong argument is an error", async () => {
  const types = (await planned({ secondLine: undefined })).resources.map(({ type }) => type);
  expect(types.filter((type) => type.startsWith("aws:"))).toEqual([]);
  const secondLine = { alarmTopicArns: ["labs"], topics: [] };
  expect(brief(nodePoolLeaseProblems({ nodePools: ["gpu"], secondLine } as unknown as NodePoolLeaseArgs))).toEqual([
    "unknown-key secondLine.topics",
    "missing secondLine.clusterName",
    "not-allowed secondLine.alarmTopicArns[0]",
  ]);
});

describe("its document, on moto", () => {
  const moto = simulator("moto", "the second line of a lease");
  const clients = () => ({ ec2: new EC2({ region }), sqs: new SQS({ region, useQueueUrlAsEndpoint: false }) });
  let endpoint = "";
  let queueUrl = "";

  beforeEach(async (context) => {
    endpoint = moto(context);
    useAws(endpoint);
    await fetch(`${endpoint}/moto-api/reset`, { method: "POST" });
    queueUrl = (await clients().sqs.createQueue({ QueueName: "failures" })).QueueUrl ?? "";
  });

  /** An instance with these tags. Returns its id. */
  async function instance(tags: Readonly<Record<string, string>>, MaxCount = 1): Promise<string[]> {
    const { ec2 } = clients();
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    const { Images = [] } = await ec2.describeImages({});
    const { Instances = [] } = await ec2.runInstances({
      ...{ ImageId: Images[0]?.ImageId, InstanceType: "g5.xlarge", MinCount: MaxCount, MaxCount },
      TagSpecifications: [{ ResourceType: "instance", Tags }],
    });
    return Instances.map(({ InstanceId = "" }) => InstanceId);
  }

  /** Runs the script with what the document passes, and returns what it ended and reported. */
  async function run(change: (script: string) => string = (script) => script, ScheduledTime?: string) {
    const { mainSteps, parameters } = JSON.parse(await documentOf()) as Automation;
    const { Script = "", Handler = "", InputPayload } = mainSteps[0]?.inputs ?? {};
    const python = awsPython();
    if ("why" in python) throw new Error(python.why);
    const call = `import json, sys\nprint(json.dumps(${Handler}(json.loads(sys.argv[1]), {})))`;
    const given: Readonly<Record<string, string | undefined>> = { ScheduledTime };
    const payload = JSON.stringify({ ...InputPayload, queueUrl }).replace(
      /\{\{ (\w+) \}\}/g,
      (_, name: string) => given[name] ?? parameters[name]?.default ?? "unknown parameter",
    );
    const env = { ...process.env, AWS_ENDPOINT_URL: endpoint, AWS_DEFAULT_REGION: region };
    const ended = spawnSync(python.python, ["-c", `${change(Script)}\n${call}`, payload], { env, encoding: "utf8" });
    const { Messages = [] } = await clients().sqs.receiveMessage({ QueueUrl: queueUrl, MaxNumberOfMessages: 10 });
    return { ...ended, reports: Messages.map(({ Body = "" }) => Body) };
  }

  const own = { "karpenter.sh/nodepool": "gpu", "eks:eks-cluster-name": "myeks" };
  const running = async () => {
    const Filters = [{ Name: "instance-state-name", Values: ["running"] }];
    const { Reservations = [] } = await clients().ec2.describeInstances({ Filters });
    return Reservations.flatMap(({ Instances = [] }) => Instances.map(({ InstanceId }) => InstanceId)).sort();
  };

  test("AWS Systems Manager accepts it", async () => {
    const Content = await documentOf();
    const ssm = new SSM({ region });
    await ssm.createDocument({ Name: "lease", Content, DocumentType: "Automation", DocumentFormat: "JSON" });
    const { Document } = await ssm.describeDocument({ Name: "lease" });
    expect(Document).toMatchObject({ DocumentType: "Automation", SchemaVersion: "0.3" });
    expect(JSON.parse(Content)).toMatchObject({ assumeRole: arns.role });
  });

  test.for(["karpenter.sh/nodepool", "eks:kubernetes-node-pool-name"])("ends the instances with %s", async (tag) => {
    const own = { [tag]: "gpu", "eks:eks-cluster-name": "myeks" };
    const [first = ""] = await instance(own, 6);
    const others = [
      ...(await instance({ ...own, [tag]: "other" })),
      ...(await instance({ ...own, "eks:eks-cluster-name": "another" })),
      ...(await instance({ Name: "none" })),
    ];
    const ended = await run((script) =>
      script.replace('"PageSize": 500', '"PageSize": 5').replaceAll(", 500)", ", 4)"),
    );
    expect([ended.status, ended.stdout.trim(), ended.stderr]).toEqual([0, '{"ended": 6}', ""]);
    expect(await running()).toEqual(others.sort());
    expect(ended.reports).toEqual([expect.stringContaining(`did not terminate these instances: `)]);
    expect(ended.reports[0]).toContain(first);
  });

  /** When EventBridge Scheduler runs it, as it writes that. */
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString().replace(/\.\d+Z$/, "Z");

  test("nodes of a session that began after the lease had ended the nodes stay, and are not reported", async () => {
    const started = await instance(own, 2);
    const early = await run(undefined, inMinutes(74));
    expect([early.stdout.trim(), early.reports, await running()]).toEqual(['{"ended": 0}', [], started.sort()]);
    const late = await run(undefined, inMinutes(76));
    expect([late.stdout.trim(), late.reports.length, await running()]).toEqual(['{"ended": 2}', 1, []]);
  });

  test("without instances it does nothing, and reports nothing", async () => {
    const ended = await run();
    expect([ended.status, ended.stdout.trim(), ended.reports]).toEqual([0, '{"ended": 0}', []]);
  });

  test.for([
    ["a boto3 that knows the field", ""],
    ["an older boto3", 'model["shapes"]["DescribeInstancesRequest"]["members"].pop("IncludeManagedResources")'],
  ])("finds instances that the account hides, with %s", async ([, change]) => {
    const before = `import boto3, botocore.loaders
load = botocore.loaders.Loader.load_service_model
def changed(self, service, type_name, *args, **kwargs):
    model = load(self, service, type_name, *args, **kwargs)
    if (service, type_name) == ("ec2", "service-2"):
        ${change || "pass"}
    return model
botocore.loaders.Loader.load_service_model = changed
boto3.set_stream_logger("botocore.endpoint")
`;
    const { status, stderr } = await run((script) => before + script);
    expect([status, stderr.match(/'IncludeManagedResources': 'true'/g)?.length]).toEqual([0, 1]);
  });

  test("what AWS does not let it end is reported with what to do, and fails the Automation", async () => {
    const [kept = ""] = await instance(own);
    await clients().ec2.modifyInstanceAttribute({ InstanceId: kept, DisableApiTermination: { Value: true } });
    const { status, reports } = await run();
    expect(status).toBe(1);
    const start = "The second line of the lease failed: these instances may still run and cost money:";
    expect(reports).toEqual([expect.stringMatching(`^${start} ${kept}: .*TerminateInstances.* gpu down.* Auto Mode`)]);
  });

  test("a failure is reported, and fails the Automation", async () => {
    const ended = await run((script) => script.replace("describe_instances", "describe_instance"));
    expect(ended.status).toBe(1);
    expect(ended.reports).toEqual([expect.stringMatching(/^The second line of the lease failed: /)]);
  });
});
