import { all, any, equals, not, some, type Reader, type Reading, type Truth } from "../../engine/values";
import { count, failAt, onEach, stackRule, type Check, type Resource } from "../../engine/rule";
import { gibOf } from "../../../components/core/reader/gib";
import { isNodeClass, launchTemplate, templatesOf, templateTypes } from "../../facts/launch-templates";
import { isGpuGroup, nodeGroupsIn } from "../../facts/node-groups";
import { managedGroups, nodeTypes, pulumiGroups } from "../../facts/node-sources";

/** The default disk size of EKS and of its AMIs, in GiB. */
const defaultGiB = 20;
const standard = `nothing, which means ${defaultGiB}`;

/**
 * If a group has a launch template, only the template counts. One volume of this size is enough: Bottlerocket keeps
 * images on its second volume. The rule ignores templates and node classes outside the stack, and node classes that put
 * images on the instance store.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html
 */
export const gpuNodeDisk = stackRule({
  id: "gpu-node-disk",
  title: "GPU nodes have disk space for CUDA images.",
  severity: "medium",
  incident: "a node with 20 GiB evicted its pods while it pulled the second CUDA image",
  types: [...nodeTypes, ...templateTypes],
  parameters: { minGiB: count(100, 1, "Smallest disk of a GPU node, in GiB.") },
  *judge(stack, { minGiB }) {
    yield* onEach(nodeGroupsIn(stack, nodeTypes), function* (group) {
      const isGpu = isGpuGroup(group, stack);
      const isOfPulumi = pulumiGroups.includes(group.type);
      const key = isOfPulumi ? "nodeRootVolumeSize" : "diskSize";
      const disk = group.integer(key).or(defaultGiB, standard);
      const mayBeAlone = isOfPulumi || managedGroups.includes(group.type);
      const isAlone = all(mayBeAlone, group.entries("launchTemplate").isAbsent);
      const isSmall = disk.is((gib) => gib < minGiB);
      yield tooSmall(disk, all(isGpu, isAlone, isSmall), minGiB);
      yield* onEach(templatesOf(stack, group), function* (template) {
        const { devices, sizes, first } = volumesOf(template);
        const usesInstanceStore = equals(template.text("instanceStorePolicy"), "RAID0");
        const hasLarge = devices.is(() => some(sizes, (size) => size.is((gib) => gib >= minGiB)));
        const isSmall = not(any(usesInstanceStore, hasLarge));
        yield tooSmall(largestOf(sizes) ?? { path: first, shown: standard }, all(isGpu, isSmall), minGiB);
      });
    });
  },
});

/** The volumes of a template: whether their list is known, their sizes, and the path of the first size. */
function volumesOf(template: Resource) {
  if (template.type === launchTemplate || isNodeClass(template)) {
    const devices = template.list("blockDeviceMappings");
    const read = (mapping: Reader) =>
      isNodeClass(template) ? gibOf(mapping.text("ebs.volumeSize")) : mapping.integer("ebs.volumeSize");
    const sizes = devices.value?.map(read) ?? [];
    return { devices, sizes, first: `${devices.path}[0].ebs.volumeSize` };
  }
  const root = template.integer("rootBlockDevice.volumeSize");
  const devices = template.list("ebsBlockDevices").or([]);
  const sizes = [root, ...(devices.value ?? []).map((device) => device.integer("volumeSize"))];
  return { devices, sizes, first: root.path };
}

/** The largest size of the volumes of a template, or one that is malformed. */
function largestOf(sizes: readonly Reading<number>[]): Reading<number> | undefined {
  const stated = sizes.filter(({ value }) => value !== undefined);
  const malformed = sizes.find(({ isMalformed }) => isMalformed === true);
  const [largest = malformed] = stated.sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
  return largest;
}

function tooSmall(size: Pick<Reading<number>, "path" | "shown">, condition: Truth, minGiB: number): Check {
  return failAt(size, condition, {
    why: "Images with CUDA and a framework need tens of GiB when unpacked. A node with a full disk evicts its pods.",
    fix: `set ${size.path} to ${minGiB} or more`,
  });
}
