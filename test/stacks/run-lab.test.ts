import { expect, test } from "vitest";
import { findProject } from "../../planner/program/project";
import { stackConfig } from "../../planner/program/stack-config";
import { runLab } from "../../stacks/run-lab";
import { only, plan } from "../support/plan";

const { values } = stackConfig(findProject(process.cwd()), "gpu-lab", []);

function clusterOf(more: Record<string, string>) {
  return plan(() => runLab({ ...values, ...more }, "gpu-lab")).then((recording) =>
    only(recording, "eks:index:Cluster"),
  );
}

test("a first preview warns of the documentation address", async () => {
  const recording = await plan(() => runLab(values, "gpu-lab"));
  expect(recording.diagnostics.map(({ message }) => message)).toEqual([
    expect.stringContaining("publicAccessCidrs holds 203.0.113.7/32."),
  ]);
});

test.for([
  [{}, undefined],
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
