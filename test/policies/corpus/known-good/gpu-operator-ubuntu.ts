// The way NVIDIA documents for EKS: nodes of Canonical's Ubuntu image, and the operator brings driver and toolkit.
import * as aws from "@pulumi/aws";
import { Release } from "@pulumi/kubernetes/helm/v3";

const template = new aws.ec2.LaunchTemplate("ubuntu", {
  imageId: "ami-0a1b2c3d4e5f60718",
  instanceType: "g4dn.xlarge",
  metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 },
  blockDeviceMappings: [{ deviceName: "/dev/sda1", ebs: { volumeSize: 200, volumeType: "gp3", encrypted: "true" } }],
});

const gpuNodes = new aws.eks.NodeGroup("ubuntu", {
  clusterName: "ml",
  nodeRoleArn: "arn:aws:iam::123456789012:role/nodes",
  subnetIds: ["subnet-0a1b2c3d"],
  amiType: "CUSTOM",
  launchTemplate: { id: template.id, version: template.latestVersion.apply(String) },
  labels: { "nvidia.com/gpu": "true" },
  taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
  scalingConfig: { minSize: 0, desiredSize: 0, maxSize: 1 },
  updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
});

new Release(
  "gpu-operator",
  {
    chart: "oci://ghcr.io/nvidia/gpu-operator",
    version: "v26.3.1",
    namespace: "gpu-operator",
    createNamespace: true,
    timeout: 1200,
    values: {
      driver: { enabled: true },
      toolkit: { enabled: true },
      cdi: { enabled: true, nriPluginEnabled: true },
    },
  },
  { dependsOn: gpuNodes },
);
