import type { Reading } from "../../../components/core/reader/reading";
import { all, any, not, some, type Truth } from "../../../components/core/reader/truth";
import { instanceType, instanceTypeNames } from "../../../components/nodes/machine/instance-types";
import type { Resource, Stack } from "../../engine/resource";
import { adviseIf, failIf, stackRule, type Check } from "../../engine/rule";
import { launchTemplate, namesImage } from "../../facts/launch-templates";
import {
  groupsOf,
  isGpuType,
  isNvidiaAmi,
  machineTypes,
  managedNodeGroup,
  nodeGroup,
  nodeGroupV2,
} from "../../facts/node-groups";

/** More types than a group can have. */
const mostTypes = 50;

const groups = [nodeGroup, managedNodeGroup, nodeGroupV2];

/**
 * Judged are types that the group or its launch template names, against AMIs that EKS chooses: of a CUSTOM one nobody
 * knows what is in it. `AL2_x86_64_GPU` serves AWS's own accelerators too.
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html
 * @see https://github.com/aws/amazon-vpc-cni-k8s/issues/3104
 */
export const gpuAmiFamily = stackRule({
  id: "gpu-ami-family",
  title: "The AMI of a node group is made for its machines: for their GPU, and for their processor.",
  severity: "high",
  incident: "a g5 group on an AMI without NVIDIA's runtime joined, and its pods and even aws-node did not start",
  types: [...groups, launchTemplate],
  *judge(stack) {
    for (const group of groupsOf(stack, groups)) {
      for (const type of machineTypes(group, stack).slice(0, mostTypes)) yield* ofType(group, type);
      if (group.type !== nodeGroupV2) yield unstated(group, stack);
    }
  },
});

/** What is wrong between the AMI of a group and one of its machine types. */
function* ofType(group: Resource, type: Reading<string>): Iterable<Check> {
  const amiType = group.text("amiType");
  const ami = group.choice("amiType", amiTypes);
  const isEks = all(
    amiType.is((word) => word !== "CUSTOM"),
    not(namesOwn(group)),
  );
  const isNvidia = isNvidiaAmi(amiType);
  const where = isOfTemplate(group, type) ? `${type.path} of the launch template` : type.path;
  const wrong = (condition: Truth, why: string, fix: string) =>
    failIf(
      condition,
      () => ({ path: ami.path, got: `${ami.shown} for ${where}${shownType(type.value)}`, why, fix }),
      group,
    );
  yield wrong(
    all(isEks, not(isNvidia), type.is(isGpuType)),
    "The machine has an NVIDIA GPU, and the AMI has neither driver nor runtime for it: no pod gets the GPU, and what asks for the NVIDIA runtime does not start.",
    withDriver(ami.path),
  );
  yield wrong(
    all(
      isNvidia,
      type.is((name) => !isAccelerated(name)),
    ),
    "The machine has no NVIDIA GPU, and the services of this AMI that look for one fail at each boot.",
    `choose a type with an NVIDIA GPU for ${where}, or an AMI type without NVIDIA`,
  );
  yield wrong(
    all(
      isEks,
      type.is((name) => amiType.is((ofAmi) => differ(architectureOf(name), amiArchitecture(ofAmi)))),
    ),
    "The AMI is built for another processor, and EKS refuses the group in the middle of the update.",
    `choose an AMI type with ${architectureOf(type.value ?? "") === "arm64" ? "ARM_64" : "x86_64"} in its name`,
  );
}

/** Who names no AMI, nor lets @pulumi/eks take the one for GPUs, gets what EKS chooses. */
function unstated(group: Resource, stack: Stack): Check {
  const amiType = group.text("amiType");
  const hasGpu = some(machineTypes(group, stack), (type) => type.is(isGpuType));
  const isAsked = group.boolean("gpu").is((wanted) => wanted);
  return adviseIf(
    all(amiType.isAbsent, not(isAsked), not(any(namesOwn(group), namesImage(group, stack))), hasGpu),
    () => ({
      path: amiType.path,
      got: amiType.shown,
      why: "EKS then chooses an AMI, and nobody reading this sees whether it has the driver.",
      fix: withDriver(amiType.path),
    }),
    group,
  );
}

/** The groups of @pulumi/eks may name an image; the AMI type then says only what it is like. */
function namesOwn(group: Resource): Truth {
  return not(group.text("amiId").isAbsent);
}

/** A group of EKS has a list of types of its own. */
function isOfTemplate(group: Resource, { path }: Reading<string>): boolean {
  return group.type !== nodeGroupV2 && path === "instanceType";
}

function withDriver(path: string): string {
  return `set ${path} to "AL2023_x86_64_NVIDIA", or to "AL2023_ARM_64_NVIDIA" for Arm machines`;
}

function differ(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}

/** The name where the table has it: any other text may be a secret. */
function shownType(name: string | undefined): string {
  return name !== undefined && instanceTypeNames.includes(name) ? ` ${name}` : "";
}

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
