// Two p5 nodes of a Capacity Block with EFA, and the NCCL test that shows whether they talk over it.
import * as aws from "@pulumi/aws";
import { CustomResource } from "@pulumi/kubernetes/apiextensions";
import { Release } from "@pulumi/kubernetes/helm/v3";

// EFA wants a group that lets everything through between its members, in both directions.
const efa = new aws.ec2.SecurityGroup("efa", { vpcId: "vpc-0a1b2c3d" });
new aws.vpc.SecurityGroupIngressRule("efa-in", {
  securityGroupId: efa.id,
  referencedSecurityGroupId: efa.id,
  ipProtocol: "-1",
});
new aws.vpc.SecurityGroupEgressRule("efa-between", {
  securityGroupId: efa.id,
  referencedSecurityGroupId: efa.id,
  ipProtocol: "-1",
});
new aws.vpc.SecurityGroupEgressRule("efa-out", { securityGroupId: efa.id, ipProtocol: "-1", cidrIpv4: "0.0.0.0/0" });

const cluster = aws.eks.getClusterOutput({ name: "training" });
const groups = [efa.id, cluster.vpcConfig.clusterSecurityGroupId];

const localDisks = `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: application/node.eks.aws

apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  instance:
    localStorage:
      strategy: RAID0
--//--
`;

const template = new aws.ec2.LaunchTemplate("p5", {
  instanceType: "p5.48xlarge",
  instanceMarketOptions: { marketType: "capacity-block" },
  capacityReservationSpecification: {
    capacityReservationTarget: { capacityReservationId: "cr-0a1b2c3d4e5f60718" },
  },
  metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 },
  blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize: 200, volumeType: "gp3", encrypted: "true" } }],
  networkInterfaces: Array.from({ length: 32 }, (_, card) => ({
    networkCardIndex: card,
    deviceIndex: card === 0 ? 0 : 1,
    interfaceType: card === 0 ? "efa" : "efa-only",
    securityGroups: groups,
    deleteOnTermination: "true",
  })),
  userData: Buffer.from(localDisks).toString("base64"),
});

// The block has a beginning and an end: a schedule or a person starts its nodes.
new aws.eks.NodeGroup("p5", {
  clusterName: cluster.name,
  nodeRoleArn: "arn:aws:iam::123456789012:role/nodes",
  subnetIds: ["subnet-0a1b2c3d"],
  amiType: "AL2023_x86_64_NVIDIA",
  releaseVersion: "1.35.8-20260930",
  capacityType: "CAPACITY_BLOCK",
  launchTemplate: { id: template.id, version: template.latestVersion.apply(String) },
  labels: { "nvidia.com/gpu": "true", "vpc.amazonaws.com/efa.present": "true" },
  taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
  scalingConfig: { minSize: 0, desiredSize: 0, maxSize: 2 },
  updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
  nodeRepairConfig: { enabled: true, maxParallelNodesRepairedCount: 1 },
});

const tolerations = [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }];
new Release("efa-device-plugin", {
  chart: "aws-efa-k8s-device-plugin",
  version: "v0.5.13",
  namespace: "kube-system",
  repositoryOpts: { repo: "https://aws.github.io/eks-charts" },
  values: { tolerations },
});

const image = "public.ecr.aws/hpc-cloud/nccl-tests:cuda12.8.1-efa1.43.2-ofiv1.16.3-ncclv2.27.7-1-testsv2.16.9";
const devices = { "nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32, "hugepages-2Mi": "5120Mi", memory: "64Gi" };
const benchmark = "mpirun -np 16 -N 8 --bind-to none -x FI_PROVIDER=efa all_reduce_perf -b 8 -e 16G -f 2 -g 1";

new CustomResource("nccl-tests", {
  apiVersion: "kubeflow.org/v2beta1",
  kind: "MPIJob",
  metadata: { name: "nccl-tests", namespace: "training" },
  spec: {
    slotsPerWorker: 8,
    runPolicy: { cleanPodPolicy: "Running", backoffLimit: 2 },
    mpiReplicaSpecs: {
      Launcher: {
        replicas: 1,
        template: {
          spec: {
            restartPolicy: "OnFailure",
            containers: [{ name: "launcher", image, command: benchmark.split(" ") }],
          },
        },
      },
      Worker: {
        replicas: 2,
        template: {
          spec: {
            tolerations,
            containers: [
              {
                name: "worker",
                image,
                resources: { limits: devices, requests: { ...devices, cpu: "90" } },
                volumeMounts: [{ name: "shm", mountPath: "/dev/shm" }],
              },
            ],
            volumes: [{ name: "shm", emptyDir: { medium: "Memory", sizeLimit: "32Gi" } }],
          },
        },
      },
    },
  },
});
