import * as assert from "node:assert/strict";
import { before, test } from "node:test";
import * as pulumi from "@pulumi/pulumi";
import { GpuEnvironment, InputError } from "eks-gpu-lab";
import { mocks } from "eks-gpu-lab/testing";

const publicAccessCidrs = ["198.51.100.7/32"];
const nodeGroups: Record<string, unknown>[] = [];

before(async () => {
  const { newResource, call } = mocks({ region: "eu-west-1" });
  await pulumi.runtime.setMocks({
    newResource: (args) => {
      if (args.type === "aws:eks/nodeGroup:NodeGroup") nodeGroups.push(args.inputs);
      return newResource(args);
    },
    call,
  });
  pulumi.runtime.setAllConfig({
    "project:publicAccessCidrs": JSON.stringify(publicAccessCidrs),
    "project:maxSize": "2",
  });
});

function valueOf<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply(resolve));
}

test("no GPU node runs before a session", async () => {
  const program = await import("./index.js");
  const name = await valueOf(program.gpuNodeGroupName);
  const gpuNodes = nodeGroups.find(({ nodeGroupNamePrefix }) => name.startsWith(String(nodeGroupNamePrefix)));
  assert.deepEqual(gpuNodes?.["scalingConfig"], { desiredSize: 0, minSize: 0, maxSize: 2 });
  assert.equal(await valueOf(program.region), "eu-west-1");
});

test("an invalid argument is rejected", () => {
  assert.throws(() => new GpuEnvironment("wrong", { publicAccessCidrs, gpuNodes: { maxSize: 0 } }), InputError);
});
