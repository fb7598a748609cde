import type * as pulumi from "@pulumi/pulumi";

/** The system nodes: a controller on a GPU node would keep it from scaling down, or end with it. */
const nodeSelector = { tier: "primary" };

/** Values of the chart aws-load-balancer-controller. @see https://github.com/aws/eks-charts/tree/master/stable/aws-load-balancer-controller 3.5.0 */
export function loadBalancerControllerValues(args: {
  readonly clusterName: pulumi.Input<string>;
  readonly region: pulumi.Input<string>;
  readonly vpcId: pulumi.Input<string>;
  readonly serviceAccount: string;
  readonly webProtection: boolean;
}) {
  const { clusterName, region, vpcId, serviceAccount, webProtection } = args;
  return {
    clusterName,
    // Stated, because pods cannot ask the instance metadata service for them.
    region,
    vpcId,
    serviceAccount: { create: true, name: serviceAccount },
    nodeSelector,
    enableShield: webProtection,
    enableWaf: webProtection,
    enableWafv2: webProtection,
    // This webhook sees every new Service: while the controller starts or is broken, nobody could make one. Services
    // that want a load balancer name the class service.k8s.aws/nlb instead.
    enableServiceMutatorWebhook: false,
  };
}

/** Values of the chart cluster-autoscaler. @see https://github.com/kubernetes/autoscaler/tree/cluster-autoscaler-chart-9.59.0/cluster-autoscaler/charts/cluster-autoscaler */
export function clusterAutoscalerValues(args: {
  readonly clusterName: pulumi.Input<string>;
  readonly region: pulumi.Input<string>;
  readonly serviceAccount: string;
  readonly imageTag: string;
}) {
  const { clusterName, region, serviceAccount, imageTag } = args;
  return {
    cloudProvider: "aws",
    awsRegion: region,
    autoDiscovery: { clusterName },
    image: { tag: imageTag },
    rbac: { serviceAccount: { create: true, name: serviceAccount } },
    nodeSelector,
    extraArgs: {
      // Groups that differ in their zone alone grow in turn.
      "balance-similar-node-groups": true,
      // Of several groups that could take a pod, the one that leaves the least idle: not the GPU group.
      expander: "least-waste",
      // Training pods have an emptyDir as /dev/shm; by default that alone would keep a GPU node for ever.
      "skip-nodes-with-local-storage": false,
    },
  };
}
