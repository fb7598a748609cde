import { Scheduler } from "@aws-sdk/client-scheduler";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runGpu } from "../../../../commands/gpu/gpu";
import { scaleInput, scaleTarget } from "../../../../components/lease/lease-documents";
import { launchCauses } from "../../../../triage/conclusions/scale-ups";
import { gpu, none, place } from "../support";
import { gpuInputs, makeGroup } from "../../../simulation/aws/eks/foundation";
import { pressCtrlC } from "../../../support/ctrl-c";
import { useAws } from "../../../support/aws-environment";
import { awsServer, failure, type Answer, type Answers } from "../../../support/aws-server";
import { captured } from "../../../support/cli";
import { usePulumi } from "../../../support/fake-pulumi";
import { accepted, activities, instances, nodegroup } from "./support/answers";
import { GroupModel } from "./support/group-model";
import { lab } from "./support/lab";

// Conditions that sessions meet in real accounts.

const calm = { updateTakes: 2, showsOld: true, lag: 0, stopTakes: 4 };
const atRest = { desired: 0, min: 0 };
const never = () => new Promise<Answer>(() => undefined);

describe("slow answers", () => {
  test.for([["up", "1"], ["down"]] as const)("%j ends in time, and says what it does not know", async (args) => {
    const answers: Answers = {
      DescribeNodegroup: (_, number) => (number > 1 ? never() : nodegroup()),
      UpdateNodegroupConfig: () => accepted,
    };
    const late = await gpu(answers, [...args, "--timeout", "1"]);
    expect([late.status, late.out]).toEqual([1, expect.stringContaining("and the tool has not read the group since")]);
    // On a busy machine, the time can be over before the group is read again.
    expect(late.operations.filter((one) => one === "DescribeNodegroup").length).toBeLessThanOrEqual(2);
    const interrupting: Answers = {
      ...answers,
      DescribeNodegroup: (_, number) => {
        if (number === 1) return nodegroup();
        pressCtrlC();
        return never();
      },
    };
    const { status, out, operations } = await gpu(interrupting, args);
    expect([status, out]).toEqual([1, expect.stringContaining("Interrupted.\nEKS accepted desired size")]);
    // The SDK would repeat a request that it gives up.
    expect(operations.filter((one) => one === "DescribeNodegroup").length).toBe(2);
  });
});

describe("throttling", () => {
  const throttled = failure("ThrottlingException", 429, "Rate exceeded");
  test.for(["UpdateNodegroupConfig", "DescribeAutoScalingGroups"])("a long one of %s is waited for", async (name) => {
    const group = new GroupModel(calm, { desired: 1 });
    const answers = group.answers();
    const { status, err } = await gpu(
      {
        ...answers,
        [name]: (params, number) => {
          const from = name === "UpdateNodegroupConfig" ? 1 : 2;
          return number >= from && number < from + 5 ? throttled : answers[name]?.(params, number);
        },
      },
      ["down"],
    );
    expect([status, group.now], err).toEqual([0, atRest]);
    expect(err).toContain("AWS throttles the requests of this account.");
  });
});

test("a clock that is wrong: the end of a session is that of AWS's date", async () => {
  const date = new Date("2126-12-01T12:00:00Z");
  const target = scaleInput({ clusterName: "myeks", nodeGroupName: "gpu", maxSize: 2 });
  const nightly = {
    ...{ Name: "nightly-gpu", GroupName: "lease", State: "ENABLED" },
    ...{ ScheduleExpression: "cron(0 13 * * ? *)", ScheduleExpressionTimezone: "UTC" },
    Target: { Arn: scaleTarget("aws"), RoleArn: "arn:aws:iam::123456789012:role/r", Input: target },
  };
  const group = new GroupModel(calm, { desired: 0 });
  const server = await awsServer(
    {
      ...{ ...none, ...group.answers() },
      "GET /schedules": () => ({ Schedules: [{ Name: "nightly-gpu", GroupName: "lease" }] }),
      "GET /schedules/nightly-gpu": () => nightly,
      "POST /schedules/session-gpu": () => ({ ScheduleArn: "arn:aws:scheduler:::schedule/lease/session-gpu" }),
    },
    undefined,
    () => date,
  );
  useAws(server.endpoint);
  const outputs = { clusterName: "myeks", gpuNodeGroupName: "gpu", lease: "x", leaseScheduleGroup: "lease" };
  usePulumi(`echo '${JSON.stringify({ ...outputs, sessionHours: 6 })}'`);
  const run = (...args: readonly string[]) =>
    captured((console) => runGpu([...args, "--region", "ap-northeast-2"], console, { intervalMs: 10 }));
  const up = await run("up", "1");
  expect(up.status, up.err).toBe(0);
  const [session] = server.paramsOf("POST /schedules/session-gpu");
  expect(session?.["ScheduleExpression"]).toMatch(/^at\(2126-12-01T18:0\d:00\)$/);
  expect((await run("status")).out).toMatch(/next end +2126-12-01T13:00Z, in (?:60m|59m|58m)/);
});

