import { expect } from "vitest";
import type { Outcome, Step } from "../../../simulation/pulumi/outcome";
import type { ExportedStack } from "../../../simulation/pulumi/workspace";
import { shortType } from "./engine";

/** The steps of some resources: by type and by what their name holds. */
export function stepsOf({ steps }: Outcome, type: string, ...names: string[]): Step[] {
  const found = steps.filter(
    (step) => shortType(step.type) === type && (names.length === 0 || names.some((name) => step.name.endsWith(name))),
  );
  expect(found.length, `${type} ${names.join(", ")}`).toBeGreaterThanOrEqual(Math.max(names.length, 1));
  return found;
}

/** Each of the first has ended when any of the others begins. */
export function expectOrder(first: readonly Step[], then: readonly Step[]): void {
  for (const before of first) {
    for (const after of then) {
      const what = `${before.op} ${before.name} before ${after.op} ${after.name}`;
      expect(before.ended ?? Infinity, what).toBeLessThan(after.began);
    }
  }
}

/** A resource's URN to those of all that must be there before it. */
export type Dependencies = ReadonlyMap<string, ReadonlySet<string>>;

/** All dependencies of a state's resources; what its provider or its parent waits for, a resource waits for too. */
export function dependenciesOf({ deployment: { resources = [] } }: ExportedStack): Dependencies {
  const all = new Map<string, Set<string>>();
  // A state lists resources after what they depend on.
  for (const { urn, dependencies = [], provider, parent } of resources) {
    const providerUrn = provider?.slice(0, provider.lastIndexOf("::"));
    const direct = [...dependencies, ...[providerUrn, parent].filter((other) => other !== undefined)];
    all.set(urn, new Set(direct.flatMap((before) => [before, ...(all.get(before) ?? [])])));
  }
  return all;
}

/** Each of the others cannot be made before each of the first is there. */
export function expectDependency(all: Dependencies, first: readonly Step[], then: readonly Step[]): void {
  for (const after of then) {
    const missing = first.filter(({ urn }) => all.get(after.urn)?.has(urn) !== true);
    expect(
      missing.map(({ name }) => name),
      `${after.name} waits for`,
    ).toEqual([]);
  }
}
