/** GPU labs on Amazon EKS: every public component, its arguments, and the pure functions that check and explain them. */
export { GpuEnvironment } from "./gpu-environment";
export type * from "./gpu-environment-args";
export type { GpuEnvironmentOutputs } from "./gpu-environment-outputs";
export { capacityRequest, environmentDefaults } from "./gpu-environment-plan";
export { gpuEnvironmentProblems } from "./gpu-environment-rules";
export { readPreflightFacts } from "./preflight";
export { preflightProblems, zonesFor, type CapacityRequest, type PreflightFacts } from "./preflight-rules";
export { isDocumentationCidr } from "./cluster/public-access";
export { InputError, refuse, type Problem, type ProblemCode } from "./core/problems";
export { join } from "./core/checks";
export { nearest } from "./core/suggest";
