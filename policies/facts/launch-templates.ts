import type { Reading } from "../../components/core/reader/reading";
import { any, not, some, Undetermined, type Truth } from "../../components/core/reader/truth";
import type { Resource, Stack } from "../engine/resource";

export const launchTemplate = "aws:ec2/launchTemplate:LaunchTemplate";

/** Properties by which node groups, Auto Scaling groups and instances take a template. */
const properties = ["launchTemplate", "mixedInstancesPolicy"];

/** The launch templates of this stack that a group uses. One that comes from elsewhere is not seen. */
export function templatesOf(stack: Stack, group: Resource): Resource[] {
  const found = properties.flatMap((property) => stack.behind(group, property, launchTemplate));
  return [...new Set(found)];
}

/** Whether a group takes its machines from a launch template or configuration that is not seen. */
export function hasTemplateElsewhere(stack: Stack, group: Resource): Truth {
  if (templatesOf(stack, group).length > 0) return false;
  return any(
    ...["launchTemplate", "mixedInstancesPolicy.launchTemplate"].map((path) => not(group.entries(path).isAbsent)),
    not(group.text("launchConfiguration").isAbsent),
  );
}

/** Whether the launch template of a group names the image of its nodes. */
export function namesImage(group: Resource, stack: Stack): Truth {
  const isElsewhere = hasTemplateElsewhere(stack, group);
  if (isElsewhere === true) return new Undetermined(["the image in a launch template from elsewhere"]);
  const ofStack = some(templatesOf(stack, group), (template) => not(template.text("imageId").isAbsent));
  return any(isElsewhere, ofStack);
}

/** More instance types than a group takes. */
const longest = 300;

/** The texts of a list; a list that is unknown as a whole stays one unknown text. */
export function textsOf(resource: Resource, path: string): Reading<string>[] {
  const list = resource.list(path);
  if (list.value) return list.value.slice(0, longest).map((item) => item.text());
  return list.isAbsent === true ? [] : [resource.text(path)];
}
