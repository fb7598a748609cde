import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { runGpu } from "../../commands/gpu/gpu";
import { nightlyExpression, scaleInput, scaleTarget } from "../../components/lease/lease-documents";
import { types } from "../../simulation/aws/types";
import { serveAccount, type Exchange } from "../../simulation/http/account-server";
import { clusterForNodes, gpuInputs, makeGroup, put } from "../simulation/aws/eks/foundation";
import { useAws } from "../support/aws-environment";
import { askModels, missingModels } from "../support/aws-models";
import { captured } from "../support/cli";
import { usePulumi } from "../support/fake-pulumi";

// The policy in docs/sessions.md, against the requests of a session.

const [, text = ""] = /^## Permissions\n[^]*?```json\n([^]*?)```/m.exec(readFileSync("docs/sessions.md", "utf8")) ?? [];
const [region, account] = ["ap-northeast-2", "123456789012"];

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: string;
}

/** The statements as a user of a partition completes them. */
function statementsOf(partition = "aws", cluster = "lab"): readonly Statement[] {
  const own = text.replaceAll("REGION", region).replaceAll("ACCOUNT", account).replaceAll("CLUSTER", cluster);
  return (JSON.parse(own.replaceAll("arn:aws:", `arn:${partition}:`)) as { Statement: Statement[] }).Statement;
}

function isAllowed(action: string, resource: string, statements = statementsOf()): boolean {
  const matches = (pattern: string, value: string) =>
    new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`).test(value);
  return statements.some(({ Action, Resource }) => [Action].flat().includes(action) && matches(Resource, resource));
}

const methods: Readonly<Record<string, string>> = { GET: "Get", POST: "Create", PUT: "Update", DELETE: "Delete" };

/** The actions that a request needs, with their resources, of what the policy limits. */
function neededBy({ service, request: { method, url, body } }: Exchange, partition: string): [string, string][] {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  const [, collection = "", name = "", , group] = pathname.split("/");
  if (service === "eks" && method === "POST") {
    return [["eks:UpdateNodegroupConfig", `arn:${partition}:eks:${region}:${account}:nodegroup/${name}/${group}/0a1b`]];
  }
  if (service !== "scheduler" || collection !== "schedules") return [];
  if (name === "") return [["scheduler:ListSchedules", "*"]];
  const given = JSON.parse(body || "{}") as { GroupName?: string; Target?: { RoleArn: string } };
  const schedules = given.GroupName ?? searchParams.get("groupName") ?? "default";
  const arn = `arn:${partition}:scheduler:${region}:${account}:schedule/${schedules}/${name}`;
  const passed: [string, string][] = given.Target ? [["iam:PassRole", given.Target.RoleArn]] : [];
  return [[`scheduler:${methods[method]}Schedule`, arn], ...passed];
}

test.for(["aws", "aws-us-gov", "aws-cn"])("in %s, it allows each request of a session", async (partition) => {
  const cloud = await clusterForNodes();
  await makeGroup(cloud, gpuInputs);
  const role = `arn:${partition}:iam::${account}:role/lab-lease-0a1b`;
  put(cloud, types.role, "lease", { assumeRolePolicy: `{"Principal":"scheduler.amazonaws.com"}` }, { arn: role });
  put(cloud, types.scheduleGroup, "lab-lease-0a1b", { name: "lab-lease-0a1b" });
  await cloud.create(types.schedule, {
    ...{ name: "nightly-gpu", groupName: "lab-lease-0a1b", flexibleTimeWindow: { mode: "OFF" } },
    ...{ scheduleExpression: nightlyExpression("22:00"), state: "ENABLED" },
    target: {
      ...{ arn: scaleTarget("aws"), roleArn: role },
      input: scaleInput({ clusterName: "lab", nodeGroupName: "gpu", maxSize: 4 }),
    },
  });
  const exchanges: Exchange[] = [];
  const server = await serveAccount(cloud, (exchange) => void exchanges.push(exchange));
  onTestFinished(() => server.close());
  useAws(server.endpoint);
  const outputs = { clusterName: "lab", gpuNodeGroupName: "gpu", lease: "x", leaseScheduleGroup: "lab-lease-0a1b" };
  usePulumi(`echo '${JSON.stringify({ ...outputs, sessionHours: 6 })}'`);
  for (const args of [["up", "1"], ["up", "1"], ["status"], ["down"]]) {
    const run = captured((console) => runGpu([...args, "--region", region], console, { intervalMs: 10 }));
    expect((await run).status, (await run).err).toBe(0);
  }
  const needed = exchanges.flatMap((exchange) => neededBy(exchange, partition));
  const actions = [...new Set(needed.map(([action]) => action))].sort();
  expect(actions).toEqual([
    ...["eks:UpdateNodegroupConfig", "iam:PassRole", "scheduler:CreateSchedule", "scheduler:DeleteSchedule"],
    ...["scheduler:GetSchedule", "scheduler:ListSchedules", "scheduler:UpdateSchedule"],
  ]);
  expect(needed.filter((need) => !isAllowed(...need, statementsOf(partition)))).toEqual([]);
});

test.for([
  ["eks:UpdateNodegroupConfig", "arn:aws:eks:ap-northeast-2:123456789012:nodegroup/lab-2/gpu/0a1b"],
  ["eks:UpdateNodegroupConfig", "arn:aws:eks:us-west-2:123456789012:nodegroup/lab/gpu/0a1b"],
  ["scheduler:DeleteSchedule", "arn:aws:scheduler:ap-northeast-2:123456789012:schedule/default/nightly-gpu"],
  ["scheduler:UpdateSchedule", "arn:aws:scheduler:ap-northeast-2:123456789012:schedule/lab-2-lease-1/nightly-gpu"],
  ["iam:PassRole", "arn:aws:iam::123456789012:role/lab-2-lease-1"],
  ["iam:PassRole", "arn:aws:iam::123456789012:role/admin"],
] as const)("it does not allow %s on %s", ([action, resource]) => {
  expect(isAllowed(action, resource)).toBe(false);
});

test("IAM accepts it", ({ skip }) => {
  const missing = missingModels();
  if (missing !== undefined) return skip(missing);
  const complete = JSON.stringify({ Version: "2012-10-17", Statement: statementsOf() });
  expect(askModels({ policies: [{ use: "inline", text: complete }] }).policies).toEqual([[]]);
});
