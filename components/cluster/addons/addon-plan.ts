import type { AddonArgs } from "@pulumi/aws/eks";
import type * as pulumi from "@pulumi/pulumi";
import { isPlainObject, join, keysOf, noObject, onlyKeys } from "../../core/checks";
import { isOutput, requirePlainValue } from "../../core/outputs";
import type { Problem } from "../../core/problems";
import { isRecord } from "../../core/reader/records";
import { nearest } from "../../core/suggest";
import { tagsProblems, type Tags } from "../../core/tokens";
import { transformProblems, type Transform } from "../../core/transform";
import { kubernetesVersionProblems, minorOf } from "../kubernetes-versions";

/**
 * When an add-on is installed. Nodes cannot become ready without those that come before them, and the pods of those
 * that come after would wait for a node until EKS calls the add-on degraded.
 */
export type AddonPhase = "before-nodes" | "after-nodes";

/** How one add-on is installed. */
export interface AddonSpec {
  /**
   * One exact version, such as `v1.22.4-eksbuild.3`.
   *
   * @default EKS's default for the cluster's Kubernetes version - with a warning, because it moves
   */
  readonly version?: string;
  /**
   * Configuration in the add-on's own schema: aws eks describe-addon-configuration shows it.
   *
   * @default none - as EKS configures it
   */
  readonly configuration?: object;
}

export type Addons = Readonly<Record<string, AddonSpec>>;

/** Adjusts each add-on before it is made. */
export interface ClusterAddonsTransform {
  readonly addon?: Transform<AddonArgs>;
}

export interface ClusterAddonsArgs {
  readonly clusterName: pulumi.Input<string>;
  /** Kubernetes minor of the cluster, which decides about EKS's default versions. */
  readonly kubernetesVersion: string;
  /** Add-ons by EKS's own names; `{}` stands for the default version and configuration. */
  readonly addons: Addons;
  /**
   * Tags of the add-ons.
   *
   * @default {} - only the Name
   */
  readonly tags?: Tags;
  /**
   * Escape hatch: adjusts the add-ons.
   *
   * @default {} - none is adjusted
   */
  readonly transform?: ClusterAddonsTransform;
}

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

/**
 * Add-ons whose place in the order is known. EKS has more, from marketplaces too; none of them belongs in a GPU lab.
 */
export const knownAddons: readonly string[] = Object.keys(phases);

/** Another component owns it: its tolerations must be those of every GPU group's taints. */
const nodeMonitoringAgent = "eks-node-monitoring-agent";

/** Undefined for an add-on that is not known. */
export function addonPhase(addonName: string): AddonPhase | undefined {
  return Object.hasOwn(phases, addonName) ? phases[addonName] : undefined;
}

/** The add-ons that are installed in a phase. */
export function addonsOfPhase(addons: Addons, phase: AddonPhase): Addons {
  return Object.fromEntries(Object.entries(addons).filter(([addonName]) => addonPhase(addonName) === phase));
}

/** The add-ons that take EKS's default version, by name. */
export function unpinnedAddons(addons: Addons): string[] {
  return Object.keys(addons)
    .filter((addonName) => addons[addonName]?.version === undefined)
    .sort();
}

/**
 * Configuration of vpc-cni that gives a node more pod addresses than its network interfaces have by themselves:
 * prefixes of 16. Undefined where the interfaces have enough.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/cni-increase-ip-addresses.html
 */
export function vpcCniConfiguration(pods: {
  /** What the kubelet is told, e.g. 50. */
  readonly maxPods: number;
  /** What the instance type's interfaces allow without prefixes, e.g. 17 on a t3.medium. */
  readonly instanceMaxPods: number;
}): { env: { ENABLE_PREFIX_DELEGATION: "true"; WARM_PREFIX_TARGET: "1" } } | undefined {
  if (pods.maxPods <= pods.instanceMaxPods) return undefined;
  return { env: { ENABLE_PREFIX_DELEGATION: "true", WARM_PREFIX_TARGET: "1" } };
}

const clusterAddonsKeys = keysOf<ClusterAddonsArgs>({
  clusterName: true,
  kubernetesVersion: true,
  addons: true,
  tags: true,
  transform: true,
});

export const clusterAddonsTransformKeys = keysOf<ClusterAddonsTransform>({ addon: true });

