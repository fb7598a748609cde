import { describe, expect, test } from "vitest";
import { choose, isPossible, maxSeed, newSeed, randomOf, type ClusterFacts } from "../../../commands/drill/choose";
import type { GpuNode } from "../../../commands/drill/manifests";
import type { Scenario } from "../../../commands/drill/scenario";
import { scenarios } from "../../../commands/drill/scenarios/scenarios";
import { serverScenarios } from "../../../commands/drill/scenarios/servers";

const node = (name: string, isFake = true): GpuNode => ({
  ...{ name, hostname: name, freeGpus: 1, taints: [], isFake },
});
const facts = (...nodes: readonly GpuNode[]): ClusterFacts => ({
  ...{ nodes, unusable: [], maxGpus: 1, maxCpus: 4, products: [], hasClaims: true },
});
const seeds = Array.from({ length: 300 }, (_, at) => at * 7919);
const summary = (seed: number, cluster: ClusterFacts) => {
  const { scenario, site, answers } = choose(cluster, seed);
  return { id: scenario.id, target: site.target.name, answers };
};

describe("a seed", () => {
  test("gives the same numbers each time, and another seed others", () => {
    const numbers = (seed: number) => randomOf(seed).shuffled(Array.from({ length: 20 }, (_, at) => at));
    expect(numbers(4711)).toEqual(numbers(4711));
    expect(numbers(4711)).not.toEqual(numbers(4712));
    expect([...numbers(4711)].sort((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, at) => at));
  });

  test("is valid from 0 to its largest value, and a new one is short", () => {
    for (const seed of [0, 1, maxSeed]) expect(randomOf(seed).pick([1, 2, 3])).toBeLessThan(4);
    for (let count = 0; count < 100; count += 1) expect(String(newSeed())).toMatch(/^[1-9]\d{0,5}$/);
  });
});

describe("in the same cluster", () => {
  test("the same seed gives the same scenario, target and answers", () => {
    for (const seed of seeds) {
      expect(summary(seed, facts(node("a"), node("b")))).toEqual(summary(seed, facts(node("a"), node("b"))));
    }
  });

  test("the seeds reach every scenario and every node", () => {
    const drawn = seeds.map((seed) => summary(seed, facts(node("a"), node("b", false))));
    expect(new Set(drawn.map(({ id }) => id))).toEqual(new Set(scenarios.map(({ id }) => id)));
    expect(new Set(drawn.map(({ target }) => target))).toEqual(new Set(["a", "b"]));
  });
});

test("the answers are six, one of them right, and the others wrong in any cluster", () => {
  const places = new Set<number>();
  for (const seed of seeds) {
    const { scenario, answers } = choose(facts(node("a"), node("b", false)), seed);
    expect(new Set(answers).size).toBe(6);
    expect(answers).toContain(scenario.conclusion);
    for (const id of scenario.also ?? []) expect(answers).not.toContain(id);
    places.add(answers.indexOf(scenario.conclusion));
  }
  expect(places.size).toBe(6);
});

test("a scenario that a kubelet would undo is for fake nodes only", () => {
  for (const seed of seeds) expect(summary(seed, facts(node("mock", false))).id).not.toBe("no-gpus");
  const fragile = scenarios.find(({ id }) => id === "no-gpus");
  for (const seed of seeds.slice(0, 50)) {
    expect(choose(facts(node("mock", false), node("fake")), seed, fragile).site.target.name).toBe("fake");
  }
});

test("a scenario that claims a device is for clusters that serve claims", () => {
  const claims = scenarios.find(({ id }) => id === "device-class") as Scenario;
  const without = { ...facts(node("fake")), hasClaims: false };
  for (const seed of seeds) expect(summary(seed, without).id).not.toBe(claims.id);
  expect([facts(node("fake")), without].map((cluster) => isPossible(claims, cluster))).toEqual([true, false]);
});

test("a scenario that needs the log of a container is for nodes with a kubelet, among answers that fit it", () => {
  const servers = serverScenarios;
  expect(servers).toHaveLength(3);
  for (const seed of seeds) expect(servers.map(({ id }) => id)).not.toContain(summary(seed, facts(node("fake"))).id);
  for (const server of servers) {
    const { site, answers } = choose(facts(node("fake"), node("mock", false)), 7, server);
    expect(site.target.name).toBe("mock");
    for (const id of answers) expect(server.wrong).toContain(id);
  }
  const own = servers.map(({ conclusion }) => conclusion);
  for (const seed of seeds)
    expect(summary(seed, facts(node("fake"))).answers.filter((id) => own.includes(id))).toEqual([]);
});

test("a scenario that the user chooses leaves the random order to target and answers", () => {
  const [, second] = scenarios;
  expect(choose(facts(node("a")), 5, second).scenario).toBe(second);
});
