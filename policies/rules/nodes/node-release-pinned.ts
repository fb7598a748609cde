import { all, any, not, type Truth } from "../../engine/values";
import { exampleRelease, parseAmiRelease, reportedFault } from "../../../components/nodes/machine/ami-releases";
import { adviseAt, failAt, onEach, stackRule, type Check, type Resource, type Stack } from "../../engine/rule";
import { launchTemplate, nodeClasses, setsImage, templatesOf } from "../../facts/launch-templates";
import { groupsOf, isGpuGroup } from "../../facts/node-groups";
import { pulumiManagedGroups, typesOf } from "../../facts/node-sources";

/**
 * EKS chooses the AMI unless the AMI type is CUSTOM, or the group has no AMI type and its launch template has an image.
 * A parameter of Systems Manager is fixed if it has a version, or a release in its path. The node class of a GPU
 * NodePool needs an alias with a release, or an id.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id.html
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/create-launch-template.html#use-an-ssm-parameter-instead-of-an-ami-id
 */
export const nodeReleasePinned = stackRule({
  id: "node-release-pinned",
  title: "GPU nodes use a fixed AMI release, and therefore a fixed NVIDIA driver.",
  severity: "medium",
  incident:
    "a node group without a release got a newer AMI when it was replaced, with a different driver than the lab was written for",
  types: [...pulumiManagedGroups, ...typesOf("pool"), launchTemplate, ...nodeClasses],
  *judge(stack) {
    yield* onEach(groupsOf(stack, pulumiManagedGroups), (group) => ofGroup(group, stack));
    yield* onEach(stack.ofType(launchTemplate), ofTemplate);
    for (const pool of stack.ofType(...typesOf("pool"))) {
      yield* onEach(templatesOf(stack, pool), (nodeClass) => ofNodeClass(nodeClass, isGpuGroup(pool, stack)));
    }
  },
});

function* ofGroup(group: Resource, stack: Stack): Iterable<Check> {
  const release = group.version("releaseVersion");
  const ami = group.text("amiType");
  const isStandard = ami.is((type) => type !== "CUSTOM");
  const isOfEks = any(isStandard, all(ami.isAbsent, not(setsImage(group, stack))));
  const isBlank = release.is((text) => text.trim() === "");
  const isOpen = any(release.isAbsent, isBlank);
  yield failAt(release, all(isGpuGroup(group, stack), isOfEks, isOpen), {
    why: "EKS uses its newest AMI when it creates the group. The AMI contains the NVIDIA driver.",
    fix: `set ${release.path} to a release such as "${exampleRelease}"`,
  });
  const fault = reportedFault(release.value ?? "");
  yield adviseAt(release, fault !== undefined && (!fault.isOfGpuNodes || isGpuGroup(group, stack)), {
    // Only known releases have a fault, so this is not a secret.
    got: `"${release.value ?? ""}"`,
    why: `Reported for this release: ${fault?.what ?? ""} See https://github.com/awslabs/amazon-eks-ami/issues/${fault?.issue ?? ""}.`,
    fix: `set ${release.path} to another release, such as "${exampleRelease}"`,
  });
}

function* ofTemplate(template: Resource): Iterable<Check> {
  const image = template.text("imageId");
  yield failAt(image, image.is(isMoving), {
    got: "a parameter without a version",
    why: "Each new node resolves the parameter again, so the nodes of one group can have different images and drivers.",
    fix: `set ${image.path} to an image id, or add the version of the parameter: resolve:ssm:<name>:<version>`,
  });
}

/** A term with tags, or with a pattern of names, selects the newest image. An alias has a release, or `latest`. */
function* ofNodeClass(nodeClass: Resource, isGpu: Truth): Iterable<Check> {
  const terms = nodeClass.list("amiSelectorTerms");
  yield failAt(terms, all(isGpu, terms.isAbsent), {
    why: "A new node then gets the newest image of its family, with a different driver.",
    fix: `set ${terms.path} to one image: [{ alias: "al2023@v${releaseDate}" }]`,
  });
  for (const term of terms.value ?? []) {
    const [alias, name, parameter] = [term.text("alias"), term.text("name"), term.text("ssmParameter")];
    const isOpen = any(
      alias.is((text) => !/@v?\d/.test(text)),
      name.is((text) => text.includes("*")),
      parameter.is((text) => isMoving(`resolve:ssm:${text}`)),
      all(not(term.entries("tags").isAbsent), name.isAbsent),
    );
    const { path } = alias.isAbsent === true ? term : alias;
    const isBottlerocket = alias.is((text) => text.startsWith("bottlerocket@")) === true;
    const example = isBottlerocket ? "bottlerocket@v1.x.y, with the numbers of a release" : `al2023@v${releaseDate}`;
    yield failAt({ path }, all(isGpu, isOpen), {
      got: "an image without a release",
      why: "A new node then gets the newest image, with a different driver, and Karpenter replaces the existing nodes.",
      fix: `set ${path} to one image: alias ${example}, or an id`,
    });
  }
}

const releaseDate = parseAmiRelease(exampleRelease)?.date;

/** Whether an image is a parameter without a version. A parameter of one release has the date in its path. */
function isMoving(image: string): boolean {
  const name = /^resolve:ssm:(.+)$/.exec(image.slice(0, 2048))?.[1];
  return name !== undefined && !/:\d+$/.test(name) && !/(^|\D)\d{8}(\/|$)/.test(name);
}
