import type { ConclusionId } from "../../../triage/conclusions";
import type { Scenario } from "../scenario";
import { nodeScenarios } from "./nodes";
import { podScenarios } from "./pods";
import { serverScenarios } from "./servers";
import { workloadScenarios } from "./workloads";

/** Every scenario. The seed chooses among them by their order. */
export const scenarios: readonly Scenario[] = [
  ...nodeScenarios,
  ...podScenarios,
  ...workloadScenarios,
  ...serverScenarios,
];

export function scenarioFor(conclusion: ConclusionId): Scenario | undefined {
  return scenarios.find((scenario) => scenario.conclusion === conclusion);
}
