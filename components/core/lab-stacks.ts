import type { Problem } from "./problems";

/** Stacks that are made for experiments: those of this library's labs, and whatever calls itself a lab. */
export const labStackNames: readonly string[] = [
  ...["*-lab", "lab-*"],
  ...["device-plugin", "nccl-block", "node-health", "gpu-rollout", "runtime-socket"],
];

/** Whether a stack is made for experiments, by its name. */
export function isLabStack(stack: string): boolean {
  return labStackNames.some((pattern) => new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(stack));
}

/** What is wrong with a fault in a stack of this name: outside a lab whoever meets it takes it for a real one. */
export function labStackProblems(stack: string): Problem[] {
  if (isLabStack(stack)) return [];
  const why = "This stack is no lab: whoever works in it takes the fault for a real one.";
  const fix = `inject faults in a stack named ${labStackNames.join(", ")}, where * stands for any text`;
  return [{ code: "not-allowed", path: "stack", got: stack, why, fix }];
}
