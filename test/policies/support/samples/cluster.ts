const files = [{ text: "driver: {enabled: true}\ndcgm: {enabled: false}\n" }];
const fluxRelease = {
  metadata: { name: "gpu-operator", namespace: "gpu-operator" },
  spec: {
    chart: {
      spec: { chart: "gpu-operator", version: "v26.3.1", sourceRef: { kind: "HelmRepository", name: "nvidia" } },
    },
    interval: "10m",
    values: { driver: { enabled: false }, toolkit: { enabled: false } },
    valuesFrom: [],
  },
};
const image = { url: "oci://registry.example/charts/gpu-operator", ref: { tag: "v26.3.1", semver: "v26.3.1" } };
const fluxChart = { chart: "gpu-operator", version: "v26.3.1", sourceRef: { kind: "HelmRepository", name: "nvidia" } };
const fluxSource = (spec: object) => ({ metadata: { name: "gpu-operator", namespace: "gpu-operator" }, spec });

const valuesText = "driver: {enabled: false}\ntoolkit: {enabled: false}\n";
const valuesObject = { driver: { enabled: false }, toolkit: { enabled: false } };
const onChart = (spec: object) => ({ metadata: { name: "gpu-operator", namespace: "gpu-operator" }, spec });
const sveltos = onChart({
  helmCharts: [{ chartName: "nvidia/gpu-operator", chartVersion: "v26.3.1", values: valuesText, valuesFrom: [] }],
});
const crossplane = onChart({
  forProvider: { chart: { name: "gpu-operator", version: "v26.3.1" }, values: valuesObject, set: [], valuesFrom: [] },
});
const fleet = onChart({
  helm: { chart: "gpu-operator", repo: "https://helm.ngc.nvidia.com/nvidia", version: "v26.3.1", values: valuesObject },
});

