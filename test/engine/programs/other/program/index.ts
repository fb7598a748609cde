import { NodeGroup } from "@pulumi/aws/eks/nodeGroup";
import { Release } from "@pulumi/kubernetes/helm/v3/release";
import { Provider } from "@pulumi/kubernetes/provider";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();

const nodes = new NodeGroup("nodes", {
  clusterName: config.require("clusterName"),
  nodeRoleArn: config.require("nodeRoleArn"),
  subnetIds: [config.require("subnetId")],
  scalingConfig: config.requireObject("scaling"),
});

// Unknown in the first preview, as with a cluster that is still to be made.
const provider = new Provider("cluster", { kubeconfig: nodes.arn.apply(() => config.require("kubeconfig")) });

const chartVersion = config.get("chartVersion");
new Release(
  "gpu-operator",
  {
    name: "second",
    chart: "gpu-operator",
    repositoryOpts: { repo: "https://helm.ngc.nvidia.com/nvidia" },
    ...(chartVersion !== undefined && { version: chartVersion }),
    namespace: "second",
    timeout: 900,
    createNamespace: true,
  },
  { provider },
);
