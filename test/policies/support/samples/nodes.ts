const templateBody = `
Resources:
    NodeGroup:
        Type: AWS::AutoScaling::AutoScalingGroup
        Properties:
          DesiredCapacity: 0
          LaunchConfigurationName: gpu-nodeLaunchConfiguration-0
          MinSize: 0
          MaxSize: 2
          VPCZoneIdentifier: ["subnet-0"]
`;

const nodeClass = {
  metadata: { name: "gpu" },
  spec: {
    amiSelectorTerms: [{ alias: "al2023@v20260930" }],
    associatePublicIPAddress: false,
    blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize: "100Gi", encrypted: true } }],
    metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 },
    userData: "",
  },
};

/** As custom resources of controllers, and aws-native, have them. */
const otherGroup = {
  amiType: "AL2023_x86_64_NVIDIA",
  instanceTypes: ["g5.xlarge"],
  labels: { "nvidia.com/gpu": "true" },
  scalingConfig: { desiredSize: 0, maxSize: 2, minSize: 0 },
  subnets: ["subnet-0"],
  updateConfig: { updateStrategy: "MINIMAL" },
  taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
};
const forProvider = { ...otherGroup, subnetIds: ["subnet-0"], taint: otherGroup.taints };
const machinePool = {
  spec: {
    amiType: "AL2023_x86_64_NVIDIA",
    capacityType: "onDemand",
    instanceType: "g5.xlarge",
    scaling: { minSize: 0, maxSize: 2 },
    updateConfig: { updateStrategy: "MINIMAL" },
    taints: [{ key: "nvidia.com/gpu", value: "true", effect: "no-schedule" }],
  },
};

