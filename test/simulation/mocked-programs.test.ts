import * as aws from "@pulumi/aws";
import * as eks from "@pulumi/eks";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, expect, test } from "vitest";
import { loadPulumiRuntime } from "../../planner/program/pulumi-runtime";
import { mocks, type MockOptions } from "../../simulation/mocks";

const start = (options: MockOptions = {}) => pulumi.runtime.setMocks(mocks({ region: "us-west-2", ...options }));
const { settings } = loadPulumiRuntime(process.cwd());
afterEach(() => settings.waitForRPCs());

/** The value once it is known, or the error. */
function valueOf<T>(value: pulumi.Input<T>): Promise<T> {
  return (pulumi.output(value) as unknown as { promise(): Promise<T> }).promise();
}

const zonesOf = (region: string) => ["a", "b", "c"].map((letter) => `${region}${letter}`);

test("what a provider creates and looks up is in its region", async () => {
  await start({ zones: ["us-west-2a"] });
  const provider = new aws.Provider("ireland", { region: "eu-west-1" });
  const group = new pulumi.ComponentResource("test:index:Group", "group", {}, { providers: { aws: provider } });
  const vpc = new aws.ec2.Vpc("vpc", { cidrBlock: "10.0.0.0/16" }, { provider });
  const own = new aws.ec2.Vpc("own", { cidrBlock: "10.0.0.0/16", region: "eu-central-1" }, { provider });
  const child = new aws.ec2.Vpc("child", { cidrBlock: "10.0.0.0/16" }, { parent: group });
  const other = new aws.ec2.Vpc("other", { cidrBlock: "10.0.0.0/16" });
  const arns = await Promise.all([vpc, own, child, other].map(({ arn }) => valueOf(arn)));
  expect(arns.map((arn) => arn.split(":")[3])).toEqual(["eu-west-1", "eu-central-1", "eu-west-1", "us-west-2"]);
  expect((await aws.getAvailabilityZones({}, { provider })).names).toEqual(zonesOf("eu-west-1"));
  expect((await aws.getAvailabilityZones({ region: "eu-central-1" })).names).toEqual(zonesOf("eu-central-1"));
  expect((await aws.getAvailabilityZones()).names).toEqual(["us-west-2a"]);
  expect((await aws.eks.getCluster({ name: "prod" }, { provider })).arn).toMatch(/^arn:aws:eks:eu-west-1:/);
  const id = await valueOf(vpc.id);
  expect((await aws.ec2.getVpc({ id }, { provider })).arn).toBe(arns[0]);
});

test("a component of @pulumi/eks has the outputs that its resources have", async () => {
  await start();
  const cluster = new eks.Cluster("apps", { name: "apps", vpcId: "vpc-1", subnetIds: ["subnet-1", "subnet-2"] });
  expect(await valueOf(cluster.eksCluster.name)).toBe("apps");
  expect(await valueOf(cluster.core.vpcId)).toBe("vpc-1");
  expect(await valueOf(cluster.core.apply(({ cluster: { name } }) => name))).toBe("apps");
  expect(await valueOf(cluster.core.endpoint)).toMatch(/^https:.*us-west-2/);
  expect(await valueOf(cluster.core.apply(({ oidcProvider }) => oidcProvider?.arn))).toMatch(/^arn:.*oidc-provider/);
});

test("a Vpc of awsx has subnets in the zones", async () => {
  await start();
  class Vpc extends pulumi.ComponentResource {
    declare readonly vpcId: pulumi.Output<string>;
    declare readonly publicSubnetIds: pulumi.Output<string[]>;
    declare readonly privateSubnetIds: pulumi.Output<string[]>;
  }
  const outputs = { vpcId: undefined, publicSubnetIds: undefined, privateSubnetIds: undefined };
  const vpc = new Vpc("awsx:ec2:Vpc", "vpc", { ...outputs, numberOfAvailabilityZones: 2 }, {}, true);
  const vpcId = await valueOf(vpc.vpcId);
  const [open, closed] = [await valueOf(vpc.publicSubnetIds), await valueOf(vpc.privateSubnetIds)];
  expect(vpcId).toMatch(/^vpc-/);
  expect(new Set([...open, ...closed]).size).toBe(4);
  expect(await aws.ec2.getSubnet({ id: String(closed[1]) })).toMatchObject({ vpcId, availabilityZone: "us-west-2b" });
});

test("lookups that programs await have an answer, or the error says what to set", async () => {
  await start();
  expect((await aws.ec2.getAmi({ mostRecent: true })).id).toMatch(/^ami-/);
  const statements = [{ actions: ["s3:GetObject"], resources: ["*"] }];
  expect((await aws.iam.getPolicyDocument({ statements })).json).toContain('"s3:GetObject"');
  await expect(aws.ec2.getVpc({ default: true })).rejects.toThrow(
    /no matching EC2 VPC found\nfix: .* answer aws:ec2\/getVpc:getVpc in a call\(\) that wraps the call\(\) of mocks\(\)/,
  );
});

test("transformations run, and Pulumi refuses transforms in unit tests", async () => {
  await start();
  const tags = { team: "ml" };
  const transformation: pulumi.ResourceTransformation = ({ props, opts }) => ({ props: { ...props, tags }, opts });
  const bucket = new aws.s3.Bucket("old", {}, { transformations: [transformation] });
  expect(await valueOf(bucket.tags)).toEqual(tags);
  expect(() => {
    pulumi.runtime.registerResourceTransform(({ props: given, opts }) => ({ props: given, opts }));
  }).toThrow("does not support transforms");
});
