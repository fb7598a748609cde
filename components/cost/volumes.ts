import { gibOf } from "../core/reader/gib";
import { Reader } from "../core/reader/reader";
import type { Reading } from "../core/reader/reading";
import type { Volume } from "./cost-lines";
import { costNotes } from "./cost-notes";

/**
 * The volume of a node whose size is not set.
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateNodegroup.html
 */
export const defaultDiskGiB = 20;

const unknownType = "unknown-type";

/** The root volume of a node. Amazon Linux 2023 AMIs have a gp3 one. */
export function rootVolume(sizeGiB: number | undefined, settings = new Reader(undefined)): Volume {
  const volumeType = settings.text("volumeType");
  return {
    sizeGiB,
    ...performance(settings),
    ...(volumeType.isAbsent === true
      ? { note: costNotes.assumedGp3 }
      : { volumeType: volumeType.value ?? unknownType }),
  };
}

/** The keys that hold the size and the type of a volume. */
const blockDeviceKeys = { size: "volumeSize", type: "volumeType" };

/** Any other volume. EC2 creates a gp2 volume when the type is not set. */
export function extraVolume(settings: Reader, keys = blockDeviceKeys, defaultSizeGiB?: number): Volume {
  const size = sizeIn(settings, keys.size);
  return {
    sizeGiB: (defaultSizeGiB === undefined ? size : size.or(defaultSizeGiB)).value,
    volumeType: settings.text(keys.type).or("gp2").value ?? unknownType,
    ...performance(settings),
  };
}

/**
 * The volumes of a node with this launch template. A mapping for a device other than the AMI's root adds a volume and
 * leaves the root at its default size.
 */
export function templateVolumes(template: Reader, rootDevice: string | undefined): Volume[] {
  const mappings = template.list("blockDeviceMappings");
  if (mappings.isUnknown) return [rootVolume(undefined)];
  const volumes = (mappings.value ?? []).filter((mapping) => mapping.entries("ebs").isAbsent !== true);
  const isRoot = (mapping: Reader) =>
    rootDevice === undefined ? mapping === volumes[0] : mapping.text("deviceName").value === rootDevice;
  const mapped = volumes.map((mapping) => {
    const ebs = mapping.at("ebs");
    return isRoot(mapping) ? rootVolume(sizeIn(ebs).or(defaultDiskGiB).value, ebs) : extraVolume(ebs);
  });
  return volumes.some(isRoot) ? mapped : [rootVolume(defaultDiskGiB), ...mapped];
}

/** The volumes of an instance or of a launch configuration that sets some; undefined if it does not. */
export function ownVolumes(instance: Reader): Volume[] | undefined {
  const [root, extra] = [instance.at("rootBlockDevice"), instance.list("ebsBlockDevices")];
  if (root.entries().isAbsent !== false && extra.isAbsent !== false) return undefined;
  const others = (extra.value ?? []).map((device) => extraVolume(device));
  return [rootVolume(root.integer("volumeSize").value, root), ...others];
}

/** The properties of a managed node group that determine the volumes of its nodes. */
interface VolumeSettings {
  /** Size of the root volume in GiB, in a group without a launch template. */
  readonly diskSize: number | undefined;
  readonly amiType: string | undefined;
  /** @default the one that EKS makes */
  readonly template: Reader | undefined;
}

/** The volumes of each node of a managed node group. */
export function managedVolumes({ diskSize, amiType, template }: VolumeSettings): readonly Volume[] {
  if (!template) return [rootVolume(diskSize)];
  return templateVolumes(template, amiType?.startsWith("AL2") ? "/dev/xvda" : undefined);
}

/** Karpenter's sizes have a unit. */
function sizeIn(settings: Reader, key = blockDeviceKeys.size): Reading<number> {
  const quantity = gibOf(settings.text(key));
  return quantity.value === undefined ? settings.integer(key) : quantity;
}

function performance(settings: Reader): Pick<Volume, "iops" | "throughput"> {
  return { iops: settings.integer("iops").value, throughput: settings.integer("throughput").value };
}
