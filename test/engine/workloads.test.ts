import { expect, test } from "vitest";
import { kubeconfigOf } from "../../simulation/provider/eks/cluster-outputs";
import { clusterForNodes } from "../simulation/aws/eks/foundation";
import { cloudChanges, describeEngine, openWorkspace, succeeding } from "./support/engine";

describeEngine("workloads in a cluster that exists", () => {
  test("another priority replaces the class, and updates the Deployment and the CronJob in place", async () => {
    const cloud = await clusterForNodes();
    const [cluster] = cloud.find("aws:eks/cluster:Cluster");
    const place = { clusterName: "lab", endpoint: String(cluster?.computed["endpoint"]) };
    const arn = String(cluster?.computed["arn"]);
    const kubeconfig = kubeconfigOf({ ...place, arn, certificate: "", credentials: undefined }, false);
    const config = (priority: number) => [`kubeconfig=${JSON.stringify(kubeconfig)}`, `priority=${priority}`];
    const workspace = await openWorkspace({
      project: "test/engine/programs/workloads",
      stack: "dev",
      config: config(1000),
      cloud: () => cloud,
    });
    await succeeding(workspace.up());

    workspace.configure(config(2000));
    const changes = [
      "replace PriorityClass canary-priority",
      "replace PriorityClass server-priority",
      "update CronJob canary: spec.jobTemplate.spec.template.spec.priorityClassName",
      "update Deployment server: spec.template.spec.priorityClassName",
    ];
    expect(cloudChanges(await succeeding(workspace.preview()))).toEqual(changes);
    const up = await succeeding(workspace.up());
    expect(cloudChanges(up)).toEqual(changes);
    const classes = cloud.find("kubernetes:scheduling.k8s.io/v1:PriorityClass").map(({ id }) => id);
    expect(classes.sort()).toEqual(["eks-gpu-lab-canary-2000", "eks-gpu-lab-server-2000"]);
    await succeeding(workspace.preview({ expectNoChanges: true }));
  });
});
