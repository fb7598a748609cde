import type { AddonArgs } from "@pulumi/aws/eks";
import * as v from "valibot";
import { addonVersionForm, exactAddonVersion, exampleAddonVersion } from "../../core/addon-version";
import { isOutput } from "../../core/outputs";
import type { Problem } from "../../core/problems";
import { isRecord } from "../../core/reader/records";
import { s, defaultsOf, problemsIn, type GivenOf, type ValueOf } from "../../core/schema";
import { join } from "../../core/reader/paths";
import { nearest } from "../../core/suggest";
import { tagMap } from "../../core/tokens";
import { transformOf, type Transform } from "../../core/transform";
import { clusterName } from "../cluster-name";
import { minorOf, supportedKubernetesVersion } from "../kubernetes-versions";
import { addonPhase, knownAddons } from "./addon-plan";

/** Adjusts each add-on before it is created. */
export interface ClusterAddonsTransform {
  readonly addon?: Transform<AddonArgs>;
}

const exampleVersion = exampleAddonVersion("coredns");
const versionText = s.text(`set {path} to a version such as "${exampleVersion}"`);

const addonSpec = s.section({
  /**
   * One exact version, of the form `v1.2.3-eksbuild.4`.
   *
   * @default EKS's default for the cluster's Kubernetes version - with a warning, because it changes over time
   */
  version: s.optional(versionText),
  /**
   * Configuration in the add-on's own schema, which aws eks describe-addon-configuration shows.
   *
   * @default none - the configuration of EKS
   */
  configuration: s.optional(
    v.custom<object>(
      (got) => isRecord(got) && !isOutput(got),
      ({ input }) =>
        s.explain(
          typeof input === "string" ? "Must be an object, not JSON: the component encodes it." : "Must be an object.",
          "set {path} to an object, as in the add-on's schema",
        ),
    ),
  ),
});

/** How one add-on is installed. */
export interface AddonSpec extends Readonly<GivenOf<typeof addonSpec>> {}

export type Addons = Readonly<Record<string, AddonSpec>>;

const clusterAddonsSection = s.section({
  /** Name of the cluster. */
  clusterName: clusterName(),
  /** Kubernetes minor version of the cluster. It determines EKS's default versions. */
  kubernetesVersion: supportedKubernetesVersion(),
  /** Add-ons by their EKS names; `{}` means the default version and configuration. */
  addons: v.pipe(s.mapOf(addonSpec, `{ coredns: { version: "${exampleVersion}" } }`), s.check(specProblems)),
  /** Tags of the add-ons, of the volumes of aws-ebs-csi-driver, and of the network interfaces of vpc-cni. @default {} - only Name is set */
  tags: s.optional(tagMap(), {}),
  /** Adjusts the add-ons. @default none - none is adjusted */
  transform: s.optional(transformOf<ClusterAddonsTransform>({ addon: true })),
});

/** Arguments of a ClusterAddons. */
export const clusterAddonsSchema = v.pipe(clusterAddonsSection, s.check(kubeProxyConflicts));

export interface ClusterAddonsArgs extends Readonly<GivenOf<typeof clusterAddonsSchema>> {}

export const clusterAddonsDefaults = defaultsOf(clusterAddonsSection);

const anyCluster = s.section({
  ...clusterAddonsSection.entries,
  clusterName: s.optional(clusterAddonsSection.entries.clusterName),
});
const clusterAddonsOfAnyCluster = v.pipe(anyCluster, s.check(kubeProxyConflicts));

/** Every problem of the add-ons of a cluster. */
export function clusterAddonsProblems(
  args: Partial<ClusterAddonsArgs> & Pick<ClusterAddonsArgs, "kubernetesVersion" | "addons">,
  at = "",
): readonly Problem[] {
  return problemsIn(clusterAddonsOfAnyCluster, args, at);
}

type Specs = Readonly<Record<string, ValueOf<typeof addonSpec>>>;

function specProblems(addons: Specs, at: string): Problem[] {
  return Object.entries(addons).flatMap(([addonName, spec]) => {
    const path = join(at, addonName);
    const { version } = spec;
    return [
      ...nameProblems(addonName, path, spec),
      ...(version === undefined ? [] : exactVersionProblems(addonName, version, join(path, "version"))),
    ];
  });
}

