import { all, any, not, type Truth } from "../../../components/core/reader/truth";
import { exampleRelease, parseAmiRelease, reportedFault } from "../../../components/nodes/machine/ami-releases";
import type { Resource, Stack } from "../../engine/resource";
import { adviseIf, failIf, stackRule, type Check } from "../../engine/rule";
import { launchTemplate, nodeClasses, setsImage, templatesOf } from "../../facts/launch-templates";
import { groupsOf, isGpuGroup } from "../../facts/node-groups";
import { managedGroups, typesOf } from "../../facts/node-sources";

/**
 * EKS chooses the AMI unless the AMI type is CUSTOM, or unless there is no AMI type and the launch template has an
 * image. A parameter of Systems Manager is fixed if it has a version, or a release in its path. The node class of a GPU
 * NodePool needs an alias with a release, or an id.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id.html
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/create-launch-template.html#use-an-ssm-parameter-instead-of-an-ami-id
 */
export const nodeReleasePinned = stackRule({
  id: "node-release-pinned",
  title: "GPU nodes use a fixed AMI release, and so a fixed NVIDIA driver.",
  severity: "medium",
  incident:
    "a node group without a release got a newer AMI when it was replaced, with another driver than the lab was written for",
  types: [...managedGroups, ...typesOf("pool"), launchTemplate, ...nodeClasses],
  *judge(stack) {
    for (const group of groupsOf(stack, managedGroups)) {
      yield ofGroup(group, stack);
      yield ofRelease(group, stack);
    }
    for (const template of stack.ofType(launchTemplate)) yield ofTemplate(template);
    for (const pool of stack.ofType(...typesOf("pool"))) {
      for (const template of templatesOf(stack, pool)) yield* ofNodeClass(template, isGpuGroup(pool, stack));
    }
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

/** A release with a fault that users reported. */
function ofRelease(group: Resource, stack: Stack): Check {
  const release = group.version("releaseVersion");
  const fault = reportedFault(release.value ?? "");
  return adviseIf(
    fault !== undefined && (!fault.isOfGpuNodes || isGpuGroup(group, stack)),
    () => ({
      path: release.path,
      got: release.shown,
      why: `Reported for this release: ${fault?.what ?? ""} See https://github.com/awslabs/amazon-eks-ami/issues/${fault?.issue ?? ""}.`,
      fix: `set ${release.path} to another release, such as "${exampleRelease}"`,
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

/** A term with tags, or with a pattern of names, selects the newest image. An alias has a release, or `latest`. */
function* ofNodeClass(nodeClass: Resource, isGpu: Truth): Iterable<Check> {
  for (const term of nodeClass.list("amiSelectorTerms").value ?? []) {
    const [alias, name, parameter] = [term.text("alias"), term.text("name"), term.text("ssmParameter")];
    const isOpen = any(
      alias.is((text) => !/@v?\d/.test(text)),
      name.is((text) => text.includes("*")),
      parameter.is((text) => isMoving(`resolve:ssm:${text}`)),
      all(not(term.entries("tags").isAbsent), name.isAbsent),
    );
    const { path } = alias.isAbsent === true ? term : alias;
    const why =
      "A new node then gets the newest image, with another driver, and Karpenter replaces the nodes that it has.";
    const fix = `set ${path} to one image: alias "al2023@v${releaseDate}", or an id`;
    yield failIf(all(isGpu, isOpen), () => ({ path, got: "an image without a release", why, fix }), nodeClass);
  }
}

const releaseDate = parseAmiRelease(exampleRelease)?.date;

/** Whether an image is a parameter without a version. A parameter of one release has the date in its path. */
function isMoving(image: string): boolean {
  const name = /^resolve:ssm:(.+)$/.exec(image.slice(0, 2048))?.[1];
  return name !== undefined && !/:\d+$/.test(name) && !/(^|\D)\d{8}(\/|$)/.test(name);
}
