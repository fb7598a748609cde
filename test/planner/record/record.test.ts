import * as pulumi from "@pulumi/pulumi";
import * as ec2 from "@pulumi/aws/ec2";
import { ConfigMap } from "@pulumi/kubernetes/core/v1";
import { expect, test } from "vitest";
import { byName, plan } from "../../support/plan";
import { unknownSentinel } from "../../../components/core/wire";

test("a recording holds parents, dependencies, unknown ids, outputs and warnings", async () => {
  const recording = await plan(async () => {
    const group = new pulumi.ComponentResource("lab:index:Group", "group", { size: 3 });
    const vpc = new ec2.Vpc("vpc", { cidrBlock: "10.0.0.0/16" }, { parent: group });
    new ec2.Subnet("subnet", { vpcId: vpc.id, cidrBlock: "10.0.0.0/24" }, { dependsOn: vpc, ignoreChanges: ["tags"] });
    await pulumi.log.warn("take care");
    return { vpcId: vpc.id, cidr: vpc.cidrBlock, password: pulumi.secret("x") };
  });

  const vpc = byName(recording, "vpc");
  const subnet = byName(recording, "subnet");
  expect(vpc.urn).toBe("urn:pulumi:test::eks-gpu-lab::lab:index:Group$aws:ec2/vpc:Vpc::vpc");
  expect(subnet.urn).toBe("urn:pulumi:test::eks-gpu-lab::aws:ec2/subnet:Subnet::subnet");
  expect(vpc.parent).toBe(byName(recording, "group").urn);
  expect(byName(recording, "group").inputs).toEqual({ size: 3 });
  expect(subnet.inputs).toEqual({ vpcId: unknownSentinel, cidrBlock: "10.0.0.0/24" });
  expect(subnet.dependencies).toEqual([vpc.urn]);
  expect(subnet.propertyDependencies).toMatchObject({ vpcId: [vpc.urn] });
  expect(subnet.options.ignoreChanges).toEqual(["tags"]);
  expect(recording.outputs).toEqual({ vpcId: unknownSentinel, cidr: "10.0.0.0/16", password: "x" });
  expect(recording.diagnostics).toEqual([{ severity: "warning", message: "take care" }]);
});

test("the name of a Kubernetes object without one is unknown, not absent", async () => {
  const { outputs } = await plan(() => {
    const metadata = { namespace: "web" };
    const generated = new ConfigMap("generated", { metadata }).metadata;
    const named = new ConfigMap("named", { metadata: { ...metadata, name: "own" } }).metadata;
    return { generated: generated.name, namespace: generated.namespace, named: named.name };
  });
  expect(outputs).toEqual({ generated: unknownSentinel, namespace: "web", named: "own" });
});

test("what the program throws comes out as it is", async () => {
  const failure = new Error("not today");
  await expect(plan(() => Promise.reject(failure))).rejects.toBe(failure);
});

test("options that shape an update are recorded", async () => {
  const recording = await plan(() => {
    const cluster = new ec2.Vpc("cluster", { cidrBlock: "10.0.0.0/16" });
    new ec2.Vpc(
      "other",
      { cidrBlock: pulumi.secret("10.1.0.0/16") },
      {
        deletedWith: cluster,
        deleteBeforeReplace: true,
        retainOnDelete: true,
        protect: true,
        customTimeouts: { create: "5m", delete: "1h" },
      },
    );
  });
  const other = byName(recording, "other");
  expect(other.options).toEqual({
    ignoreChanges: [],
    protect: true,
    deletedWith: byName(recording, "cluster").urn,
    deleteBeforeReplace: true,
    retainOnDelete: true,
    customTimeouts: { create: "5m", delete: "1h" },
  });
  expect(other.inputs).toEqual({ cidrBlock: "10.1.0.0/16" });
  expect(other.secretPaths).toEqual(["cidrBlock"]);
});

test("recordings in one process do not see each other", async () => {
  const region = async (name: string) => {
    const recording = await plan(() => ({ region: new pulumi.Config("aws").require("region") }), { region: name });
    return recording.outputs["region"];
  };
  expect(await Promise.all([region("us-east-1"), region("eu-west-1")])).toEqual(["us-east-1", "eu-west-1"]);
});

test("what a failed program still does is not in the next recording", async () => {
  const failing = () => {
    const late = async () => {
      for (let step = 0; step < 100; step++) await Promise.resolve();
      new ec2.Vpc("late", { cidrBlock: "10.0.0.0/16" });
    };
    void late();
    throw new Error("early");
  };
  await expect(plan(failing)).rejects.toThrow("early");
  const { resources } = await plan(() => new ec2.Vpc("only", { cidrBlock: "10.0.0.0/16" }));
  expect(resources.map(({ name }) => name)).toEqual(["eks-gpu-lab-test", "only"]);
});

test("a recording that does not end does not hold up others", async () => {
  let end: () => void = () => undefined;
  const waiting = plan(() => new Promise<void>((resolve) => (end = resolve)));
  const { outputs } = await plan(() => ({ stack: pulumi.getStack() }), { stack: "other" });
  expect(outputs).toEqual({ stack: "other" });
  // A recording that still runs when the worker ends fails the whole run.
  end();
  await waiting;
});
