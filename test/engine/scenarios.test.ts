import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Workspace } from "../../simulation/pulumi/workspace";
import { switchesOf } from "../../stacks/run/lab";
import { labs } from "../../stacks/labs";
import { cloudChanges, describeEngine, ownAddress, reversed, sharedWorkspace, succeeding } from "./support/engine";
import { expectNoOrphan } from "./support/cloud-and-state";

/** What keeps a kubeconfig. */
const holders = [
  "pulumi:pulumi:Stack",
  "eks-gpu-lab:index:EksCluster",
  "eks:index:Cluster",
  "pulumi:providers:kubernetes",
];

/** What the state has of each resource that the program asked for; a secret is encrypted anew each time. */
async function inputsOf(workspace: Workspace): Promise<unknown> {
  const { deployment } = await workspace.exportState();
  const inputs = (deployment.resources ?? []).map((resource) => [resource.urn, resource.inputs]);
  return JSON.parse(JSON.stringify(inputs, (key, value: unknown) => (key === "ciphertext" ? "" : value)));
}

/** The policies of each IAM role, as the state has them: a role is made before they are attached. */
async function policiesOfRoles(workspace: Workspace): Promise<unknown[]> {
  const { deployment } = await workspace.exportState();
  const roles = (deployment.resources ?? []).filter(({ type }) => type === "aws:iam/role:Role");
  return roles.map(({ outputs }) => [outputs?.["managedPolicyArns"], outputs?.["inlinePolicies"]].flat());
}

// The tests of a lab are one story, told on one stack: each goes on where the one before it ended.
describeEngine("the base environment on the engine", () => {
  const stack = "gpu-lab";
  const shared = sharedWorkspace({ stack });
  const stackFile = () => readFileSync(`stacks/Pulumi.${stack}.yaml`, "utf8");
  const before = stackFile();

  test("a preview of an empty stack creates everything and makes nothing", async () => {
    const preview = await succeeding(shared.current.preview());
    expect(new Set(preview.steps.map(({ op }) => op))).toEqual(new Set(["create"]));
    expect(shared.current.cloud.objects).toEqual([]);
  });

  test("up makes what the preview said", async () => {
    const up = await succeeding(shared.current.up());
    expect(new Set(up.steps.map(({ op }) => op))).toEqual(new Set(["create"]));
    await expectNoOrphan(shared.current);
  });

  test("the simulation knows everything that the stack uses", () => {
    expect([...shared.current.cloud.unsimulated]).toEqual([]);
  });

  test("a second preview has no changes", async () => {
    await succeeding(shared.current.preview({ expectNoChanges: true }));
  });

  test("a refresh reads what other resources made of one, changes no input, and leaves nothing to do", async () => {
    const before = await inputsOf(shared.current);
    expect(await policiesOfRoles(shared.current)).toContainEqual([]);
    await succeeding(shared.current.refresh({ expectNoChanges: true }));
    expect(await inputsOf(shared.current)).toEqual(before);
    expect(await policiesOfRoles(shared.current)).not.toContainEqual([]);
    await succeeding(shared.current.preview({ expectNoChanges: true }));
  });

  test("no secret stands in the state in plain text", async () => {
    const { deployment } = await shared.current.exportState();
    const texts = (deployment.resources ?? []).map((resource) => [resource.type, JSON.stringify(resource)] as const);
    const types = (pattern: RegExp) => texts.filter(([, text]) => pattern.test(text)).map(([type]) => type);
    expect(types(/certificate-authority-data|client-key-data|\W(token|password)\\*":/i)).toEqual([]);
    expect(types(/"kubeconfig":\{[^}]*"ciphertext"/)).toEqual(expect.arrayContaining(holders));
  });

  test.each(switchesOf(labs[stack], new Date()))("$name, and back", async ({ config, changes }) => {
    const workspace = shared.current;
    workspace.configure([ownAddress, ...config]);
    expect(cloudChanges(await succeeding(workspace.preview()))).toEqual([...changes].sort());
    expect(cloudChanges(await succeeding(workspace.up()))).toEqual([...changes].sort());
    workspace.configure([ownAddress]);
    expect(cloudChanges(await succeeding(workspace.up()))).toEqual(reversed(changes));
    await succeeding(workspace.preview({ expectNoChanges: true, refresh: true }));
  });

  test("destroy is refused nowhere and leaves nothing", async () => {
    const destroy = await succeeding(shared.current.destroy());
    expect(new Set(destroy.steps.map(({ op }) => op))).toEqual(new Set(["delete"]));
    expect(shared.current.cloud.objects).toEqual([]);
    expect((await shared.current.exportState()).deployment.resources ?? []).toEqual([]);
  });

  test("nothing of the project was written", () => expect(stackFile()).toBe(before));
});
