import { all, any, not } from "../../../components/core/reader/truth";
import { exampleRelease } from "../../../components/nodes/machine/ami-releases";
import type { Resource, Stack } from "../../engine/resource";
import { failIf, stackRule, type Check } from "../../engine/rule";
import { launchTemplate, setsImage } from "../../facts/launch-templates";
import { groupsOf, isGpuGroup, managedNodeGroup, nodeGroup } from "../../facts/node-groups";

const groups = [nodeGroup, managedNodeGroup];

/**
 * EKS chooses the AMI unless the AMI type is CUSTOM, or unless there is no AMI type and the launch template has an
 * image. A parameter of Systems Manager is fixed if it has a version, or a release in its path.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id.html
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/create-launch-template.html#use-an-ssm-parameter-instead-of-an-ami-id
 */
export const nodeReleasePinned = stackRule({
  id: "node-release-pinned",
  title: "GPU nodes use a fixed AMI release, and so a fixed NVIDIA driver.",
  severity: "medium",
  incident:
    "a node group without a release got a newer AMI when it was replaced, with another driver than the lab was written for",
  types: [...groups, launchTemplate],
  *judge(stack) {
    for (const group of groupsOf(stack, groups)) yield ofGroup(group, stack);
    for (const template of stack.ofType(launchTemplate)) yield ofTemplate(template);
  },
});

function ofGroup(group: Resource, stack: Stack): Check {
  const release = group.version("releaseVersion");
  const ami = group.text("amiType");
  const isOfEks = any(
    ami.is((type) => type !== "CUSTOM"),
    all(ami.isAbsent, not(setsImage(group, stack))),
  );
  const isOpen = any(
    release.isAbsent,
    release.is((text) => text.trim() === ""),
  );
  return failIf(
    all(isGpuGroup(group, stack), isOfEks, isOpen),
    () => ({
      path: release.path,
      got: release.shown,
      why: "EKS uses its newest AMI when it creates the group. The AMI contains the NVIDIA driver.",
      fix: `set ${release.path} to a release such as "${exampleRelease}"`,
    }),
    group,
  );
}

function ofTemplate(template: Resource): Check {
  const image = template.text("imageId");
  return failIf(
    image.is(isMoving),
    () => ({
      path: image.path,
      got: "a parameter without a version",
      why: "Each new node resolves the parameter again, so the nodes of one group can have different images and drivers.",
      fix: `set ${image.path} to an image id, or add the version of the parameter: resolve:ssm:<name>:<version>`,
    }),
    template,
  );
}

/** Whether an image is a parameter without a version. A parameter of one release has the date in its path. */
function isMoving(image: string): boolean {
  const name = /^resolve:ssm:(.+)$/.exec(image.slice(0, 2048))?.[1];
  return name !== undefined && !/:\d+$/.test(name) && !/(^|\D)\d{8}(\/|$)/.test(name);
}
