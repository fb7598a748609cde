import { expect, test } from "vitest";
import { scaleCommand } from "../../../components";
import { runScaleCommand } from "../../../simulation/rehearsal/session";
import { simulatedWorld } from "../../../simulation/simulated-world";
import type { World } from "../../../simulation/world/world";

const type = "aws:eks/nodeGroup:NodeGroup";

function worldWithGroup(): World {
  const world = simulatedWorld();
  world.put({
    type,
    id: "lab:gpu-1",
    inputs: {
      clusterName: "lab",
      instanceTypes: ["g5.xlarge"],
      subnetIds: [],
      scalingConfig: { minSize: 0, maxSize: 9, desiredSize: 0 },
    },
    computed: { nodeGroupName: "gpu-1", status: "ACTIVE" },
  });
  return world;
}

const command = (desired: number, group = "gpu-1") =>
  scaleCommand({ cluster: "lab", group, region: "ap-northeast-2", min: 0, max: 9, desired });

test("the command that the stack gives out scales the group", () => {
  const world = worldWithGroup();
  expect(runScaleCommand(world, command(2))).toEqual({ text: "gpu-1: 2 nodes", refused: false, seconds: 240 });
  expect(runScaleCommand(world, command(1))).toMatchObject({ text: "gpu-1: 1 node" });
  expect(runScaleCommand(world, command(0))).toEqual({ text: "gpu-1: 0 nodes", refused: false, seconds: 180 });
});

test("more nodes than the quota has vCPUs for are told, and so is a size beyond the maximum", () => {
  expect(runScaleCommand(worldWithGroup(), command(3))).toMatchObject({
    refused: true,
    text: expect.stringContaining("VcpuLimitExceeded") as unknown,
  });
  expect(runScaleCommand(worldWithGroup(), command(10))).toMatchObject({
    refused: true,
    text: expect.stringContaining("InvalidParameterException") as unknown,
  });
});

test("a command of another kind is not guessed at", () => {
  expect(runScaleCommand(worldWithGroup(), "rm -r /")).toMatchObject({ refused: true });
});