describe("40 columns", () => {
  const long = "We currently do not have sufficient g5.xlarge capacity in the Availability Zone you requested.";
  const failed = { DescribeScalingActivities: () => activities({ id: "a", status: "Failed", message: long }) };
  const states: readonly (readonly [args: readonly string[], answers: Answers])[] = [
    [["status"], { DescribeNodegroup: () => nodegroup({ desired: 1 }), ...failed }],
    [["up", "1", "--timeout", "1"], { DescribeNodegroup: () => nodegroup({ desired: 1 }), ...failed }],
    [
      ["down", "--timeout", "1"],
      { DescribeNodegroup: () => nodegroup(), DescribeAutoScalingGroups: () => instances("Terminating:Wait") },
    ],
    [["up", "2", "--dry-run"], { DescribeNodegroup: () => nodegroup() }],
  ];
  test.for(states)("%j: only commands are longer", async ([args, answers]) => {
    const terminal = { isTTY: true, columns: 40 };
    const { out } = await gpu({ UpdateNodegroupConfig: () => accepted, ...answers }, args, { terminal });
    const lines = stripVTControlCharacters(out).split("\n");
    expect(lines.length).toBeGreaterThan(6);
    expect(lines.filter((line) => line.length > 40 && !/^ +(?:npx|aws) /.test(line))).toEqual([]);
  });
});

test("of several groups in a cluster, only the named one changes", async () => {
  const { cloud, gpu: run, changes } = await lab();
  const other = await makeGroup(cloud, { ...gpuInputs, nodeGroupName: "gpu-2" });
  const otherPlace = ["--cluster", "lab", "--nodegroup", "gpu-2", "--region", "ap-northeast-2"];
  const second = await captured((console) => runGpu(["up", "1", ...otherPlace], console, { intervalMs: 10 }));
  expect(second.status, second.err).toBe(0);
  expect((await run("up", "1")).status).toBe(0);
  expect((await run("down")).out).toContain("The session is over");
  expect(cloud.get(other.type, other.id)?.inputs["scalingConfig"]).toMatchObject({ desiredSize: 1 });
  expect(new Set(changes().map(({ group }) => group))).toEqual(new Set(["gpu", "gpu-2"]));
  expect(changes().filter(({ group }) => group === "gpu-2").length).toBe(1);
});

