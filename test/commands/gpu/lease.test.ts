import { Scheduler } from "@aws-sdk/client-scheduler";
import { expect, onTestFinished, test } from "vitest";
import { runGpu } from "../../../commands/gpu/gpu";
import {
  leaseMoments,
  nightlyExpression,
  schedulerExpression,
  scaleInput,
  scaleTarget,
} from "../../../components/lease/lease-documents";
import { passTime } from "../../../simulation/aws/schedule-runs";
import { types } from "../../../simulation/aws/types";
import { serveAccount, type Exchange } from "../../../simulation/http/account-server";
import { clusterForNodes, gpuInputs, makeGroup, put } from "../../simulation/aws/eks/foundation";
import { useAws } from "../../support/aws-environment";
import { exchangeProblems, missingModels } from "../../support/aws-models";
import { awsServer, expectValidExchanges, failure } from "../../support/aws-server";
import { captured } from "../../support/cli";
import { usePulumi } from "../../support/fake-pulumi";

// The end of a lease, as `gpu up` and `gpu status` see it, in the simulated account over HTTP.

expectValidExchanges(["AccessDeniedException"]);

const region = "ap-northeast-2";
const role = "arn:aws:iam::123456789012:role/scheduler";

interface Choices {
  readonly nightly?: string;
  readonly expiresAt?: string;
  readonly hours?: number;
}

/** A stack with a lease, in an account whose date is noon in UTC of a day in 2126. */
async function leased({ nightly, expiresAt, hours }: Choices) {
  const cloud = await clusterForNodes();
  await makeGroup(cloud, gpuInputs);
  cloud.skip(Date.parse("2126-12-01T12:00:30Z") - cloud.date.getTime());
  put(cloud, types.role, "scheduler", { assumeRolePolicy: `{"Principal":"scheduler.amazonaws.com"}` }, { arn: role });
  put(cloud, types.scheduleGroup, "lease", { name: "lease" });
  const exchanges: Exchange[] = [];
  const server = await serveAccount(cloud, (exchange) => void exchanges.push(exchange));
  onTestFinished(() => server.close());
  useAws(server.endpoint);
  const scheduler = new Scheduler({ region });
  const add = (Name: string, ScheduleExpression: string, ScheduleExpressionTimezone: string, more: object = {}) =>
    scheduler.createSchedule({
      ...{ Name, GroupName: "lease", FlexibleTimeWindow: { Mode: "OFF" } },
      ...{ ScheduleExpression, ScheduleExpressionTimezone, ...more },
      Target: {
        ...{ Arn: scaleTarget("aws"), RoleArn: role },
        Input: scaleInput({ clusterName: "lab", nodeGroupName: "gpu", maxSize: 4 }),
      },
    });
  if (nightly !== undefined) await add("nightly-gpu", nightlyExpression(nightly), "Asia/Seoul");
  for (const end of leaseMoments({ nightly: "none", timeZone: "UTC", expiresAt }))
    await add("end-gpu", schedulerExpression(end), "UTC");
  const configureKubectl = `aws eks update-kubeconfig --region ${region} --name lab`;
  const outputs: Record<string, unknown> = {
    ...{
      clusterName: "lab",
      gpuNodeGroupName: "gpu",
      configureKubectl,
      lease: "all GPU nodes are terminated some time",
    },
    ...{ leaseScheduleGroup: "lease", sessionHours: hours ?? "none" },
  };
  return { cloud, outputs, add, exchanges, endpoint: server.endpoint };
}

type Leased = Awaited<ReturnType<typeof leased>>;

/** Runs `gpu` on the stack. */
async function gpu({ cloud, outputs }: Pick<Leased, "cloud" | "outputs">, ...args: readonly string[]) {
  usePulumi(`echo '${JSON.stringify(outputs)}'`);
  const result = await captured((console) => runGpu(args, console, { intervalMs: 10, now: () => cloud.date }));
  return { ...result, running: cloud.find(types.instance).length };
}

/** The rows of a report below its title. */
function rowOf(out: string, label: string): string | undefined {
  return new RegExp(`^ {2}${label} +(.*)$`, "m").exec(out)?.[1];
}

