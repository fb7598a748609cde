import type { GpuEnvironmentArgs } from "../environment/gpu-environment-schema";
import { gpuEnvironmentProblems } from "../environment/gpu-environment-schema";
import { defaultAddons, environmentSettings, type EnvironmentSettings } from "../environment/gpu-environment-plan";
import { imageFolder, imageName } from "../nodes/machine/ami-releases";
import { instanceType, type InstanceType } from "../nodes/machine/instance-types";
import type { Sizes } from "../nodes/scaling";
import { nodeNeeds } from "./node-request";
import type { CapacityRequest, ScaledGroup, WantedImage } from "./preflight-facts";
import type { ChangeOptions } from "./running-environment";
import { groupPrefix, type Section } from "./running-group";

/**
 * What an environment requests of region and account, with what may exist already; undefined when the arguments are
 * wrong, which `gpuEnvironmentProblems` reports.
 */
export function preflightRequest(args: GpuEnvironmentArgs, options: ChangeOptions = {}): CapacityRequest | undefined {
  return gpuEnvironmentProblems(args).length === 0 ? capacityRequest(environmentSettings(args), options) : undefined;
}

/** What an environment requests of region and account, with what may exist already. */
export function capacityRequest(settings: EnvironmentSettings, options: ChangeOptions = {}): CapacityRequest {
  const { clusterName, systemNodes, gpuNodes, controlPlaneLogs, secretsKey } = settings;
  const type = instanceType(gpuNodes.instanceType) as InstanceType;
  const zones = settings.network.existing?.zones ?? settings.network.zones;
  return {
    clusterName,
    admins: settings.admins,
    ...(isStrings(zones) && { zones }),
    systemInstanceType: systemNodes.instanceType,
    azIndex: gpuNodes.azIndex,
    maxSize: gpuNodes.maxSize,
    ...nodeNeeds(type, gpuNodes),
    ...(controlPlaneLogs.length > 0 && { logGroupName: `/aws/eks/${clusterName}/cluster` }),
    ...(secretsKey === "own" && { keyAliasName: `alias/eks/${clusterName}` }),
    ...(secretsKey.startsWith("arn:") && { secretsKeyArn: secretsKey }),
    scaledGroups: [
      ...scaledGroup("systemNodes", clusterName, systemNodes),
      ...scaledGroup("gpuNodes", clusterName, gpuNodes),
    ],
    ...versionRequest(settings),
    publicAccessCidrs: settings.publicAccessCidrs,
    ...gpuSubnetOf(settings),
    change: { settings, ...options },
  };
}

function versionRequest(
  settings: EnvironmentSettings,
): Pick<CapacityRequest, "kubernetesVersion" | "images" | "addons"> {
  const { kubernetesVersion, systemNodes, gpuNodes, addons } = settings;
  const names = [...new Set([...defaultAddons, ...Object.keys(addons)])];
  return {
    kubernetesVersion,
    images: [
      wantedImage("systemNodes", systemNodes, kubernetesVersion),
      wantedImage("gpuNodes", gpuNodes, kubernetesVersion),
    ],
    addons: names.map((name) => ({ name, ...(addons[name] !== undefined && { version: addons[name] }) })),
  };
}

function wantedImage(
  section: Section,
  nodes: { readonly instanceType: string; readonly releaseVersion: string },
  kubernetesVersion: string,
): WantedImage {
  const { amiType } = instanceType(nodes.instanceType) as InstanceType;
  const release = nodes.releaseVersion;
  const folder = imageFolder(kubernetesVersion, amiType);
  return {
    ...{ path: `${section}.releaseVersion`, release },
    name: `${folder}/${imageName(release, amiType)}`,
    newest: `${folder}/recommended/release_version`,
  };
}

/** A subnet that is an Output is not known yet. */
function gpuSubnetOf({ network, gpuNodes }: EnvironmentSettings): { gpuSubnetId?: string } {
  const id: unknown = network.existing?.privateSubnetIds[gpuNodes.azIndex];
  return typeof id === "string" && id.startsWith("subnet-") ? { gpuSubnetId: id } : {};
}

/** The group of a section, unless Pulumi sets its size: then every update sends the configured one, as it should. */
function scaledGroup(
  section: Section,
  clusterName: string,
  { minSize, maxSize, owner }: Sizes & { readonly owner: string },
): ScaledGroup[] {
  return owner === "pulumi" ? [] : [{ section, namePrefix: groupPrefix(clusterName, section), minSize, maxSize }];
}

/** Zones of an existing network may be Outputs. */
function isStrings(value: readonly unknown[] | undefined): value is readonly string[] {
  return value !== undefined && value.every((item) => typeof item === "string");
}
