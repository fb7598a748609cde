import { expect, test } from "vitest";
import type { Workspace } from "../../simulation/pulumi/workspace";
import { cloudChanges, describeEngine, everything, openWorkspace, sharedWorkspace, succeeding } from "./support/engine";
import { expectNoOrphan } from "./support/world-and-state";

const rule = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule";

/** Somebody opens the kubelet to the whole VPC in the console. */
function widen({ world }: Workspace): void {
  const kubelet = world.find(rule).find(({ inputs }) => inputs["fromPort"] === 10250);
  world.drift(rule, kubelet?.id ?? "", { fromPort: 0, toPort: 65535 });
}

describeEngine("what others change in the account", () => {
  const shared = sharedWorkspace({ config: everything });

  test("a plain preview does not see it, one with --refresh does, and up --refresh repairs it", async () => {
    const workspace = shared.current;
    await succeeding(workspace.up());
    widen(workspace);
    await succeeding(workspace.preview({ expectNoChanges: true }));
    const repair = ["update SecurityGroupIngressRule gpu-lab-firewall-node-control-plane-10250: fromPort, toPort"];
    expect(cloudChanges(await succeeding(workspace.preview({ refresh: true })))).toEqual(repair);
    expect(cloudChanges(await succeeding(workspace.up({ refresh: true })))).toEqual(repair);
    await succeeding(workspace.preview({ expectNoChanges: true, refresh: true }));
  });

  test("a lost object is made anew", async () => {
    const workspace = shared.current;
    const address = workspace.world.find("aws:ec2/route:Route").find(({ inputs }) => inputs["natGatewayId"]);
    workspace.world.lose("aws:ec2/route:Route", address?.id ?? "");
    expect(cloudChanges(await succeeding(workspace.up({ refresh: true })))).toEqual([
      "create Route gpu-lab-vpc-private-internet-1",
    ]);
    await expectNoOrphan(workspace);
  });
});

describeEngine("a cluster that is lost", () => {
  test("does not block the destroy: nobody asks its API to delete what was in it", async () => {
    const workspace = await openWorkspace({ config: everything });
    await succeeding(workspace.up());
    workspace.world.lose("aws:eks/cluster:Cluster", "myeks");
    await succeeding(workspace.destroy());
    expect((await workspace.exportState()).deployment.resources ?? []).toEqual([]);
  });
});