/** Every problem of the add-ons of a cluster. */
export function clusterAddonsProblems(
  args: Partial<ClusterAddonsArgs> & Pick<ClusterAddonsArgs, "kubernetesVersion" | "addons">,
  at = "",
): Problem[] {
  if (!isPlainObject(args)) return noObject(at, args);
  const kubernetesVersion: unknown = args.kubernetesVersion;
  const minor = kubernetesVersionProblems(join(at, "kubernetesVersion"), kubernetesVersion);
  const known = minor.length === 0 ? String(kubernetesVersion) : undefined;
  return [
    ...onlyKeys(at, args, clusterAddonsKeys),
    ...minor,
    ...addonsProblems(join(at, "addons"), args.addons, known),
    ...tagsProblems(join(at, "tags"), args.tags),
    ...transformProblems(join(at, "transform"), args.transform, clusterAddonsTransformKeys),
  ];
}

function addonsProblems(path: string, got: unknown, kubernetesVersion: string | undefined): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  if (!isRecord(got)) {
    const fix = `set ${path} to an object such as { coredns: { version: "v1.13.2-eksbuild.31" } }`;
    return [{ code: "wrong-type", path, got, why: "It must hold add-ons by name.", fix }];
  }
  return Object.entries(got).flatMap(([addonName, spec]) => [
    ...nameProblems(join(path, addonName), addonName, spec),
    ...specProblems(join(path, addonName), addonName, spec, kubernetesVersion),
  ]);
}

function nameProblems(path: string, addonName: string, got: unknown): Problem[] {
  if (addonPhase(addonName)) return [];
  if (addonName === nodeMonitoringAgent) {
    const why = "Its DCGM server tolerates nothing by itself, so it needs the taints of the GPU nodes.";
    return [{ code: "conflict", path, got, why, fix: `remove ${path} and use the component NodeMonitoringAgent` }];
  }
  const near = nearest(addonName, knownAddons);
  const fix = near ? `did you mean ${near}?` : `remove ${path}; known add-ons are ${knownAddons.join(", ")}`;
  return [
    { code: "unknown-key", path, got, why: "It is not an EKS add-on that this library knows the order of.", fix },
  ];
}

const specKeys = keysOf<AddonSpec>({ version: true, configuration: true });

function specProblems(path: string, addonName: string, got: unknown, kubernetesVersion: string | undefined): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  if (!isRecord(got)) {
    const fix = `set ${path} to {} for EKS's default version, or to { version: "v1.2.3-eksbuild.4" }`;
    return [{ code: "wrong-type", path, got, why: "It must be an object with version, configuration or both.", fix }];
  }
  const { version, configuration } = got;
  const versionPath = join(path, "version");
  return [
    ...(version === undefined ? [] : addonVersionProblems(versionPath, version, addonName, kubernetesVersion)),
    ...configurationProblems(join(path, "configuration"), configuration),
    ...onlyKeys(path, got, specKeys, {}, "An add-on has a version and a configuration, and nothing else."),
  ];
}

/** One exact version of an add-on, and for kube-proxy one that may run beside the control plane. */
export function addonVersionProblems(
  path: string,
  got: unknown,
  addonName: string,
  kubernetesVersion: string | undefined,
): Problem[] {
  const list = `aws eks describe-addon-versions --addon-name ${addonName} --kubernetes-version ${kubernetesVersion ?? "1.35"}`;
  const fix = `set ${path} to one that this lists: ${list}; or leave it out for EKS's default`;
  if (isOutput(got)) return requirePlainValue(path);
  if (typeof got !== "string") return [{ code: "wrong-type", path, got, why: "It must be a text.", fix }];
  if (/^(latest|most[ _-]?recent|default|newest)?$/i.test(got.trim())) {
    const why = "It floats: the same program would install another version on another day.";
    return [{ code: "version", path, got, why, fix }];
  }
  if (!/^v\d+\.\d+\.\d+-eksbuild\.\d+$/.test(got)) {
    return [{ code: "version", path, got, why: "It must be one exact version of the form v1.2.3-eksbuild.4.", fix }];
  }
  const behind = addonName === "kube-proxy" ? minorOf(kubernetesVersion) - minorOf(got) : 0;
  if (!(behind < 0 || behind > 3)) return [];
  const why = `kube-proxy may be up to three minors older than the control plane's ${kubernetesVersion}, and never newer.`;
  return [{ code: "version", path, got, why, fix }];
}

function configurationProblems(path: string, got: unknown): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  if (got === undefined || isRecord(got)) return [];
  const why =
    typeof got === "string"
      ? "The component turns it into JSON, and text would be quoted twice."
      : "It must be an object.";
  return [
    { code: "wrong-type", path, got, why, fix: `set ${path} to the object itself, as the add-on's schema has it` },
  ];
}
