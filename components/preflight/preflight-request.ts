import type { GpuEnvironmentArgs } from "../environment/gpu-environment-schema";
import { gpuEnvironmentProblems } from "../environment/gpu-environment-schema";
import { defaultAddons, environmentSettings, type EnvironmentSettings } from "../environment/gpu-environment-plan";
import { isAutoMode, isOnDemand, poolName } from "../environment/on-demand-conflicts";
import { optionalProperty } from "../core/reader/records";
import { imageFolder, imageName } from "../nodes/machine/ami-releases";
import { instanceType, type InstanceType } from "../nodes/machine/instance-types";
import type { CapacityRequest, WantedImage } from "./preflight-facts";
import type { ChangeOptions } from "./running-environment";
import { groupPrefix, sections } from "./running-group";

/**
 * What an environment requests of region and account, with what may exist already; undefined when the arguments are
 * wrong, which `gpuEnvironmentProblems` reports.
 */
export function preflightRequest(args: GpuEnvironmentArgs, options: ChangeOptions = {}): CapacityRequest | undefined {
  return gpuEnvironmentProblems(args).length === 0 ? capacityRequest(environmentSettings(args), options) : undefined;
}

/** What an environment requests of region and account, with what may exist already. */
export function capacityRequest(settings: EnvironmentSettings, options: ChangeOptions = {}): CapacityRequest {
  const { clusterName, systemNodes, gpuNodes, controlPlaneLogs, secretsKey, lease } = settings;
  const type = instanceType(gpuNodes.instanceType) as InstanceType;
  const zones = settings.network.existing?.zones ?? settings.network.zones;
  return {
    clusterName,
    admins: settings.admins,
    ...(isStrings(zones) && { zones }),
    systemInstanceType: systemNodes.instanceType,
    azIndex: gpuNodes.azIndex,
    maxSize: gpuNodes.maxSize,
    ...(isOnDemand(settings) && { nodePool: poolName(options.name ?? "*") }),
    ...nodeNeeds(type, gpuNodes),
    ...(controlPlaneLogs.length > 0 && { logGroupName: `/aws/eks/${clusterName}/cluster` }),
    ...(secretsKey === "own" && { keyAliasName: `alias/eks/${clusterName}` }),
    ...(secretsKey.startsWith("arn:") && { secretsKeyArn: secretsKey }),
    ...(Array.isArray(lease?.alarmTopicArns) && { alarmTopicArns: lease.alarmTopicArns }),
    // If Pulumi sets the size, every update sends the configured one, as it should.
    scaledGroups: sections.flatMap((section) => {
      const { owner, minSize, maxSize } = settings[section];
      const namePrefix = groupPrefix(clusterName, section);
      const hasGroup = section === "systemNodes" || !isOnDemand(settings);
      return owner === "pulumi" || !hasGroup ? [] : [{ section, namePrefix, minSize, maxSize }];
    }),
    ...wantedVersions(settings),
    publicAccessCidrs: settings.publicAccessCidrs,
    ...gpuSubnetOf(settings),
    change: { settings, ...options },
  };
}

/** What one node of a type needs of region and account. Capacity Blocks are bought in advance and count against no vCPU quota. */
export function nodeNeeds(
  type: InstanceType,
  { capacityType, maxPods }: { readonly capacityType: string; readonly maxPods?: number | undefined },
) {
  const { spot, onDemand } = type.quotaCodes;
  return {
    instanceType: type.name,
    vcpusPerNode: type.vcpus,
    ...(capacityType !== "CAPACITY_BLOCK" && { quotaCode: capacityType === "SPOT" ? spot : onDemand }),
    addressesPerNode: addressesOf(type, maxPods),
  };
}

/**
 * The addresses that a GPU node takes. From the first pods on, the VPC CNI attaches a second network interface with all
 * of its addresses (WARM_ENI_TARGET=1), or holds one warm prefix of 16 addresses in addition to the used one.
 * @see https://github.com/aws/amazon-vpc-cni-k8s/blob/master/docs/eni-and-ip-target.md
 * @see https://github.com/aws/amazon-vpc-cni-k8s/blob/master/docs/prefix-and-ip-target.md
 */
function addressesOf(type: InstanceType, maxPods: number | undefined): number {
  const usesPrefixes = maxPods !== undefined && maxPods > type.maxPods;
  return usesPrefixes ? 1 + 2 * 16 : Math.min(2, type.networkInterfaces) * type.ipv4PerInterface;
}

/** The AMI releases and the add-ons of an environment. EKS Auto Mode chooses the AMI of its nodes. */
export function wantedVersions({ kubernetesVersion, addons, ...settings }: EnvironmentSettings) {
  const names = [...new Set([...defaultAddons, ...Object.keys(addons)])];
  const withRelease = isAutoMode(settings) ? (["systemNodes"] as const) : sections;
  const images = withRelease.map((section): WantedImage => {
    const { instanceType: type, releaseVersion: release } = settings[section];
    const { amiType } = instanceType(type) as InstanceType;
    const folder = imageFolder(kubernetesVersion, amiType);
    return {
      ...{ path: `${section}.releaseVersion`, release },
      name: `${folder}/${imageName(release, amiType)}`,
      newest: `${folder}/recommended/release_version`,
    };
  });
  return {
    kubernetesVersion,
    images,
    addons: names.map((name) => ({ name, ...optionalProperty("version", addons[name]) })),
  };
}

/** A subnet that is an Output is not known yet. */
function gpuSubnetOf({ network, gpuNodes }: EnvironmentSettings): { gpuSubnetId?: string } {
  const id: unknown = network.existing?.privateSubnetIds[gpuNodes.azIndex];
  return typeof id === "string" && id.startsWith("subnet-") ? { gpuSubnetId: id } : {};
}

/** Zones of an existing network may be Outputs. */
function isStrings(value: readonly unknown[] | undefined): value is readonly string[] {
  return value !== undefined && value.every((item) => typeof item === "string");
}
