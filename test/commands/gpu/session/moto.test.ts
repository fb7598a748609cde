import { AutoScaling } from "@aws-sdk/client-auto-scaling";
import { EKS } from "@aws-sdk/client-eks";
import { expect, onTestFinished, test, vi } from "vitest";
import { runGpu } from "../../../../commands/gpu/gpu";
import { useAws } from "../../../support/aws-environment";
import { simulator } from "../../../support/aws-simulators";
import { captured, type CliResult } from "../../../support/cli";
import { ownProject } from "../../../support/own-project";

vi.mock("../../../../components/cost/price-table.json", () => import("../../../fixtures/price-table.json"));

/** Sessions against moto. It has no link from a node group to its Auto Scaling group: this file adds that. */

const region = "ap-northeast-2";
const moto = simulator("moto", "sessions");

interface Lab {
  /** Runs a command on the group. */
  readonly gpu: (...args: readonly string[]) => Promise<CliResult>;
  readonly eks: EKS;
  readonly autoScaling: AutoScaling;
  readonly autoScalingGroup: string;
}

/** A cluster with a GPU node group and its Auto Scaling group. */
async function lab(cluster: string, endpoint: string): Promise<Lab> {
  useAws(endpoint);
  const [eks, autoScaling] = [new EKS({ region }), new AutoScaling({ region })];
  const role = "arn:aws:iam::123456789012:role/nodes";
  await eks.createCluster({
    name: cluster,
    roleArn: role,
    resourcesVpcConfig: { subnetIds: ["subnet-1", "subnet-2"] },
  });
  const { nodegroup } = await eks.createNodegroup({
    ...{ clusterName: cluster, nodegroupName: "gpu", nodeRole: role, subnets: ["subnet-1"] },
    ...{ instanceTypes: ["g5.xlarge"], scalingConfig: { minSize: 0, maxSize: 2, desiredSize: 0 } },
  });
  const autoScalingGroup = nodegroup?.resources?.autoScalingGroups?.[0]?.name ?? "";
  const template = { ImageId: "ami-12c6146b", InstanceType: "g5.xlarge" };
  await autoScaling.createLaunchConfiguration({ LaunchConfigurationName: cluster, ...template });
  await autoScaling.createAutoScalingGroup({
    ...{ AutoScalingGroupName: autoScalingGroup, LaunchConfigurationName: cluster },
    ...{ MinSize: 0, MaxSize: 2, DesiredCapacity: 0, AvailabilityZones: [`${region}a`] },
  });
  const stop = link(eks, autoScaling, cluster, autoScalingGroup);
  onTestFinished(stop);
  const place = ["--cluster", cluster, "--nodegroup", "gpu", "--region", region];
  const gpu = (...args: readonly string[]) =>
    captured((console) => runGpu([...args, ...place], console, { intervalMs: 50 }));
  return { gpu, eks, autoScaling, autoScalingGroup };
}

/** Copies the desired size of the node group to the Auto Scaling group, as EKS does. Returns what ends that. */
function link(eks: EKS, autoScaling: AutoScaling, clusterName: string, group: string): () => Promise<void> {
  let isOver = false;
  const copying = (async () => {
    for (let last = 0; !isOver; await new Promise((resolve) => setTimeout(resolve, 30))) {
      const { nodegroup } = await eks.describeNodegroup({ clusterName, nodegroupName: "gpu" });
      const desired = nodegroup?.scalingConfig?.desiredSize ?? 0;
      if (desired === last) continue;
      await autoScaling.setDesiredCapacity({ AutoScalingGroupName: group, DesiredCapacity: desired });
      last = desired;
    }
  })();
  return async () => {
    isOver = true;
    await copying;
  };
}