describe("the state of the group", () => {
  test.for([
    ["CREATING", "wait until it is ACTIVE"],
    ["DELETING", "wait until EKS has deleted the group and its nodes"],
    [
      "CREATE_FAILED",
      "delete the group, which also terminates its nodes: aws eks delete-nodegroup --region ap-northeast-2",
    ],
    [
      "DELETE_FAILED",
      "delete the group, which also terminates its nodes: aws eks delete-nodegroup --region ap-northeast-2",
    ],
  ] as const)("%s: up and down request nothing, and say what to do", async ([status, fix]) => {
    const issues = [{ code: "NodeCreationFailure", message: "Instances failed to join." }];
    for (const args of [["up", "1"], ["down"]]) {
      const answers = { DescribeNodegroup: () => nodegroup({ status, desired: 1, issues }) };
      const found = await gpu({ ...answers, DescribeAutoScalingGroups: () => instances("InService") }, args);
      expect([found.status, found.out, found.changes]).toEqual([2, "", []]);
      expect(found.err).toContain(`status: got "${status}". EKS does not change the size of a group with this status.`);
      expect(found.err).toContain(`fix: ${fix}`);
      expect(found.err).not.toContain("pulumi up\n");
    }
  });

  test("CREATE_FAILED in a stack: the fix replaces the group, because pulumi up alone changes nothing", async () => {
    const server = await awsServer({ ...none, DescribeNodegroup: () => nodegroup({ status: "CREATE_FAILED" }) });
    useAws(server.endpoint);
    usePulumi(`echo '${JSON.stringify({ clusterName: "myeks", gpuNodeGroupName: "gpu" })}'`);
    const { status, err } = await captured((console) =>
      runGpu(["down", "--stack", "dev", "--region", "ap-northeast-2"], console, { intervalMs: 10 }),
    );
    expect(status).toBe(2);
    expect(err).toContain(
      "fix: to replace the group, pulumi up --stack dev --target-replace URN, with its URN of pulumi stack --stack dev --show-urns",
    );
  });

  test.for([
    [[], "; or delete the group, which also terminates its nodes: aws eks delete-nodegroup --region ap-northeast-2"],
    [
      ["--stack", "dev"],
      "; or to replace the group, pulumi up --stack dev --target-replace URN, with its URN of pulumi stack --stack dev --show-urns, then pulumi up --stack dev\n",
    ],
  ] as const)(
    "a part of it is gone, %j: the fix names the cause, and replaces what no update repairs",
    async (args) => {
      const [stack, fix] = args;
      const issues = [{ code: "AutoScalingGroupNotFound", message: "We couldn't find the Auto Scaling group." }];
      const server = await awsServer({ ...none, DescribeNodegroup: () => nodegroup({ status: "DEGRADED", issues }) });
      useAws(server.endpoint);
      usePulumi(`echo '${JSON.stringify({ clusterName: "myeks", gpuNodeGroupName: "gpu" })}'`);
      const at = stack.length > 0 ? [...stack, "--region", "ap-northeast-2"] : place;
      const { status, err } = await captured((console) => runGpu(["up", "1", ...at], console, { intervalMs: 10 }));
      expect(status).toBe(2);
      expect(err).toContain('health of the node group: got "AutoScalingGroupNotFound".');
      expect(err).toContain(
        "fix: remove the cause that aws eks describe-nodegroup --region ap-northeast-2 --cluster-name",
      );
      expect(err).toContain(fix);
    },
  );

  test("DEGRADED: down ends the session, and up starts one", async () => {
    const issues = [{ code: "AsgInstanceLaunchFailures", message: "no capacity" }];
    const degraded = (desired: number) => nodegroup({ status: "DEGRADED", desired, issues });
    const down = { DescribeNodegroup: (_: object, number: number) => degraded(number > 1 ? 0 : 1) };
    expect((await gpu({ ...down, UpdateNodegroupConfig: () => accepted }, ["down"])).status).toBe(0);
    const up = {
      DescribeNodegroup: (_: object, number: number) => degraded(number > 1 ? 1 : 0),
      DescribeAutoScalingGroups: (_: object, number: number) => (number > 2 ? instances("InService") : instances()),
    };
    expect((await gpu({ ...up, UpdateNodegroupConfig: () => accepted }, ["up", "1"])).status).toBe(0);
  });
});

describe("spot", () => {
  const texts = [
    ["InsufficientInstanceCapacity - There is no Spot capacity available that matches your request.", "capacity"],
    ["There is no Spot capacity available that matches your request.", "capacity"],
    ["UnfulfillableCapacity - Unable to fulfill capacity due to your request configuration.", "capacity"],
    ["MaxSpotInstanceCountExceeded - Max spot instance count exceeded.", "quota"],
    [
      "AuthFailure.ServiceLinkedRoleCreationNotPermitted - The provided credentials do not have permission to create the service-linked role for EC2 Spot Instances.",
      "permission",
    ],
  ] as const;
  test.for(texts)("%s", async ([text, id]) => {
    const message = `Could not launch Spot Instances. ${text} Launching EC2 instance failed.`;
    const answers: Answers = {
      DescribeNodegroup: (_, number) => nodegroup({ capacityType: "SPOT", desired: number > 1 ? 1 : 0 }),
      UpdateNodegroupConfig: () => accepted,
      DescribeScalingActivities: (_, number) =>
        number > 1 ? activities({ id: "a", status: "Failed", message }) : activities(),
    };
    const { status, out } = await gpu(answers, ["up", "1", "--timeout", "1", "--json"]);
    const waits = launchCauses.find((cause) => cause.id === id)?.passes === true;
    expect([status, JSON.parse(out)]).toMatchObject([1, { outcome: waits ? "timeout" : "blocked", reasons: [{ id }] }]);
  });
});

