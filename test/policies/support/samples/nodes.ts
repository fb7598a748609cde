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

const instance = { instanceType: "t3.medium" };
const sizes = { desiredCapacity: 0, maxSize: 2, minSize: 0 };
const fleet = {
  launchTemplateConfigs: [{ overrides: [{ instanceType: "g5.xlarge" }] }],
  targetCapacitySpecification: { defaultTargetCapacityType: "spot", totalTargetCapacity: 0 },
};
const spotFleet = { launchSpecifications: [{ imageId: "ami-0", instanceType: "g5.xlarge" }], targetCapacity: 0 };
const requirements = [{ key: "node.kubernetes.io/instance-type", operator: "In", values: ["t3.medium"] }];

const machineSet = { spec: { replicas: 1, template: { spec: { infrastructureRef: { name: "cpu" } } } } };
const builds = {
  environmentType: "LINUX_CONTAINER",
  baseCapacity: 1,
  computeConfiguration: { instanceType: "c7i.large" },
};
const tasks = {
  managedInstancesProvider: { instanceLaunchTemplate: { instanceRequirements: { acceleratorTypes: ["fpga"] } } },
};

/** A custom resource in each version of its API group. */
function inVersions(group: string, versions: readonly string[], kind: string, properties: Record<string, unknown>) {
  return Object.fromEntries(versions.map((version) => [`kubernetes:${group}/${version}:${kind}`, properties]));
}
function ofUpbound(service: string, versions: readonly string[], kind: string, properties: object) {
  const inProvider = { spec: { forProvider: properties } };
  return {
    ...inVersions(`${service}.aws.upbound.io`, versions, kind, inProvider),
    ...inVersions(`${service}.aws.m.upbound.io`, ["v1beta1"], kind, inProvider),
  };
}

