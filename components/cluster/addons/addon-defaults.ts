/** A version of an add-on, and how it is known that EKS offers it. */
export interface AddonDefault {
  readonly version: string;
  /** Day of the observation, or its month. */
  readonly date: string;
  readonly source: string;
}

const describedInOctober =
  "aws eks describe-addon-versions --kubernetes-version 1.35 (defaultVersion), as published in clusters' decision records";
const filteredInAugust =
  "https://github.com/skax-ca/eks-reference-infra live/hub/eks/main.tf, which asks for defaultVersion in ap-northeast-2";

/**
 * The versions that EKS takes by default, by Kubernetes minor and add-on. A plan without AWS answers with them; a real
 * update asks EKS. They move about every week and differ between regions, so this is no place to pin from: stack
 * configuration is. Where no default was seen, it is a version that ran on the minor.
 */
export const addonDefaults: Readonly<Record<string, Readonly<Record<string, AddonDefault>>>> = {
  "1.35": {
    "vpc-cni": { version: "v1.22.4-eksbuild.3", date: "2026-10-02", source: describedInOctober },
    "kube-proxy": { version: "v1.35.3-eksbuild.29", date: "2026-10-02", source: describedInOctober },
    coredns: { version: "v1.13.2-eksbuild.31", date: "2026-10-02", source: describedInOctober },
    "eks-pod-identity-agent": { version: "v1.3.10-eksbuild.3", date: "2026-10-02", source: describedInOctober },
    "aws-ebs-csi-driver": { version: "v1.66.0-eksbuild.1", date: "2026-10", source: describedInOctober },
    "metrics-server": { version: "v0.9.0-eksbuild.5", date: "2026-08-04", source: filteredInAugust },
    "external-dns": {
      version: "v0.21.0-eksbuild.6",
      date: "2026-08-04",
      source: "https://github.com/skax-ca/eks-reference-infra live/dev/eks/main.tf, which asks for defaultVersion",
    },
    "cert-manager": { version: "v1.21.0-eksbuild.3", date: "2026-08-04", source: filteredInAugust },
    "eks-node-monitoring-agent": {
      version: "v1.7.0-eksbuild.1",
      date: "2026-08",
      source: "pinned on a 1.35 cluster; its default was not seen",
    },
  },
};
