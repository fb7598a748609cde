import { describe, expect, test } from "vitest";
import type { Rehearsal } from "../../../simulation/rehearsal/rehearse";
import type { RehearsedStep } from "../../../simulation/rehearsal/step";
import { renderEnd, renderStep } from "../../../simulation/rehearsal/report";

const plain = { colors: false, columns: 80 };

const step: RehearsedStep = {
  title: "change: NCCL blocked",
  command: "pulumi config set --path nccl blocked && pulumi up",
  succeeded: true,
  changes: [
    { op: "delete", type: "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", name: "lab-node", paths: [] },
    { op: "update", type: "aws:eks/nodeGroup:NodeGroup", name: "lab-gpu", paths: ["labels.a", "version"] },
    { op: "create-replacement", type: "kubernetes:helm.sh/v3:Release", name: "lab-op", paths: [] },
  ],
  remarks: [],
  outputs: {},
  secondsOnAws: 130,
};

test("a step shows its command and its changes", () => {
  expect(renderStep(step, 3, plain)).toMatchInlineSnapshot(`
    "3. change: NCCL blocked  ok
       $ pulumi config set --path nccl blocked && pulumi up
       1 deleted, 1 updated, 1 created; about 2 minutes on AWS
         - vpc SecurityGroupIngressRule lab-node
         ~ eks NodeGroup lab-gpu: labels.a, version
         + helm.sh Release lab-op
    "
  `);
});

test("more than 12 changes are counted by type", () => {
  const changes = Array.from({ length: 13 }, (_, n) => ({
    ...{ op: "create", type: "aws:ec2/subnet:Subnet", name: `s${n}`, paths: [] },
  }));
  expect(renderStep({ ...step, changes }, 2, plain)).toMatchInlineSnapshot(`
    "2. change: NCCL blocked  ok
       $ pulumi config set --path nccl blocked && pulumi up
       13 created; about 2 minutes on AWS
         + ec2 Subnet × 13
    "
  `);
});

test("a failed step shows its errors in lines that fit", () => {
  const remarks = [`creating the cluster: ${"ResourceInUseException ".repeat(8)}`];
  const text = renderStep({ ...step, succeeded: false, changes: [], remarks, secondsOnAws: 0 }, 1, plain);
  expect(text).toMatch(/^1\. change: NCCL blocked {2}failed\n/);
  expect(text).toContain("ResourceInUseException");
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
});

test("the first step shows the costs of the lab, and a step without changes says so", () => {
  const outputs = { costAtRest: "0.28 USD per hour", kubeconfig: "[secret]", clusterName: "lab" };
  expect(renderStep({ ...step, changes: [], secondsOnAws: 0, outputs }, 1, plain)).toMatchInlineSnapshot(`
    "1. change: NCCL blocked  ok
       $ pulumi config set --path nccl blocked && pulumi up
       no changes
         costAtRest: 0.28 USD per hour
    "
  `);
});

describe("the end of the report", () => {
  const rehearsal: Rehearsal = {
    ...{ stack: "gpu-lab", notes: [], unsimulated: ["aws:s3/bucket:Bucket"], steps: [step], left: [] },
    ...{ succeeded: true, interrupted: false },
  };
  const destroyed = [{ ...step, command: "pulumi destroy", secondsOnAws: 20 }];
  const left = Array.from({ length: 13 }, (_, n) => `aws:ec2/vpc:Vpc vpc-${n}`);
  const wide = { ...plain, columns: 500 };

  test.for<[string, Partial<Rehearsal>]>([
    ["a success", {}],
    ["a short success", { steps: destroyed, unsimulated: [] }],
    ["objects that destroy did not delete", { steps: destroyed, left, succeeded: false }],
    ["a failed step", { left: left.slice(0, 2), succeeded: false }],
    ["an interruption", { left: left.slice(0, 2), succeeded: false, interrupted: true }],
  ])("%s", ([, over]) => {
    expect(renderEnd({ ...rehearsal, ...over }, wide)).toMatchSnapshot();
  });

  test("says that sessions of a NodePool are left out", () => {
    const text = renderEnd({ ...rehearsal, unsimulated: ["kubernetes:karpenter.sh/v1:NodePool"] }, wide);
    expect(text).toContain("note: sessions are left out, because a NodePool starts its nodes inside the cluster");
    expect(renderEnd(rehearsal, wide)).not.toContain("sessions are left out");
  });

  test("fits the terminal", () => {
    const text = renderEnd({ ...rehearsal, steps: destroyed, left, succeeded: false }, plain);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});
