import { expect, test } from "vitest";
import { kubeconfigOf } from "../../simulation/provider/eks/cluster-outputs";
import { clusterForNodes } from "../simulation/aws/eks/foundation";
import {
  cloudChanges,
  describeEngine,
  failing,
  openWorkspace,
  errorsOf,
  succeeding,
  type WorkspaceOptions,
} from "../engine/support/engine";
import { installedExample, shell } from "./examples";

// own-lab is rehearsed with the command of its README.

/** A stack of an example with the installed package, on the real engine with simulated providers. */
async function workspaceOf(example: string, options: WorkspaceOptions) {
  const project = await installedExample(example);
  if (example.endsWith("-esm")) await shell("npx tsc", project);
  return { project, workspace: await openWorkspace({ ...options, project, stack: "dev" }) };
}

describeEngine("on the engine", () => {
  test.for(["existing-cluster", "existing-cluster-esm"])("%s is created in a cluster that exists", async (example) => {
    const cloud = await clusterForNodes();
    const [cluster] = cloud.find("aws:eks/cluster:Cluster");
    const place = { clusterName: "lab", endpoint: String(cluster?.computed["endpoint"]) };
    const arn = String(cluster?.computed["arn"]);
    const kubeconfig = JSON.stringify(kubeconfigOf({ ...place, arn, certificate: "", credentials: undefined }, false));
    const config = ["aws:region=ap-northeast-2", "clusterName=lab", "subnetId=subnet-a", `kubeconfig=${kubeconfig}`];
    const { workspace } = await workspaceOf(example, { config, cloud: () => cloud });
    // A preview: the cluster has no nodes, so the chart's pods would never run.
    const changes = cloudChanges(await succeeding(workspace.preview()));
    expect(changes).toEqual(expect.arrayContaining(["create NodeGroup gpu", "create Release gpu-operator"]));
    expect(changes.filter((line) => !line.startsWith("create ") || / (Cluster|Vpc|Subnet) /.test(line))).toEqual([]);
  });

  test("whole-environment comes and goes", async () => {
    const { workspace } = await workspaceOf("whole-environment", { config: ["publicAccessCidrs[0]=8.8.8.8/32"] });
    await succeeding(workspace.up());
    await succeeding(workspace.preview({ expectNoChanges: true }));
    await succeeding(workspace.destroy());
    expect(["aws:eks/cluster:Cluster", "aws:ec2/vpc:Vpc"].flatMap((type) => workspace.cloud.find(type))).toEqual([]);
  });

  test("the engine runs the pack of policies-only as the plan does", async () => {
    const { project, workspace } = await workspaceOf("policies-only", { config: [] });
    const judged = { policyPacks: [`${project}/policies`] };
    const accepted = await succeeding(workspace.preview(judged));
    expect(accepted.violations).toEqual([]);
    workspace.configure(["minSize=1"]);
    const rejected = await failing(workspace.preview(judged));
    expect(errorsOf(rejected)).not.toBe("");
    expect(rejected.violations).toMatchObject([
      { pack: "acme-gpu", level: "mandatory", policy: "gpu-desired-zero" },
      { pack: "acme-gpu", level: "advisory", policy: "gpu-desired-zero" },
    ]);
  });
});
