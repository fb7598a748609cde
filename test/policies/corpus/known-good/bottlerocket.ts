// Bottlerocket's image for NVIDIA brings driver, toolkit and device plugin: the GPU Operator adds labels and metrics.
import * as aws from "@pulumi/aws";
import { Release } from "@pulumi/kubernetes/helm/v3";

const settings = `[settings.kubelet-device-plugins.nvidia]
device-sharing-strategy = "none"
`;
const template = new aws.ec2.LaunchTemplate("bottlerocket", {
  instanceType: "g6.xlarge",
  metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 },
  // The system, and the images and volumes of pods.
  blockDeviceMappings: [
    { deviceName: "/dev/xvda", ebs: { volumeSize: 4, volumeType: "gp3", encrypted: "true" } },
    { deviceName: "/dev/xvdb", ebs: { volumeSize: 150, volumeType: "gp3", encrypted: "true" } },
  ],
  userData: Buffer.from(settings).toString("base64"),
});

const gpuNodes = new aws.eks.NodeGroup("bottlerocket", {
  clusterName: "ml",
  nodeRoleArn: "arn:aws:iam::123456789012:role/nodes",
  subnetIds: ["subnet-0a1b2c3d"],
  amiType: "BOTTLEROCKET_x86_64_NVIDIA",
  releaseVersion: "1.62.0-5a1f1c2e",
  launchTemplate: { id: template.id, version: template.latestVersion.apply(String) },
  labels: { "nvidia.com/gpu": "true" },
  taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
  scalingConfig: { minSize: 0, desiredSize: 0, maxSize: 1 },
  updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
});

new Release(
  "gpu-operator",
  {
    chart: "gpu-operator",
    version: "v26.3.1",
    namespace: "gpu-operator",
    createNamespace: true,
    repositoryOpts: { repo: "https://helm.ngc.nvidia.com/nvidia" },
    timeout: 900,
    values: { driver: { enabled: false }, toolkit: { enabled: false }, devicePlugin: { enabled: false } },
  },
  { dependsOn: gpuNodes },
);
