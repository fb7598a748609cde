import { join } from "node:path";
import { expect, test } from "vitest";
import { nodePoolType } from "../../planner/facts/gpu-pools";
import type { Outcome } from "../../simulation/pulumi/outcome";
import { togglesOf, type Lab } from "../../stacks/run/lab";
import { labs } from "../../stacks/labs";
import { namedRules, remediesOf } from "../support/labs";
import {
  cloudChanges,
  describeEngine,
  failing,
  ownAddress,
  reversed,
  sharedWorkspace,
  succeeding,
} from "./support/engine";
import { expectNoOrphan } from "./support/cloud-and-state";

/** The base environment has its own tests. */
const accidents = Object.entries<Lab>(labs).filter(([, { fault }]) => fault !== undefined);

/** Types whose controllers run in the cluster, which the simulation stores without acting on them. */
const unsimulated: Readonly<Record<string, readonly string[]>> = {
  "no-node-comes": ["kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", nodePoolType],
};

// All tests of a lab use one stack. Each test continues where the previous one ended.
describeEngine.each(accidents)("the lab %s on the engine", (stack, lab) => {
  const shared = sharedWorkspace({ stack });
  const [fault] = togglesOf(lab, new Date());

  test("deploys, and a second preview has no changes", async () => {
    const up = await succeeding(shared.current.up());
    expect(new Set(up.steps.map(({ op }) => op))).toEqual(new Set(["create"]));
    expect([...shared.current.cloud.unsimulated].sort()).toEqual(unsimulated[stack] ?? []);
    await succeeding(shared.current.preview({ expectNoChanges: true }));
  });

  test("the lab pack accepts its fault, and the shared pack rejects it by name", async () => {
    const workspace = shared.current;
    workspace.configure([ownAddress, ...(fault?.config ?? [])]);
    const packs = (name: string) => ({ policyPacks: [join(process.cwd(), "policies/packs", name)] });
    const binding = ({ violations }: Outcome) =>
      violations.flatMap(({ level, policy }) => (level === "mandatory" ? [policy] : []));
    expect(binding(await succeeding(workspace.preview(packs("lab"))))).toEqual([]);
    expect(binding(await failing(workspace.preview(packs("shared"))))).toEqual(
      expect.arrayContaining(["experiment-toggle-left-on", ...(namedRules[stack] ?? [])]),
    );
    workspace.configure([ownAddress]);
  });

  test.each(togglesOf(lab, new Date()))(
    "$name: makes the changes that the lab declares, and can be reverted",
    async (one) => {
      const workspace = shared.current;
      workspace.configure([ownAddress, ...one.config]);
      expect(cloudChanges(await succeeding(workspace.up()))).toEqual([...one.changes].sort());
      await succeeding(workspace.preview({ expectNoChanges: true }));
      await expectNoOrphan(workspace);
      workspace.configure([ownAddress]);
      expect(cloudChanges(await succeeding(workspace.up()))).toEqual(reversed(one.changes));
    },
  );

  test.each(remediesOf(lab, new Date()))(
    "the remedy $name changes what the lab says, and goes with the fault",
    async (one) => {
      const workspace = shared.current;
      workspace.configure([ownAddress, ...(fault?.config ?? [])]);
      await succeeding(workspace.up());
      workspace.configure([ownAddress, ...one.config]);
      expect(cloudChanges(await succeeding(workspace.up()))).toEqual([...one.changes].sort());
      await succeeding(workspace.preview({ expectNoChanges: true }));
      workspace.configure([ownAddress]);
      await succeeding(workspace.up());
      await expectNoOrphan(workspace);
    },
  );

  test("destroy removes everything", async () => {
    await succeeding(shared.current.destroy());
    expect(shared.current.cloud.objects).toEqual([]);
  });
});