test("after the end of the lease, gpu up does not start a node, and says how to renew it", async () => {
  const stack = await leased({ nightly: "23:00", expiresAt: "2126-12-01T13:00:00Z", hours: 6 });
  passTime(stack.cloud, new Date("2126-12-04T16:00:30Z"));
  for (const args of [
    ["up", "1"],
    ["up", "1", "--dry-run"],
    ["up", "1", "--json"],
  ]) {
    const { status, out, err, running } = await gpu(stack, ...args);
    expect([status, out, running]).toEqual([2, "", 0]);
    expect(err).toContain('lease.expiresAt: got "2126-12-01T13:00Z". The lease ended 3d3h ago.');
    expect(err).toContain("fix: to renew the lease, pulumi config set --path lease.expiresAt 2127-01-03 && pulumi up;");
  }
  expect(stack.cloud.find(types.schedule).map(({ id }) => id)).not.toContain("lease/session-gpu");
  const named = await gpu(stack, "up", "1", "--stack", "dev");
  expect(named.err).toContain("lease.expiresAt 2127-01-03 --stack dev && pulumi up --stack dev; to end the lab");
  const { clusterName, gpuNodeGroupName, ...rest } = stack.outputs;
  const scaleUp = "aws eks update-nodegroup-config --cluster-name lab --nodegroup-name gpu";
  const shared = await gpu({ cloud: stack.cloud, outputs: { ...rest, scaleUp } }, "up", "1", "--stack", "dev");
  expect(shared.err).toContain(
    "in the stack that has the cluster: pulumi config set --path lease.expiresAt 2127-01-03 &&",
  );
});

test("gpu status marks the end of the lease, and shows the next end of nodes", async () => {
  const stack = await leased({ nightly: "23:00", expiresAt: "2126-12-01T13:00:00Z" });
  expect(rowOf((await gpu(stack, "status")).out, "next end")).toBe("2126-12-01T13:00Z, in 59m (lease.expiresAt)");
  passTime(stack.cloud, new Date("2126-12-01T13:30:30Z"));
  const { status, out } = await gpu(stack, "status");
  expect([status, rowOf(out, "lease")]).toEqual([0, "all GPU nodes are terminated some time"]);
  expect(rowOf(out, "ended")).toBe(
    "2126-12-01T13:00Z, 30m ago: gpu up does not start a node until you renew the lease",
  );
  expect(rowOf(out, "next end")).toBe("2126-12-01T14:00Z, in 29m (lease.nightly)");
  expect(JSON.parse((await gpu(stack, "status", "--json")).out)).toMatchObject({
    ...{ lease: "all GPU nodes are terminated some time", endsAt: "2126-12-01T14:00:00.000Z" },
    leaseEnds: [
      { by: "expiresAt", at: "2126-12-01T13:00:00.000Z", hasEnded: true },
      { by: "nightly", at: "2126-12-01T14:00:00.000Z", hasEnded: false },
    ],
  });
});

test("after the end of a lease without nightly, no schedule ends nodes", async () => {
  const stack = await leased({ expiresAt: "2126-12-01T13:00:00Z" });
  passTime(stack.cloud, new Date("2126-12-02T13:00:00Z"));
  const { out } = await gpu(stack, "status");
  expect(rowOf(out, "next end")).toBe("none: no schedule of the lease ends nodes");
  expect(JSON.parse((await gpu(stack, "status", "--json")).out)).toMatchObject({ endsAt: null });
});

test("the end of a session is the earliest of the three, and one of less than an hour is a warning", async () => {
  const stack = await leased({ nightly: "22:30", expiresAt: "2126-12-02", hours: 6 });
  const dry = await gpu(stack, "up", "1", "--dry-run");
  expect(dry.err).not.toContain("short");
  expect(dry.out).toContain(", at the latest at 2126-12-01T13:30Z");
  expect(rowOf(dry.out, "next end")).toBe("2126-12-01T13:30Z, in 89m (lease.nightly)");
  passTime(stack.cloud, new Date("2126-12-01T13:04:30Z"));
  const evening = await gpu(stack, "up", "1");
  expect([evening.status, evening.running], evening.err).toEqual([0, 1]);
  expect(evening.err).toContain(
    "The session is short: the lease terminates its nodes at 2126-12-01T13:30Z, in 25m (lease.nightly).\n",
  );
  expect((await gpu(stack, "down")).status).toBe(0);
  passTime(stack.cloud, new Date("2126-12-01T13:30:30Z"));
  const night = await gpu(stack, "up", "1", "--json");
  expect(JSON.parse(night.out)).toMatchObject({
    endsAt: "2126-12-01T19:31:00.000Z",
    leaseEnds: [
      { by: "hours", at: "2126-12-01T19:31:00.000Z", hasEnded: false },
      { by: "nightly", at: "2126-12-02T13:30:00.000Z", hasEnded: false },
      { by: "expiresAt", at: "2126-12-03T00:00:00.000Z", hasEnded: false },
    ],
  });
  const { out } = await gpu(stack, "status");
  expect(rowOf(out, "next end")).toBe("2126-12-01T19:31Z, in 6h (lease.hours)");
  passTime(stack.cloud, new Date("2126-12-01T14:40:30Z"));
  const again = JSON.parse((await gpu(stack, "up", "1", "--json")).out) as { endsAt: string; leaseEnds: unknown[] };
  expect([again.endsAt, again.leaseEnds.length]).toEqual(["2126-12-01T20:41:00.000Z", 3]);
});

