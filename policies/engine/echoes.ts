import type { Outcome } from "./verdict";

/** Type tokens of the components that rules judge: those of packages of components, and rendered Helm charts. */
const component = /^(?:[^:]+:index:[^/]+|kubernetes:helm\.sh\/v[34]:Chart)$/;

/**
 * Tells the cause from its echo. A component and the resource it makes carry the same value, so a rule that judges
 * both finds one fault twice: only the component, where the user can put it right, is to be blamed. A custom resource
 * makes nothing: what stands below it has faults of its own.
 */
export class Echoes {
  private readonly parents = new Map<string, string | undefined>();
  private readonly blamed = new Map<string, number>();

  /** Remembers where a resource stands. */
  place(urn: string, parent: string | undefined): void {
    this.parents.set(urn, parent);
  }

  /** Remembers what a rule said about a resource, in place of what it said before. */
  note(rule: string, urn: string, outcomes: readonly Outcome[]): void {
    if (isComponent(urn)) this.blamed.set(`${rule} ${urn}`, Math.max(0, ...outcomes.map(weightOf)));
  }

  /** Whether the same rule already blames a component above at least as heavily. */
  isEcho(rule: string, urn: string, outcome: Outcome): boolean {
    const seen = new Set([urn]);
    for (let above = this.parents.get(urn); above && !seen.has(above); above = this.parents.get(above)) {
      seen.add(above);
      const weight = this.blamed.get(`${rule} ${above}`) ?? 0;
      if (weight > 0 && weight >= weightOf(outcome)) return true;
    }
    return false;
  }
}

function isComponent(urn: string): boolean {
  const type = urn.split("::")[2]?.split("$").at(-1) ?? "";
  return component.test(type);
}

function weightOf({ verdict, advisory }: Outcome): number {
  if (verdict === "unknown") return 0;
  return advisory ? 1 : 2;
}
