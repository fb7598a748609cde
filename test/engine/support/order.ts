import { expect } from "vitest";
import type { Outcome, Step } from "../../../simulation/pulumi/outcome";
import type { ExportedStack } from "../../support/test-workspace";
import { shortType } from "./engine";

/** The steps of resources of a type whose names end with one of the given names. */
export function stepsOf({ steps }: Outcome, type: string, ...names: string[]): Step[] {
  const found = steps.filter(
    (step) => shortType(step.type) === type && (names.length === 0 || names.some((name) => step.name.endsWith(name))),
  );
  expect(found.length, `${type} ${names.join(", ")}`).toBeGreaterThanOrEqual(Math.max(names.length, 1));
  return found;
}

/** Requires that all steps of the first list end before any of the second list begins. */
export function expectOrder(first: readonly Step[], then: readonly Step[]): void {
  for (const before of first) {
    for (const after of then) {
      const what = `${before.op} ${before.name} before ${after.op} ${after.name}`;
      expect(before.ended ?? Infinity, what).toBeLessThan(after.began);
    }
  }
}

/** The URNs of all direct and indirect dependencies by the URN of a resource. */
export type Dependencies = ReadonlyMap<string, ReadonlySet<string>>;

/** All dependencies of the resources of a state, including those of its provider and its parent. */
export function dependenciesOf({ deployment: { resources = [] } }: ExportedStack): Dependencies {
  const all = new Map<string, Set<string>>();
  // A state lists resources after their dependencies.
  for (const { urn, dependencies = [], provider, parent } of resources) {
    const providerUrn = provider?.slice(0, provider.lastIndexOf("::"));
    const direct = [...dependencies, ...[providerUrn, parent].filter((other) => other !== undefined)];
    all.set(urn, new Set(direct.flatMap((before) => [before, ...(all.get(before) ?? [])])));
  }
  return all;
}

/** Requires that all resources of the second list depend on all of the first list. */
export function expectDependency(all: Dependencies, first: readonly Step[], then: readonly Step[]): void {
  for (const after of then) {
    const missing = first.filter(({ urn }) => all.get(after.urn)?.has(urn) !== true);
    expect(
      missing.map(({ name }) => name),
      `${after.name} waits for`,
    ).toEqual([]);
  }
}
