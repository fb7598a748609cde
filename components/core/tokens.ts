import type { Problem } from "./problems";
import { isRecord } from "./records";

/** The Pulumi type token of a component of this library. Policies match on it: part of the public interface. */
export function token<Class extends string>(name: Class): `eks-gpu-lab:index:${Class}` {
  return `eks-gpu-lab:index:${name}`;
}

/** Tags that every taggable resource gets; the caller's own win. */
export type Tags = Readonly<Record<string, string>>;

/** What is wrong with tags, which must be texts. */
export function tagsProblems(path: string, got: unknown): Problem[] {
  if (got === undefined) return [];
  if (isRecord(got) && Object.values(got).every((value) => typeof value === "string")) return [];
  const fix = `set ${path} to an object such as { Team: "research" }`;
  return [{ code: "wrong-type", path, got, why: "It must be an object of texts.", fix }];
}

/** The tags of one resource: the shared ones and its Name. */
export function named(name: string, tags: Tags | undefined): Record<string, string> {
  return { Name: name, ...tags };
}
