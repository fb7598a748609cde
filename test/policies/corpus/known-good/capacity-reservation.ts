// G instances kept ready by an On-Demand Capacity Reservation, in the zone of the group that uses them.
import * as aws from "@pulumi/aws";
import { Job } from "@pulumi/kubernetes/batch/v1";

const zone = "ap-northeast-2a";
const subnet = new aws.ec2.Subnet("gpu", {
  vpcId: "vpc-0a1b2c3d",
  availabilityZone: zone,
  cidrBlock: "10.0.64.0/20",
});
const reservation = new aws.ec2.CapacityReservation("gpu", {
  availabilityZone: zone,
  instanceType: "g6.xlarge",
  instancePlatform: "Linux/UNIX",
  instanceCount: 2,
  instanceMatchCriteria: "targeted",
  endDateType: "limited",
  endDate: "2026-12-01T00:00:00Z",
});
const template = new aws.ec2.LaunchTemplate("gpu", {
  instanceType: "g6.xlarge",
  capacityReservationSpecification: {
    capacityReservationPreference: "capacity-reservations-only",
    capacityReservationTarget: { capacityReservationId: reservation.id },
  },
  metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 },
  blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize: 150, volumeType: "gp3", encrypted: "true" } }],
  tagSpecifications: [{ resourceType: "instance", tags: { Name: "reserved" } }],
});

new aws.eks.NodeGroup("reserved", {
  clusterName: "ml",
  nodeRoleArn: "arn:aws:iam::123456789012:role/nodes",
  subnetIds: [subnet.id],
  amiType: "AL2023_x86_64_NVIDIA",
  releaseVersion: "1.35.8-20260930",
  launchTemplate: { id: template.id, version: template.latestVersion.apply(String) },
  labels: { "nvidia.com/gpu": "true" },
  taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
  scalingConfig: { minSize: 0, desiredSize: 0, maxSize: 2 },
  updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
});

new Job("finetune", {
  metadata: { namespace: "training" },
  spec: {
    backoffLimit: 3,
    template: {
      spec: {
        restartPolicy: "OnFailure",
        tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
        containers: [
          {
            name: "train",
            image: "nvcr.io/nvidia/pytorch:25.08-py3",
            command: ["torchrun", "--nproc-per-node=1", "train.py"],
            resources: { limits: { "nvidia.com/gpu": "1", memory: "14Gi" }, requests: { cpu: "3" } },
            volumeMounts: [{ name: "checkpoints", mountPath: "/checkpoints" }],
          },
        ],
        volumes: [{ name: "checkpoints", persistentVolumeClaim: { claimName: "checkpoints" } }],
      },
    },
  },
});
