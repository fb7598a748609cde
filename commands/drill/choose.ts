import type { ConclusionId } from "../../triage/conclusions";
import type { GpuNode } from "./manifests";
import type { Scenario, Site } from "./scenario";
import { scenarios } from "./scenarios/scenarios";

/** What a drill needs to know about a cluster. */
export interface ClusterFacts extends Omit<Site, "target"> {
  /** The GPU nodes that a drill can use, by name. */
  readonly nodes: readonly GpuNode[];
  /** The other GPU nodes, each with the reason. */
  readonly unusable: readonly { readonly name: string; readonly why: string }[];
}

/** A scenario with its target, and the answers that the learner chooses from. */
export interface Choice {
  readonly scenario: Scenario;
  readonly site: Site;
  readonly answers: readonly ConclusionId[];
}

const answerCount = 6;
const commonConclusions = scenarios.flatMap(({ conclusion, wrong }) => (wrong === undefined ? [conclusion] : []));

/** Whether a scenario works on at least one node. */
export function isPossible(scenario: Scenario, facts: ClusterFacts): boolean {
  return targetsOf(scenario, facts).length > 0;
}

function targetsOf({ needs }: Scenario, { nodes, hasClaims }: ClusterFacts): readonly GpuNode[] {
  return nodes.filter((target) => needs?.accepts({ target, hasClaims }) ?? true);
}

/**
 * Chooses a scenario, a target and the possible answers. The same seed in the same state of the cluster gives the same
 * choice. `only` is a possible scenario that the user has chosen.
 */
export function choose(facts: ClusterFacts, seed: number, only?: Scenario): Choice {
  const random = randomOf(seed);
  const drawn = random.pick(scenarios.filter((one) => isPossible(one, facts)));
  const scenario = only ?? drawn;
  const { maxGpus, maxCpus, products, hasClaims } = facts;
  const target = random.pick(targetsOf(scenario, facts));
  const { conclusion, also = [], wrong = commonConclusions } = scenario;
  const others = wrong.filter((id) => id !== conclusion && !also.includes(id));
  return {
    scenario,
    site: { target, maxGpus, maxCpus, products, hasClaims },
    answers: random.shuffled([conclusion, ...random.shuffled(others).slice(0, answerCount - 1)]),
  };
}

/** The largest seed: 32 bits. */
export const maxSeed = 2 ** 32 - 1;

/** A seed that is easy to read and type: 1 to 999999. */
export function newSeed(): number {
  return 1 + Math.floor(Math.random() * 999_999);
}

/**
 * Chooses by numbers that depend only on a seed, so that a drill can be repeated. The generator is Mulberry32, which is
 * short and good enough to choose a scenario.
 */
export function randomOf(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** One of the items, which must not be empty. */
  const pick = <T>(items: readonly T[]): T => {
    const found = items[Math.floor(next() * items.length)];
    if (found === undefined) throw new Error("There is nothing to choose from.");
    return found;
  };
  /** The items in another order. */
  const shuffled = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => ({ item, at: next() }))
      .sort((one, other) => one.at - other.at)
      .map(({ item }) => item);
  return { pick, shuffled };
}
