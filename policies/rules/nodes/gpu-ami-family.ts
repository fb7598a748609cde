import { instanceTypeNames } from "../../../components/nodes/machine/instance-types";
import { adviseIf, failIf, resourceRule } from "../../core/rule";
import { all, not, some } from "../../core/unknown";
import { amiArchitecture, amiTypes, architectureOf, isAccelerated } from "./ami-types";
import { isGpuType, isNvidiaAmi, machineTypes, managedNodeGroup, nodeGroup } from "./gpu-group";

/** More types than a group can have. */
const mostTypes = 50;

/**
 * Judged are types that the group itself names, against AMIs that EKS chooses: of a CUSTOM one nobody knows what is in
 * it. `AL2_x86_64_GPU` serves AWS's own accelerators too.
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html
 * @see https://github.com/aws/amazon-vpc-cni-k8s/issues/3104
 */
export const gpuAmiFamily = resourceRule({
  id: "gpu-ami-family",
  title: "The AMI of a node group is made for its machines: for their GPU, and for their processor.",
  severity: "high",
  incident: "a g5 group on an AMI without NVIDIA's runtime joined, and its pods and even aws-node did not start",
  types: [nodeGroup, managedNodeGroup],
  *judge(group) {
    const amiType = group.text("amiType");
    const ami = group.choice("amiType", amiTypes);
    const isEks = amiType.is((type) => type !== "CUSTOM");
    const isNvidia = isNvidiaAmi(amiType);
    for (const type of machineTypes(group).slice(0, mostTypes)) {
      const got = `${ami.shown} for ${type.path}${shownType(type.value)}`;
      yield failIf(all(isEks, not(isNvidia), type.is(isGpuType)), () => ({
        path: ami.path,
        got,
        why: "The machine has an NVIDIA GPU, and the AMI has neither driver nor runtime for it: no pod gets the GPU, and what asks for the NVIDIA runtime does not start.",
        fix: `set ${ami.path} to "AL2023_x86_64_NVIDIA", or to "AL2023_ARM_64_NVIDIA" for Arm machines`,
      }));
      yield failIf(
        all(
          isNvidia,
          type.is((name) => !isAccelerated(name)),
        ),
        () => ({
          path: ami.path,
          got,
          why: "The machine has no GPU, and the services of this AMI that look for one fail at each boot.",
          fix: `choose a GPU type for ${type.path}, or an AMI type without NVIDIA`,
        }),
      );
      yield failIf(
        all(
          isEks,
          type.is((name) => amiType.is((ofAmi) => differ(architectureOf(name), amiArchitecture(ofAmi)))),
        ),
        () => ({
          path: ami.path,
          got,
          why: "The AMI is built for another processor, and EKS refuses the group in the middle of the update.",
          fix: `choose an AMI type with ${architectureOf(type.value ?? "") === "arm64" ? "ARM_64" : "x86_64"} in its name`,
        }),
      );
    }
    const hasGpu = some(machineTypes(group), (type) => type.is(isGpuType));
    yield adviseIf(all(amiType.isAbsent, group.entries("launchTemplate").isAbsent, hasGpu), () => ({
      path: ami.path,
      got: ami.shown,
      why: "EKS then chooses an AMI, and nobody reading this sees whether it has the driver.",
      fix: `set ${ami.path} to "AL2023_x86_64_NVIDIA", or to "AL2023_ARM_64_NVIDIA" for Arm machines`,
    }));
  },
});

function differ(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}

/** The name where the table has it: any other text may be a secret. */
function shownType(name: string | undefined): string {
  return name !== undefined && instanceTypeNames.includes(name) ? ` ${name}` : "";
}
