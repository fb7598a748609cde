import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { withAdoptions } from "../../commands/leftovers/adopt";
import { readState } from "../../commands/stack/state";
import type { Properties } from "../../components/core/wire";
import type { ExportedStack } from "../support/test-workspace";
import { describeEngine, openWorkspace, ownAddress, succeeding } from "./support/engine";
import { expectNoOrphan } from "./support/cloud-and-state";
import { stopAt } from "./support/intercept";

interface Kill {
  readonly what: string;
  readonly type: string;
  readonly isMeant?: (inputs: Properties) => boolean;
  readonly config?: readonly string[];
}

const nodeGroup = "aws:eks/nodeGroup:NodeGroup";
const prefixed =
  (part: string) =>
  ({ nodeGroupNamePrefix: prefix }: Properties) =>
    String(prefix).includes(part);

/** The slow creates of gpu-lab, one of each kind. */
const kills: readonly Kill[] = [
  { what: "the system node group", type: nodeGroup, isMeant: prefixed("-system-") },
  { what: "the GPU node group", type: nodeGroup, isMeant: prefixed("-gpu-") },
  { what: "the cluster", type: "aws:eks/cluster:Cluster" },
  { what: "the NAT gateway", type: "aws:ec2/natGateway:NatGateway" },
  { what: "an add-on", type: "aws:eks/addon:Addon" },
  {
    what: "a Helm release",
    type: "kubernetes:helm.sh/v3:Release",
    config: [ownAddress, "gpuOperator.enabled=true"],
  },
  { what: "the address", type: "aws:ec2/eip:Eip" },
  { what: "a role", type: "aws:iam/role:Role" },
];

const tagsOf = ({ inputs }: { readonly inputs: Properties }) => inputs["tags"];

describeEngine("an update that was killed when AWS had created", () => {
  test.for(kills.map((kill) => [kill.what, kill] as const))(
    "%s: cancel, --adopt and up --refresh continue, and nothing is created twice",
    async ([, { type, isMeant, config }]) => {
      const workspace = await openWorkspace(config ? { config } : {});
      const stop = stopAt(workspace.cloud, type, "after", isMeant);
      const run = workspace.start("up", { parallel: 1 });
      const object = await stop.reached;
      run.kill("SIGKILL");
      await run.outcome;
      stop.restore();

      await workspace.cancel();
      const exported = await workspace.exportState();
      const { pending = [] } = readState(exported) ?? {};
      expect(pending.map((one) => one.type)).toEqual([type]);
      const id = object?.id ?? "";
      for (const { derivedId = id } of pending) expect(derivedId).toBe(id);
      const adopt = pending.map((resource) => ({ resource, id }));
      await workspace.importState(withAdoptions(exported, { adopt }) as unknown as ExportedStack);
      const up = await succeeding(workspace.up({ refresh: true }));
      const creates = up.steps.filter(({ urn, op }) => urn === pending[0]?.urn && op === "create");
      expect(creates).toEqual([]);
      await expectNoOrphan(workspace);
      await succeeding(workspace.preview({ expectNoChanges: true, refresh: true }));
      await succeeding(workspace.destroy());
    },
  );

  test("refresh --import-pending-creates adopts nothing, so no page recommends it", async () => {
    const workspace = await openWorkspace();
    const stop = stopAt(workspace.cloud, "aws:ec2/vpc:Vpc", "after");
    const run = workspace.start("up", { parallel: 1 });
    const object = await stop.reached;
    run.kill("SIGKILL");
    await run.outcome;
    stop.restore();
    await workspace.cancel();
    const { pending = [] } = readState(await workspace.exportState()) ?? {};
    const importPendingCreates = pending.map(({ urn }) => ({ urn, id: object?.id ?? "" }));
    await succeeding(workspace.refresh({ importPendingCreates }));
    const after = readState(await workspace.exportState());
    expect([after?.pending, after?.ids.has(object?.id ?? "")]).toEqual([[], false]);
  });

  test.for([
    ["address", "aws:ec2/eip:Eip", "elastic address", "It costs 0.12 USD per day."],
    ["launch template", "aws:ec2/launchTemplate:LaunchTemplate", "launch template", "It costs nothing."],
  ] as const)(
    "without --adopt, an update creates a second %s, and every preview names both",
    async ([, type, kind, cost]) => {
      const workspace = await openWorkspace();
      const stop = stopAt(workspace.cloud, type, "after");
      const run = workspace.start("up", { parallel: 1 });
      const { id: left = "", inputs } = (await stop.reached) ?? {};
      run.kill("SIGKILL");
      await run.outcome;
      stop.restore();
      await workspace.cancel();
      const before = await succeeding(workspace.up());
      expect(before.diagnostics.filter(({ message }) => message.includes("leftovers"))).toEqual([]);
      const second = workspace.cloud
        .find(type)
        .find((one) => one.id !== left && isDeepStrictEqual(tagsOf(one), inputs?.["tags"]));
      const { diagnostics } = await succeeding(workspace.preview());
      const warnings = diagnostics.flatMap(({ message }) => (message.includes("leftovers") ? [message] : []));
      const ids = [left, second?.id ?? ""].sort().join(", ");
      expect(warnings).toEqual([expect.stringContaining(`the stack has 2 of this ${kind}: ${ids}. `)]);
      expect(warnings[0]).toContain(cost);
      await workspace.cloud.delete(type, left, {});
      const after = await succeeding(workspace.preview());
      expect(after.diagnostics.filter(({ message }) => message.includes("leftovers"))).toEqual([]);
    },
  );

  test("without --adopt, an update creates a second node group, and every preview names both", async () => {
    const workspace = await openWorkspace();
    const stop = stopAt(workspace.cloud, nodeGroup, "after", prefixed("-system-"));
    const run = workspace.start("up", { parallel: 1 });
    const [, left = ""] = ((await stop.reached)?.id ?? "").split(":");
    run.kill("SIGKILL");
    await run.outcome;
    stop.restore();
    await workspace.cancel();
    await succeeding(workspace.up());
    const { diagnostics } = await succeeding(workspace.preview());
    const warnings = diagnostics.flatMap(({ message }) => (message.includes("leftovers") ? [message] : []));
    expect(warnings).toEqual([
      expect.stringContaining(`the cluster has 2 node groups of this kind: ${left}, myeks-system-`),
    ]);
  });
});
