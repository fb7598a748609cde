import { any, not, some, Undetermined, type Truth } from "../engine/values";
import type { Resource, Stack } from "../engine/resource";
import { nodePools } from "./node-sources";

export const launchTemplate = "aws:ec2/launchTemplate:LaunchTemplate";
/** The predecessor of launch templates. */
export const launchConfiguration = "aws:ec2/launchConfiguration:LaunchConfiguration";

/** The node classes of Karpenter. Their spec has the properties of a launch template. */
export const nodeClasses: readonly string[] = ["v1", "v1beta1"].map(
  (version) => `kubernetes:karpenter.k8s.aws/${version}:EC2NodeClass`,
);

/** The types that describe the instances of groups. */
export const templateTypes: readonly string[] = [launchTemplate, launchConfiguration, ...nodeClasses];

/** What describes the instances in a resource of these types, with the properties of a launch template. */
export function templateIn(resource: Resource): Resource {
  return isNodeClass(resource) ? resource.view(resource.inputs("spec"), "spec") : resource;
}

export function isNodeClass({ type }: Resource): boolean {
  return nodeClasses.includes(type);
}

/** Properties with the launch template of node groups, Auto Scaling groups, fleets and instances. */
const properties = [
  ...["launchTemplate", "mixedInstancesPolicy", "launchConfiguration"],
  ...["launchTemplateConfigs", "templateBody"],
];

/** The launch templates of this stack that a group uses, and the node class of a NodePool. */
export function templatesOf(stack: Stack, group: Resource): Resource[] {
  if (nodePools.includes(group.type)) return nodeClassesOf(stack, group).map(templateIn);
  const found = properties.flatMap((property) => templateTypes.flatMap((type) => stack.behind(group, property, type)));
  return [...new Set(found)];
}

function nodeClassesOf(stack: Stack, pool: Resource): Resource[] {
  const name = pool.text("spec.template.spec.nodeClassRef.name");
  const isNamed = (one: Resource) => one.text("metadata.name").value === name.value && name.value !== undefined;
  const named = stack.ofType(...nodeClasses).filter(isNamed);
  return named.length > 0 ? named : nodeClasses.flatMap((type) => stack.behind(pool, "spec", type));
}

/** Whether a group uses a launch template or launch configuration that is not in the stack. */
export function hasExternalTemplate(stack: Stack, group: Resource): Truth {
  if (templatesOf(stack, group).length > 0) return false;
  const blocks = ["launchTemplate", "mixedInstancesPolicy.launchTemplate"].map((path) => group.entries(path));
  const configs = group.list("launchTemplateConfigs").value ?? [];
  return any(
    ...blocks.map(({ isAbsent }) => not(isAbsent)),
    not(group.text("launchConfiguration").isAbsent),
    some(configs, (config) => not(config.entries("launchTemplateSpecification").isAbsent)),
  );
}

/** Whether the launch template of a group sets the image of its nodes. */
export function setsImage(group: Resource, stack: Stack): Truth {
  const isExternal = hasExternalTemplate(stack, group);
  if (isExternal === true) return new Undetermined(["the image in a launch template outside the stack"]);
  const ofStack = some(templatesOf(stack, group), (template) => not(template.text("imageId").isAbsent));
  return any(isExternal, ofStack);
}
