import * as aws from "@pulumi/aws";
import { Release } from "@pulumi/kubernetes/helm/v3";
import type { Resource } from "@pulumi/pulumi";
import { kubernetesVersion, tags, type Choices } from "./choices";
import { allow, trust, type Cluster } from "./cluster";

/** A controller that acts in AWS. The original made the rights of all three, and installed only external-dns. */
interface Controller {
  readonly name: string;
  readonly policy: string;
  readonly actions: string[];
  readonly namespace: string;
  readonly chart?: { readonly repo: string; readonly version: string; readonly values: Record<string, unknown> };
}

const controllers: readonly Controller[] = [
  {
    name: "aws-load-balancer-controller",
    policy: "myeksAWSLoadBalancerControllerPolicy",
    actions: ["elasticloadbalancing:*", "ec2:Describe*", "ec2:AuthorizeSecurityGroupIngress"],
    namespace: "kube-system",
    chart: {
      repo: "https://aws.github.io/eks-charts",
      version: "3.5.0",
      values: { clusterName: "myeks", nodeSelector: { tier: "primary" } },
    },
  },
  {
    name: "cluster-autoscaler",
    policy: "myeksCasAutoScalerPolicy",
    actions: [
      "autoscaling:Describe*",
      "autoscaling:SetDesiredCapacity",
      "autoscaling:TerminateInstanceInAutoScalingGroup",
      "ec2:DescribeInstanceTypes",
      "ec2:DescribeLaunchTemplateVersions",
      "eks:DescribeNodegroup",
    ],
    namespace: "kube-system",
    chart: {
      repo: "https://kubernetes.github.io/autoscaler",
      version: "9.59.0",
      values: { autoDiscovery: { clusterName: "myeks" }, nodeSelector: { tier: "primary" } },
    },
  },
  {
    name: "external-dns",
    policy: "myeksExternalDNSPolicy",
    actions: ["route53:ChangeResourceRecordSets", "route53:ListHostedZones", "route53:ListResourceRecordSets"],
    namespace: "external-dns",
  },
];

/** Rights of the controllers, on the role of the nodes as it was, or each on a role of its own with its chart. */
export function rightsOfControllers({ eks }: Cluster, systemRole: aws.iam.Role, { controllerRights }: Choices): void {
  for (const { name, policy, actions, namespace, chart } of controllers) {
    const rights = new aws.iam.Policy(policy, { name: policy, policy: allow(actions, "*") });
    if (controllerRights === "node role") {
      new aws.iam.RolePolicyAttachment(`myeks-ng-1-${policy}`, { role: systemRole.name, policyArn: rights.arn });
      continue;
    }
    const role = new aws.iam.Role(name, {
      assumeRolePolicy: trust("pods.eks.amazonaws.com", ["sts:AssumeRole", "sts:TagSession"]),
      tags,
    });
    new aws.iam.RolePolicyAttachment(name, { role: role.name, policyArn: rights.arn });
    const identity = new aws.eks.PodIdentityAssociation(name, {
      clusterName: eks.name,
      namespace,
      serviceAccount: name,
      roleArn: role.arn,
    });
    if (!chart) continue;
    const { repo, version, values } = chart;
    new Release(
      name,
      { chart: name, name, namespace, repositoryOpts: { repo }, version, values },
      { dependsOn: identity },
    );
  }
}

/** The versions that the original took on the day of its last run. */
const pinned: Readonly<Record<string, string>> = {
  "vpc-cni": "v1.22.4-eksbuild.3",
  coredns: "v1.13.2-eksbuild.31",
  "kube-proxy": "v1.35.3-eksbuild.29",
  "metrics-server": "v0.9.0-eksbuild.5",
  "external-dns": "v0.21.0-eksbuild.6",
  "eks-pod-identity-agent": "v1.3.10-eksbuild.3",
  "cert-manager": "v1.21.0-eksbuild.3",
};

/** The add-ons: the network's before the nodes, the others when nodes are there to run them. */
export function addons({ eks }: Cluster, groups: readonly Resource[], { versions }: Choices): void {
  for (const [addonName, version] of Object.entries(pinned)) {
    const newest = () => aws.eks.getAddonVersionOutput({ addonName, kubernetesVersion, mostRecent: true }).version;
    new aws.eks.Addon(
      addonName,
      {
        clusterName: eks.name,
        addonName,
        addonVersion: versions === "pinned" ? version : newest(),
        preserve: true,
        resolveConflictsOnCreate: "NONE",
        resolveConflictsOnUpdate: "OVERWRITE",
        tags,
      },
      { dependsOn: addonName === "vpc-cni" ? [] : [...groups] },
    );
  }
}

/** The GPU Operator on nodes whose AMI brings driver and toolkit. */
export function gpuOperator(groups: readonly Resource[]): void {
  new Release(
    "gpu-operator",
    {
      chart: "gpu-operator",
      name: "gpu-operator",
      namespace: "gpu-operator",
      createNamespace: true,
      repositoryOpts: { repo: "https://helm.ngc.nvidia.com/nvidia" },
      version: "v26.3.1",
      timeout: 900,
      atomic: false,
      values: {
        driver: { enabled: false },
        toolkit: { enabled: false },
        devicePlugin: { enabled: true },
        nfd: { enabled: true },
        dcgmExporter: { enabled: true },
        validator: { plugin: { env: [{ name: "WITH_WORKLOAD", value: "true" }] } },
        operator: { tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }] },
      },
    },
    { dependsOn: [...groups] },
  );
}
