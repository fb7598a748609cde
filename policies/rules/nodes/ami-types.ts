import { instanceType } from "../../../components/nodes/machine/instance-types";
import { isGpuType } from "./gpu-group";

/**
 * The AMI types of EKS's managed node groups.
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html
 */
export const amiTypes: readonly string[] = [
  "AL2_x86_64",
  "AL2_x86_64_GPU",
  "AL2_ARM_64",
  "AL2023_x86_64_STANDARD",
  "AL2023_ARM_64_STANDARD",
  "AL2023_x86_64_NEURON",
  "AL2023_x86_64_NVIDIA",
  "AL2023_ARM_64_NVIDIA",
  "BOTTLEROCKET_ARM_64",
  "BOTTLEROCKET_x86_64",
  "BOTTLEROCKET_ARM_64_FIPS",
  "BOTTLEROCKET_x86_64_FIPS",
  "BOTTLEROCKET_ARM_64_NVIDIA",
  "BOTTLEROCKET_x86_64_NVIDIA",
  "BOTTLEROCKET_ARM_64_NVIDIA_FIPS",
  "BOTTLEROCKET_x86_64_NVIDIA_FIPS",
  "WINDOWS_CORE_2019_x86_64",
  "WINDOWS_FULL_2019_x86_64",
  "WINDOWS_CORE_2022_x86_64",
  "WINDOWS_FULL_2022_x86_64",
  "WINDOWS_CORE_2025_x86_64",
  "WINDOWS_FULL_2025_x86_64",
  "CUSTOM",
];

type Architecture = "amd64" | "arm64";

/** What an AMI type is built for; undefined where its name does not say. */
export function amiArchitecture(amiType: string): Architecture | undefined {
  return /_ARM_64/.test(amiType) ? "arm64" : /_x86_64/.test(amiType) ? "amd64" : undefined;
}

/**
 * The processor of an instance type. Of one that the table lacks the name tells: a g behind the number is Graviton.
 * Names of another form tell nothing.
 * @see https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-type-names.html
 */
export function architectureOf(name: string): Architecture | undefined {
  const known = instanceType(name)?.architecture;
  if (known) return known;
  const [, letters, options] = /^([a-z]{1,5})\d{1,2}([a-z]{0,4})\./.exec(name) ?? [];
  if (letters === undefined || letters === "mac") return undefined;
  return letters === "a" || options?.startsWith("g") ? "arm64" : "amd64";
}

/** Whether a machine has an NVIDIA GPU or an accelerator of AWS, or cannot be told; AL2's GPU AMI serves both. */
export function isAccelerated(name: string): boolean {
  return isGpuType(name) || /^(inf|trn|dl)\d/.test(name) || !/^[a-z]{1,5}\d[a-z\d-]*\./.test(name);
}
