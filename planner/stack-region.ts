import { refuse, type Problem } from "../components/core/problems";
import { isRegion, nearestRegion, regions } from "../components/core/region";
import { pricingContext } from "./cost/pricing-context";
import { inputsOf } from "./facts/resource-index";
import type { StackConfig } from "./program/stack-config";
import type { RecordedResource, Recording } from "./record/record";

/** A region for examples, and for programs that need none. */
export const exampleRegion = "ap-northeast-2";

/** The keys with the region: a program with only the second provider states only its key. */
const keys = ["aws:region", "aws-native:region"];

/** The variables with the region, as for Pulumi. */
const variables = ["AWS_REGION", "AWS_DEFAULT_REGION"];

/** The region that the configuration or the environment states. */
export function statedRegion({ values }: StackConfig): string | undefined {
  return [...keys.map((key) => values[key]), ...variables.map((name) => process.env[name])].find(Boolean);
}

/** The region of a stack. @throws InputError */
export function regionOf(stack: string, config: StackConfig): string {
  refuse(`stack ${stack}`, regionProblems(stack, config));
  return statedRegion(config) ?? "";
}

/** What is wrong with the region of a stack. */
export function regionProblems(stack: string, config: StackConfig): Problem[] {
  const region = statedRegion(config);
  const { path, change } = sourceOf(stack, config);
  if (region !== undefined) return isAllowed(region, config) ? [] : [wrongRegion(path, region, change)];
  const fix = `add --config aws:region=REGION, set AWS_REGION, or run pulumi config set aws:region REGION --stack ${stack}`;
  return [{ code: "missing", path, got: undefined, why: "Resources on AWS need a region.", fix }];
}

/** Where the region is stated, and how to state another one. */
function sourceOf(stack: string, { values, overridden }: StackConfig) {
  const key = keys.find((one) => values[one]) ?? "aws:region";
  const name = values[key] ? undefined : variables.find((one) => process.env[one]);
  const change = (region: string) => {
    if (name !== undefined) return `set ${name} to another region, e.g. ${name}=${region}`;
    return overridden.has(key)
      ? `use another region, e.g. --config ${key}=${region}`
      : `run pulumi config set ${key} ${region} --stack ${stack}`;
  };
  return { path: name ?? key, change };
}

/** The setting of the provider accepts a region that is newer than this list. A Pulumi provider has it by default. */
function isAllowed(region: string, { values }: StackConfig): boolean {
  return regions.includes(region) || (isRegion(region) && values["aws:skipRegionValidation"] === "true");
}

function wrongRegion(path: string, got: string, fix: (region: string) => string): Problem {
  const meant = nearestRegion(got);
  const why = "Must be the name of an AWS region.";
  return { code: "not-allowed", path, got, why, fix: fix(meant ?? exampleRegion) };
}

const provider = /^pulumi:providers:aws(?:-native)?$/;

/** Whether a resource belongs to AWS, or is a component whose resources do. */
export function isOnAws({ type }: RecordedResource): boolean {
  return /^(?:aws|aws-native|awsx|eks):/.test(type);
}

/** Whether a resource is created in the region of the stack. */
export function needsRegion(recording: Recording): boolean {
  const context = pricingContext(recording, "", {});
  return recording.resources.some((resource) => isOnAws(resource) && context.regionOf(resource) === "");
}

/** The wrong regions that the program gives its providers, and its resources on AWS. */
export function providerProblems({ resources }: Recording, config: StackConfig): Problem[] {
  return resources.filter(hasRegion).flatMap((resource) => {
    const region = inputsOf(resource).text("region").value;
    if (region === undefined || isAllowed(region, config)) return [];
    return [
      wrongRegion(`region of ${resource.type} ${resource.name}`, region, (meant) => `use a region, e.g. ${meant}`),
    ];
  });
}

function hasRegion({ type, custom }: RecordedResource): boolean {
  return provider.test(type) || (custom && /^aws:/.test(type));
}
