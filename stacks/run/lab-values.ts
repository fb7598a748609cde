import { isDeepStrictEqual } from "node:util";
import { join, type GpuEnvironmentArgs, type Problem } from "../../components";
import { valueAt } from "../../components/core/reader/paths";
import { deepMerge, isRecord, ownValue, withoutUndefined } from "../../components/core/reader/records";
import { kubernetesVersion, pinnedAddons } from "../../components/core/versions";
import { isAutoMode, isOnDemand } from "../../components/environment/on-demand-conflicts";
import { labs, type LabName } from "../labs";
import { onDemandLabs, type OnDemandLab } from "../on-demand";
import type { Given, LabRun } from "./fault-rules";
import type { EnvironmentValues, Lab, Variant } from "./lab";

/**
 * The configured arguments over what the lab, and its fault while it is on, set. {@link valueProblems} rejects
 * configured values that differ from those, except the cluster's name.
 */
export function labArgs<Args extends Partial<GpuEnvironmentArgs>>(args: Args, name: LabName, form: FaultForm) {
  const { clusterName }: Lab = labs[name];
  const environment = environmentOf(name, args);
  const values = form.isFaulty ? deepMerge(environment, faultOf(labs[name], form)?.environment ?? {}) : environment;
  return deepMerge({ clusterName, ...values }, args);
}

/** Whether the fault of a lab is on, and in which form. */
interface FaultForm {
  readonly isFaulty: boolean;
  readonly faultVariant: string | undefined;
}

/** The fault of a lab in the form that the configuration chooses. */
function faultOf({ fault }: Lab, { faultVariant = "" }: Pick<FaultForm, "faultVariant">): Variant | undefined {
  return ownValue(fault?.variants ?? {}, faultVariant) ?? fault;
}

/** How a lab differs because pods start its GPU nodes; with a node group, why it is refused. */
export function onDemandLab(name: LabName, args: Partial<GpuEnvironmentArgs>): OnDemandLab | undefined {
  const { refusedByAutoMode, refusedByNodeGroup, ...lab } = onDemandLabs[name];
  if (!isOnDemand(args))
    return args.gpuNodes?.provisioner && refusedByNodeGroup ? { refused: refusedByNodeGroup } : undefined;
  return isAutoMode(args) && refusedByAutoMode ? { ...lab, refused: refusedByAutoMode } : lab;
}

function environmentOf(name: LabName, args: Partial<GpuEnvironmentArgs>): EnvironmentValues {
  const { environment }: Lab = labs[name];
  const { gpuOperator, ...others } = { ...environment, ...onDemandLab(name, args)?.environment };
  return gpuOperator === undefined || isAutoMode(args) ? others : { ...others, gpuOperator };
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
  const { hours, ...inCluster } = leaseDefaults;
  // Pods start nodes on demand: there is no command from which hours count.
  const defaults = isOnDemand(args) ? inCluster : { ...inCluster, hours };
  return deepMerge({ lease: { lab, ...defaults } }, args);
}

/** Configured values that contradict the lab, that only its fault may set, or that are the faults of other labs. */
export function valueProblems({ name, lab, args: all }: LabRun, given: Given): Problem[] {
  const { fault } = lab;
  const environment = environmentOf(name as LabName, all);
  const ofFault = fault?.environment ?? {};
  const isOwn = given.environment === undefined && given.localCluster === undefined;
  // In a cluster that the stack does not create, it may set only these arguments.
  const args = isOwn ? all : withoutUndefined({ gpuOperator: all.gpuOperator });
  // The base environment has toggles instead of a fault.
  const others = fault ? Object.entries<Lab>(labs).filter(([other]) => other !== name) : [];
  const ofLab = contradictions(args, environment, `In the lab ${name}, this value`);
  return [
    // A lab that needs nodes on demand runs with both provisioners, and refuses a node group with its own reason.
    ...ofLab.filter(({ path }) => path !== "gpuNodes.provisioner"),
    ...(given.fault === "on"
      ? contradictions(args, ofFault, "While the fault is on, this value")
      : faultValues(args, ofFault, name, " && pulumi config set fault on")),
    ...others.flatMap(([other, { fault: foreign }]) => faultValues(args, foreign?.environment ?? {}, other)),
  ];
}

function contradictions(args: unknown, wanted: EnvironmentValues, whose: string): Problem[] {
  return leavesOf(wanted).flatMap(({ path, value }): Problem[] => {
    const got = valueAt(args, path);
    // The schema rejects a value of another type.
    if (typeof got !== typeof value || got === null || isDeepStrictEqual(got, value)) return [];
    return [{ code: "conflict", got, why: `${whose} must be ${JSON.stringify(value)}.`, ...removal(path) }];
  });
}

/** Without `fault: on`, the fault would have no end, and the stack would report the fault as off. */
function faultValues(args: unknown, wanted: EnvironmentValues, name: string, more = ""): Problem[] {
  return leavesOf(wanted).flatMap(({ path, value }): Problem[] => {
    const got = valueAt(args, path);
    if (!isDeepStrictEqual(got, value)) return [];
    const why = `This value is the fault of the lab ${name}. Only fault: on can set it, because a fault needs an end.`;
    return [{ code: "not-allowed", got, why, ...removal(path, more) }];
  });
}

type Leaf = { readonly path: readonly string[]; readonly value: unknown };

function leavesOf(values: unknown, path: readonly string[] = []): Leaf[] {
  if (!isRecord(values)) return [{ path, value: values }];
  return Object.entries(values).flatMap(([key, value]) => leavesOf(value, [...path, key]));
}

function removal(parts: readonly string[], more = ""): Pick<Problem, "path" | "fix"> {
  const path = parts.reduce(join, "");
  return { path, fix: `pulumi config rm --path ${path}${more}` };
}
