import { ownValue } from "../../core/reader/records";

/**
 * When an add-on is installed. Nodes need the first ones to become ready. The pods of the others need a node; without
 * one EKS reports the add-on as degraded.
 */
export type AddonPhase = "before-nodes" | "after-nodes";

const phases: Readonly<Record<string, AddonPhase>> = {
  "vpc-cni": "before-nodes",
  "kube-proxy": "before-nodes",
  "eks-pod-identity-agent": "before-nodes",
  coredns: "after-nodes",
  "metrics-server": "after-nodes",
  "external-dns": "after-nodes",
  "cert-manager": "after-nodes",
  "aws-ebs-csi-driver": "after-nodes",
  "aws-efs-csi-driver": "after-nodes",
  "snapshot-controller": "after-nodes",
  "amazon-cloudwatch-observability": "after-nodes",
};

/** Add-ons whose phase is known. EKS offers more, also from marketplaces; a GPU lab needs none of them. */
export const knownAddons: readonly string[] = Object.keys(phases);

/** The phase of an add-on; undefined for an unknown one. */
export function addonPhase(addonName: string): AddonPhase | undefined {
  return ownValue(phases, addonName);
}

/** The add-ons that are installed in a phase. */
export function addonsOfPhase<Spec>(
  addons: Readonly<Record<string, Spec>>,
  phase: AddonPhase,
): Readonly<Record<string, Spec>> {
  return Object.fromEntries(Object.entries(addons).filter(([addonName]) => addonPhase(addonName) === phase));
}

/** The names of the add-ons that use EKS's default version. */
export function unpinnedAddons(addons: Readonly<Record<string, { readonly version?: string | undefined }>>): string[] {
  return Object.keys(addons)
    .filter((addonName) => addons[addonName]?.version === undefined)
    .sort();
}

/**
 * Configuration of vpc-cni that gives a node more pod addresses than its network interfaces have: prefixes of 16
 * addresses. Undefined where the interfaces have enough.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/cni-increase-ip-addresses.html
 */
export function vpcCniConfiguration(pods: {
  /** The limit of the kubelet, e.g. 50. */
  readonly maxPods: number;
  /** What the instance type's interfaces allow without prefixes, e.g. 17 on a t3.medium. */
  readonly instanceMaxPods: number;
}): { env: { ENABLE_PREFIX_DELEGATION: "true"; WARM_PREFIX_TARGET: "1" } } | undefined {
  if (pods.maxPods <= pods.instanceMaxPods) return undefined;
  return { env: { ENABLE_PREFIX_DELEGATION: "true", WARM_PREFIX_TARGET: "1" } };
}
