import type { Reading } from "../../../components/core/reader/reading";
import { all, not, some } from "../../../components/core/reader/truth";
import { count } from "../../engine/parameters";
import type { Resource } from "../../engine/resource";
import { failIf, stackRule, type Violation } from "../../engine/rule";
import { launchTemplate, templatesOf, templateTypes } from "../../facts/launch-templates";
import {
  cloudFormationStack,
  isGpuGroup,
  managedNodeGroup,
  nodeGroup,
  nodeGroupsIn,
  pulumiGroups,
  scalingGroup,
  selfManagedGroups,
} from "../../facts/node-groups";

const groups = [nodeGroup, managedNodeGroup, ...selfManagedGroups];

/** The types whose groups always have a launch template or launch configuration in their children or in the stack. */
const templated = [scalingGroup, cloudFormationStack];

/** The default disk size of EKS and of its AMIs, in GiB. */
const defaultGiB = 20;

/**
 * For a group with a launch template only the template counts, because EKS rejects a disk size in addition. One volume
 * of the size is enough: Bottlerocket keeps images on its second volume. A launch template that is not in the stack is
 * not checked.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html
 */
export const gpuNodeDisk = stackRule({
  id: "gpu-node-disk",
  title: "GPU nodes have disk space for CUDA images.",
  severity: "medium",
  incident: "a node with 20 GiB evicted its pods while it pulled the second CUDA image",
  types: [...groups, ...templateTypes],
  parameters: { minGiB: count(100, 1, "Smallest disk of a GPU node, in GiB.") },
  *judge(stack, { minGiB }) {
    for (const group of nodeGroupsIn(stack, groups)) {
      const isGpu = isGpuGroup(group, stack);
      const key = pulumiGroups.includes(group.type) ? "nodeRootVolumeSize" : "diskSize";
      const disk = group.integer(key).or(defaultGiB, `nothing, which means ${defaultGiB}`);
      const isAlone = all(!templated.includes(group.type), group.entries("launchTemplate").isAbsent);
      const isSmall = disk.is((gib) => gib < minGiB);
      yield failIf(all(isGpu, isAlone, isSmall), () => fault(disk.path, disk.shown, minGiB), group);

      for (const template of templatesOf(stack, group)) {
        const { devices, sizes, first } = volumesOf(template);
        const isLarge = devices.is(() => some(sizes, (size) => size.is((gib) => gib >= minGiB)));
        yield failIf(all(isGpu, not(isLarge)), () => faultOf(first, sizes, minGiB), template);
      }
    }
  },
});

/** The volumes of a template: whether their list is known, their sizes, and the path of the first size. */
function volumesOf(template: Resource) {
  if (template.type === launchTemplate) {
    const devices = template.list("blockDeviceMappings");
    const sizes = devices.value?.map((mapping) => mapping.integer("ebs.volumeSize")) ?? [];
    return { devices, sizes, first: `${devices.path}[0].ebs.volumeSize` };
  }
  const root = template.integer("rootBlockDevice.volumeSize");
  const devices = template.list("ebsBlockDevices").or([]);
  const sizes = [root, ...(devices.value ?? []).map((device) => device.integer("volumeSize"))];
  return { devices, sizes, first: root.path };
}

/** The largest volume of a template is too small, its size is malformed, or the template has no size. */
function faultOf(first: string, sizes: readonly Reading<number>[], minGiB: number): Violation {
  const stated = sizes.filter(({ value }) => value !== undefined);
  const malformed = sizes.find(({ isMalformed }) => isMalformed === true);
  const [largest = malformed] = stated.sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
  if (largest) return fault(largest.path, largest.shown, minGiB);
  return fault(first, `nothing, which means ${defaultGiB}`, minGiB);
}

function fault(path: string, got: string, minGiB: number): Violation {
  return {
    path,
    got,
    why: "Images with CUDA and a framework need tens of GiB when unpacked. A node with a full disk evicts its pods.",
    fix: `set ${path} to ${minGiB} or more`,
  };
}
