import { expect, test } from "vitest";
import { kubeconfigOf } from "../../simulation/provider/eks/cluster-outputs";
import { clusterForNodes } from "../simulation/aws/eks/foundation";
import { cloudChanges, describeEngine, openWorkspace, succeeding } from "./support/engine";

const deploymentType = "kubernetes:apps/v1:Deployment";

/** A stack of workloads in a cluster that exists. */
async function openWorkloads(first: string) {
  const cloud = await clusterForNodes();
  const [cluster] = cloud.find("aws:eks/cluster:Cluster");
  const place = { clusterName: "lab", endpoint: String(cluster?.computed["endpoint"]) };
  const arn = String(cluster?.computed["arn"]);
  const kubeconfig = kubeconfigOf({ ...place, arn, certificate: "", credentials: undefined }, false);
  const config = (setting: string) => [`kubeconfig=${JSON.stringify(kubeconfig)}`, setting];
  const workspace = await openWorkspace({
    project: "test/engine/programs/workloads",
    stack: "dev",
    config: config(first),
    cloud: () => cloud,
  });
  return { cloud, workspace, configure: (setting: string) => workspace.configure(config(setting)) };
}

describeEngine("workloads in a cluster that exists", () => {
  test("another priority replaces the class, and updates the Deployment and the CronJob in place", async () => {
    const { cloud, workspace, configure } = await openWorkloads("priority=1000");
    await succeeding(workspace.up());

    configure("priority=2000");
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

  test("another model replaces the pods of the server one by one, without one more GPU, and gives them its time", async () => {
    const { cloud, workspace, configure } = await openWorkloads("model=Qwen/Qwen2.5-0.5B-Instruct");
    const created = await succeeding(workspace.up());
    expect(cloudChanges(created)).toEqual([
      "create Deployment llm",
      "create Service llm-service",
      "create kubernetes cluster",
    ]);

    configure("model=Qwen/Qwen2.5-7B-Instruct");
    const container = "spec.template.spec.containers[0]";
    const paths = ["command[2]", "startupProbe.failureThreshold"].map((field) => `${container}.${field}`);
    const changes = [`update Deployment llm: ${["spec.progressDeadlineSeconds", ...paths].join(", ")}`];
    expect(cloudChanges(await succeeding(workspace.preview()))).toEqual(changes);
    expect(cloudChanges(await succeeding(workspace.up()))).toEqual(changes);
    const deployments = cloud.find(deploymentType).filter(({ id }) => id === "default/llm");
    expect(deployments).toMatchObject([
      {
        inputs: {
          spec: {
            strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
            template: { spec: { containers: [{ resources: { limits: { "nvidia.com/gpu": "1" } } }] } },
          },
        },
      },
    ]);
    await succeeding(workspace.preview({ expectNoChanges: true }));
  });
});
