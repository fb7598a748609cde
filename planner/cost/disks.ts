import type { Volume } from "../../components/cost/cost-lines";
import { countOr, isUnknown, list, object, text, textOr } from "./reading";

/**
 * Volume of a node when nothing states its size.
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateNodegroup.html
 */
export const defaultDiskGiB = 20;

const takenAsGp3 = "volume type not stated: taken as gp3";

/** The root volume of a node; Amazon Linux 2023 AMIs have a gp3 one. */
export function rootVolume(sizeGiB: number | undefined, settings: Record<string, unknown> = {}): Volume {
  const volumeType = settings["volumeType"];
  return {
    sizeGiB,
    ...performance(settings),
    ...(volumeType === undefined
      ? { note: takenAsGp3 }
      : { volumeType: textOr(volumeType, undefined) ?? "of unknown type" }),
  };
}

/** A further volume: EC2 makes it a gp2 one when its type is not stated. */
export function extraVolume(settings: Record<string, unknown>, sizeKey: "volumeSize" | "size"): Volume {
  const volumeType = textOr(settings["volumeType"] ?? settings["type"], "gp2") ?? "of unknown type";
  return { sizeGiB: countOr(settings[sizeKey], undefined), volumeType, ...performance(settings) };
}

/**
 * The volumes of a node with this launch template. A mapping for another device than the AMI's root adds a volume and
 * leaves the root at its default size.
 */
export function templateVolumes(template: Record<string, unknown>, rootDevice: string | undefined): Volume[] {
  const mappings = template["blockDeviceMappings"];
  if (isUnknown(mappings)) return [rootVolume(undefined)];
  const volumes = (list(mappings) ?? []).map(object).filter((mapping) => mapping["ebs"] !== undefined);
  const isRoot = (mapping: Record<string, unknown>) =>
    rootDevice === undefined ? mapping === volumes[0] : text(mapping["deviceName"]) === rootDevice;
  const mapped = volumes.map((mapping) => {
    const ebs = object(mapping["ebs"]);
    return isRoot(mapping)
      ? rootVolume(countOr(ebs["volumeSize"], defaultDiskGiB), ebs)
      : extraVolume(ebs, "volumeSize");
  });
  return volumes.some(isRoot) ? mapped : [rootVolume(defaultDiskGiB), ...mapped];
}

function performance(settings: Record<string, unknown>): Pick<Volume, "iops" | "throughput"> {
  return { iops: countOr(settings["iops"], undefined), throughput: countOr(settings["throughput"], undefined) };
}
