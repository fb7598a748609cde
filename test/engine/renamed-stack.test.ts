import { expect, test } from "vitest";
import type { TestWorkspace } from "../support/test-workspace";
import {
  cloudChanges,
  describeEngine,
  errorsOf,
  failing,
  ownAddress,
  sharedWorkspace,
  succeeding,
} from "./support/engine";
import { expectNoOrphan } from "./support/cloud-and-state";
import { scaleGpuNodes } from "./support/gpu-nodes";

const config = [ownAddress, "lab=gpu-lab"];

// Each test continues where the previous one ended.
describeEngine("a stack that pulumi stack rename has renamed", () => {
  const shared = sharedWorkspace();
  let renamed: TestWorkspace;

  test("without lab, its name must be that of a lab", async () => {
    await succeeding(shared.current.up());
    renamed = await shared.current.rename("team-a");
    renamed.configure([ownAddress]);
    expect(errorsOf(await failing(renamed.preview()))).toContain('lab: got "team-a".');
  });

  test("an update that would end a session is refused, and the former name is a way out", async () => {
    scaleGpuNodes(renamed.cloud, 1);
    renamed.configure(config);
    const errors = errorsOf(await failing(renamed.preview()));
    expect(errors).toContain("pulumi stack rename organization/eks-gpu-lab/gpu-lab");
    const former = await renamed.rename("gpu-lab");
    former.configure([ownAddress]);
    await succeeding(former.preview({ expectNoChanges: true }));
    renamed = await former.rename("team-a");
    renamed.configure(config);
  });

  test("without GPU nodes, tags change in place, the system nodes roll, and nothing is replaced", async () => {
    scaleGpuNodes(renamed.cloud, 0);
    const changes = cloudChanges(await succeeding(renamed.up()));
    expect(changes.filter((line) => !line.startsWith("update "))).toEqual([]);
    await succeeding(renamed.preview({ expectNoChanges: true, refresh: true }));
    await expectNoOrphan(renamed);
    expect(JSON.stringify(renamed.cloud.objects)).not.toContain("eks-gpu-lab/gpu-lab");
    await succeeding(renamed.destroy());
    expect(renamed.cloud.objects).toEqual([]);
  });
});
