import { instanceTypeNames } from "../../../components/nodes/machine/instance-types";
import type { Reading } from "../../../components/core/reader/reading";
import type { Resource, Stack } from "../../engine/resource";
import { adviseIf, failIf, stackRule, type Check } from "../../engine/rule";
import { all, any, not, some, type Truth } from "../../../components/core/reader/truth";
import { launchTemplate, namesImage } from "../machines/launch-template";
import { amiArchitecture, amiTypes, architectureOf, isAccelerated } from "./ami-types";
import { groupsOf, isGpuType, isNvidiaAmi, machineTypes, managedNodeGroup, nodeGroup, nodeGroupV2 } from "./gpu-group";

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
