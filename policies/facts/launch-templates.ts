import { any, not, some, Undetermined, type Reader, type Reading, type Truth } from "../engine/values";
import type { Resource, Stack } from "../engine/resource";
import { nodePools } from "./node-sources";

export const launchTemplate = "aws:ec2/launchTemplate:LaunchTemplate";
/** The predecessor of launch templates. */
export const launchConfiguration = "aws:ec2/launchConfiguration:LaunchConfiguration";

/** The node classes of Karpenter. Their spec has the properties of a launch template. */
export const nodeClasses: readonly string[] = ["v1", "v1beta1"].map(
  (version) => `kubernetes:karpenter.k8s.aws/${version}:EC2NodeClass`,
);

/** The node class of EKS Auto Mode, and the disk of its nodes. @see https://docs.aws.amazon.com/eks/latest/userguide/create-node-class.html */
export const autoModeClass = "kubernetes:eks.amazonaws.com/v1:NodeClass";
export const autoModeDiskGiB = 80;

/** The types that describe the instances of groups. */
export const templateTypes: readonly string[] = [launchTemplate, launchConfiguration, ...nodeClasses];

/** The templates of machines of Cluster API, of which rules read only the instance type. */
export const machineTemplates: readonly string[] = ["v1beta1", "v1beta2"].map(
  (version) => `kubernetes:infrastructure.cluster.x-k8s.io/${version}:AWSMachineTemplate`,
);

/** What describes the instances in a resource of these types, with the properties of a launch template. */
export function templateIn(resource: Resource): Resource {
  return isNodeClass(resource) ? resource.within("spec") : resource;
}

export function isNodeClass({ type }: Resource): boolean {
  return nodeClasses.includes(type);
}

/** Properties with the launch template of node groups, Auto Scaling groups, fleets and instances. */
const properties = [
  ...["launchTemplate", "mixedInstancesPolicy", "launchConfiguration"],
  ...["launchTemplateConfigs", "templateBody"],
];

/** The launch templates of this stack that a group uses or names, and the node class of a NodePool. */
export function templatesOf(stack: Stack, group: Resource): Resource[] {
  if (nodePools.includes(group.type)) {
    const name = group.text("spec.template.spec.nodeClassRef.name");
    return objectsNamed(name, nodeClasses, group, stack).map(templateIn);
  }
  if (group.type.startsWith("kubernetes:cluster.x-k8s.io/")) {
    const name = group.text("template.spec.infrastructureRef.name");
    return objectsNamed(name, machineTemplates, group, stack).map((one) => one.within("spec", "template", "spec"));
  }
  const linked = properties.filter((property) => group.dependenciesOf(property).length > 0);
  const found = linked.flatMap((property) => templateTypes.flatMap((type) => stack.behind(group, property, type)));
  const specified = specificationsOf(group).flatMap((one) => [one.text("name"), one.text("launchTemplateName")]);
  const names = [...specified, group.text("launchConfiguration")].flatMap(({ value }) => value ?? []);
  const isNamed = (template: Resource) => names.includes(template.text("name").value ?? "");
  const named = names.length > 0 ? stack.ofType(launchTemplate, launchConfiguration).filter(isNamed) : [];
  return [...new Set([...found, ...named])];
}

/** The blocks of a group that identify a launch template by its id or its name. */
function specificationsOf(group: Resource): Reader[] {
  const configs = [
    group.at("mixedInstancesPolicy.launchTemplate"),
    ...(group.list("launchTemplateConfigs").value ?? []),
  ];
  return [group.at("launchTemplate"), ...configs.map((config) => config.at("launchTemplateSpecification"))];
}

/** The objects of some types to which a group refers by name. */
function objectsNamed(name: Reading<string>, types: readonly string[], group: Resource, stack: Stack): Resource[] {
  const isNamed = (one: Resource) => one.text("metadata.name").value === name.value && name.value !== undefined;
  const named = stack.ofType(...types).filter(isNamed);
  return named.length > 0 ? named : types.flatMap((type) => stack.behind(group, "spec", type));
}

/** Whether a group uses a launch template or launch configuration that is not in the stack. */
export function hasExternalTemplate(stack: Stack, group: Resource): Truth {
  if (templatesOf(stack, group).length > 0) return false;
  return any(
    not(group.text("launchConfiguration").isAbsent),
    some(specificationsOf(group), (one) => not(one.entries().isAbsent)),
  );
}

/** Whether the launch template of a group sets the image of its nodes. */
export function setsImage(group: Resource, stack: Stack): Truth {
  const isExternal = hasExternalTemplate(stack, group);
  if (isExternal === true) return new Undetermined(["the image in a launch template outside the stack"]);
  const ofStack = some(templatesOf(stack, group), (template) => not(template.text("imageId").isAbsent));
  return any(isExternal, ofStack);
}
