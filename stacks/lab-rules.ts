import { join, nearest, type GpuEnvironmentArgs, type Problem } from "../components";
import { expiryProblems, longestFaultDays } from "../components/core/expiry";
import { isRecord } from "../components/core/records";
import { usualEnd, type Lab, type LabKey } from "./lab";
import { labs, type LabName } from "./labs";

/** The configuration keys that say which lab runs, and how; as given. */
export interface LabSettings {
  readonly lab: unknown;
  readonly fault?: unknown;
  readonly expires?: unknown;
  readonly environment?: unknown;
  readonly node?: unknown;
  readonly remedy?: unknown;
}

const labKeys: readonly LabKey[] = ["node"];

/** The lab of that name, if there is one. */
export function labOf(name: unknown): Lab | undefined {
  return typeof name === "string" && Object.hasOwn(labs, name) ? labs[name as LabName] : undefined;
}

/** Every problem of which lab is to run, and how. */
export function labProblems(given: LabSettings, args: Partial<GpuEnvironmentArgs>, now: Date): Problem[] {
  const lab = labOf(given.lab);
  if (!lab) return [unknownLab(given.lab)];
  return [
    ...faultProblems(String(given.lab), lab, given, now),
    ...keyProblems(String(given.lab), lab, given),
    ...remedyProblems(String(given.lab), lab, given),
    ...placeProblems(String(given.lab), lab, given),
    ...contradictions(args, lab.environment ?? {}, `The lab ${String(given.lab)} is about it:`),
    ...(given.fault === "on" ? contradictions(args, lab.fault?.environment ?? {}, "The fault is on:") : []),
  ];
}

/** The environment's arguments with what the lab, and its fault while it is on, set in them. */
export function labArgs(args: GpuEnvironmentArgs, lab: Lab, isFaulty: boolean): GpuEnvironmentArgs {
  const layers = [lab.environment ?? {}, ...(isFaulty ? [lab.fault?.environment ?? {}] : [])];
  return layers.reduce<GpuEnvironmentArgs>((made, layer) => laid(made, layer) as GpuEnvironmentArgs, args);
}

function unknownLab(got: unknown): Problem {
  const known = Object.keys(labs);
  const guess = typeof got === "string" ? nearest(got, known) : undefined;
  const why = `The labs are ${known.join(", ")}; a stack of another name says which it runs.`;
  return { code: "not-allowed", path: "lab", got, why, fix: `pulumi config set lab ${guess ?? known[0]}` };
}

function faultProblems(name: string, { fault, keys = [] }: Lab, given: LabSettings, now: Date): Problem[] {
  const refuse = (path: string, got: unknown, why: string, fix: string): Problem[] => [
    { code: "not-allowed", path, got, why, fix },
  ];
  const { fault: word, expires } = given;
  if (word !== undefined && word !== "off" && word !== "on") {
    return refuse("fault", word, "It must be on or off.", "set fault to off");
  }
  if (!fault) {
    if (word === "on") return refuse("fault", word, `${name} has no fault to inject.`, "set fault to off");
    if (expires === undefined) return [];
    return refuse("expires", expires, `It limits a fault, and ${name} has none.`, "pulumi config rm expires");
  }
  if (word !== "on") return [];
  const missing = keys.filter((key) => fault.needs?.[key] !== undefined && given[key] === undefined);
  return [
    ...expiryProblems("expires", expires, now).map((problem) => ({
      ...problem,
      fix: `pulumi config set expires ${usualEnd(now)}, or any day within ${longestFaultDays} days`,
    })),
    ...missing.map((key): Problem => ({
      code: "missing",
      path: key,
      got: undefined,
      why: whyNeeded[key],
      fix: `pulumi config set ${key} ${fault.needs?.[key]}`,
    })),
  ];
}

const whyNeeded: Readonly<Record<LabKey, string>> = {
  node: "The fault pins a pod to one node, and only kubectl get nodes tells their names.",
};

/** Keys of other labs. */
function keyProblems(name: string, { keys = [] }: Lab, given: LabSettings): Problem[] {
  return labKeys.flatMap((key): Problem[] => {
    const got = given[key];
    if (got === undefined || keys.includes(key)) return [];
    const why = `${name} has no use for it.`;
    return [{ code: "not-allowed", path: key, got, why, fix: `pulumi config rm ${key}` }];
  });
}

function remedyProblems(name: string, { remedies }: Lab, { remedy: got, fault }: LabSettings): Problem[] {
  if (got === undefined) return [];
  const refuse = (why: string, fix = "pulumi config rm remedy"): Problem[] => [
    { code: "not-allowed", path: "remedy", got, why, fix },
  ];
  if (!remedies) return refuse(`${name} has no use for it.`);
  const known = Object.keys(remedies);
  if (typeof got !== "string" || !known.includes(got)) {
    return refuse(`The remedies of ${name} are ${known.join(", ")}.`, `pulumi config set remedy ${known[0]}`);
  }
  return fault === "on" ? [] : refuse("It is tried while the fault is on, and the fault is off.");
}

/** A lab whose accident lies in the cluster's own infrastructure cannot borrow a cluster. */
function placeProblems(name: string, lab: Lab, { environment: got }: LabSettings): Problem[] {
  if (got === undefined) return [];
  const refuse = (why: string, fix = "pulumi config rm environment"): Problem[] => [
    { code: "not-allowed", path: "environment", got, why, fix },
  ];
  if (!lab.add) return refuse(`${name} builds the environment itself and cannot use another.`);
  if (!lab.mayBorrow) {
    return refuse(
      `${name} changes the environment itself, which belongs to that stack.`,
      `pulumi config rm environment, or make the change in that stack: pulumi config set lab ${name} --stack ${typeof got === "string" ? got : "STACK"}`,
    );
  }
  if (typeof got === "string" && /^[^/\s]+\/[^/\s]+\/[^/\s]+$/.test(got)) return [];
  const fix = "pulumi config set environment ORGANISATION/eks-gpu-lab/gpu-lab";
  return refuse("It must name a stack in full: organisation, project, stack.", fix);
}

/** What the configuration states otherwise than the lab must have it. */
function contradictions(args: unknown, wanted: unknown, whose: string, at = ""): Problem[] {
  if (args === undefined || args === null) return [];
  if (isRecord(wanted)) {
    if (!isRecord(args)) return [];
    return Object.entries(wanted).flatMap(([key, value]) => contradictions(args[key], value, whose, join(at, key)));
  }
  if (args === wanted) return [];
  const why = `${whose} it must be ${JSON.stringify(wanted)}.`;
  return [{ code: "conflict", path: at, got: args, why, fix: `pulumi config rm --path ${at}` }];
}

/** Values over others; sections are merged key by key. */
function laid(under: unknown, over: unknown): unknown {
  if (!isRecord(under) || !isRecord(over)) return over;
  return {
    ...under,
    ...Object.fromEntries(Object.entries(over).map(([key, value]) => [key, laid(under[key], value)])),
  };
}
