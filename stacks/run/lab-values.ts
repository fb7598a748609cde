import { isDeepStrictEqual } from "node:util";
import { join, type GpuEnvironmentArgs, type Problem } from "../../components";
import { valueAt } from "../../components/core/reader/paths";
import { deepMerge, isRecord } from "../../components/core/reader/records";
import { kubernetesVersion, pinnedAddons } from "../../components/core/versions";
import type { EnvironmentValues, Lab } from "./lab";

/**
 * The configured arguments over what the lab, and its fault while it is on, set. {@link valueProblems} rejects
 * configured values that differ from those, except the cluster's name.
 */
export function labArgs<Args extends object>(args: Args, lab: Lab, isFaulty: boolean) {
  const { clusterName, environment = {}, fault } = lab;
  const values = isFaulty ? deepMerge(environment, fault?.environment ?? {}) : environment;
  return deepMerge({ clusterName, ...values }, args);
}

/** The arguments with the versions pinned for their Kubernetes minor, of each add-on that they do not name. */
export function withPinnedAddons<Args extends Partial<GpuEnvironmentArgs>>(args: Args) {
  const minor = args.kubernetesVersion ?? kubernetesVersion;
  const addons = Object.hasOwn(pinnedAddons, minor) ? pinnedAddons[minor] : undefined;
  return addons ? deepMerge({ addons }, args) : args;
}

/** The evening of the default region, and longer than any session. */
const leaseDefaults = { timeZone: "Asia/Seoul", hours: 6 };

/** The arguments with a lease, which only `lease.enabled: false` turns off. Everything has the lab's name as a tag. */
export function withLease<Args extends Partial<GpuEnvironmentArgs>>(args: Args, lab: string) {
  return deepMerge({ lease: { lab, ...leaseDefaults } }, args);
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
    // The schema rejects a value of another type.
    if (typeof got !== typeof value || got === null || isDeepStrictEqual(got, value)) return [];
    const why = `${whose} must be ${JSON.stringify(value)}.`;
    return [{ code: "conflict", path: path.reduce(join, ""), got, why, fix: removing(path) }];
  });
}

/** Without `fault: on`, the fault would have no end, and the stack would report the fault as off. */
function faultValues(args: unknown, wanted: EnvironmentValues, name: string): Problem[] {
  return leavesOf(wanted).flatMap(({ path, value }): Problem[] => {
    const got = valueAt(args, path);
    if (!isDeepStrictEqual(got, value)) return [];
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