test("without an enabled schedule, gpu up does not start a node", async () => {
  const stack = await leased({});
  await stack.add("nightly-gpu", nightlyExpression("22:00"), "UTC", { State: "DISABLED" });
  const { status, err, running } = await gpu(stack, "up", "1");
  expect([status, running]).toEqual([2, 0]);
  expect(err).toContain("has no enabled schedule of the lease for this node group");
  expect(err).toContain("fix: run pulumi up --refresh");
  expect(rowOf((await gpu(stack, "status")).out, "next end")).toBe("none: no schedule of the lease ends nodes");
  stack.cloud.remove(types.scheduleGroup, "lease");
  expect((await gpu(stack, "up", "1")).status).toBe(2);
});

test("an expression whose times cannot be computed is an end at an unknown time", async () => {
  const stack = await leased({});
  await stack.add("nightly-gpu", "rate(1 day)", "UTC");
  expect(rowOf((await gpu(stack, "status")).out, "next end")).toBe("unknown: the tool cannot compute it");
  const { status, out } = await gpu(stack, "up", "1", "--json");
  expect([status, JSON.parse(out)]).toEqual([
    0,
    expect.objectContaining({ endsAt: null, leaseEnds: [{ by: "nightly", at: null, hasEnded: false }] }),
  ]);
});

test("outputs of an older version do not name the schedules: the tool says that it does not know the end", async () => {
  const stack = await leased({ expiresAt: "2126-12-01T13:00:00Z" });
  const { leaseScheduleGroup, sessionHours, ...older } = stack.outputs;
  const old = { cloud: stack.cloud, outputs: older };
  const why = "The stack does not export leaseScheduleGroup; it was created with an older version.";
  const status = await gpu(old, "status");
  expect([status.status, rowOf(status.out, "lease"), rowOf(status.out, "next end")]).toEqual([
    ...[0, "all GPU nodes are terminated some time", undefined],
  ]);
  expect(status.out).toContain(`Not read\n  lease: ${why}\n    fix: run pulumi up\n`);
  const up = await gpu(old, "up", "1", "--json");
  expect([up.status, up.err]).toEqual([0, expect.stringContaining(`does not know when the lease ends. ${why}\n`)]);
  expect(JSON.parse(up.out)).toMatchObject({
    endsAt: null,
    leaseEnds: null,
    unread: [{ what: "nodes" }, { what: "lease" }],
  });
  const oldest = { cloud: stack.cloud, outputs: { ...older, lease: undefined } };
  expect(rowOf((await gpu(oldest, "status")).out, "lease")).toBe("unknown: only the outputs of a stack state it");
  const none = await gpu({ cloud: stack.cloud, outputs: { ...stack.outputs, lease: "none" } }, "status");
  expect([rowOf(none.out, "lease"), rowOf(none.out, "next end")]).toEqual(["none", undefined]);
});

test("without the right to read schedules, gpu up warns and starts, and gpu down does not read them", async () => {
  const stack = await leased({ expiresAt: "2126-12-02" });
  const denied = failure("AccessDeniedException", 403, "User is not authorized to perform scheduler:ListSchedules");
  const aws = await awsServer({ "GET /schedules": () => denied }, stack.endpoint);
  useAws(aws.endpoint);
  const { status, err, running } = await gpu(stack, "up", "1");
  expect([status, running], err).toEqual([0, 1]);
  expect(err).toContain(
    "The tool does not know when the lease ends. The identity is not allowed to do this: User is not authorized",
  );
  const shown = await gpu(stack, "status");
  expect(shown.out).toContain("fix: ask your administrator for the permission scheduler:ListSchedules");
  const before = aws.paramsOf("GET /schedules").length;
  expect((await gpu(stack, "down")).status).toBe(0);
  expect(aws.paramsOf("GET /schedules").length).toBe(before);
});

test("while the schedules cannot be read, gpu up does not start a node", async () => {
  const stack = await leased({ expiresAt: "2126-12-02" });
  const aws = await awsServer(
    { "GET /schedules": () => failure("InternalServerException", 500, "try again") },
    stack.endpoint,
  );
  useAws(aws.endpoint);
  const { status, running } = await gpu(stack, "up", "1");
  expect([status, running]).toEqual([2, 0]);
});

test("every request and every answer is valid by the models of AWS", async ({ skip }) => {
  const missing = missingModels();
  if (missing !== undefined) return skip(missing);
  const stack = await leased({ nightly: "23:00", expiresAt: "2126-12-02", hours: 2 });
  for (const args of [["up", "1"], ["status"], ["down"]]) expect((await gpu(stack, ...args)).status).toBe(0);
  expect(stack.exchanges.length).toBeGreaterThan(15);
  expect([...new Set(exchangeProblems(stack.exchanges))]).toEqual([]);
});
