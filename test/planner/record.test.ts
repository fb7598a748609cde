import * as pulumi from "@pulumi/pulumi";
import * as ec2 from "@pulumi/aws/ec2";
import { expect, test } from "vitest";
import { byName, plan } from "../support/plan";
import { unknownSentinel } from "../../planner/wire";

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
