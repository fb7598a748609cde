import { all, not } from "../../../components/core/reader/truth";
import { failIf, resourceRule } from "../../engine/rule";
import { managedNodeGroup, nodeGroup } from "../../facts/node-groups";

/** @see https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html */
export const nodeGroupDiskConflict = resourceRule({
  id: "node-group-disk-conflict",
  title: "A node group with a launch template leaves the disk size to it.",
  severity: "high",
  incident:
    "a disk size beside a launch template passed the preview, and EKS refused the node group after the cluster was made",
  types: [nodeGroup, managedNodeGroup],
  *judge(group) {
    const disk = group.integer("diskSize");
    yield failIf(all(not(disk.isAbsent), not(group.entries("launchTemplate").isAbsent)), () => ({
      path: disk.path,
      got: disk.shown,
      why: "EKS takes no disk size beside a launch template, and refuses the group in the middle of the update.",
      fix: `remove ${disk.path}, and set blockDeviceMappings[0].ebs.volumeSize of the launch template`,
    }));
  },
});
