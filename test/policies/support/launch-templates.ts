import type { AnalyzedResource } from "../../../policies/engine/judge";
import { launchTemplate } from "../../../policies/facts/launch-templates";
import { resource, unknown } from "./verdicts";

/** A launch template and a group of nodes that takes it, as a first preview shows them. */
export function withTemplate(type: string, group: object, template: object): [AnalyzedResource, AnalyzedResource] {
  const made = resource(launchTemplate, { ...template }, { name: "template" });
  const links = { propertyDependencies: { launchTemplate: [made.urn] } };
  return [made, resource(type, { launchTemplate: { id: unknown }, ...group }, links)];
}
