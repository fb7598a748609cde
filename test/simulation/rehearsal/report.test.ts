import { expect, test } from "vitest";
import type { RehearsedStep } from "../../../simulation/rehearsal/rehearse";
import { renderEnd, renderStep } from "../../../simulation/rehearsal/report";

const plain = { colors: false, columns: 80 };

const step: RehearsedStep = {
  title: "on: NCCL blocked",
  command: "pulumi config set --path nccl blocked && pulumi up",
  succeeded: true,
  changes: [
    { op: "delete", type: "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", name: "lab-node", paths: [] },
    { op: "update", type: "aws:eks/nodeGroup:NodeGroup", name: "lab-gpu", paths: ["labels.a", "version"] },
    { op: "create-replacement", type: "kubernetes:helm.sh/v3:Release", name: "lab-op", paths: [] },
  ],
  remarks: [],
  outputs: {},
  seconds: 3,
  secondsOnAws: 130,
};

test("a step shows its command and each change", () => {
  expect(renderStep(step, 3, plain)).toMatchInlineSnapshot(`
    "3. on: NCCL blocked  ok
       $ pulumi config set --path nccl blocked && pulumi up
       1 deleted, 1 changed, 1 made; usually 2 minutes on AWS
         - vpc SecurityGroupIngressRule lab-node
         ~ eks NodeGroup lab-gpu: labels.a, version
         + helm.sh Release lab-op
    "
  `);
});

test("many changes are counted by type", () => {
  const subnets = Array.from({ length: 13 }, (_, n) => ({
    ...{ op: "create", type: "aws:ec2/subnet:Subnet", name: `s${n}`, paths: [] },
  }));
  const text = renderStep({ ...step, changes: subnets }, 2, plain);
  expect(text).toContain("13 made; usually 2 minutes on AWS");
  expect(text).toContain("+ ec2 Subnet × 13");
  expect(text).not.toContain("s12");
});

test("a failed step says why, in lines that fit", () => {
  const remarks = [`creating the cluster: ${"ResourceInUseException ".repeat(8)}`];
  const text = renderStep({ ...step, succeeded: false, changes: [], remarks, secondsOnAws: 0 }, 1, plain);
  expect(text).toMatch(/^1\. on: NCCL blocked {2}failed\n/);
  expect(text).toContain("ResourceInUseException");
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
});

test("a step that changes nothing says so, and the first shows what the lab costs", () => {
  const outputs = { costAtRest: "0.28 USD per hour", kubeconfig: "[secret]", clusterName: "lab" };
  const text = renderStep({ ...step, changes: [], secondsOnAws: 0, outputs }, 1, plain);
  expect(text).toContain("no changes\n");
  expect(text).toContain("costAtRest: 0.28 USD per hour");
  expect(text).not.toContain("secret");
});

test("the end says whether the lab goes without a trace", () => {
  const rehearsal = {
    ...{ stack: "gpu-lab", notes: [], unsimulated: ["aws:s3/bucket:Bucket"], steps: [step], left: [] },
    ...{ succeeded: true, interrupted: false },
  };
  expect(renderEnd(rehearsal, plain)).toMatchInlineSnapshot(`
    "note: aws:s3/bucket:Bucket is not simulated: it answers nothing
    rehearsed: gpu-lab comes up, takes its switches on and off, and goes without a
    trace; 2 minutes of waiting on AWS
    "
  `);
  const left = Array.from({ length: 13 }, (_, n) => `aws:ec2/vpc:Vpc vpc-${n}`);
  const destroyed = { ...step, command: "pulumi destroy" };
  expect(renderEnd({ ...rehearsal, steps: [destroyed], left, succeeded: false }, { ...plain, columns: 500 })).toContain(
    "left behind: aws:ec2/vpc:Vpc vpc-0, aws:ec2/vpc:Vpc vpc-1,",
  );
  expect(renderEnd({ ...rehearsal, steps: [destroyed], left, succeeded: false }, plain)).toContain("1 more\n");
});

test("what is there when a rehearsal stops early is counted: it is gone with the simulated account", () => {
  const left = ["aws:ec2/vpc:Vpc vpc-1", "aws:eks/cluster:Cluster lab"];
  const rehearsal = { stack: "gpu-lab", notes: [], unsimulated: [], steps: [step], left, succeeded: false };
  expect(renderEnd({ ...rehearsal, interrupted: true }, plain)).toMatch(/\ninterrupted at step 1\n$/);
  expect(renderEnd({ ...rehearsal, interrupted: false }, plain)).toBe(
    "2 objects were there when it stopped; they are gone with the simulated account\nthe rehearsal failed at step 1\n",
  );
});
