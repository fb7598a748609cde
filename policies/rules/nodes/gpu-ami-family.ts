import { all, any, compare, equals, not, some, type Reading, type Truth } from "../../engine/values";
import { hasNvidiaGpu, instanceType, instanceTypeNames } from "../../../components/nodes/machine/instance-types";
import { adviseAt, failAt, onEach, stackRule, type Check, type Resource, type Stack } from "../../engine/rule";
import { launchTemplate, setsImage } from "../../facts/launch-templates";
import { groupsOf, isNvidiaAmi, machineTypes } from "../../facts/node-groups";
import { managedNodeGroup, nodeGroup, pulumiGroups } from "../../facts/node-sources";

/** More instance types than a group can have. */
const mostTypes = 50;

const groups = [nodeGroup, managedNodeGroup, ...pulumiGroups];

/**
 * The rule compares the instance types of the group or its launch template with AMIs that EKS chooses. The content of a
 * CUSTOM AMI is unknown. `AL2_x86_64_GPU` also supports AWS's own accelerators.
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html
 * @see https://github.com/aws/amazon-vpc-cni-k8s/issues/3104
 */
export const gpuAmiFamily = stackRule({
  id: "gpu-ami-family",
  title: "The AMI of a node group matches the GPU and the processor of its instances.",
  severity: "high",
  incident:
    "a g5 group with an AMI without the NVIDIA runtime joined the cluster, but its pods, including aws-node, did not start",
  types: [...groups, launchTemplate],
  *judge(stack) {
    yield* onEach(groupsOf(stack, groups), function* (group) {
      for (const type of machineTypes(group, stack).slice(0, mostTypes)) yield* ofType(group, type);
      if (!pulumiGroups.includes(group.type)) yield defaultAmi(group, stack);
    });
  },
});

/** Mismatches between the AMI of a group and one of its instance types. */
function* ofType(group: Resource, type: Reading<string>): Iterable<Check> {
  const amiType = group.text("amiType");
  const ami = group.choice("amiType", amiTypes);
  const isStandard = amiType.is((word) => word !== "CUSTOM");
  const isEks = all(isStandard, not(namesOwn(group)));
  const isNvidia = isNvidiaAmi(amiType);
  // EKS node groups have a list of instance types, launch templates have one instance type.
  const isOfTemplate = !pulumiGroups.includes(group.type) && type.path === "instanceType";
  const where = isOfTemplate ? `${type.path} of the launch template` : type.path;
  // A name that is not in the table may be a secret.
  const shown = instanceTypeNames.includes(type.value ?? "") ? ` ${type.value}` : "";
  const wrong = (condition: Truth, why: string, fix: string) =>
    failAt(ami, condition, { got: `${ami.shown} for ${where}${shown}`, why, fix });
  const isPlain = type.is((name) => !isAccelerated(name));
  const architecture = type.map(architectureOf, String);
  const isOfOther = compare(architecture, amiType.map(amiArchitecture, String), (own, built) => own !== built);
  yield wrong(
    all(isEks, not(isNvidia), type.is(hasNvidiaGpu)),
    "The instance has an NVIDIA GPU, but the AMI has no driver and no runtime for it. No pod gets the GPU, and pods that use the NVIDIA runtime do not start.",
    withDriver(ami.path),
  );
  yield wrong(
    all(isNvidia, isPlain),
    "The instance has no NVIDIA GPU, so the NVIDIA services of this AMI fail at each boot.",
    `choose a type with an NVIDIA GPU for ${where}, or an AMI type without NVIDIA`,
  );
  yield wrong(
    all(isEks, isOfOther),
    "The AMI is built for another processor architecture. EKS rejects the group during the update.",
    `choose an AMI type with ${architecture.value === "arm64" ? "ARM_64" : "x86_64"} in its name`,
  );
}

/** Without an AMI, and without `gpu` of @pulumi/eks, EKS chooses the AMI. */
function defaultAmi(group: Resource, stack: Stack): Check {
  const amiType = group.text("amiType");
  const hasGpu = some(machineTypes(group, stack), (type) => type.is(hasNvidiaGpu));
  const isRequested = any(equals(group.boolean("gpu"), true), namesOwn(group), setsImage(group, stack));
  return adviseAt(amiType, all(amiType.isAbsent, not(isRequested), hasGpu), {
    why: "EKS then chooses the AMI, and the program does not show whether it has the driver.",
    fix: withDriver(amiType.path),
  });
}

/** Groups of @pulumi/eks may have a custom image. The AMI type then only describes the image. */
function namesOwn(group: Resource): Truth {
  return not(group.text("amiId").isAbsent);
}

function withDriver(path: string): string {
  return `set ${path} to "AL2023_x86_64_NVIDIA", or to "AL2023_ARM_64_NVIDIA" for Arm instances`;
}

/**
 * The AMI types of EKS's managed node groups.
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html
 */
export const amiTypes: readonly string[] = [
  ...["AL2_x86_64", "AL2_x86_64_GPU", "AL2_ARM_64"],
  ...["AL2023_x86_64_STANDARD", "AL2023_ARM_64_STANDARD", "AL2023_x86_64_NEURON"],
  ...["AL2023_x86_64_NVIDIA", "AL2023_ARM_64_NVIDIA"],
  ...["", "_FIPS", "_NVIDIA", "_NVIDIA_FIPS"].flatMap((kind) =>
    ["ARM_64", "x86_64"].map((processor) => `BOTTLEROCKET_${processor}${kind}`),
  ),
  ...[2019, 2022, 2025].flatMap((year) => [`WINDOWS_CORE_${year}_x86_64`, `WINDOWS_FULL_${year}_x86_64`]),
  "CUSTOM",
];

type Architecture = "amd64" | "arm64";

/** The architecture of an AMI type; undefined if its name does not tell. */
export function amiArchitecture(amiType: string): Architecture | undefined {
  return /_ARM_64/.test(amiType) ? "arm64" : /_x86_64/.test(amiType) ? "amd64" : undefined;
}

/**
 * The architecture of an instance type. For a type that is not in the table, the name determines the architecture: a g
 * after the number means Graviton. Undefined for names of another form.
 * @see https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-type-names.html
 */
export function architectureOf(name: string): Architecture | undefined {
  const known = instanceType(name)?.architecture;
  if (known) return known;
  const [, letters, options] = /^([a-z]{1,5})\d{1,2}([a-z]{0,4})\./.exec(name) ?? [];
  if (letters === undefined || letters === "mac") return undefined;
  return letters === "a" || options?.startsWith("g") ? "arm64" : "amd64";
}

/**
 * Whether an instance type has an NVIDIA GPU or an AWS accelerator, or is unknown. The GPU AMI of AL2 supports both.
 */
export function isAccelerated(name: string): boolean {
  return hasNvidiaGpu(name) || /^(inf|trn|dl)\d/.test(name) || !/^[a-z]{1,5}\d[a-z\d-]*\./.test(name);
}
