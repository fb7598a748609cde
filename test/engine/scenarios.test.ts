import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { TestWorkspace } from "../support/test-workspace";
import { togglesOf } from "../../stacks/run/lab";
import { labs } from "../../stacks/labs";
import { cloudChanges, describeEngine, ownAddress, reversed, sharedWorkspace, succeeding } from "./support/engine";
import { expectNoOrphan } from "./support/cloud-and-state";

/** Types of resources that contain a kubeconfig. */
const holders = [
  "pulumi:pulumi:Stack",
  "eks-gpu-lab:index:EksCluster",
  "eks:index:Cluster",
  "pulumi:providers:kubernetes",
];

/** The resources of the state, without secrets, which are encrypted differently each time. */
async function inputsOf(workspace: TestWorkspace): Promise<unknown> {
  const { deployment } = await workspace.exportState();
  const inputs = (deployment.resources ?? []).map((resource) => [resource.urn, resource.inputs]);
  return JSON.parse(JSON.stringify(inputs, (key, value: unknown) => (key === "ciphertext" ? "" : value)));
}

/** The policies of each IAM role in the state. They are attached after the role is created. */
async function policiesOfRoles(workspace: TestWorkspace): Promise<unknown[]> {
  const { deployment } = await workspace.exportState();
  const roles = (deployment.resources ?? []).filter(({ type }) => type === "aws:iam/role:Role");
  return roles.map(({ outputs }) => [outputs?.["managedPolicyArns"], outputs?.["inlinePolicies"]].flat());
}

// All tests of a lab use one stack. Each test continues where the previous one ended.
describeEngine("the base environment on the engine", () => {
  const stack = "gpu-lab";
  const shared = sharedWorkspace({ stack });
  const files = () => [readFileSync("Pulumi.yaml", "utf8"), ...readdirSync("stacks")];
  const before = files();

  test("a preview of an empty stack plans all creates and changes nothing", async () => {
    const preview = await succeeding(shared.current.preview());
    expect(new Set(preview.steps.map(({ op }) => op))).toEqual(new Set(["create"]));
    expect(shared.current.cloud.objects).toEqual([]);
  });

  test("up creates what the preview planned", async () => {
    const up = await succeeding(shared.current.up());
    expect(new Set(up.steps.map(({ op }) => op))).toEqual(new Set(["create"]));
    await expectNoOrphan(shared.current);
  });

  test("the simulation has a model for every resource of the stack", () => {
    expect([...shared.current.cloud.unsimulated]).toEqual([]);
  });

  test("a second preview has no changes", async () => {
    await succeeding(shared.current.preview({ expectNoChanges: true }));
  });

  test("a refresh reads derived outputs, changes no input, and leads to no changes", async () => {
    const before = await inputsOf(shared.current);
    expect(await policiesOfRoles(shared.current)).toContainEqual([]);
    await succeeding(shared.current.refresh({ expectNoChanges: true }));
    expect(await inputsOf(shared.current)).toEqual(before);
    expect(await policiesOfRoles(shared.current)).not.toContainEqual([]);
    await succeeding(shared.current.preview({ expectNoChanges: true }));
  });

  test("the state contains no secret in plain text", async () => {
    const { deployment } = await shared.current.exportState();
    const texts = (deployment.resources ?? []).map((resource) => [resource.type, JSON.stringify(resource)] as const);
    const types = (pattern: RegExp) => texts.filter(([, text]) => pattern.test(text)).map(([type]) => type);
    expect(types(/certificate-authority-data|client-key-data|\W(token|password)\\*":/i)).toEqual([]);
    expect(types(/"kubeconfig":\{[^}]*"ciphertext"/)).toEqual(expect.arrayContaining(holders));
  });

  test.each(togglesOf(labs[stack], new Date()))("$name, and back", async ({ config, changes }) => {
    const workspace = shared.current;
    workspace.configure([ownAddress, ...config]);
    expect(cloudChanges(await succeeding(workspace.preview()))).toEqual([...changes].sort());
    expect(cloudChanges(await succeeding(workspace.up()))).toEqual([...changes].sort());
    workspace.configure([ownAddress]);
    expect(cloudChanges(await succeeding(workspace.up()))).toEqual(reversed(changes));
    await succeeding(workspace.preview({ expectNoChanges: true, refresh: true }));
  });

  test("destroy succeeds and leaves nothing behind", async () => {
    const destroy = await succeeding(shared.current.destroy());
    expect(new Set(destroy.steps.map(({ op }) => op))).toEqual(new Set(["delete"]));
    expect(shared.current.cloud.objects).toEqual([]);
    expect((await shared.current.exportState()).deployment.resources ?? []).toEqual([]);
  });

  test("the project is unchanged", () => expect(files()).toEqual(before));
});
