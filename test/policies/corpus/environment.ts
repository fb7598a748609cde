import { isRecord } from "../../../components/core/reader/records";
import { scaleInput } from "../../../components/lease/lease-documents";
import { openProject, recordStack } from "../../../planner/plan-stack";
import { asAnalyzed } from "../../../planner/record/recorded-resource";
import type { AnalyzedResource } from "../../../policies/engine/judge";
import { isUnknown } from "../../../components/core/reader/truth";
import { ownProject } from "../../support/own-project";

/** What the stack gpu-lab registers in a first preview, under overrides of its configuration. */
export async function firstPreviewOfLab(...overrides: string[]): Promise<AnalyzedResource[]> {
  const { recording } = await recordStack(await openProject(ownProject), "gpu-lab", overrides);
  return recording.resources.map(asAnalyzed);
}

/** Programs of others have no lease. */
export const withoutLease = { "gpu-lease-present": "disabled" } as const;

/** The same resources as if a program had written them without any component. */
export function withoutComponents(resources: readonly AnalyzedResource[]): AnalyzedResource[] {
  const flat = (urn: string) =>
    urn
      .split("::")
      .map((part, index) => (index === 2 ? (part.split("$").at(-1) ?? part) : part))
      .join("::");
  return resources
    .filter(({ type }) => /^(aws|eks|kubernetes):/.test(type))
    .map(({ parent: _, propertyDependencies = {}, ...resource }) => ({
      ...resource,
      urn: flat(resource.urn),
      dependencies: (resource.dependencies ?? []).map(flat),
      propertyDependencies: Object.fromEntries(
        Object.entries(propertyDependencies).map(([property, urns]) => [property, urns.map(flat)]),
      ),
    }));
}

/** The same resources once everything is there: what was unknown is known, and Helm has resolved versions. */
export function laterPreview(resources: readonly AnalyzedResource[]): AnalyzedResource[] {
  return resources.map((resource) => {
    const properties = known(resource.properties) as Record<string, unknown>;
    const resolved = { ...resolvedVersion(resource.type, properties), ...resolvedInput(resource.type, properties) };
    return { ...resource, isChecked: true, properties: { ...properties, ...resolved } };
  });
}

/** The names that the request of a schedule contains are known. */
function resolvedInput(type: string, { target }: Record<string, unknown>): object {
  if (type !== "aws:scheduler/schedule:Schedule" || !isRecord(target)) return {};
  const input = scaleInput({ clusterName: "myeks", nodeGroupName: "myeks-gpu-1", maxSize: 2 });
  return { target: { ...target, input } };
}

function known(value: unknown): unknown {
  if (isUnknown(value)) return "known-by-now";
  if (Array.isArray(value)) return value.map(known);
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, known(item)])) : value;
}

/** The provider's Check puts the newest version that fits in the place of a range, or of none. */
function resolvedVersion(type: string, { chart, version }: Record<string, unknown>): object {
  const exact = typeof version === "string" && /^v?\d+\.\d+\.\d+$/.test(version);
  if (type !== "kubernetes:helm.sh/v3:Release") return {};
  return chart === "gpu-operator" && !exact ? { version: "v26.7.2" } : {};
}
