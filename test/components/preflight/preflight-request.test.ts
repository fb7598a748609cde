import { expect, test } from "vitest";
import { GpuEnvironment } from "../../../components/gpu-environment";
import type { GpuEnvironmentArgs } from "../../../components/environment/gpu-environment-args";
import { preflightRequest } from "../../../components/preflight/preflight-request";
import { ofType, only, plan } from "../../support/plan";

const required: GpuEnvironmentArgs = { publicAccessCidrs: ["198.51.100.7/32"] };
const gpu = { section: "gpuNodes", namePrefix: "myeks-gpu-", minSize: 0, maxSize: 2 };
const system = { section: "systemNodes", namePrefix: "myeks-system-", minSize: 1, maxSize: 4 };

test.for([
  ["by default people scale the GPU nodes", {}, [gpu]],
  ["limits of one's own", { gpuNodes: { minSize: 1, maxSize: 3 } }, [{ ...gpu, minSize: 1, maxSize: 3 }]],
  ["Pulumi scales them", { gpuNodes: { owner: "pulumi" } }, []],
  ["the Cluster Autoscaler scales all", { controllers: { clusterAutoscaler: { install: true } } }, [system, gpu]],
  ["people scale the system nodes", { systemNodes: { owner: "session" } }, [system, gpu]],
  ["limits that are no numbers", { gpuNodes: { maxSize: "2" } }, []],
] as [string, object, object[]][])("the groups that others scale: %s", ([, args, expected]) => {
  expect(preflightRequest({ ...required, ...args })?.scaledGroups).toEqual(expected);
});

test.for([
  ["a key to make", {}, { logGroupName: "/aws/eks/myeks/cluster" }],
  ["no logs", { controlPlaneLogs: [] }, {}],
  ["logs that are no list", { controlPlaneLogs: "api" }, {}],
  ["another name", { clusterName: "lab" }, { logGroupName: "/aws/eks/lab/cluster" }],
  ["EKS's key", { secretsKey: "none" }, { logGroupName: "/aws/eks/myeks/cluster" }],
  [
    "an existing key",
    { secretsKey: "arn:aws:kms:us-east-1:123456789012:key/x" },
    { logGroupName: "/aws/eks/myeks/cluster", secretsKeyArn: "arn:aws:kms:us-east-1:123456789012:key/x" },
  ],
] as [string, object, object][])("log group and key: %s", ([, args, expected]) => {
  const { logGroupName, secretsKeyArn } = preflightRequest({ ...required, ...args }) ?? {};
  expect({ ...(logGroupName && { logGroupName }), ...(secretsKeyArn && { secretsKeyArn }) }).toEqual(expected);
});

test("arguments that are too wrong to tell ask for nothing", () => {
  expect(preflightRequest({ ...required, gpuNodes: { instanceType: "g99.huge" } })).toBeUndefined();
});

test("the names are those of what the environment makes, and its log group always has a Name", async () => {
  const tags = { Name: "mine" };
  const recording = await plan(
    () => new GpuEnvironment("lab", { ...required, systemNodes: { owner: "session" }, tags }),
  );
  const request = preflightRequest({ ...required, systemNodes: { owner: "session" } });
  const { inputs } = only(recording, "aws:cloudwatch/logGroup:LogGroup");
  expect(inputs["name"]).toBe(request?.logGroupName);
  expect(inputs["tags"]).toHaveProperty("Name");
  const prefixes = ofType(recording, "aws:eks/nodeGroup:NodeGroup").map((group) => group.inputs["nodeGroupNamePrefix"]);
  expect(prefixes.sort()).toEqual(request?.scaledGroups?.map(({ namePrefix }) => namePrefix).sort());
});
