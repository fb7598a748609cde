import * as semver from "semver";
import { addonDefaults } from "../../../components/cluster/addons/addon-defaults";
import { minorOf } from "../../../components/cluster/kubernetes-versions";
import { ownValue } from "../../../components/core/reader/records";
import { pinnedAddons } from "../../../components/core/versions";

/** An EKS add-on. */
interface KnownAddon {
  /** Whether it has pods other than those of DaemonSets. Such an add-on becomes ready only with a node. */
  readonly needsNode: boolean;
  readonly namespace: string;
  /** Known versions, newest first. */
  readonly versions: readonly string[];
}

/**
 * Versions observed on Kubernetes 1.34 to 1.36 between May and October 2026. The list is incomplete, and EKS publishes new
 * versions about every week.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/workloads-add-ons-available-eks.html
 * @see https://github.com/skax-ca/eks-reference-infra live/hub/eks/main.tf
 */
const catalog: Readonly<Record<string, KnownAddon>> = {
  "vpc-cni": daemonSetAddon(
    "v1.23.2-eksbuild.1",
    "v1.23.1-eksbuild.1",
    "v1.23.0-eksbuild.1",
    "v1.22.4-eksbuild.3",
    "v1.22.3-eksbuild.1",
    "v1.22.1-eksbuild.2",
    "v1.21.1-eksbuild.8",
  ),
  "kube-proxy": daemonSetAddon(
    "v1.36.0-eksbuild.21",
    "v1.35.3-eksbuild.29",
    "v1.35.3-eksbuild.25",
    "v1.35.3-eksbuild.21",
    "v1.35.3-eksbuild.18",
    "v1.35.3-eksbuild.17",
    "v1.35.3-eksbuild.5",
    "v1.35.3-eksbuild.2",
    "v1.34.6-eksbuild.25",
  ),
  "eks-pod-identity-agent": daemonSetAddon("v1.4.0-eksbuild.3", "v1.4.0-eksbuild.1", "v1.3.10-eksbuild.3"),
  "eks-node-monitoring-agent": daemonSetAddon(
    "v1.7.2-eksbuild.1",
    "v1.7.1-eksbuild.1",
    "v1.7.0-eksbuild.1",
    "v1.6.5-eksbuild.1",
    "v1.6.4-eksbuild.1",
  ),
  coredns: deploymentAddon(
    "kube-system",
    "v1.14.6-eksbuild.4",
    "v1.14.3-eksbuild.22",
    "v1.14.3-eksbuild.16",
    "v1.14.3-eksbuild.11",
    "v1.14.3-eksbuild.3",
    "v1.14.2-eksbuild.4",
    "v1.13.2-eksbuild.31",
    "v1.13.2-eksbuild.24",
    "v1.13.2-eksbuild.21",
    "v1.13.2-eksbuild.11",
  ),
  "metrics-server": deploymentAddon(
    "kube-system",
    "v0.9.0-eksbuild.11",
    "v0.9.0-eksbuild.7",
    "v0.9.0-eksbuild.5",
    "v0.8.1-eksbuild.6",
  ),
  "external-dns": deploymentAddon(
    "external-dns",
    "v0.23.0-eksbuild.1",
    "v0.21.0-eksbuild.9",
    "v0.21.0-eksbuild.6",
    "v0.21.0-eksbuild.4",
  ),
  "cert-manager": deploymentAddon("cert-manager", "v1.21.2-eksbuild.2", "v1.21.0-eksbuild.3", "v1.20.2-eksbuild.2"),
  "aws-ebs-csi-driver": deploymentAddon(
    "kube-system",
    "v1.66.0-eksbuild.1",
    "v1.65.0-eksbuild.1",
    "v1.64.0-eksbuild.1",
    "v1.63.1-eksbuild.1",
    "v1.59.0-eksbuild.1",
  ),
  // No known version for 1.35: any version is accepted.
  "aws-efs-csi-driver": deploymentAddon("kube-system"),
  "aws-mountpoint-s3-csi-driver": deploymentAddon("kube-system"),
  "snapshot-controller": deploymentAddon("kube-system"),
  "amazon-cloudwatch-observability": deploymentAddon("amazon-cloudwatch"),
  "kube-state-metrics": deploymentAddon("kube-state-metrics"),
  "prometheus-node-exporter": { ...daemonSetAddon(), namespace: "prometheus-node-exporter" },
};

/** An add-on that consists of DaemonSets. */
function daemonSetAddon(...versions: string[]): KnownAddon {
  return { needsNode: false, namespace: "kube-system", versions };
}

function deploymentAddon(namespace: string, ...versions: string[]): KnownAddon {
  return { needsNode: true, namespace, versions };
}

/** An add-on by name; undefined when EKS does not have it. */
export function knownAddon(name: string): KnownAddon | undefined {
  return ownValue(catalog, name);
}

/** Whether EKS offers a version: a known one, or one that is newer than all known ones. */
export function isAvailable(name: string, version: string, kubernetesVersion: string): boolean {
  if (!/^v\d+\.\d+\.\d+-eksbuild\.\d+$/.test(version)) return false;
  if (name === "kube-proxy" && minorOf(version) !== minorOf(kubernetesVersion)) return false;
  const versions = versionsFor(name, kubernetesVersion);
  const newest = versions[0];
  return newest === undefined || versions.includes(version) || semver.gt(version, newest);
}

/** The version that EKS installs by default: the newest known one. */
export function defaultVersion(name: string, kubernetesVersion: string): string | undefined {
  return versionsFor(name, kubernetesVersion)[0];
}

/** A version of kube-proxy supports one minor version of Kubernetes; versions of other add-ons support many. */
function versionsFor(name: string, kubernetesVersion: string): readonly string[] {
  const known = knownAddon(name);
  if (!known) return [];
  const all = semver.rsort([...new Set([...known.versions, ...assumedVersions(name)])]);
  return name === "kube-proxy" ? all.filter((version) => minorOf(version) === minorOf(kubernetesVersion)) : all;
}

/** The versions of an add-on that this project pins, or takes for EKS's default. */
function assumedVersions(name: string): string[] {
  const pinned = Object.values(pinnedAddons).map((versions) => versions[name]);
  const defaults = Object.values(addonDefaults).map((addons) => addons[name]?.version);
  return [...pinned, ...defaults].filter((version) => version !== undefined);
}
