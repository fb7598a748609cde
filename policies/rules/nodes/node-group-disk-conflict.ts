import { all, not } from "../../engine/values";
import { failAt, resourceRule } from "../../engine/rule";
import { pulumiManagedGroups } from "../../facts/node-sources";

/** @see https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html */
export const nodeGroupDiskConflict = resourceRule({
  id: "node-group-disk-conflict",
  title: "A node group with a launch template sets the disk size only in the template.",
  severity: "high",
  incident:
    "a disk size in addition to a launch template passed the preview, and EKS rejected the node group after the cluster was created",
  types: pulumiManagedGroups,
  *judge(group) {
    const disk = group.integer("diskSize");
    yield failAt(disk, all(not(disk.isAbsent), not(group.entries("launchTemplate").isAbsent)), {
      why: "EKS does not accept a disk size together with a launch template. It rejects the group during the update.",
      fix: `remove ${disk.path}, and set blockDeviceMappings[0].ebs.volumeSize in the launch template`,
    });
  },
});
