import type { CustomResourceArgs } from "@pulumi/kubernetes/apiextensions/customResource";
import * as pulumi from "@pulumi/pulumi";
import { parseAmiRelease } from "../machine/ami-releases";
import { userDataText } from "../machine/user-data";
import { instanceTags } from "../node-group";
import { kubernetesEffect, type Taint } from "../scheduling/taints";
import type { CompletePool } from "./gpu-node-pool-schema";

/** The kinds of node classes. */
const nodeClasses = {
  karpenter: { group: "karpenter.k8s.aws", kind: "EC2NodeClass" },
  autoMode: { group: "eks.amazonaws.com", kind: "NodeClass" },
} as const;

/** The most GPUs of all nodes of a pool. */
export function gpuLimits(gpus: number) {
  return { "nvidia.com/gpu": String(gpus) };
}

/** `true:NoSchedule` in the form of Kubernetes. */
function kubernetesTaints(taints: readonly Taint[]) {
  return taints.map(({ key, value, effect }) => ({
    key,
    ...(value !== undefined && { value }),
    effect: kubernetesEffect(effect),
  }));
}

/**
 * The NodePool, which is the same for both provisioners.
 * @see https://karpenter.sh/v1.14/concepts/nodepools/
 */
export function nodePool(name: string, className: pulumi.Input<string>, pool: CompletePool): CustomResourceArgs {
  const { labels, taints, startupTaints, expireAfterHours, terminationGracePeriodMinutes } = pool;
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name },
    spec: {
      template: {
        metadata: { labels },
        spec: {
          nodeClassRef: { ...nodeClasses[pool.provisioner], name: className },
          requirements: requirements(pool),
          taints: kubernetesTaints(taints),
          ...(startupTaints.length > 0 && { startupTaints: kubernetesTaints(startupTaints) }),
          expireAfter: `${expireAfterHours}h`,
          terminationGracePeriod: `${terminationGracePeriodMinutes}m`,
        },
      },
      limits: gpuLimits(pool.gpuLimit),
      disruption: {
        consolidationPolicy: pool.consolidationPolicy,
        consolidateAfter: `${pool.consolidateAfterMinutes}m`,
        budgets: [
          { nodes: "100%", reasons: ["Empty"] },
          { nodes: String(pool.maxDisruptedNodes), reasons: ["Drifted", "Underutilized"] },
        ],
      },
    },
  };
}

function requirements({ instanceTypes, capacityType, zone }: CompletePool) {
  const oneOf = (key: string, values: readonly string[]) => ({ key, operator: "In", values: [...values] });
  return [
    oneOf("node.kubernetes.io/instance-type", instanceTypes),
    oneOf("karpenter.sh/capacity-type", [capacityType === "SPOT" ? "spot" : "on-demand"]),
    ...(zone === undefined ? [] : [oneOf("topology.kubernetes.io/zone", [zone])]),
  ];
}

/** The node class of the pool's provisioner. */
export function nodeClass(name: string, pool: CompletePool): CustomResourceArgs {
  const { group, kind } = nodeClasses[pool.provisioner];
  const spec = pool.provisioner === "karpenter" ? karpenterClass(pool) : autoModeClass(pool);
  return { apiVersion: `${group}/v1`, kind, metadata: { name }, spec };
}

/** What instances of both provisioners have. */
function placement({ subnetId, securityGroupIds, tags }: CompletePool) {
  return {
    subnetSelectorTerms: [{ id: subnetId }],
    securityGroupSelectorTerms: pulumi.output(securityGroupIds ?? []).apply((ids) => ids.map((id) => ({ id }))),
    ...(tags !== undefined && { tags: instanceTags(tags) }),
  };
}

/**
 * As strict as the launch template of a GpuNodeGroup.
 * @see https://karpenter.sh/v1.14/concepts/nodeclasses/
 */
function karpenterClass(pool: CompletePool) {
  const { instanceProfileName, releaseVersion = "", diskSizeGiB, localStorage, maxPods, tools } = pool;
  const ebs = { volumeType: "gp3", volumeSize: `${diskSizeGiB}Gi`, encrypted: true, deleteOnTermination: true };
  const userData = userDataText({ tools });
  return {
    // The alias selects the NVIDIA AMI for types with GPUs, of the cluster's Kubernetes version.
    amiSelectorTerms: [{ alias: `al2023@v${parseAmiRelease(releaseVersion)?.date}` }],
    instanceProfile: instanceProfileName,
    ...placement(pool),
    associatePublicIPAddress: false,
    metadataOptions: { httpEndpoint: "enabled", httpTokens: "required", httpPutResponseHopLimit: 1 },
    blockDeviceMappings: [{ deviceName: "/dev/xvda", rootVolume: true, ebs }],
    ...(localStorage === "raid0" && { instanceStorePolicy: "RAID0" }),
    ...(maxPods !== undefined && { kubelet: { maxPods } }),
    ...(userData !== undefined && { userData }),
  };
}

/**
 * EKS chooses the AMI, encrypts the volume, requires IMDSv2 and gives no public address in a private subnet.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/create-node-class.html
 */
function autoModeClass(pool: CompletePool) {
  return { role: pool.nodeRoleName, ...placement(pool), ephemeralStorage: { size: `${pool.diskSizeGiB}Gi` } };
}