test("a whole session: up, status, more nodes, down", async (context) => {
  const { gpu, eks, autoScaling, autoScalingGroup } = await lab("session", moto(context));
  expect(await gpu("status")).toMatchObject({ status: 0, out: expect.stringContaining("instances  none") as string });

  const up = await gpu("up", "1");
  expect(up.status, up.err).toBe(0);
  expect(up.out).toContain("The session runs: 1 instance in service; Kubernetes was not read");
  expect(up.out).toContain("1 GPU node: 1.2395 USD per hour, until you run gpu down");

  const status = JSON.parse((await gpu("status", "--json")).out) as Record<string, unknown>;
  expect(status).toMatchObject({
    ...{ kind: "GpuSession", version: 1, command: "status", nodes: null },
    group: { sizes: { desired: 1, min: 0, max: 2 } },
    instances: [{ type: "g5.xlarge", zone: `${region}a`, state: "running", lifecycle: "InService" }],
    cost: { usdPerHour: expect.closeTo(1.2395, 4) as number, complete: true },
    unread: [{ what: "nodes" }],
  });

  expect((await gpu("up", "2")).out).toContain("The session runs: 2 instances in service");
  const down = await gpu("down");
  expect(down.status, down.err).toBe(0);
  expect(down.out).toContain("The session is over: no instance is left");
  expect(down.err).toContain("The tool does not know whether pods hold GPUs.");

  const { nodegroup } = await eks.describeNodegroup({ clusterName: "session", nodegroupName: "gpu" });
  expect(nodegroup?.scalingConfig).toEqual({ minSize: 0, maxSize: 2, desiredSize: 0 });
  const { AutoScalingGroups: groups } = await autoScaling.describeAutoScalingGroups({
    AutoScalingGroupNames: [autoScalingGroup],
  });
  expect(groups?.[0]?.Instances ?? []).toEqual([]);
});

test("a dry run changes nothing", async (context) => {
  const { gpu, eks } = await lab("dry", moto(context));
  const { status, out } = await gpu("up", "2", "--dry-run");
  expect([status, out.includes("The command would request desired 2, min 0, max 2.")]).toEqual([0, true]);
  expect(out).toContain("2 GPU nodes: 2.4790 USD per hour");
  const { nodegroup } = await eks.describeNodegroup({ clusterName: "dry", nodegroupName: "gpu" });
  expect(nodegroup?.scalingConfig?.desiredSize).toBe(0);
});

test("down lowers the minimum size, too, and says so", async (context) => {
  const { gpu, eks } = await lab("minimum", moto(context));
  const scalingConfig = { minSize: 1, maxSize: 2, desiredSize: 1 };
  await eks.updateNodegroupConfig({ clusterName: "minimum", nodegroupName: "gpu", scalingConfig });
  const { status, err } = await gpu("down");
  expect([status, err]).toEqual([0, expect.stringContaining("minSize changes from 1 to 0")]);
  const { nodegroup } = await eks.describeNodegroup({ clusterName: "minimum", nodegroupName: "gpu" });
  expect(nodegroup?.scalingConfig).toEqual({ ...scalingConfig, minSize: 0, desiredSize: 0 });
});

test("a group or cluster that does not exist is wrong input", async (context) => {
  useAws(moto(context));
  const console = { write: () => undefined, warn: () => undefined, cwd: ownProject, terminal: {} };
  const status = runGpu(["status", "--cluster", "none", "--nodegroup", "gpu", "--region", region], console);
  await expect(status).rejects.toThrow(/got "ResourceNotFoundException"[^]*aws eks list-nodegroups --region/);
});

test("wrong region: a group of another region is not found, and nothing is changed there", async (context) => {
  const { eks } = await lab("elsewhere", moto(context));
  const place = ["--cluster", "elsewhere", "--nodegroup", "gpu", "--region", "us-west-2"];
  for (const args of [["status"], ["up", "1"], ["down"]]) {
    const { status, out, err } = await captured((console) => runGpu([...args, ...place], console, { intervalMs: 50 }));
    expect([status, out]).toEqual([2, ""]);
    expect(err).toContain('eks:DescribeNodegroup: got "ResourceNotFoundException"');
    expect(err).toContain("check the region and the names: aws eks list-nodegroups --region us-west-2 --cluster-name");
  }
  const { nodegroup } = await eks.describeNodegroup({ clusterName: "elsewhere", nodegroupName: "gpu" });
  expect(nodegroup?.scalingConfig?.desiredSize).toBe(0);
});
