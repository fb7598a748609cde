import { expect, test } from "vitest";
import { types } from "../../simulation/aws/types";
import type { Outcome } from "../../simulation/pulumi/outcome";
import { cloudChanges, describeEngine, errorsOf, failing, ownAddress, succeeding } from "./support/engine";
import { existing, expectNoOrphan } from "./support/cloud-and-state";
import { instances, openEarlier } from "./support/earlier";

const messagesOf = ({ diagnostics }: Outcome) => diagnostics.map(({ message }) => message).join("\n");
const oneNode = [ownAddress, "gpuNodes.desiredSize=1"];

describeEngine("an update of an environment of a version without a lease", () => {
  test("waits for a choice: the preview and the update are refused, say what the lease does, and change nothing", async () => {
    const workspace = await openEarlier("without-lease", oneNode);
    const before = [existing(workspace), instances(workspace, "gpu"), instances(workspace, "system")];
    expect(before[1]).toHaveLength(1);
    for (const run of [() => workspace.preview(), () => workspace.up()]) {
      const errors = errorsOf(await failing(run()));
      expect(errors).toContain("lease.enabled: ");
      for (const part of [
        "each day at 22:00 (Asia/Seoul) and 6 hours after npx eks-gpu-lab gpu up",
        "no update starts them again, in spite of gpuNodes.desiredSize 1",
        "pulumi config set --path lease.enabled true",
        "pulumi config set --path lease.enabled false",
      ])
        expect(errors).toContain(part);
    }
    expect([existing(workspace), instances(workspace, "gpu"), instances(workspace, "system")]).toEqual(before);
  });

  test.for([
    ["false", 0],
    ["true", 1],
  ] as const)(
    "with lease.enabled=%s, names every node that it replaces, and nothing else ends",
    async ([on, schedules]) => {
      const config = [...oneNode, `lease.enabled=${on}`];
      const workspace = await openEarlier("without-lease", config);
      const [gpu, system] = [instances(workspace, "gpu"), instances(workspace, "system")];
      expect([gpu.length, system.length]).toEqual([1, 2]);
      // The pods of the GPU node cannot be read here, so it counts as a session.
      expect(errorsOf(await failing(workspace.preview()))).toContain(`1 GPU node would be terminated: ${gpu.join()}.`);
      workspace.configure([...config, `confirm.endSession=${groupOf(workspace)}`]);
      const messages = messagesOf(await succeeding(workspace.preview()));
      const [named] = messages.split("\n").filter((line) => line.includes("the system nodes one by one"));
      for (const id of system) expect(named).toContain(id);
      expect(named).toContain('stack from "none" to "organization/eks-gpu-lab/gpu-lab"');
      expect(messages).toContain(`1 GPU node would be terminated: ${gpu.join()}.`);
      await succeeding(workspace.up());
      expect(instances(workspace, "system").filter((id) => system.includes(id))).toEqual([]);
      expect(workspace.cloud.find(types.schedule)).toHaveLength(schedules);
      expect(instances(workspace, "gpu")).toHaveLength(1);
      workspace.configure(config);
      await succeeding(workspace.preview({ expectNoChanges: true, refresh: true }));
      await expectNoOrphan(workspace);
    },
  );
});

function groupOf({ cloud }: Awaited<ReturnType<typeof openEarlier>>): string {
  const groups = cloud.find(types.nodeGroup).filter(({ inputs }) => inputs["nodeGroupNamePrefix"] === "myeks-gpu-");
  return String(groups[0]?.computed["nodeGroupName"]);
}

describeEngine("an update of an environment of a version without tags of the stack", () => {
  test("needs no choice, names the system nodes that it replaces, and keeps the lease", async () => {
    const workspace = await openEarlier("without-tags", [ownAddress]);
    const system = instances(workspace, "system");
    const messages = messagesOf(await succeeding(workspace.preview()));
    for (const id of system) expect(messages).toContain(id);
    expect(messages).not.toMatch(/cannot read/);
    const schedules = workspace.cloud.find(types.schedule).map(({ id }) => id);
    await succeeding(workspace.up());
    expect(instances(workspace, "system").filter((id) => system.includes(id))).toEqual([]);
    expect(workspace.cloud.find(types.schedule).map(({ id }) => id)).toEqual(schedules);
    const after = await succeeding(workspace.preview({ expectNoChanges: true, refresh: true }));
    expect(messagesOf(after)).not.toContain("system nodes");
    await expectNoOrphan(workspace);
  });
});

describeEngine("an update of an environment of the version before identities", () => {
  test("replaces no node, and its preview names none", async () => {
    const workspace = await openEarlier("without-identity", [ownAddress]);
    const system = instances(workspace, "system");
    const preview = await succeeding(workspace.preview());
    expect(messagesOf(preview)).not.toContain("system nodes");
    const nodeChanges = /^(create|update|replace|delete) (LaunchTemplate|NodeGroup) .*(tagSpec|version|tags)/;
    // The id of the environment is a tag of the template and the group, not of instances: no node is replaced.
    const isTag = (line: string) => /: (?:launchTemplate\.version, )?tags\.eks-gpu-lab\/id$/.test(line);
    expect(cloudChanges(preview).filter((line) => nodeChanges.test(line) && !isTag(line))).toEqual([]);
    await succeeding(workspace.up());
    expect(instances(workspace, "system")).toEqual(system);
    await succeeding(workspace.preview({ expectNoChanges: true, refresh: true }));
  });
});
