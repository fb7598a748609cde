import { join } from "node:path";
import { programOf, translate } from "../../../planner/program/load-program";
import { loadPulumiRuntime } from "../../../planner/program/pulumi-runtime";
import { stackConfig } from "../../../planner/program/stack-config";
import { findProject } from "../../../planner/program/project";
import { record } from "../../../planner/record/record";
import { offlineWorld } from "../../../planner/record/world";
import { isRecord } from "../../../components/core/records";
import type { AnalyzedResource } from "../../../policies/core/judge";
import { isUnknown } from "../../../policies/core/unknown";

const root = process.cwd();

/** The resources that a program registers in a first preview. */
export async function firstPreview(
  entry: string,
  config: Readonly<Record<string, string>> = { "aws:region": "ap-northeast-2" },
): Promise<AnalyzedResource[]> {
  const path = join(root, entry);
  const options = { project: "eks-gpu-lab", stack: "gpu-lab", config, world: offlineWorld("ap-northeast-2") };
  const { resources } = await record(loadPulumiRuntime(root), programOf(await translate(path), path), options);
  return resources.map(({ inputs, ...rest }) => ({ ...rest, properties: inputs }));
}

/** What the stack gpu-lab registers, under overrides of its configuration. */
export function firstPreviewOfLab(...overrides: string[]): Promise<AnalyzedResource[]> {
  return firstPreview("stacks/index.ts", stackConfig(findProject(root), "gpu-lab", overrides).values);
}

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
    return { ...resource, properties: { ...properties, ...resolvedVersion(resource.type, properties) } };
  });
}

function known(value: unknown): unknown {
  if (isUnknown(value)) return "known-by-now";
  if (Array.isArray(value)) return value.map(known);
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, known(item)])) : value;
}

/** The provider's Check puts the newest version that fits in the place of a range, or of none. */
function resolvedVersion(type: string, { chart, version }: Record<string, unknown>): object {
  const exact = typeof version === "string" && /^v?\d+\.\d+\.\d+$/.test(version);
  return type === "kubernetes:helm.sh/v3:Release" && chart === "gpu-operator" && !exact ? { version: "v26.7.2" } : {};
}
