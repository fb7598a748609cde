import { join, type GpuEnvironmentArgs, type Problem } from "../../components";
import { valueAt } from "../../components/core/chart-values";
import { isRecord } from "../../components/core/reader/records";
import { kubernetesVersion, pinnedAddons } from "../../components/core/versions";
import type { EnvironmentValues, Lab } from "./lab";

/** The environment's arguments with what the lab, and its fault while it is on, set in them. */
export function labArgs(args: GpuEnvironmentArgs, lab: Lab, isFaulty: boolean): GpuEnvironmentArgs {
  const layers = [lab.environment ?? {}, ...(isFaulty ? [lab.fault?.environment ?? {}] : [])];
  return layers.reduce<GpuEnvironmentArgs>((made, layer) => merged(made, layer) as GpuEnvironmentArgs, args);
}

/** The arguments with the versions pinned for their Kubernetes minor, of each add-on that they do not name. */
export function withPinnedAddons(args: GpuEnvironmentArgs): GpuEnvironmentArgs {
  const minor = args.kubernetesVersion ?? kubernetesVersion;
  if (!Object.hasOwn(pinnedAddons, minor)) return args;
  return merged({ addons: pinnedAddons[minor] }, args) as GpuEnvironmentArgs;
}

/** Configured values that contradict the lab, or that only its fault may set. */
export function valueProblems(
  name: string,
  { environment = {}, fault }: Lab,
  args: Partial<GpuEnvironmentArgs>,
  isFaulty: boolean,
): Problem[] {
  return [
    ...contradictions(args, environment, `In the lab ${name}, this value`),
    ...(isFaulty
      ? contradictions(args, fault?.environment ?? {}, "While the fault is on, this value")
      : faultValues(args, fault?.environment ?? {}, name).map((problem) => ({
          ...problem,
          fix: `${problem.fix} && pulumi config set fault on`,
        }))),
  ];
}

/** Configured values that are the faults of other labs. The base environment has toggles instead of a fault. */
export function faultsOfOtherLabs(
  own: string,
  labs: Readonly<Record<string, Lab>>,
  args: Partial<GpuEnvironmentArgs>,
): Problem[] {
  if (!labs[own]?.fault) return [];
  return Object.entries(labs)
    .filter(([name]) => name !== own)
    .flatMap(([name, { fault }]) => faultValues(args, fault?.environment ?? {}, name));
}

function contradictions(args: unknown, wanted: EnvironmentValues, whose: string): Problem[] {
  return leavesOf(wanted).flatMap(({ path, value }): Problem[] => {
    const got = valueAt(args, path);
    if (got === undefined || got === null || got === value) return [];
    const why = `${whose} must be ${JSON.stringify(value)}.`;
    return [{ code: "conflict", path: path.reduce(join, ""), got, why, fix: removing(path) }];
  });
}

/** Without `fault: on`, the fault would have no end, and the stack would report the fault as off. */
function faultValues(args: unknown, wanted: EnvironmentValues, name: string): Problem[] {
  return leavesOf(wanted).flatMap(({ path, value }): Problem[] => {
    const got = valueAt(args, path);
    if (got !== value) return [];
    const why = `This value is the fault of the lab ${name}. Only fault: on can set it, because a fault needs an end.`;
    return [{ code: "not-allowed", path: path.reduce(join, ""), got, why, fix: removing(path) }];
  });
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

function leavesOf(values: unknown, path: readonly string[] = []): Leaf[] {
  if (!isRecord(values)) return [{ path, value: values }];
  return Object.entries(values).flatMap(([key, value]) => leavesOf(value, [...path, key]));
}

function removing(path: readonly string[]): string {
  return `pulumi config rm --path ${path.reduce(join, "")}`;
}

/** Merges values over others, section by section. */
function merged(under: unknown, over: unknown): unknown {
  if (!isRecord(under) || !isRecord(over)) return over;
  return {
    ...under,
    ...Object.fromEntries(Object.entries(over).map(([key, value]) => [key, merged(under[key], value)])),
  };
}
