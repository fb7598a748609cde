import type { Reading } from "../../../components/core/reader/reading";
import { all, not, some } from "../../../components/core/reader/truth";
import { count } from "../../engine/parameters";
import { failIf, stackRule, type Violation } from "../../engine/rule";
import { launchTemplate, templatesOf } from "../../facts/launch-templates";
import { isGpuGroup, managedNodeGroup, nodeGroup, scalingGroup } from "../../facts/node-groups";

const groups = [nodeGroup, managedNodeGroup, scalingGroup];

/** What EKS, or the AMI, gives where nobody states a size. */
const ofAmi = 20;

/**
 * A launch template speaks for its group, for EKS takes no disk size beside one. One volume of the size is enough:
 * Bottlerocket keeps images on its second. A launch template from elsewhere is not seen.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html
 */
export const gpuNodeDisk = stackRule({
  id: "gpu-node-disk",
  title: "A GPU node has room for images with CUDA.",
  severity: "medium",
  incident: "a node with 20 GiB evicted its pods while it pulled the second image with CUDA",
  types: [...groups, launchTemplate],
  parameters: { minGiB: count(100, 1, "Smallest disk of a GPU node, in GiB.") },
  *judge(stack, { minGiB }) {
    for (const group of stack.ofType(...groups)) {
      const isGpu = isGpuGroup(group, stack);
      const disk = group.integer("diskSize").or(ofAmi, `nothing, which makes ${ofAmi}`);
      const isAlone = all(group.type !== scalingGroup, group.entries("launchTemplate").isAbsent);
      const isSmall = disk.is((gib) => gib < minGiB);
      yield failIf(all(isGpu, isAlone, isSmall), () => fault(disk.path, disk.shown, minGiB), group);

      for (const template of templatesOf(stack, group)) {
        const mappings = template.list("blockDeviceMappings");
        const sizes = mappings.value?.map((mapping) => mapping.integer("ebs.volumeSize")) ?? [];
        const isLarge = mappings.is(() => some(sizes, (size) => size.is((gib) => gib >= minGiB)));
        yield failIf(all(isGpu, not(isLarge)), () => faultOf(mappings, sizes, minGiB), template);
      }
    }
  },
});

/** What is wrong with a template: its largest volume is too small, what it names is no size, or it names none. */
function faultOf({ path }: Reading<unknown>, sizes: readonly Reading<number>[], minGiB: number): Violation {
  const stated = sizes.filter(({ value }) => value !== undefined);
  const garbage = sizes.find(({ isMalformed }) => isMalformed === true);
  const [largest = garbage] = stated.sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
  if (largest) return fault(largest.path, largest.shown, minGiB);
  return fault(`${path}[0].ebs.volumeSize`, `nothing, which makes ${ofAmi}`, minGiB);
}

function fault(path: string, got: string, minGiB: number): Violation {
  return {
    path,
    got,
    why: "Images with CUDA and a framework take tens of GiB unpacked, and a node whose disk is full evicts its pods.",
    fix: `set ${path} to ${minGiB} or more`,
  };
}
