import { expect } from "vitest";
import type { ExportedResource, TestWorkspace } from "../../support/test-workspace";

/** The objects in the state, as `type id`, with duplicates. */
export async function managed(workspace: TestWorkspace): Promise<string[]> {
  const { deployment } = await workspace.exportState();
  return (deployment.resources ?? [])
    .filter(isObject)
    .map(({ type, id = "" }) => keyOf({ type, id }))
    .sort();
}

/** The objects in the cloud that a provider created, as `type id`, without those that AWS creates itself. */
export function existing({ cloud }: TestWorkspace): string[] {
  const created = new Set(cloud.history.filter(({ operation }) => operation === "create").map(keyOf));
  return cloud.objects
    .map(keyOf)
    .filter((key) => created.has(key))
    .sort();
}

/** Requires that state and cloud contain the same objects. */
export async function expectNoOrphan(workspace: TestWorkspace): Promise<void> {
  expect(existing(workspace)).toEqual(await managed(workspace));
}

function isObject({ custom, type, id }: ExportedResource): boolean {
  return custom && id !== undefined && id !== "" && !type.startsWith("pulumi:");
}

function keyOf({ type, id }: { readonly type: string; readonly id: string }): string {
  return `${type} ${id}`;
}
