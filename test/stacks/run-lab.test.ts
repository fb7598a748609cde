import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { InputError } from "../../components";
import { findProject } from "../../planner/program/project";
import { stackConfig } from "../../planner/program/stack-config";
import type { Cloud } from "../../planner/record/record";
import { offlineCloud } from "../../planner/record/offline-cloud";
import { runLab } from "../../stacks/run/run-lab";
import { brief } from "../support/problems";
import { only, plan } from "../support/plan";
import { ownProject } from "../support/own-project";

const { values } = stackConfig(findProject(ownProject), "gpu-lab", []);

function clusterOf(more: Record<string, string>) {
  return plan(() => runLab({ ...values, ...more }, "gpu-lab")).then((recording) =>
    only(recording, "eks:index:Cluster"),
  );
}

test("no output gives the cause away: the hypothesis is a secret, and the fault is only on", async () => {
  const expires = new Date(Date.now() + 3600e3).toISOString();
  const config = ["fault=on", `expires=${expires}`];
  const { values: faulty } = stackConfig(findProject(ownProject), "device-plugin", config);
  let outputs: pulumi.Inputs = {};
  await plan(async () => (outputs = await runLab(faulty, "device-plugin")));
  expect(await pulumi.isSecret(outputs["hypothesis"] as pulumi.Output<string>)).toBe(true);
  expect(outputs["fault"]).toBe(`on, until ${expires}`);
});

test("a first preview warns of the documentation address", async () => {
  const recording = await plan(() => runLab(values, "gpu-lab"));
  expect(recording.diagnostics.map(({ message }) => message)).toEqual([
    expect.stringContaining("publicAccessCidrs contains 203.0.113.7/32."),
    expect.stringContaining("The lease does not send you a message"),
  ]);
});

test("new size limits give a warning, and an error if they do not allow the running nodes", async () => {
  const offline = offlineCloud("ap-northeast-2");
  const answers: Record<string, Record<string, unknown>> = {
    "aws:eks/getClusters:getClusters": { names: ["myeks"] },
    "aws:eks/getNodeGroups:getNodeGroups": { names: ["myeks-gpu-1"] },
    "aws:eks/getNodeGroup:getNodeGroup": {
      status: "ACTIVE",
      scalingConfigs: [{ desiredSize: 2, minSize: 0, maxSize: 2 }],
    },
  };
  const cloud: Cloud = {
    outputsOf: () => ({}),
    call: (token, args) => answers[token] ?? offline.call(token, args),
  };
  const lab = (maxSize: number) =>
    plan(() => runLab({ ...values, "eks-gpu-lab:gpuNodes": JSON.stringify({ maxSize }) }, "gpu-lab"), { cloud });

  // The cloud does not answer what else is compared with an existing environment.
  const ofSizes = (await lab(2)).diagnostics.filter(
    ({ message, severity }) => severity !== "info" && !message.startsWith("Preflight cannot read"),
  );
  expect(ofSizes).toHaveLength(1);
  expect((await lab(4)).diagnostics.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/myeks-gpu-1 .* from 0 and 2 to 0 and 4\./),
  );
  await expect(lab(1)).rejects.toThrow("gpuNodes.maxSize: got 1. The desired size of myeks-gpu-1 is 2.");
});

test("a key of another region is rejected, even offline", async () => {
  const secretsKey = "arn:aws:kms:us-east-1:123456789012:key/01234567-89ab-cdef-0123-456789abcdef";
  await expect(clusterOf({ "eks-gpu-lab:secretsKey": secretsKey })).rejects.toThrow(
    `secretsKey: got "${secretsKey}". The key is in us-east-1.`,
  );
});

test.for([
  ["aws:assumeRole", "arn:aws:iam::123456789012:role/a", "aws:assumeRole.roleArn"],
  ["aws:assumeRole", "3", "aws:assumeRole.roleArn"],
  ["aws:assumeRoles", '["arn:aws:iam::123456789012:role/a"]', "'aws:assumeRoles[0].roleArn'"],
  ["aws:assumeRoles", "", "'aws:assumeRoles[0].roleArn'"],
] as const)("a role to assume that cannot be read is refused with the rest: %s=%s", async ([key, got, first]) => {
  const refused = await clusterOf({ [key]: got, "eks-gpu-lab:nccl": "closed" }).catch((error: unknown) => error);
  const problems = InputError.is(refused) ? refused.problems : refused;
  expect(problems).toEqual([
    expect.objectContaining({ path: "nccl" }),
    {
      code: "wrong-type",
      path: key,
      got,
      why: "Must be an object with the role's ARN in roleArn, or a list of such objects.",
      fix: `pulumi config rm ${key} && pulumi config set --path ${first} arn:aws:iam::ACCOUNT:role/NAME`,
    },
  ]);
});

test.for([
  ["aws:assumeRole", '{"rolearn":"arn:aws:iam::123456789012:role/a"}', "unknown-key aws:assumeRole.rolearn"],
  ["aws:assumeRole", '{"roleArn":3}', "wrong-type aws:assumeRole.roleArn"],
  ["aws:assumeRoles", '[{"roleArn":"a"}]', "not-allowed aws:assumeRoles[0].roleArn"],
] as const)("a wrong role is rejected: %s=%s", async ([key, got, expected]) => {
  const refused = await clusterOf({ [key]: got }).catch((error: unknown) => error);
  expect(InputError.is(refused) && brief(refused.problems)).toEqual([expected]);
});

test.for([
  [{}, {}],
  [{ "aws:profile": "" }, {}],
  [
    { "aws:assumeRole": '{"roleArn":"arn:aws:iam::123456789012:role/a","sessionName":"s"}' },
    { roleArn: "arn:aws:iam::123456789012:role/a" },
  ],
  [{ "aws:profile": "lab" }, { profileName: "lab" }],
  [
    { "aws:assumeRole": '{"roleArn":"arn:aws:iam::123456789012:role/a"}' },
    { roleArn: "arn:aws:iam::123456789012:role/a" },
  ],
  [
    {
      "aws:profile": "lab",
      "aws:assumeRoles":
        '[{"roleArn":"arn:aws:iam::123456789012:role/a"},{"roleArn":"arn:aws:iam::123456789012:role/b"}]',
    },
    { profileName: "lab", roleArn: "arn:aws:iam::123456789012:role/b" },
  ],
] as [Record<string, string>, object | undefined][])(
  "Kubernetes objects are made with the provider's own credentials: %j",
  async ([config, expected]) => {
    expect((await clusterOf(config)).inputs["providerCredentialOpts"]).toEqual(expected);
  },
);
