import { expect, inject, test } from "vitest";
import { findProject } from "../../planner/program/project";
import { types } from "../../simulation/aws/types";
import { rehearse } from "../../simulation/rehearsal/rehearse";
import { ownProject } from "../support/own-project";
import { describeEngine, errorsOf, failing, ownAddress, sharedWorkspace, succeeding } from "./support/engine";
import { expectNoOrphan } from "./support/cloud-and-state";

const oregon = [ownAddress, "aws:region=us-west-2"];

// Each test continues where the previous one ended.
describeEngine("another aws:region", () => {
  const shared = sharedWorkspace();

  test("an existing environment: refused, in a preview and in an update, with the region that is right", async () => {
    const workspace = shared.current;
    await succeeding(workspace.up());
    workspace.configure(oregon);
    for (const run of [() => workspace.preview(), () => workspace.up()]) {
      const errors = errorsOf(await failing(run()));
      expect(errors).toContain('aws:region: got "us-west-2". The cluster myeks of this stack is in ap-northeast-2.');
      expect(errors).toContain("pulumi config set aws:region ap-northeast-2");
    }
    expect(workspace.cloud.in("us-west-2").find(types.vpc)).toEqual([]);
    workspace.configure([ownAddress]);
    await succeeding(workspace.preview({ expectNoChanges: true, refresh: true }));
  });

  test("a new stack creates everything in its region, with its zones, and deletes it there", async () => {
    const before = shared.current.cloud.objects.length;
    const second = await shared.current.addStack("nccl-block", [...oregon, "clusterName=second"]);
    await succeeding(second.up());
    const { cloud } = second;
    const there = cloud.in("us-west-2");
    const zones = there.find(types.subnet).map(({ inputs }) => String(inputs["availabilityZone"]));
    expect(zones.length).toBeGreaterThan(3);
    expect(zones.filter((zone) => !zone.startsWith("us-west-2"))).toEqual([]);
    expect(there.find(types.cluster).map(({ id }) => id)).toEqual(["second"]);
    expect(cloud.find(types.cluster).map(({ id }) => id)).toEqual(["myeks"]);
    await succeeding(second.preview({ expectNoChanges: true, refresh: true }));
    await succeeding(second.destroy());
    expect(there.find(types.vpc)).toEqual([]);
    expect(cloud.objects).toHaveLength(before);
    await expectNoOrphan(shared.current);
  });

  test("a confirmation does not move an environment: its resources stay, and the preview says so", async () => {
    const workspace = shared.current;
    workspace.configure([...oregon, "confirm.replaceCluster=myeks"]);
    const { diagnostics, steps } = await succeeding(workspace.preview());
    expect(diagnostics.map(({ message }) => message).join("\n")).toContain(
      "aws:region: The cluster myeks of this stack is in ap-northeast-2.",
    );
    const vpc = steps.filter(({ type }) => type === types.vpc);
    expect(vpc.map(({ op }) => op)).toEqual(["same"]);
    workspace.configure(oregon);
    await succeeding(workspace.destroy());
    expect(workspace.cloud.objects).toEqual([]);
  });
});

describeEngine("a rehearsal in another region", () => {
  test("runs in the region of the stack, and shows that another one is refused", async () => {
    const cli = inject("pulumi");
    if (!cli) throw new Error("The Pulumi CLI is missing.");
    const { steps, succeeded } = await rehearse({
      ...{ cli, project: findProject(ownProject), stack: "gpu-lab", config: oregon, account: {} },
      toggles: [{ name: "region", config: ["aws:region=eu-west-1"] }],
    });
    expect(succeeded).toBe(false);
    expect(steps.filter((step) => !step.succeeded).map(({ title }) => title)).toEqual(["change: region"]);
    expect(steps[0]?.outputs).toMatchObject({ region: "us-west-2" });
    expect(steps.at(-1)?.remarks.join()).toContain(
      'aws:region: got "eu-west-1". The cluster myeks of this stack is in us-west-2.',
    );
  });
});
