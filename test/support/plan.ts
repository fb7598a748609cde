import { record, type RecordedResource, type Recording, type Cloud } from "../../planner/record/record";
import { loadPulumiRuntime } from "../../planner/program/pulumi-runtime";
import { ResultTypes } from "../../planner/lookups/result-types";
import { offlineCloud } from "../../planner/record/offline-cloud";

const pulumi = loadPulumiRuntime(process.cwd());

/** The forms of the results of lookups. */
export const types = new ResultTypes(process.cwd());

export interface PlanOptions {
  config?: Record<string, string>;
  region?: string;
  stack?: string;
  cloud?: Cloud;
}

/** Records what a program registers on a first preview. The program may be async. */
export function plan(program: () => unknown, options: PlanOptions = {}): Promise<Recording> {
  const region = options.region ?? "ap-northeast-2";
  return record(pulumi, program, {
    project: "eks-gpu-lab",
    stack: options.stack ?? "test",
    config: { "aws:region": region, ...options.config },
    cloud: options.cloud ?? offlineCloud(region, { types }),
  });
}

/** The resources of a type, in the order they were registered. */
export function ofType(recording: Recording, type: string): RecordedResource[] {
  return recording.resources.filter((resource) => resource.type === type);
}

/** The only resource of a type. Fails when there is none or more than one. */
export function only(recording: Recording, type: string): RecordedResource {
  const found = ofType(recording, type);
  if (found.length !== 1) throw new Error(`expected one ${type}, got ${found.map((r) => r.name).join(", ") || "none"}`);
  return found[0] as RecordedResource;
}

/** The resource with this logical name. Fails when there is none. */
export function byName(recording: Recording, name: string): RecordedResource {
  const found = recording.resources.filter((resource) => resource.name === name);
  if (found.length !== 1) {
    throw new Error(
      `expected one resource named ${name}, got ${found.length}; there are ${recording.resources.map((r) => r.name).join(", ")}`,
    );
  }
  return found[0] as RecordedResource;
}

/** Whether a resource depends on another, directly or through others. */
export function reaches(recording: Recording, from: string, to: string): boolean {
  const byUrn = new Map(recording.resources.map((resource) => [resource.urn, resource]));
  const visited = new Set<string>();
  const queue = [from];
  for (let urn = queue.pop(); urn !== undefined; urn = queue.pop()) {
    if (urn === to) return true;
    if (visited.has(urn)) continue;
    visited.add(urn);
    queue.push(...(byUrn.get(urn)?.dependencies ?? []));
  }
  return false;
}
