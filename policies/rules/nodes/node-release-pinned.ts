import { all, any, not } from "../../../components/core/reader/truth";
import type { Resource, Stack } from "../../engine/resource";
import { failIf, stackRule, type Check } from "../../engine/rule";
import { launchTemplate, namesImage } from "../../facts/launch-templates";
import { groupsOf, isGpuGroup, managedNodeGroup, nodeGroup } from "../../facts/node-groups";

const groups = [nodeGroup, managedNodeGroup];

/**
 * A group gets EKS's AMI unless its type is CUSTOM, or it names no type and its launch template names an image. A parameter of Systems Manager may be named with its version, or hold a release in its path.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id.html
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/create-launch-template.html#use-an-ssm-parameter-instead-of-an-ami-id
 */
export const nodeReleasePinned = stackRule({
  id: "node-release-pinned",
  title: "GPU nodes run one chosen AMI release, and with it one NVIDIA driver.",
  severity: "medium",
  incident:
    "a group without a release got a newer AMI at its next replacement, and with it another driver than the lab was written for",
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
    all(ami.isAbsent, not(namesImage(group, stack))),
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
      why: "EKS takes its newest AMI whenever it makes the group, and the NVIDIA driver comes with the AMI.",
      fix: `set ${release.path} to a release such as "1.35.8-20260930"`,
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
      got: "a parameter whose value AWS or somebody else changes",
      why: "Each new node resolves it anew, so nodes of one group run different images and drivers.",
      fix: `set ${image.path} to an image id, or name the parameter with its version: resolve:ssm:<name>:<version>`,
    }),
    template,
  );
}

/** Whether an image is named by a parameter without its version. Those of one release have the day in their path. */
function isMoving(image: string): boolean {
  const name = /^resolve:ssm:(.+)$/.exec(image.slice(0, 2048))?.[1];
  return name !== undefined && !/:\d+$/.test(name) && !/(^|\D)\d{8}(\/|$)/.test(name);
}
