/**
 * Policy packs for GPU labs on Amazon EKS, and what a pack of your own needs. Importing this module starts nothing.
 * Anything that it does not export may change in any release.
 */

// The packs, each with all of its rules.
export { lab } from "./packs/lab/rules";
export { shared } from "./packs/shared/rules";
export { audit } from "./packs/audit/rules";

// A pack of your own.
export { pack, type PackDefinition, type PackSettings } from "./engine/define-pack";
export { serve } from "./engine/serve";
export type { Level, Pack, PackRule } from "./engine/pack";

// A rule of your own.
export {
  adviseIf,
  failIf,
  resourceRule,
  stackRule,
  type Check,
  type ResourceRule,
  type Rule,
  type Severity,
  type StackRule,
  type Violation,
} from "./engine/rule";
export { count, numbers, oneOf, text, texts, type Parameter } from "./engine/parameters";
export type { Resource, Stack, Surroundings } from "./engine/resource";
export { compare, type Reading } from "../components/core/reader/reading";
export type { Reader } from "../components/core/reader/reader";
export { all, any, not, some, type Truth } from "../components/core/reader/truth";

// Judge resources without the Pulumi engine, for example in a unit test.
export { judge, type AnalyzedResource, type Finding, type JudgeOptions } from "./engine/judge";
export type { PolicyConfig } from "./engine/policy-config";
export { InputError, type Problem } from "../components/core/problems";
