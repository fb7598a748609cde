import type { Problem } from "../../components";
import { expiryProblems, labStackProblems, longestFaultDays } from "../../components/core/faults";
import { suggestedEnd, type Lab, type Remedy } from "./lab";
import type { LabSettings } from "./config-keys";
import { labKeys, type LabKey } from "./lab-keys";

/** Every problem of `fault` and `expires`. */
export function faultProblems(name: string, { fault }: Lab, given: LabSettings, now: Date): Problem[] {
  const { fault: word, expires } = given;
  if (!fault) {
    if (word === "on")
      return [refused("fault", word, `${name} has no fault to inject.`, "pulumi config set fault off")];
    if (expires === undefined) return [];
    return [refused("expires", expires, `It limits a fault, and ${name} has none.`, "pulumi config rm expires")];
  }
  if (word !== "on") return [];
  const fix = `pulumi config set expires ${suggestedEnd(now)}, or any day within ${longestFaultDays} days`;
  return [
    ...labStackProblems(given.stack),
    ...expiryProblems("expires", expires, now).map((problem) => ({ ...problem, fix })),
    ...missing(fault.needs, given),
  ];
}

/** Every problem of `remedy`. */
export function remedyProblems(name: string, { remedies }: Lab, given: LabSettings): Problem[] {
  const { remedy: got, fault } = given;
  if (got === undefined) return [];
  const remove = "pulumi config rm remedy";
  if (!remedies) return [refused("remedy", got, `${name} does not use it.`, remove)];
  const known = Object.keys(remedies);
  const chosen = remedyOf({ remedies }, got);
  if (!chosen) {
    const why = `The remedies of ${name} are ${known.join(", ")}.`;
    return [refused("remedy", got, why, `pulumi config set remedy ${known[0]}`)];
  }
  if (fault === "on") return missing(chosen.needs, given);
  return [refused("remedy", got, "A remedy applies only while the fault is on.", remove)];
}

/** The remedy of that name, if the lab has it. */
export function remedyOf({ remedies = {} }: Pick<Lab, "remedies">, name = ""): Remedy | undefined {
  return Object.hasOwn(remedies, name) ? remedies[name] : undefined;
}

/** Keys that only other labs use. */
export function keyProblems(name: string, { keys = [] }: Lab, given: LabSettings): Problem[] {
  return (Object.keys(labKeys) as LabKey[])
    .filter((key) => given[key] !== undefined && !keys.includes(key))
    .map((key) => refused(key, given[key], `${name} does not use it.`, `pulumi config rm ${key}`));
}

function missing(needs: readonly LabKey[] = [], given: LabSettings): Problem[] {
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
