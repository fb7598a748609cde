import { getLogGroup } from "@pulumi/aws/cloudwatch";
import { getRepository } from "@pulumi/aws/ecr";
import { getVpc, Vpc as AwsVpc } from "@pulumi/aws/ec2";
import * as eks from "@pulumi/aws/eks";
import { getCallerIdentity } from "@pulumi/aws/getCallerIdentity";
import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, describe, expect, test } from "vitest";
import * as library from "../../components";
import { loadPulumiRuntime } from "../../planner/program/pulumi-runtime";
import { mocks, type MockOptions } from "../../simulation/mocks";
import { components } from "../support/valid-arguments";

type Component = new (name: string, args: object, opts: pulumi.ComponentResourceOptions) => pulumi.ComponentResource;

/** Faults can be injected only in a lab stack. */
const start = (options?: MockOptions) => pulumi.runtime.setMocks(mocks(options), "project", "gpu-lab");

const { settings } = loadPulumiRuntime(process.cwd());

/** What a test has not finished fails once the next one sets its mocks. */
afterEach(() => settings.waitForRPCs());

/** The value, once it is known. */
function valueOf<T>(value: pulumi.Input<T>): Promise<T> {
  return new Promise((resolve) => pulumi.output(value).apply((known) => resolve(known as T)));
}

function make(name: string, args: object): pulumi.ComponentResource {
  const provider = new kubernetes.Provider("cluster", { kubeconfig: pulumi.secret("{}") });
  const constructor = library[name as keyof typeof library] as unknown as Component;
  return new constructor("made", args, { provider });
}

/** The outputs that only some arguments set. */
const optional = [
  "ClusterAutoscaler.release",
  "EksCluster.autoModeNodeRoleName",
  "GpuEnvironment.gpuNodePool",
  "GpuEnvironment.gpuOperator",
  "GpuEnvironment.lease",
  "GpuEnvironment.monitoring",
  "GpuEnvironment.nodePoolLease",
  "GpuProbe.cronJobName",
  "Karpenter.release",
  "LabLease.sessionHours",
  "LoadBalancerController.release",
];

/** The properties without a value, with their path. */
async function missingIn(value: unknown, path: string): Promise<string[]> {
  const known: unknown = await valueOf(value);
  if (known === undefined) return [path];
  if (typeof known !== "object" || known === null || pulumi.Resource.isInstance(known)) return [];
  const entries = Object.entries(known).filter(([key]) => !key.startsWith("__"));
  return (await Promise.all(entries.map(([key, inner]) => missingIn(inner, `${path}.${key}`)))).flat();
}

describe.for(components)("%s", ([name, args]) => {
  test("is created, and each of its outputs has a value", async () => {
    await start();
    const made = make(name, args);
    const outputs = Object.entries(made).filter(([key]) => !key.startsWith("__"));
    const missing = outputs.map(([key, value]) => missingIn(value, `${name}.${key}`));
    expect((await Promise.all(missing)).flat().filter((path) => !optional.includes(path))).toEqual([]);
    expect(outputs.length).toBeGreaterThan(1);
  });

  test("rejects an unknown argument", async () => {
    await start();
    expect(() => make(name, { ...args, tagz: {} })).toThrow(library.InputError);
  });
});

const publicAccessCidrs = ["198.51.100.7/32"];

test("the region, the zones and the account are in the outputs", async () => {
  await start({ region: "eu-west-1", zones: ["eu-west-1b", "eu-west-1c", "eu-west-1a"], account: "210987654321" });
  const { outputs } = new library.GpuEnvironment("lab", { publicAccessCidrs });
  expect(await valueOf(outputs.region)).toBe("eu-west-1");
  expect(await valueOf(outputs.account)).toBe("210987654321");
  expect(await valueOf(outputs.gpuSubnetAz)).toBe("eu-west-1b");
  expect((await getCallerIdentity()).arn).toBe("arn:aws:iam::210987654321:user/learner");
});

test("a wrong region is rejected, and a Helm release has a name and a namespace", async () => {
  expect(() => mocks({ region: "nope" })).toThrow('region: got "nope". Must be the name of an AWS region.');
  await start();
  const { status } = new kubernetes.helm.v3.Release("operator", { chart: "gpu-operator" });
  expect(await valueOf(status)).toMatchObject({ name: "operator", namespace: "default", status: "deployed" });
});

test("the defaults are an account in Seoul", async () => {
  await start();
  const { zones } = new library.Vpc("lab", {});
  expect(await valueOf(zones)).toEqual(["a", "b", "c"].map((letter) => `ap-northeast-2${letter}`));
  expect((await getCallerIdentity()).accountId).toBe("123456789012");
});

test("an existing cluster has every name, and the cluster of the test has its own outputs", async () => {
  await start({ account: "210987654321" });
  expect(await eks.getCluster({ name: "prod" })).toMatchObject({
    arn: "arn:aws:eks:ap-northeast-2:210987654321:cluster/prod",
    roleArn: expect.stringMatching(/^arn:aws:iam::210987654321:role\//) as string,
    vpcConfig: { vpcId: "vpc-0123456789abcdef0" },
  });
  const cluster = new eks.Cluster("own", { name: "own", version: "1.34", roleArn: "r", vpcConfig: { subnetIds: [] } });
  expect(await eks.getCluster({ name: await valueOf(cluster.name) })).toMatchObject({ version: "1.34" });
});

test("a cluster of @pulumi/eks has its outputs, whatever its arguments", async () => {
  await start();
  const { Cluster } = await import("@pulumi/eks");
  const cluster = new Cluster("apps", { name: "apps", instanceType: "m7i.large", subnetIds: ["subnet-1", "subnet-2"] });
  const made = await valueOf(pulumi.all([cluster.kubeconfig, cluster.clusterSecurityGroupId, cluster.oidcProviderArn]));
  expect(made).toEqual([
    expect.objectContaining({ kind: "Config" }),
    expect.stringMatching(/^sg-/),
    expect.stringMatching(/^arn:aws:iam::123456789012:oidc-provider\/oidc\.eks\./),
  ]);
  expect(await eks.getCluster({ name: "apps" })).toMatchObject({ vpcConfig: { subnetIds: ["subnet-1", "subnet-2"] } });
});

test("an imported resource keeps its id, and a secret argument stays secret", async () => {
  await start();
  const id = "vpc-0123456789abcdef0";
  const vpc = new AwsVpc("existing", { cidrBlock: "10.0.0.0/16" }, { import: id });
  expect(await valueOf(vpc.arn)).toBe(`arn:aws:ec2:ap-northeast-2:123456789012:vpc/${await valueOf(vpc.id)}`);
  expect(await getVpc({ id })).toMatchObject({ id, cidrBlock: "10.0.0.0/16" });
  const secret = new kubernetes.core.v1.Secret("token", { stringData: { token: pulumi.secret("hunter2") } });
  expect(await valueOf(secret.stringData)).toEqual({ token: "hunter2" });
  expect(await pulumi.isSecret(secret.stringData)).toBe(true);
});

test("the reason of a failed lookup is in its error, and an unknown lookup returns its arguments", async () => {
  await start();
  await expect(getLogGroup({ name: "/none" })).rejects.toThrow("The specified log group does not exist.");
  expect(await getRepository({ name: "inference" })).toEqual({ name: "inference" });
});