/** What other controllers and other services start. */
const others: Readonly<Record<string, Record<string, unknown>>> = {
  ...inVersions("karpenter.sh", ["v1", "v1beta1"], "NodeClaim", { spec: { requirements } }),
  ...inVersions("karpenter.sh", ["v1alpha5"], "Provisioner", {
    spec: {
      limits: { resources: { "nvidia.com/gpu": 2 } },
      requirements: [{ key: "node.kubernetes.io/instance-type", operator: "In", values: ["g5.xlarge"] }],
      taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NoSchedule" }],
      labels: { "nvidia.com/gpu": "true" },
    },
  }),
  ...inVersions("infrastructure.cluster.x-k8s.io", ["v1beta1", "v1beta2"], "AWSMachinePool", {
    spec: { ...sizes, awsLaunchTemplate: instance },
  }),
  ...inVersions("infrastructure.cluster.x-k8s.io", ["v1beta1", "v1beta2"], "AWSMachine", { spec: instance }),
  ...inVersions("kops.k8s.io", ["v1alpha2", "v1alpha3"], "InstanceGroup", {
    spec: { machineType: "t3.medium", minSize: 0, maxSize: 2 },
  }),
  ...inVersions("ec2.services.k8s.aws", ["v1alpha1"], "Instance", { spec: { ...instance, maxCount: 1 } }),
  ...inVersions("ec2.services.k8s.aws", ["v1alpha1"], "CapacityReservation", {
    spec: { ...instance, instanceCount: 1 },
  }),
  ...ofUpbound("ec2", ["v1beta1", "v1beta2"], "Instance", instance),
  ...ofUpbound("ec2", ["v1beta1", "v1beta2"], "SpotInstanceRequest", instance),
  ...ofUpbound("ec2", ["v1beta1", "v1beta2"], "SpotFleetRequest", spotFleet),
  ...ofUpbound("ec2", ["v1beta1", "v1beta2"], "Fleet", fleet),
  ...ofUpbound("ec2", ["v1beta1"], "CapacityReservation", { ...instance, instanceCount: 1 }),
  ...ofUpbound("autoscaling", ["v1beta1", "v1beta2", "v1beta3"], "AutoscalingGroup", sizes),
  ...inVersions("cluster.x-k8s.io", ["v1beta1", "v1beta2"], "MachineDeployment", machineSet),
  ...inVersions("cluster.x-k8s.io", ["v1beta1", "v1beta2"], "MachineSet", machineSet),
  ...inVersions("infrastructure.cluster.x-k8s.io", ["v1beta1", "v1beta2"], "AWSMachineTemplate", {
    metadata: { name: "cpu" },
    spec: { template: { spec: instance } },
  }),
  ...inVersions("kaito.sh", ["v1alpha1", "v1beta1"], "Workspace", { resource: { ...instance, count: 1 } }),
  ...inVersions("kaito.sh", ["v1alpha1", "v1beta1"], "RAGEngine", { spec: { compute: { ...instance, count: 1 } } }),
  ...inVersions("kaito.sh", ["v1alpha1", "v1beta1"], "InferenceSet", {
    spec: { replicas: 1, template: { resource: instance } },
  }),
  "aws:cloud9/environmentEC2:EnvironmentEC2": { ...instance, subnetId: "subnet-0" },
  "aws:workspaces/workspace:Workspace": { workspaceProperties: { computeTypeName: "STANDARD" } },
  "aws:codebuild/fleet:Fleet": builds,
  "aws-native:codebuild:Fleet": builds,
  "aws:ecs/capacityProvider:CapacityProvider": tasks,
  "aws-native:ecs:CapacityProvider": tasks,
  "aws-native:autoscaling:WarmPool": { autoScalingGroupName: "gpu", poolState: "Stopped", minSize: 0 },
  "aws-native:autoscaling:ScheduledAction": { autoScalingGroupName: "gpu", ...sizes },
  "aws-native:ec2:Ec2Fleet": fleet,
  "aws-native:ec2:SpotFleet": { spotFleetRequestConfigData: spotFleet },
  "aws-native:ec2:Host": { instanceFamily: "m5", availabilityZone: "ap-northeast-2a" },
  "aws-native:batch:ComputeEnvironment": {
    computeResources: { type: "EC2", instanceTypes: ["g5.xlarge"], minvCpus: 0, desiredvCpus: 0, maxvCpus: 8 },
  },
  "aws:emr/cluster:Cluster": { masterInstanceGroup: instance, coreInstanceGroup: { ...instance, instanceCount: 1 } },
  "aws:emr/instanceGroup:InstanceGroup": { ...instance, instanceCount: 1 },
  "aws:emr/instanceFleet:InstanceFleet": { instanceTypeConfigs: [instance], targetOnDemandCapacity: 1 },
  "aws-native:sagemaker:EndpointConfig": {
    productionVariants: [{ instanceType: "ml.m5.large", initialInstanceCount: 1 }],
  },
  "aws-native:sagemaker:NotebookInstance": { instanceType: "ml.t3.medium" },
  "aws-native:sagemaker:Cluster": { instanceGroups: [{ instanceType: "ml.m5.large", instanceCount: 1 }] },
  "aws:gamelift/fleet:Fleet": { ec2InstanceType: "c5.large" },
  "aws-native:gamelift:Fleet": { ec2InstanceType: "c5.large", desiredEc2Instances: 1 },
  "aws:appstream/fleet:Fleet": {
    instanceType: "stream.standard.medium",
    computeCapacity: { desiredInstances: 1 },
  },
};

/** Groups of nodes, and what belongs to them. */
export const nodes: Readonly<Record<string, Record<string, unknown>>> = {
  ...others,
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
  "kubernetes:eks.aws.crossplane.io/v1alpha1:NodeGroup": { spec: { forProvider: otherGroup } },
  "kubernetes:autoscaling.aws.crossplane.io/v1beta1:AutoScalingGroup": { spec: { forProvider: sizes } },
  ...ofUpbound("eks", ["v1beta1", "v1beta2"], "NodeGroup", forProvider),
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
  "eks-gpu-lab:index:NodePoolLease": { nodePools: ["gpu"], nightly: "22:00" },
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
