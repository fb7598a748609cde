/** A version of an add-on, and the evidence that EKS offers it: day or month of the observation, and its source. */
type AddonDefault = Readonly<Record<"version" | "date" | "source", string>>;

const describedInOctober =
  "aws eks describe-addon-versions --kubernetes-version 1.35 (defaultVersion), as published in clusters' decision records";
const filteredInAugust =
  "https://github.com/skax-ca/eks-reference-infra live/hub/eks/main.tf, which asks for defaultVersion in ap-northeast-2";

/**
 * EKS's default versions, by Kubernetes minor version and add-on. An offline plan uses them; a real update reads them
 * from EKS. They change about weekly and differ between regions, so they are not pins. Where the default is not known, this is a version that ran on the minor.
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
      source: "pinned on a 1.35 cluster; its default is not known",
    },
  },
};