/** The cluster, its network and what is installed into it. */
export const cluster: Readonly<Record<string, Record<string, unknown>>> = {
  "eks-gpu-lab:index:GpuOperator": { chartVersion: "v26.3.1", namespace: "gpu-operator", migStrategy: "none" },
  "kubernetes:helm.sh/v3:Release": {
    atomic: false,
    chart: "gpu-operator",
    devel: false,
    namespace: "gpu-operator",
    repositoryOpts: { repo: "https://helm.ngc.nvidia.com/nvidia" },
    timeout: 900,
    values: { driver: { enabled: false }, toolkit: { enabled: false } },
    valueYamlFiles: files,
    version: "v26.3.1",
  },
  "kubernetes:argoproj.io/v1alpha1:Application": {
    metadata: { name: "gpu-operator", namespace: "argocd" },
    spec: {
      destination: { server: "https://kubernetes.default.svc", namespace: "gpu-operator" },
      source: {
        repoURL: "https://helm.ngc.nvidia.com/nvidia",
        chart: "gpu-operator",
        targetRevision: "v26.3.1",
        helm: {
          values: "driver: {enabled: false}\n",
          parameters: [{ name: "toolkit.enabled", value: "false" }],
          valueFiles: [],
        },
      },
    },
  },
  "kubernetes:argoproj.io/v1alpha1:ApplicationSet": onChart({
    template: {
      spec: {
        source: { chart: "gpu-operator", targetRevision: "v26.3.1", helm: { values: valuesText, valueFiles: [] } },
      },
    },
  }),
  "kubernetes:helm.cattle.io/v1:HelmChart": onChart({
    chart: "gpu-operator",
    version: "v26.3.1",
    valuesContent: valuesText,
    set: { "driver.enabled": "false" },
  }),
  "kubernetes:helm.crossplane.io/v1beta1:Release": crossplane,
  "kubernetes:helm.m.crossplane.io/v1beta1:Release": crossplane,
  "kubernetes:helm.k0sproject.io/v1beta1:Chart": onChart({
    chartName: "nvidia/gpu-operator",
    version: "v26.3.1",
    values: valuesText,
  }),
  "kubernetes:k0s.k0sproject.io/v1beta1:ClusterConfig": onChart({
    extensions: {
      helm: { charts: [{ chartname: "nvidia/gpu-operator", version: "v26.3.1", values: valuesText }] },
    },
  }),
  "kubernetes:core.oam.dev/v1beta1:Application": onChart({
    components: [{ properties: { chart: "gpu-operator", version: "v26.3.1", values: valuesObject } }],
  }),
  "kubernetes:config.projectsveltos.io/v1beta1:ClusterProfile": sveltos,
  "kubernetes:config.projectsveltos.io/v1beta1:Profile": sveltos,
  "kubernetes:fleet.cattle.io/v1alpha1:Bundle": fleet,
  "kubernetes:fleet.cattle.io/v1alpha1:HelmOp": fleet,
  "kubernetes:addons.cluster.x-k8s.io/v1alpha1:HelmChartProxy": onChart({
    chartName: "gpu-operator",
    version: "v26.3.1",
    valuesTemplate: valuesText,
  }),
  "kubernetes:helm.toolkit.fluxcd.io/v2:HelmRelease": fluxRelease,
  "kubernetes:helm.toolkit.fluxcd.io/v2beta2:HelmRelease": fluxRelease,
  "kubernetes:helm.toolkit.fluxcd.io/v2beta1:HelmRelease": fluxRelease,
  "kubernetes:source.toolkit.fluxcd.io/v1:OCIRepository": fluxSource(image),
  "kubernetes:source.toolkit.fluxcd.io/v1beta2:OCIRepository": fluxSource(image),
  "kubernetes:source.toolkit.fluxcd.io/v1:HelmChart": fluxSource(fluxChart),
  "kubernetes:source.toolkit.fluxcd.io/v1beta2:HelmChart": fluxSource(fluxChart),
  "kubernetes:operators.coreos.com/v1alpha1:Subscription": {
    metadata: { name: "gpu-operator", namespace: "nvidia-gpu-operator" },
    spec: {
      name: "gpu-operator-certified",
      installPlanApproval: "Manual",
      startingCSV: "gpu-operator-certified.v26.3.1",
    },
  },
  "kubernetes:nvidia.com/v1alpha1:NVIDIADriver": {
    metadata: { name: "default" },
    spec: { driverType: "gpu", nodeSelector: { "nvidia.com/gpu.present": "true" } },
  },
  "kubernetes:helm.sh/v4:Chart": { chart: "gpu-operator", version: "v26.3.1", devel: false },
  "kubernetes:helm.sh/v3:Chart": {
    chart: "gpu-operator",
    version: "v26.3.1",
    fetchOpts: { repo: "https://helm.ngc.nvidia.com/nvidia", version: "v26.3.1", devel: false },
  },
  "kubernetes:nvidia.com/v1:ClusterPolicy": {
    metadata: { name: "cluster-policy", labels: { "helm.sh/chart": "gpu-operator-v26.3.1" } },
    spec: {},
  },
  "pulumi:providers:kubernetes": { kubeconfig: "{}", context: "shop" },
  "aws:eks/cluster:Cluster": {
    accessConfig: { authenticationMode: "API" },
    enabledClusterLogTypes: ["api", "audit", "scheduler"],
    encryptionConfig: { provider: { keyArn: "arn:aws:kms:key" }, resources: ["secrets"] },
    version: "1.35",
    vpcConfig: { endpointPublicAccess: true, publicAccessCidrs: ["203.0.113.7/32"], subnetIds: ["subnet-0"] },
  },
  "eks:index:Cluster": {
    authenticationMode: "API",
    enabledClusterLogTypes: ["api", "audit", "scheduler"],
    encryptionConfigKeyArn: "arn:aws:kms:key",
    endpointPublicAccess: true,
    publicAccessCidrs: ["203.0.113.7/32"],
    version: "1.35",
  },
  "eks-gpu-lab:index:EksCluster": {
    clusterName: "myeks",
    controlPlaneLogs: ["api", "audit", "scheduler"],
    kubernetesVersion: "1.35",
    publicAccessCidrs: ["203.0.113.7/32"],
    secretsKey: "own",
  },
  "aws:eks/addon:Addon": {
    addonName: "eks-node-monitoring-agent",
    addonVersion: "v1.7.0-eksbuild.1",
    configurationValues:
      '{"dcgmAgent":{"tolerations":[{"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"}]}}',
  },
  "eks-gpu-lab:index:ClusterAddons": {
    clusterName: "myeks",
    kubernetesVersion: "1.35",
    addons: { coredns: { version: "v1.13.2-eksbuild.31" }, "vpc-cni": { version: "v1.22.4-eksbuild.3" } },
  },
  "eks-gpu-lab:index:NodeMonitoringAgent": {
    clusterName: "myeks",
    kubernetesVersion: "1.35",
    version: "v1.7.0-eksbuild.1",
  },
  "eks-gpu-lab:index:NodeFirewall": {
    clusterName: "myeks",
    nccl: "open",
    nodeToNode: "open",
    vpcCidr: "192.168.0.0/16",
    vpcWide: "open",
  },
  "aws:ec2/securityGroup:SecurityGroup": {
    ingress: [{ protocol: "tcp", fromPort: 443, toPort: 443, cidrBlocks: ["192.168.0.0/16"], self: false }],
    namePrefix: "myeks-node-",
    vpcId: "vpc-0",
  },
  "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": { ingress: [], egress: [], vpcId: "vpc-0" },
  "aws:ec2/securityGroupRule:SecurityGroupRule": {
    type: "ingress",
    protocol: "tcp",
    fromPort: 1025,
    toPort: 65535,
    cidrBlocks: ["192.168.0.0/16"],
    securityGroupId: "sg-0",
  },
  "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": {
    ipProtocol: "tcp",
    fromPort: 1025,
    toPort: 65535,
    referencedSecurityGroupId: "sg-0",
    securityGroupId: "sg-0",
  },
  "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": {
    ipProtocol: "-1",
    cidrIpv4: "0.0.0.0/0",
    securityGroupId: "sg-0",
  },
  "aws:iam/role:Role": {
    name: "myeks-gpu-0",
    inlinePolicies: [{ name: "logs", policy: "{}" }],
    managedPolicyArns: ["arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy"],
  },
  "aws:iam/rolePolicyAttachment:RolePolicyAttachment": {
    role: "myeks-gpu",
    policyArn: "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy",
  },
  "aws:iam/rolePolicyAttachmentsExclusive:RolePolicyAttachmentsExclusive": {
    roleName: "myeks-gpu",
    policyArns: ["arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy"],
  },
  "aws:iam/policyAttachment:PolicyAttachment": {
    name: "images",
    roles: ["myeks-gpu"],
    policyArn: "arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly",
  },
  "aws:iam/rolePoliciesExclusive:RolePoliciesExclusive": { roleName: "myeks-gpu", policyNames: ["logs"] },
};