/** Groups of nodes, and what belongs to them. */
export const nodes: Readonly<Record<string, Record<string, unknown>>> = {
  "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass": nodeClass,
  "kubernetes:karpenter.k8s.aws/v1beta1:EC2NodeClass": nodeClass,
  "eks-gpu-lab:index:GpuNodeGroup": {
    clusterName: "myeks",
    instanceType: "g5.xlarge",
    desiredSize: 0,
    minSize: 0,
    maxSize: 2,
    labels: { tier: "gpu", "nvidia.com/gpu": "true" },
    taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
  },
  "eks-gpu-lab:index:SystemNodeGroup": { instanceType: "t3.medium", desiredSize: 2, minSize: 1, maxSize: 4 },
  "aws:eks/nodeGroup:NodeGroup": {
    amiType: "AL2023_x86_64_NVIDIA",
    capacityType: "ON_DEMAND",
    diskSize: 100,
    instanceTypes: ["g5.xlarge"],
    releaseVersion: "1.35.8-20260930",
    remoteAccess: { ec2SshKey: "key", sourceSecurityGroupIds: ["sg-0"] },
    scalingConfig: { desiredSize: 0, maxSize: 2, minSize: 0 },
    labels: { "nvidia.com/gpu": "true" },
    subnetIds: ["subnet-0"],
    taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
    updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
  },
  "aws-native:eks:Nodegroup": otherGroup,
  "kubernetes:eks.services.k8s.aws/v1alpha1:Nodegroup": { spec: otherGroup },
  "kubernetes:eks.aws.upbound.io/v1beta1:NodeGroup": { spec: { forProvider } },
  "kubernetes:eks.aws.upbound.io/v1beta2:NodeGroup": { spec: { forProvider } },
  "kubernetes:eks.aws.m.upbound.io/v1beta1:NodeGroup": { spec: { forProvider } },
  "kubernetes:infrastructure.cluster.x-k8s.io/v1beta1:AWSManagedMachinePool": machinePool,
  "kubernetes:infrastructure.cluster.x-k8s.io/v1beta2:AWSManagedMachinePool": machinePool,
  "eks:index:ManagedNodeGroup": { scalingConfig: { desiredSize: 0, maxSize: 2, minSize: 0 } },
  "eks:index:NodeGroupV2": { desiredCapacity: 0, maxSize: 2, minSize: 0 },
  "aws:autoscaling/group:Group": {
    desiredCapacity: 0,
    maxSize: 2,
    minSize: 0,
    forceDelete: false,
    mixedInstancesPolicy: {
      instancesDistribution: { onDemandBaseCapacity: 0, onDemandPercentageAboveBaseCapacity: 100 },
      launchTemplate: {
        launchTemplateSpecification: { launchTemplateId: "lt-0", version: "1" },
        overrides: [{ instanceType: "g5.xlarge" }],
      },
    },
  },
  "aws:ec2/spotInstanceRequest:SpotInstanceRequest": { ami: "ami-0", instanceType: "t3.medium", spotPrice: "0.01" },
  "aws:ec2/capacityReservation:CapacityReservation": {
    ...{ instanceType: "m7i.large", instanceCount: 2, availabilityZone: "ap-northeast-2a" },
    instancePlatform: "Linux/UNIX",
  },
  "aws:ec2/capacityBlockReservation:CapacityBlockReservation": {
    ...{ capacityBlockOfferingId: "cb-0a1b2c3d", instancePlatform: "Linux/UNIX" },
  },
  "aws-native:ec2:CapacityReservation": { instanceType: "m7i.large", instanceCount: 2 },
  "aws-native:ec2:Instance": { instanceType: "t3.medium" },
  "aws-native:autoscaling:AutoScalingGroup": { desiredCapacity: "0", maxSize: "2", minSize: "0" },
  "aws:ec2/dedicatedHost:DedicatedHost": { instanceFamily: "m5", availabilityZone: "ap-northeast-2a" },
  "aws:batch/computeEnvironment:ComputeEnvironment": {
    computeResources: { type: "EC2", instanceTypes: ["g5.xlarge"], minVcpus: 0, desiredVcpus: 0, maxVcpus: 8 },
  },
  "aws:sagemaker/endpointConfiguration:EndpointConfiguration": {
    productionVariants: [{ instanceType: "ml.m5.large", initialInstanceCount: 1 }],
  },
  "aws:sagemaker/notebookInstance:NotebookInstance": { instanceType: "ml.t3.medium" },
  "pulumi:providers:aws": { region: "ap-northeast-2" },
  "aws:ec2/fleet:Fleet": {
    launchTemplateConfigs: [{ overrides: [{ instanceType: "g5.xlarge" }] }],
    targetCapacitySpecification: { defaultTargetCapacityType: "spot", totalTargetCapacity: 0 },
  },
  "aws:ec2/spotFleetRequest:SpotFleetRequest": {
    launchSpecifications: [{ ami: "ami-0", instanceType: "g5.xlarge" }],
    targetCapacity: 0,
  },
  "aws:autoscaling/schedule:Schedule": {
    autoscalingGroupName: "gpu",
    scheduledActionName: "evening",
    minSize: 0,
    maxSize: 2,
    desiredCapacity: 0,
  },
  "aws:scheduler/schedule:Schedule": {
    state: "ENABLED",
    target: {
      arn: "arn:aws:scheduler:::aws-sdk:eks:updateNodegroupConfig",
      input: '{"ClusterName":"shop","NodegroupName":"plain","ScalingConfig":{"MinSize":0,"MaxSize":2,"DesiredSize":0}}',
    },
  },
  "eks-gpu-lab:index:LabLease": { clusterName: "shop", nodeGroups: { gpu: { nodeGroupName: "gpu", maxSize: 2 } } },
  "aws:ec2/instance:Instance": {
    instanceType: "t3.medium",
    ami: "ami-0",
    instanceMarketOptions: { marketType: "on-demand" },
  },
  "aws:ec2/subnet:Subnet": { vpcId: "vpc-0", cidrBlock: "192.168.12.0/22", availabilityZone: "ap-northeast-2a" },
  "aws:ec2/launchTemplate:LaunchTemplate": {
    blockDeviceMappings: [
      {
        deviceName: "/dev/xvda",
        ebs: { deleteOnTermination: "true", encrypted: "true", volumeSize: 100, volumeType: "gp3" },
      },
    ],
    capacityReservationSpecification: { capacityReservationTarget: { capacityReservationId: "cr-0" } },
    imageId: "ami-0",
    instanceMarketOptions: { marketType: "spot" },
    instanceType: "g5.xlarge",
    metadataOptions: { httpEndpoint: "enabled", httpPutResponseHopLimit: 1, httpTokens: "required" },
    networkInterfaces: [{ associatePublicIpAddress: "false", deviceIndex: 0 }],
    userData: "IyEvYmluL2Jhc2gKZG5mIGluc3RhbGwgLXkgaHRvcAo=",
  },
  "aws:cloudformation/stack:Stack": { name: "gpu-0", templateBody },
  "aws:ec2/launchConfiguration:LaunchConfiguration": {
    imageId: "ami-0",
    instanceType: "g5.xlarge",
    rootBlockDevice: { encrypted: true, volumeSize: 100, volumeType: "gp3" },
    ebsBlockDevices: [{ deviceName: "/dev/xvdb", volumeSize: 100 }],
    associatePublicIpAddress: false,
    metadataOptions: { httpEndpoint: "enabled", httpTokens: "required", httpPutResponseHopLimit: 1 },
    userData: "#!/bin/bash\ndnf install -y htop\n",
  },
  "aws:autoscaling/tag:Tag": {
    autoscalingGroupName: "eks-gpu",
    tag: { key: "k8s.io/cluster-autoscaler/node-template/label/tier", propagateAtLaunch: false, value: "gpu" },
  },
  "eks-gpu-lab:index:ClusterAutoscaler": { clusterName: "myeks", install: true, kubernetesVersion: "1.35" },
  "aws:iam/rolePolicy:RolePolicy": {
    role: "autoscaler",
    policy: { Statement: [{ Effect: "Allow", Action: ["eks:DescribeNodegroup"], Resource: "*" }] },
  },
  "aws:iam/policy:Policy": {
    policy: { Statement: [{ Effect: "Allow", Action: ["eks:DescribeNodegroup"], Resource: "*" }] },
  },
  "aws:eks/fargateProfile:FargateProfile": { clusterName: "myeks", selectors: [{ namespace: "kube-system" }] },
  "eks:index:NodeGroup": { instanceType: "t3.medium", desiredCapacity: 1, maxSize: 2, minSize: 1 },
};
