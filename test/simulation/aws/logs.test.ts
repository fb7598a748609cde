import { expect, test } from "vitest";
import { unknownSentinel } from "../../../components/core/wire";
import { logGroup } from "../../../simulation/aws/cloudwatch";
import { types } from "../../../simulation/aws/types";
import { answer, newCloud, put } from "./support";

test("a log group's id is its name", async () => {
  const group = await newCloud().create(types.logGroup, { name: "/aws/eks/lab/cluster", retentionInDays: 7 });
  expect(group.id).toBe("/aws/eks/lab/cluster");
  expect(group.computed).toEqual({
    region: "ap-northeast-2",
    tagsAll: {},
    logGroupClass: "STANDARD",
    arn: "arn:aws:logs:ap-northeast-2:123456789012:log-group:/aws/eks/lab/cluster",
  });
});

test.for([
  [{ name: "/aws/eks/lab/cluster" }, "ResourceAlreadyExistsException: The specified log group already exists"],
  [{ namePrefix: "/aws/vpc/lab/flow-logs-" }, "done"],
  [
    { name: "my logs" },
    String.raw`InvalidParameterException: 1 validation error detected: Value 'my logs' at 'logGroupName' failed to satisfy constraint: Member must satisfy regular expression pattern: [\.\-_/#A-Za-z0-9]+`,
  ],
] as const)("%o: %s", async ([inputs, expected]) => {
  const cloud = newCloud();
  await cloud.create(types.logGroup, { name: "/aws/eks/lab/cluster" });
  expect(await answer(cloud.create(types.logGroup, inputs))).toBe(expected);
});

test("the provider checks the retention", () => {
  const failing = (retentionInDays: unknown) => logGroup.check?.({ retentionInDays }).map(({ property }) => property);
  for (const days of [0, 7, 365, undefined, unknownSentinel]) expect(failing(days)).toEqual([]);
  expect(failing(8)).toEqual(["retentionInDays"]);
});

test("a tag requires its Auto Scaling group and is deleted with it", async () => {
  const cloud = newCloud();
  const inputs = { autoscalingGroupName: "eks-gpu", tag: { key: "tier", value: "gpu", propagateAtLaunch: false } };
  expect(await answer(cloud.create(types.autoscalingTag, inputs))).toBe(
    "ValidationError: AutoScalingGroup not found - AutoScaling Group eks-gpu not found",
  );
  put(cloud, types.autoscalingGroup, "eks-gpu", { name: "eks-gpu" });
  const tag = await cloud.create(types.autoscalingTag, inputs);
  expect(tag.id).toBe("eks-gpu,tier");
  cloud.remove(types.autoscalingGroup, "eks-gpu");
  expect(cloud.objects).toEqual([]);
});
