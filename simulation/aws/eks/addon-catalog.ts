import * as semver from "semver";
import { addonDefaults } from "../../../components/cluster/addons/addon-defaults";
import { minorOf } from "../../../components/cluster/kubernetes-versions";
import { ownValue } from "../../../components/core/reader/records";
import { pinnedAddons } from "../../../components/core/versions";
import { addons } from "./addon-catalog.json";

/** An EKS add-on. */
interface KnownAddon {
  /** Whether it has pods other than those of DaemonSets. Such an add-on becomes ready only with a node. */
  readonly needsNode: boolean;
  readonly namespace: string;
  /** Known versions, newest first. */
  readonly versions: readonly string[];
}

const catalog: Readonly<Record<string, KnownAddon>> = addons;

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
