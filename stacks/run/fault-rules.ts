import type { Problem } from "../../components";
import { configuredFaultProblems } from "../../components/core/faults";
import type { LabSettings } from "./config-keys";
import type { Lab, Remedy } from "./lab";
import { labKeys, type LabKey } from "./lab-keys";

/** The lab that a stack runs. */
export interface LabRun {
  readonly name: string;
  readonly lab: Lab;
  readonly stack: string;
  readonly now: Date;
}

export const labKeyNames = Object.keys(labKeys) as LabKey[];

/** Every problem of `fault` and `expires`. */
export function faultProblems(
  { name, lab, stack, now }: LabRun,
  given: Pick<LabSettings, "fault" | "expires" | LabKey>,
): Problem[] {
  const { fault, expires } = given;
  const isOn = fault === "on";
  if (!lab.fault) {
    const off = "pulumi config set fault off";
    return [
      ...(isOn ? [refused("fault", fault, `${name} has no fault to inject.`, off)] : []),
      ...(expires === undefined
        ? []
        : [refused("expires", expires, `It limits a fault, and ${name} has none.`, "pulumi config rm expires")]),
    ];
  }
  if (!isOn) return [];
  return [...configuredFaultProblems(stack, expires, now), ...missing(lab.fault.needs, given)];
}

/** Every problem of `remedy`. */
export function remedyProblems(
  { name, lab }: LabRun,
  given: Pick<LabSettings, "fault" | "remedy" | LabKey>,
): Problem[] {
  const { remedy: got, fault } = given;
  if (got === undefined) return [];
  const remove = "pulumi config rm remedy";
  if (!lab.remedies) return [refused("remedy", got, `${name} does not use it.`, remove)];
  const known = Object.keys(lab.remedies);
  const chosen = remedyOf(lab, got);
  if (!chosen) {
    return [refused("remedy", got, `Must be one of ${known.join(", ")}.`, `pulumi config set remedy ${known[0]}`)];
  }
  if (fault === "on") return missing(chosen.needs, given);
  return [refused("remedy", got, "A remedy applies only while the fault is on.", remove)];
}

/** The remedy of that name, if the lab has it. */
export function remedyOf({ remedies = {} }: Pick<Lab, "remedies">, name = ""): Remedy | undefined {
  return Object.hasOwn(remedies, name) ? remedies[name] : undefined;
}

/** Keys that only other labs use. */
export function keyProblems({ name, lab: { keys = [] } }: LabRun, given: Pick<LabSettings, LabKey>): Problem[] {
  return labKeyNames
    .filter((key) => given[key] !== undefined && !keys.includes(key))
    .map((key) => refused(key, given[key], `${name} does not use it.`, `pulumi config rm ${key}`));
}

function missing(needs: readonly LabKey[] = [], given: Pick<LabSettings, LabKey>): Problem[] {
  return needs
    .filter((key) => given[key] === undefined)
    .map((path) => {
      const { example, whyNeeded: why } = labKeys[path];
      return { code: "missing", path, got: undefined, why, fix: `pulumi config set ${path} ${example}` };
    });
}

function refused(path: string, got: unknown, why: string, fix: string): Problem {
  return { code: "not-allowed", path, got, why, fix };
}
