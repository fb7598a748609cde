import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { runGpu } from "../../../../commands/gpu/gpu";
import { planCost, type CostReport } from "../../../../planner/cost/cost";
import { openProject, recordStack, type OpenProject } from "../../../../planner/plan-stack";
import type { Recording } from "../../../../planner/record/record";
import { types } from "../../../../simulation/aws/types";
import { serveAccount } from "../../../../simulation/http/account-server";
import { clusterForNodes, gpuInputs, makeGroup, put } from "../../../simulation/aws/eks/foundation";
import { useAws } from "../../../support/aws-environment";
import { awsServer, expectValidExchanges, failure, type Answers } from "../../../support/aws-server";
import { captured } from "../../../support/cli";
import { byName, ofType } from "../../../support/plan";
import { ownProject } from "../../../support/own-project";
import { seoulUsd } from "../../../support/prices";

// The prices of a session, compared with those of the plan of the same stack.

expectValidExchanges();

const region = "ap-northeast-2";
const price = (text: string) => Number(/(\d+\.\d+) USD per hour/.exec(text)?.[1]);

let project: OpenProject;
beforeAll(async () => (project = await openProject(ownProject)));

/** The GPU node group of a plan with its launch template in a simulated account, behind a server with these answers. */
async function deployed(recording: Recording, answers: Answers = {}) {
  const cloud = await clusterForNodes();
  const template = byName(recording, "gpu-lab-gpu-launch-template").inputs;
  const groups = ofType(recording, "aws:eks/nodeGroup:NodeGroup");
  const { capacityType, instanceTypes, scalingConfig } =
    groups.find(({ name }) => name === "gpu-lab-gpu")?.inputs ?? {};
  put(cloud, types.launchTemplate, "lt-1", { name: "nodes", ...template, vpcSecurityGroupIds: ["sg-nodes"] });
  await makeGroup(cloud, { ...gpuInputs, capacityType, instanceTypes, scalingConfig });
  const account = await serveAccount(cloud);
  onTestFinished(() => account.close());
  useAws((await awsServer(answers, account.endpoint)).endpoint);
  const place = ["--cluster", "lab", "--nodegroup", "gpu", "--region", region];
  return (...args: readonly string[]) =>
    captured((console) => runGpu([...args, ...place], console, { intervalMs: 10 }));
}

async function planned(...config: readonly string[]): Promise<{ recording: Recording; cost: CostReport }> {
  const { recording } = await recordStack(project, "gpu-lab", config);
  return { recording, cost: planCost(recording, region) };
}

describe("the price of a session is what the plan shows between at rest and in use", () => {
  test.for([
    ["the default", []],
    ["a larger disk", ["gpuNodes.diskSizeGiB=500"]],
    ["spot", ["gpuNodes.capacityType=SPOT"]],
    ["another type", ["gpuNodes.instanceType=g5.2xlarge", "gpuNodes.maxSize=1"]],
  ] as const)("%s", async ([, config]) => {
    const { recording, cost } = await planned(...config);
    const nodes = Number(cost.gpuGroups[0]?.maxSize);
    const gpu = await deployed(recording);
    const inUse = cost.sessionHour.usd - cost.atRest.usdPerHour;
    expect(inUse).toBeGreaterThan(1);
    const before = await gpu("up", String(nodes), "--dry-run");
    expect(price(before.out.split("\n").at(-2) ?? "")).toBeCloseTo(inUse, 4);
    const up = await gpu("up", String(nodes), "--json");
    expect(JSON.parse(up.out)).toMatchObject({
      cost: { usdPerHour: expect.closeTo(inUse, 8) as number, withDisks: true },
    });
    const status = await gpu("status");
    expect(status.out).toMatch(/^ {2}cost now +\d+\.\d+ USD per hour; without traffic; /m);
    expect(price(status.out)).toBeCloseTo(inUse, 4);
  });
});

test("a launch template that may not be read: the price says that it has no disks, and why", async () => {
  const denied = failure("UnauthorizedOperation", 403, "You are not authorized to perform this operation");
  const { recording } = await planned();
  const gpu = await deployed(recording, { DescribeLaunchTemplateVersions: () => denied });
  const dry = await gpu("up", "1", "--dry-run");
  expect(dry.out).toContain(`1 GPU node: ${seoulUsd("g5.xlarge").toFixed(4)} USD per hour without disks, until`);
  expect(dry.out).toMatch(
    /launch template: The identity is not allowed to do this.*\n(.*\n)?.*ec2:DescribeLaunchTemplateVersions/,
  );
  const up = await gpu("up", "1");
  expect([up.status, up.out], up.err).toEqual([0, expect.stringContaining("without disks and traffic")]);
  expect(JSON.parse((await gpu("status", "--json")).out)).toMatchObject({ cost: { withDisks: false } });
});
