import { beforeAll, expect, test } from "vitest";
import type { ExportedStack, TestWorkspace } from "../support/test-workspace";
import {
  cloudChanges,
  errorsOf,
  describeEngine,
  everything,
  failing,
  sharedWorkspace,
  succeeding,
} from "./support/engine";
import { expectNoOrphan, managed } from "./support/cloud-and-state";

const rule = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule";

/** A change in the console: the kubelet is open to the whole VPC. */
function widen({ cloud }: TestWorkspace): void {
  const kubelet = cloud.find(rule).find(({ inputs }) => inputs["fromPort"] === 10250);
  cloud.drift(rule, kubelet?.id ?? "", { fromPort: 0, toPort: 65535 });
}

describeEngine("changes outside of Pulumi", () => {
  const shared = sharedWorkspace({ config: everything });

  test("only a preview with --refresh shows drift, and up --refresh repairs it", async () => {
    const workspace = shared.current;
    await succeeding(workspace.up());
    widen(workspace);
    await succeeding(workspace.preview({ expectNoChanges: true }));
    const repair = ["update SecurityGroupIngressRule gpu-lab-firewall-node-control-plane-10250: fromPort, toPort"];
    expect(cloudChanges(await succeeding(workspace.preview({ refresh: true })))).toEqual(repair);
    expect(cloudChanges(await succeeding(workspace.up({ refresh: true })))).toEqual(repair);
    await succeeding(workspace.preview({ expectNoChanges: true, refresh: true }));
  });

  test("a deleted object is recreated", async () => {
    const workspace = shared.current;
    const address = workspace.cloud.find("aws:ec2/route:Route").find(({ inputs }) => inputs["natGatewayId"]);
    workspace.cloud.remove("aws:ec2/route:Route", address?.id ?? "");
    expect(cloudChanges(await succeeding(workspace.up({ refresh: true })))).toEqual([
      "create Route gpu-lab-vpc-private-internet-1",
    ]);
    await expectNoOrphan(workspace);
  });
});

describeEngine("an object of a Helm release that was deleted outside of Pulumi", () => {
  const shared = sharedWorkspace({ config: everything });
  const clusterPolicy = "kubernetes:nvidia.com/v1:ClusterPolicy";
  const policies = () => shared.current.cloud.find(clusterPolicy).map(({ id }) => id);

  test("does not return with a refresh, but with the replacement of the release", async () => {
    const workspace = shared.current;
    await succeeding(workspace.up());
    expect(policies()).toEqual(["cluster-policy"]);
    workspace.cloud.remove(clusterPolicy, "cluster-policy");
    await succeeding(workspace.up({ refresh: true, expectNoChanges: true }));
    expect(policies()).toEqual([]);

    const { deployment } = await workspace.exportState();
    const isOperator = ({ urn }: { readonly urn: string }) => urn.endsWith("helm.sh/v3:Release::gpu-lab-gpu-operator");
    const urn = deployment.resources?.find(isOperator)?.urn ?? "";
    expect(cloudChanges(await succeeding(workspace.up({ targetReplace: [urn] })))).toEqual([
      "replace Release gpu-lab-gpu-operator",
    ]);
    expect(policies()).toEqual(["cluster-policy"]);
    await succeeding(workspace.preview({ expectNoChanges: true }));
    await expectNoOrphan(workspace);
  });
});

describeEngine("a cluster that was deleted outside of Pulumi", () => {
  const shared = sharedWorkspace({ config: everything });
  const objectsInCluster = async () => (await managed(shared.current)).filter((key) => key.startsWith("kubernetes:"));
  let before: ExportedStack;
  beforeAll(async () => {
    await succeeding(shared.current.up());
    before = await shared.current.exportState();
    shared.current.cloud.remove("aws:eks/cluster:Cluster", "myeks");
  });

  /** Destroys the stack, and checks that nothing is left. */
  const expectDestroyed = async (state: ExportedStack) => {
    await shared.current.importState(state);
    await succeeding(shared.current.destroy());
    expect(shared.current.cloud.objects).toEqual([]);
    expect((await shared.current.exportState()).deployment.resources ?? []).toEqual([]);
  };

  test("fails each refresh, and its objects stay in the state", async () => {
    const there = await objectsInCluster();
    expect(there).not.toEqual([]);
    for (const run of [() => shared.current.refresh(), () => shared.current.up({ refresh: true })]) {
      const complaints = errorsOf(await failing(run()));
      expect(complaints).toContain("failed to read resource state due to unreachable cluster");
      expect(complaints).toContain('PULUMI_K8S_DELETE_UNREACHABLE environment variable set to "true"');
      expect(await objectsInCluster()).toEqual(there);
    }
  });

  test("does not block a destroy, with or without such a refresh", async () => {
    const refreshed = await shared.current.exportState();
    await expectDestroyed(before);
    await expectDestroyed(refreshed);
  });
});