describe("kills of down", () => {
  test("Ctrl-C at any request: the output states what holds, and a second down ends the session", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(16), async (at) => {
        const group = new GroupModel(calm, { desired: 1 });
        let isDone = false;
        const answers = group.answers((time) => {
          if (time < at || isDone) return;
          isDone = true;
          pressCtrlC();
        });
        const { status, out, err } = await gpu(answers, ["down"]);
        const isSent = group.requests.length > 0;
        if (!isSent) expect(out + err).toContain("Nothing was requested: the group is unchanged");
        if (isSent && status !== 0) expect(out).toMatch(/EKS accepted desired size 0|stays at desired size 0/);
        expect([(await gpu(group.answers(), ["down"])).status, group.now]).toEqual([0, atRest]);
      }),
      { numRuns: 17, examples: [[0], [1]] },
    );
  });

  test.for([0, 1, 2, 3, 5, 8])("kill -9 at request %i: a second down ends the session", async (at) => {
    const group = new GroupModel(calm, { desired: 1 });
    const terminal = "{ write() {}, warn() {}, cwd: process.cwd(), leave: process.exit, terminal: {} }";
    const run = `require("./dist/commands.js")["gpu/gpu"]().runGpu(${JSON.stringify(["down", ...place])}`;
    const children: ReturnType<typeof spawn>[] = [];
    const server = await awsServer({
      ...none,
      ...group.answers((time) => void (time === at && children[0]?.kill("SIGKILL"))),
    });
    useAws(server.endpoint);
    const child = spawn(process.execPath, ["-e", `${run}, ${terminal}, { intervalMs: 10 })`], { stdio: "ignore" });
    children.push(child);
    const signal = await new Promise((resolve) => child.on("exit", (_, by) => resolve(by)));
    expect(signal).toBe("SIGKILL");
    const { status, err } = await gpu(group.answers(), ["down"]);
    expect([status, group.now], err).toEqual([0, atRest]);
  });

  test("Ctrl-C while AWS never answers the first request ends the process", async () => {
    const children: ReturnType<typeof spawn>[] = [];
    const server = await awsServer({
      DescribeNodegroup: () => {
        children[0]?.kill("SIGINT");
        return never();
      },
    });
    useAws(server.endpoint);
    const child = spawn(process.execPath, [join(process.cwd(), "dist/cli.js"), "gpu", "down", ...place]);
    children.push(child);
    const [status, err] = await Promise.all([new Promise((resolve) => child.on("exit", resolve)), text(child.stderr)]);
    expect([status, err]).toEqual([1, expect.stringContaining("Interrupted. Nothing was requested")]);
  });
});

describe.for([
  ["aws-us-gov", "us-gov-west-1", "amazonaws.com"],
  ["aws-cn", "cn-north-1", "amazonaws.com.cn"],
] as const)("in the partition %s", ([partition, region, domain]) => {
  test("up, status and down work, and the session ends with a schedule of the partition", async () => {
    const group = new GroupModel(calm, { desired: 0 });
    const role = `arn:${partition}:iam::123456789012:role/myeks-lease-1`;
    const nightly = {
      ...{ Name: "nightly-gpu", GroupName: "lease", ScheduleExpression: "cron(0 13 * * ? *)" },
      Target: {
        ...{ Arn: scaleTarget(partition), RoleArn: role },
        Input: scaleInput({ clusterName: "myeks", nodeGroupName: "gpu", maxSize: 2 }),
      },
    };
    const server = await awsServer({
      ...{ ...none, ...group.answers() },
      "GET /schedules": () => ({ Schedules: [{ Name: "nightly-gpu" }] }),
      "GET /schedules/nightly-gpu": () => nightly,
      "POST /schedules/session-gpu": () => ({ ScheduleArn: "a" }),
      "DELETE /schedules/session-gpu": () => ({}),
    });
    useAws(server.endpoint);
    const outputs = { clusterName: "myeks", gpuNodeGroupName: "gpu", lease: "x", leaseScheduleGroup: "lease" };
    usePulumi(`echo '${JSON.stringify({ ...outputs, sessionHours: 6 })}'`);
    for (const args of [["up", "1"], ["status"], ["down"]]) {
      const { status, err } = await captured((console) =>
        runGpu([...args, "--region", region], console, { intervalMs: 10 }),
      );
      expect(status, err).toBe(0);
    }
    expect(server.paramsOf("POST /schedules/session-gpu")[0]?.["Target"]).toEqual(nightly.Target);
    expect(group.now).toEqual(atRest);
    const { hostname = "" } = new Scheduler({ region }).config.endpointProvider({ Region: region }).url;
    expect(hostname).toBe(`scheduler.${region}.${domain}`);
  });
});
