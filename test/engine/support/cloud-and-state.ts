import { expect } from "vitest";
import type { ExportedResource, Workspace } from "../../../simulation/pulumi/workspace";

/** What is in the state, as `type id`: what stands twice is there twice. */
export async function managed(workspace: Workspace): Promise<string[]> {
  const { deployment } = await workspace.exportState();
  return (deployment.resources ?? [])
    .filter(isObject)
    .map(({ type, id = "" }) => keyOf({ type, id }))
    .sort();
}

/** What is in the cloud because a provider asked for it, and not because AWS makes it by itself, as `type id`. */
export function existing({ cloud }: Workspace): string[] {
  const request = new Set(cloud.history.filter(({ operation }) => operation === "create").map(keyOf));
  return cloud.objects
    .map(keyOf)
    .filter((key) => request.has(key))
    .sort();
}

/** Neither an object without an owner nor one that is gone: state and cloud are the same. */
export async function expectNoOrphan(workspace: Workspace): Promise<void> {
  expect(existing(workspace)).toEqual(await managed(workspace));
}

function isObject({ custom, type, id }: ExportedResource): boolean {
  return custom && id !== undefined && id !== "" && !type.startsWith("pulumi:");
}

function keyOf({ type, id }: { readonly type: string; readonly id: string }): string {
  return `${type} ${id}`;
}
