import * as vars from "@pulumi/aws/config/vars";
import { expect, test } from "vitest";
import { foreignKeyProblems } from "../../stacks/run/foreign-keys";
import { readLabConfig } from "../../stacks/run/lab-config";

const problems = (all: Readonly<Record<string, string>>) =>
  foreignKeyProblems(all, "eks-gpu-lab", ["fault", "gpuNodes"]).map(({ path, fix }) => `${path}: ${fix}`);

test.for([
  ["eks-gpu-labs:fault", "rename eks-gpu-labs:fault to eks-gpu-lab:fault"],
  ["eks-gpulab:fault", "rename eks-gpulab:fault to eks-gpu-lab:fault"],
  ["EKS-GPU-Lab:fault", "rename EKS-GPU-Lab:fault to eks-gpu-lab:fault"],
  ["eks-gpu-labs:gpuNode", "rename eks-gpu-labs:gpuNode to eks-gpu-lab:gpuNodes"],
  ["eks-gpu-labs:other", "rename eks-gpu-labs:other to eks-gpu-lab:other"],
  ["gpu-lab:fault", "rename gpu-lab:fault to eks-gpu-lab:fault"],
  ["my-eks-gpu-lab:gpuNodes", "rename my-eks-gpu-lab:gpuNodes to eks-gpu-lab:gpuNodes"],
  ["aws:regoin", "rename aws:regoin to aws:region"],
  ["aws:defaultTag", "rename aws:defaultTag to aws:defaultTags"],
  ["aws:sharedCredentialFiles", "rename aws:sharedCredentialFiles to aws:sharedCredentialsFiles"],
  ["kubernetes:kubeConfig", "rename kubernetes:kubeConfig to kubernetes:kubeconfig"],
  ["kubernetes:enableServersideApply", "rename kubernetes:enableServersideApply to kubernetes:enableServerSideApply"],
  ["asw:region", "rename asw:region to aws:region"],
  ["kubernets:context", "rename kubernets:context to kubernetes:context"],
] as const)("%s resembles a key", ([key, fix]) => {
  expect(problems({ [key]: "x" })).toEqual([`${key}: ${fix}`]);
});

test.for([
  ...["aws:region", "aws:assumeRole", "aws:assumeRoles", "aws:profile", "kubernetes:context", "eks-gpu-lab:anything"],
  ...["aws-native:region", "eks:anything", "tls:proxy", "pulumi:tags", "pulumi:disable-default-providers"],
  ...["random:fault", "gpu-lab:other", "aws:somethingQuiteDifferent", "shop:fault"],
])("%s is accepted", (key) => {
  expect(problems({ [key]: "x" })).toEqual([]);
});

test("the value of a provider's key is not shown", () => {
  const [problem] = foreignKeyProblems({ "aws:secretKeys": "hunter2" }, "eks-gpu-lab", []);
  expect(problem?.path).toBe("aws:secretKeys");
  expect(JSON.stringify(problem)).not.toContain("hunter2");
});

test("the keys are those that the SDK of AWS exports", () => {
  for (const key of Object.keys(vars).filter((name) => !["__esModule", "default"].includes(name))) {
    expect(problems({ [`aws:${key}`]: "x" })).toEqual([]);
  }
});

test("a lab is rejected", () => {
  const { problems: found } = readLabConfig({ "eks-gpu-labs:fault": "on", "aws:regoin": "us-east-1" }, "gpu-lab");
  expect(found.map(({ code, path }) => [code, path])).toEqual(
    expect.arrayContaining([
      ["unknown-key", "eks-gpu-labs:fault"],
      ["unknown-key", "aws:regoin"],
    ]),
  );
});
