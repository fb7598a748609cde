import { execSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import type { ExportedStack } from "../support/test-workspace";
import { describeEngine, failing, openWorkspace, succeeding } from "./support/engine";
import { stopAt } from "./support/intercept";
import { existing, expectNoOrphan, managed } from "./support/cloud-and-state";

const natGateway = "aws:ec2/natGateway:NatGateway";
const cluster = "aws:eks/cluster:Cluster";
const logGroup = "aws:cloudwatch/logGroup:LogGroup";

/** Kills an update during a create, and removes its lock. */
async function killed(type: string, moment: "before" | "after") {
  const workspace = await openWorkspace();
  const stop = stopAt(workspace.cloud, type, moment);
  const run = workspace.start("up", { parallel: 1 });
  const object = await stop.reached;
  run.kill("SIGKILL");
  expect((await run.outcome).status).toBeUndefined();
  stop.restore();
  workspace.repair();
  const locked = await failing(workspace.up());
  expect(locked.cliOutput).toContain("the stack is currently locked");
  await workspace.cancel();
  const { deployment } = await workspace.exportState();
  const pending = deployment.pending_operations ?? [];
  expect(pending.map((operation) => [operation.type, operation.resource.type])).toEqual([["creating", type]]);
  return { workspace, id: object?.id ?? "" };
}

/** Edits the exported state: turns a pending create into a resource. */
function finished({ version, deployment }: ExportedStack, id: string): ExportedStack {
  const { resources = [], pending_operations: pending = [], ...rest } = deployment;
  return {
    version,
    deployment: { ...rest, resources: [...resources, ...pending.map(({ resource }) => ({ ...resource, id }))] },
  };
}

describeEngine("a killed update", () => {
  test("before the create reached AWS: up continues after refresh --clear-pending-creates", async () => {
    const { workspace } = await killed(natGateway, "before");
    await succeeding(workspace.refresh({ clearPendingCreates: true }));
    await succeeding(workspace.up());
    await expectNoOrphan(workspace);
    await succeeding(workspace.preview({ expectNoChanges: true, refresh: true }));
  });

  test("after the cluster was created: up continues once the state contains the cluster", async () => {
    const { workspace, id } = await killed(cluster, "after");
    await workspace.importState(finished(await workspace.exportState(), id));
    await succeeding(workspace.refresh());
    const up = await succeeding(workspace.up());
    expect(up.steps.filter(({ type }) => type === cluster).map(({ op }) => op)).toEqual(["same"]);
    await expectNoOrphan(workspace);
  });
});

describeEngine("a kill while a local backend writes the state", () => {
  const repair = "find ~/.pulumi/stacks -name '*.attrs' -empty -delete";

  test("leaves a stack that no command reads, and the command of the page repairs it", async () => {
    expect(readFileSync("docs/recovery.md", "utf8")).toContain(repair);
    const workspace = await openWorkspace();
    const file = workspace.attributesFile;
    const breakIt = async () => {
      expect(statSync(file).size).toBeGreaterThan(0);
      writeFileSync(file, "");
      await expect(workspace.exportState()).rejects.toThrow("failed to load checkpoint: EOF");
    };
    await breakIt();
    execSync(repair.replace("~/.pulumi/stacks", dirname(file)));
    await succeeding(workspace.up());
    await breakIt();
    workspace.repair();
    await succeeding(workspace.preview({ expectNoChanges: true }));
  });
});

describeEngine("a provider that crashes during a create", () => {
  test("leaves the object in the cloud, and the next update names it and the way out before it creates anything", async () => {
    const workspace = await openWorkspace();
    workspace.cloud.faults.add({ operation: "create", type: logGroup, effect: "crash" });
    await failing(workspace.up());
    const inState = await managed(workspace);
    // The crash can lose the answers to other creates, too.
    const orphans = existing(workspace).filter((object) => !inState.includes(object));
    expect(orphans).toContain(`${logGroup} /aws/eks/myeks/cluster`);
    await workspace.restartProviders();
    const { diagnostics } = await failing(workspace.up());
    expect(diagnostics.map(({ message }) => message).join("\n")).toMatch(
      /The log group \S+ exists, but is not in the state of this stack[^]*leftovers --stack gpu-lab/,
    );
    for (const orphan of orphans) {
      const [type = "", id = ""] = orphan.split(" ");
      workspace.cloud.remove(type, id);
    }
    await succeeding(workspace.up());
    await expectNoOrphan(workspace);
    await succeeding(workspace.destroy());
    expect(existing(workspace)).toEqual([]);
  });
});
