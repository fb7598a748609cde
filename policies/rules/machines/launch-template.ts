import type { Reading } from "../../core/reading";
import type { Resource, Stack } from "../../core/resource";

export const launchTemplate = "aws:ec2/launchTemplate:LaunchTemplate";

/** Properties by which node groups, Auto Scaling groups and instances take a template. */
const properties = ["launchTemplate", "mixedInstancesPolicy"];

/** The launch templates of this stack that a group uses. One that comes from elsewhere is not seen. */
export function templatesOf(stack: Stack, group: Resource): Resource[] {
  const found = properties.flatMap((property) => stack.behind(group, property, launchTemplate));
  return [...new Set(found)];
}

/** More instance types than a group takes. */
const longest = 300;

/** The texts of a list; a list that is unknown as a whole stays one unknown text. */
export function textsOf(resource: Resource, path: string): Reading<string>[] {
  const list = resource.list(path);
  if (list.value) return list.value.slice(0, longest).map((item) => item.text());
  return list.isAbsent === true ? [] : [resource.text(path)];
}