/** Another component creates it: its tolerations must match the taints of every GPU group. */
const nodeMonitoringAgent = "eks-node-monitoring-agent";

function nameProblems(addonName: string, path: string, got: unknown): Problem[] {
  if (addonPhase(addonName)) return [];
  if (addonName !== nodeMonitoringAgent) return [unknownAddon(addonName, path, got, knownAddons)];
  const why = "The DCGM server of this add-on must tolerate the taints of the GPU nodes; by default it tolerates none.";
  return [{ code: "conflict", path, got, why, fix: `remove ${path} and use the component NodeMonitoringAgent` }];
}

function unknownAddon(addonName: string, path: string, got: unknown, known: readonly string[]): Problem {
  const near = nearest(addonName, known);
  const fix = near ? `did you mean ${near}?` : `remove ${path}; known add-ons are ${known.join(", ")}`;
  return { code: "unknown-key", path, got, why: "Unknown add-on.", fix };
}

function exactVersionProblems(addonName: string, got: string, path: string): Problem[] {
  if (exactAddonVersion.test(got)) return [];
  const floats = /^(latest|most[ _-]?recent|default|newest)?$/i.test(got.trim());
  const why = floats
    ? "Must be one exact version; this value installs different versions over time."
    : `Must be one exact version of the form ${addonVersionForm}.`;
  return [{ code: "version", path, got, why, fix: versionFix(path, addonName) }];
}

function versionFix(path: string, addonName: string, kubernetesVersion?: string): string {
  const cluster = kubernetesVersion === undefined ? "" : ` --kubernetes-version ${kubernetesVersion}`;
  const command = `aws eks describe-addon-versions --addon-name ${addonName}${cluster}`;
  return `set ${path} to a version that this lists: ${command}; or leave it out for the default`;
}

function kubeProxyConflicts(
  { addons, kubernetesVersion }: { readonly addons: Specs; readonly kubernetesVersion: string },
  at: string,
): Problem[] {
  const path = join(join(join(at, "addons"), "kube-proxy"), "version");
  return kubeProxySkew(addons["kube-proxy"]?.version, kubernetesVersion, path);
}

/** @see https://kubernetes.io/releases/version-skew-policy/#kube-proxy */
function kubeProxySkew(got: string | undefined, kubernetesVersion: string, path: string): Problem[] {
  const behind = minorOf(kubernetesVersion) - minorOf(got);
  if (!(behind < 0 || behind > 3)) return [];
  const why = `kube-proxy may be up to three minor versions older than the control plane's ${kubernetesVersion}, and never newer.`;
  return [{ code: "version", path, got, why, fix: versionFix(path, "kube-proxy", kubernetesVersion) }];
}

/** The versions of an environment's add-ons, by name. */
export const addonVersions = v.pipe(
  s.mapOf(versionText, `{ coredns: "${exampleVersion}" }`),
  s.check((versions: Readonly<Record<string, string>>, at) =>
    Object.entries(versions).flatMap(([addonName, got]) => exactVersionProblems(addonName, got, join(at, addonName))),
  ),
);

/** Add-ons that call AWS: without an IAM role of their own their pods fail, until EKS reports the add-on as degraded. */
const needRoles = ["aws-ebs-csi-driver", "aws-efs-csi-driver", "amazon-cloudwatch-observability"];

/** Add-ons that an environment does not create, or that do not fit its Kubernetes version. */
export function addonConflicts(
  versions: Readonly<Record<string, string>>,
  kubernetesVersion: string,
  at: string,
): Problem[] {
  const known = [...knownAddons, nodeMonitoringAgent];
  return Object.entries(versions).flatMap(([addonName, got]): Problem[] => {
    const path = join(at, addonName);
    if (!known.includes(addonName)) return [unknownAddon(addonName, path, got, known)];
    if (needRoles.includes(addonName)) {
      const why = "The pods of this add-on need an IAM role, which the environment does not create.";
      const fix = `remove ${path}, and create the add-on with ClusterAddons and a WorkloadIdentity in your own program`;
      return [{ code: "not-allowed", path, got, why, fix }];
    }
    return addonName === "kube-proxy" ? kubeProxySkew(got, kubernetesVersion, path) : [];
  });
}
