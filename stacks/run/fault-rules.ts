import type { GpuEnvironmentArgs, Problem } from "../../components";
import { configuredFaultProblems } from "../../components/core/faults";
import { ownValue } from "../../components/core/reader/records";
import { isAutoMode } from "../../components/environment/on-demand-conflicts";
import type { LabSettings } from "./config-keys";
import { labKeys, type Lab, type LabKey, type Remedy } from "./lab";

/** The lab that a stack runs. */
export interface LabRun {
  readonly name: string;
  readonly lab: Lab;
  readonly stack: string;
  readonly now: Date;
  /** The configured arguments of the environment. */
  readonly args: Partial<GpuEnvironmentArgs>;
}

/** Settings of a lab that are valid one by one. */
export type Given = Partial<LabSettings>;

export const labKeyNames = Object.keys(labKeys) as LabKey[];

/** Every problem of `fault` and `expires`. */
export function faultProblems({ name, lab, stack, now }: LabRun, given: Given): Problem[] {
  const { fault, expires } = given;
  const isOn = fault === "on";
  if (lab.fault)
    return isOn ? [...configuredFaultProblems(stack, expires, now), ...missing(lab.fault.needs, given)] : [];
  const limit = `This key limits a fault, and ${name} has none.`;
  return [
    ...(isOn ? [refused("fault", fault, `${name} has no fault to inject.`, "pulumi config set fault off")] : []),
    ...(expires === undefined ? [] : [refused("expires", expires, limit)]),
  ];
}

/** Every problem of `remedy`. */
export function remedyProblems(run: LabRun, given: Given): Problem[] {
  const { remedy: got, fault } = given;
  if (got === undefined) return [];
  const chosen = remedyOf(run.lab, got);
  if (!chosen) return unknownChoice(run, "remedy", got, run.lab.remedies);
  if (fault !== "on") return [refused("remedy", got, "A remedy applies only while the fault is on.")];
  if (chosen.refusedByAutoMode && isAutoMode(run.args)) return [refused("remedy", got, chosen.refusedByAutoMode)];
  return missing(chosen.needs, given);
}

/** Every problem of `faultVariant`. Without the fault it has no effect. */
export function variantProblems(run: LabRun, { faultVariant: got }: Given): Problem[] {
  const variants = run.lab.fault?.variants;
  if (got === undefined) return [];
  const chosen = ownValue(variants ?? {}, got);
  if (!chosen) return unknownChoice(run, "faultVariant", got, variants);
  const { refusedByAutoMode: why } = chosen;
  return why !== undefined && isAutoMode(run.args) ? [refused("faultVariant", got, why)] : [];
}

/** A value that the lab does not have, or the value of a key that it does not use. */
function unknownChoice({ name }: LabRun, key: string, got: string, choices?: object): Problem[] {
  if (!choices) return [refused(key, got, `${name} does not use it.`)];
  const known = Object.keys(choices);
  return [refused(key, got, `Must be one of ${known.join(", ")}.`, `pulumi config set ${key} ${known[0]}`)];
}

/** The remedy of that name, if the lab has it. */
export function remedyOf({ remedies = {} }: Pick<Lab, "remedies">, name = ""): Remedy | undefined {
  return Object.hasOwn(remedies, name) ? remedies[name] : undefined;
}

/** The lab needs a minimum number of GPU nodes. `path` sets it. */
export function fewNodes({ name, lab }: LabRun, { remedy }: Given, path: string, got: number, need: string): Problem[] {
  const needed = remedyOf(lab, remedy)?.gpuNodes ?? lab.leastMaxSize ?? lab.gpuNodes;
  if (got >= needed) return [];
  const why = `${name} needs ${need}${needed} GPU nodes.`;
  return [{ code: "conflict", path, got, why, fix: `pulumi config set --path ${path} ${needed}` }];
}

/** Keys that only other labs use. */
export function keyProblems({ name, lab: { keys = [] } }: LabRun, given: Given): Problem[] {
  return labKeyNames
    .filter((key) => given[key] !== undefined && !keys.includes(key))
    .map((key) => refused(key, given[key], `${name} does not use it.`));
}

function missing(needs: readonly LabKey[] = [], given: Given): Problem[] {
  return needs
    .filter((key) => given[key] === undefined)
    .map((path) => {
      const { example, whyNeeded: why } = labKeys[path];
      return { code: "missing", path, got: undefined, why, fix: `pulumi config set ${path} ${example}` };
    });
}

/** A value that the lab does not allow. Without another fix, the key is removed. */
export function refused(path: string, got: unknown, why: string, fix = `pulumi config rm ${path}`): Problem {
  return { code: "not-allowed", path, got, why, fix };
}
