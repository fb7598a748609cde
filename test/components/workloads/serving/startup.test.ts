import { describe, expect, test } from "vitest";
import { knownModels } from "../../../../components/workloads/serving/model-shape";
import { leastStartup, startupBudget } from "../../../../components/workloads/serving/startup";
import { publishedTimes } from "./published-starts";

const offline = { HF_HUB_OFFLINE: "1" };

test.for([
  ["Qwen/Qwen2.5-0.5B-Instruct", 10, 10, 1],
  ["meta-llama/Llama-3.1-8B-Instruct", 20, 10, 1],
  ["Qwen/Qwen3-32B", 55, 20, 1],
  ["meta-llama/Llama-3.3-70B-Instruct", 110, 30, 2],
  ["own/model", 30, 30, undefined],
  ["google/gemma-2-9b-it", 30, 30, undefined],
] as const)("%s: %i minutes, %i with a filled cache", ([model, budget, cached, least]) => {
  expect(startupBudget({ model, env: {} })).toBe(budget);
  expect(startupBudget({ model, env: offline })).toBe(cached);
  expect(startupBudget({ model, env: { HF_HUB_OFFLINE: "0" } })).toBe(budget);
  expect(startupBudget({ model, env: {}, startupMinutes: 7 })).toBe(7);
  expect(leastStartup(model)).toBe(least);
});

test("no default is refused", () => {
  for (const model of knownModels) {
    expect(startupBudget({ model, env: offline })).toBeGreaterThan(leastStartup(model) ?? 0);
    expect(startupBudget({ model, env: {} })).toBeLessThanOrEqual(240);
  }
});

describe("the budget covers the times that published logs state", () => {
  test.for(publishedTimes)("$model: $download", ({ model, download, load = 0, init = 0 }) => {
    // Imports and the start of the processes, which no line of the log states.
    const rest = 60;
    expect(download + load + init + rest).toBeLessThan(startupBudget({ model, env: {} }) * 60);
    expect(load + init + rest).toBeLessThan(startupBudget({ model, env: offline }) * 60);
  });
});
