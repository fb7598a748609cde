import { expect, test } from "vitest";
import { GpuEnvironment } from "../../../components/gpu-environment";
import {
  gpuEnvironmentProblems,
  type GpuEnvironmentArgs,
} from "../../../components/environment/gpu-environment-schema";
import { preflightRequest } from "../../../components/preflight/preflight-request";
import { readPreflightFacts } from "../../../components/preflight/preflight";
import { preflightProblems, preflightWarnings } from "../../../components/preflight/preflight-checks";
import { ofType, only, plan } from "../../support/plan";
import { brief } from "../../support/problems";

const required: GpuEnvironmentArgs = { publicAccessCidrs: ["198.51.100.7/32"] };
const keyArn = "arn:aws:kms:us-east-1:123456789012:key/01234567-89ab-cdef-0123-456789abcdef";
const gpu = { section: "gpuNodes", namePrefix: "myeks-gpu-", minSize: 0, maxSize: 2 };
const system = { section: "systemNodes", namePrefix: "myeks-system-", minSize: 1, maxSize: 4 };

test.for([
  ["by default people scale the GPU nodes", {}, [gpu]],
  ["other limits", { gpuNodes: { desiredSize: 1, minSize: 1, maxSize: 3 } }, [{ ...gpu, minSize: 1, maxSize: 3 }]],
  ["Pulumi scales them", { gpuNodes: { owner: "pulumi" } }, []],
  ["the Cluster Autoscaler scales all", { controllers: { clusterAutoscaler: { install: true } } }, [system, gpu]],
  ["people scale the system nodes", { systemNodes: { owner: "session" } }, [system, gpu]],
] as [string, object, object[]][])("the groups that others scale: %s", ([, args, expected]) => {
  expect(preflightRequest({ ...required, ...args })?.scaledGroups).toEqual(expected);
});

test("the topics of the lease", () => {
  const alarmTopicArns = ["arn:aws:sns:us-east-1:123456789012:a"];
  expect(preflightRequest({ ...required, lease: { alarmTopicArns } })?.alarmTopicArns).toEqual(alarmTopicArns);
  expect(preflightRequest(required)).not.toHaveProperty("alarmTopicArns");
});

test.for([
  ["managedNodeGroup", ["systemNodes.releaseVersion", "gpuNodes.releaseVersion"]],
  ["karpenter", ["systemNodes.releaseVersion", "gpuNodes.releaseVersion"]],
  // The fix of a release that is not published would be an argument that EKS Auto Mode refuses.
  ["autoMode", ["systemNodes.releaseVersion"]],
] as const)("with %s, the releases of its own AMIs are looked up", ([provisioner, expected]) => {
  const request = preflightRequest({ ...required, gpuNodes: { provisioner } });
  expect(request?.images?.map(({ path }) => path)).toEqual(expected);
});

test.for([
  ["a key to make", {}, { logGroupName: "/aws/eks/myeks/cluster" }],
  ["no logs", { controlPlaneLogs: [] }, {}],
  ["another name", { clusterName: "lab" }, { logGroupName: "/aws/eks/lab/cluster" }],
  ["EKS's key", { secretsKey: "none" }, { logGroupName: "/aws/eks/myeks/cluster" }],
  ["an existing key", { secretsKey: keyArn }, { logGroupName: "/aws/eks/myeks/cluster", secretsKeyArn: keyArn }],
] as [string, object, object][])("log group and key: %s", ([, args, expected]) => {
  const { logGroupName, secretsKeyArn } = preflightRequest({ ...required, ...args }) ?? {};
  expect({ ...(logGroupName && { logGroupName }), ...(secretsKeyArn && { secretsKeyArn }) }).toEqual(expected);
});

test.for([
  [{ gpuNodes: { instanceType: "g99.huge" } }, "not-allowed gpuNodes.instanceType"],
  [{ gpuNodes: { maxSize: "2" } }, "wrong-type gpuNodes.maxSize"],
  [{ gpuNodes: { taints: "x" } }, "wrong-type gpuNodes.taints"],
  [{ gpuNodes: { taints: [null, 5] } }, "wrong-type gpuNodes.taints[0]", "wrong-type gpuNodes.taints[1]"],
  [{ gpuNodes: { labels: 5 } }, "wrong-type gpuNodes.labels"],
  [{ gpuNodes: { releaseVersion: 5 } }, "wrong-type gpuNodes.releaseVersion"],
  [{ controlPlaneLogs: "api" }, "wrong-type controlPlaneLogs"],
] as [object, ...string[]][])("wrong arguments request nothing, and are reported: %j", ([args, ...problems]) => {
  expect(preflightRequest({ ...required, ...args })).toBeUndefined();
  expect(brief(gpuEnvironmentProblems({ ...required, ...args }))).toEqual(problems);
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

test("invalid arguments are a problem of the preflight, not an error", async () => {
  const request = preflightRequest({ ...required, gpuNodes: { maxSize: -1 } });
  expect(request).toBeUndefined();
  expect(await readPreflightFacts(request)).toEqual({});
  expect(brief(preflightProblems(request, {}))).toEqual(["missing the arguments"]);
  expect(brief(preflightProblems(undefined, {}, "lab"))).toEqual(["missing lab"]);
  expect(brief(preflightProblems(null as never, {}))).toEqual(["missing the arguments"]);
  expect(preflightWarnings(request, {})).toEqual([]);
});
