import { describe, expect, test } from "vitest";
import { eksKinds } from "../../simulation/aws/eks";
import { awsKinds } from "../../simulation/aws";
import { kubernetesKinds } from "../../simulation/kubernetes";
import { simulatedWorld } from "../../simulation/simulated-world";
import { runningClock } from "../../simulation/world/clock";

describe("the simulated world", () => {
  test("knows each type once", () => {
    const types = [...awsKinds, ...eksKinds, ...kubernetesKinds].map(({ type }) => type);
    expect(types.filter((type, index) => types.indexOf(type) !== index)).toEqual([]);
  });

  test("refers to types that it knows", () => {
    const kinds = [...awsKinds, ...eksKinds, ...kubernetesKinds];
    const known = new Set(kinds.map(({ type }) => type));
    const unknown = kinds.flatMap(({ type, references = [] }) =>
      references.filter(({ to }) => !known.has(to)).map(({ to }) => `${type} -> ${to}`),
    );
    expect(unknown).toEqual([]);
  });

  test("is empty, and has the account that is asked for", () => {
    const world = simulatedWorld({ account: { gpuVcpuQuota: 96 }, clock: runningClock(1) });
    expect(world.objects).toEqual([]);
    expect(world.account).toMatchObject({ gpuVcpuQuota: 96, region: "ap-northeast-2" });
  });

  test("answers provider functions", () => {
    const world = simulatedWorld();
    expect(world.call("aws:index/getPartition:getPartition", {})).toMatchObject({ partition: "aws" });
    expect([...world.unmodelled]).toEqual([]);
  });
});
