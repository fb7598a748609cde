import { typesIn } from "./resource";
import type { Outcome } from "./verdict";

/** Type tokens of the components that rules judge: those of component packages, and rendered Helm charts. */
const component = /^(?:[^:]+:index:[^/]+|kubernetes:helm\.sh\/v[34]:Chart)$/;

/**
 * Parent/child de-duplication. A component and the resource that it creates carry the same value, so a rule that
 * judges both finds one mistake twice. Only the component is reported, because that is where the user can fix it. A
 * custom resource creates nothing: the resources below it are judged on their own.
 */
export class Deduplication {
  private readonly parents = new Map<string, string | undefined>();
  private readonly weights = new Map<string, number>();

  /** Records the parent of a resource. */
  setParent(urn: string, parent: string | undefined): void {
    this.parents.set(urn, parent);
  }

  /** Records the outcomes of a rule for a resource, in place of earlier ones. */
  record(rule: string, urn: string, outcomes: readonly Outcome[]): void {
    const isComponent = component.test(typesIn(urn).at(-1) ?? "");
    if (isComponent) this.weights.set(`${rule} ${urn}`, Math.max(0, ...outcomes.map(weightOf)));
  }

  /** Whether the same rule already reports an ancestor component at the same level or a higher one. */
  isDuplicate(rule: string, urn: string, outcome: Outcome): boolean {
    const visited = new Set([urn]);
    for (let above = this.parents.get(urn); above && !visited.has(above); above = this.parents.get(above)) {
      visited.add(above);
      const weight = this.weights.get(`${rule} ${above}`) ?? 0;
      if (weight > 0 && weight >= weightOf(outcome)) return true;
    }
    return false;
  }
}

function weightOf({ verdict, advisory }: Outcome): number {
  if (verdict === "unknown") return 0;
  return advisory ? 1 : 2;
}
