import * as v from "valibot";
import { join, nearest, type GpuEnvironmentArgs, type Problem } from "../../components";
import { isLabStack, labStackNames } from "../../components/core/faults";
import { isRecord } from "../../components/core/reader/records";
import { conflict, problemsIn } from "../../components/core/schema";
import { labSection, sharedSection, type LabSettings } from "./config-keys";
import { faultProblems, keyProblems, labKeyNames, remedyOf, remedyProblems, type LabRun } from "./fault-rules";
import type { Lab } from "./lab";
import { localClusterProblems } from "./local-rules";
import { faultsOfOtherLabs, valueProblems } from "./lab-values";
import { labs, type LabName } from "../labs";

/** The lab of that name; undefined where none has it. */
export function labOf(name: string): Lab | undefined {
  return Object.hasOwn(labs, name) ? labs[name as LabName] : undefined;
}

/** Every problem of the choice of a lab and of its settings. `args` are the configured arguments of the environment. */
export function labProblems(
  settings: Partial<LabSettings>,
  args: Partial<GpuEnvironmentArgs>,
  { stack, now }: Pick<LabRun, "stack" | "now">,
): readonly Problem[] {
  const name = settings.lab ?? stack;
  const lab = labOf(name);
  if (!lab) return [unknownLab(name), ...problemsIn(labSection, settings)];
  return problemsIn(labSchema({ name, lab, stack, now }, args), settings);
}

/** The settings of a lab, with all checks of conflicts. */
function labSchema(run: LabRun, args: Partial<GpuEnvironmentArgs>) {
  const { name, lab } = run;
  return v.pipe(
    labSection,
    conflict(["fault", "expires", ...labKeyNames], (given) => faultProblems(run, given)),
    conflict(labKeyNames, (given) => keyProblems(run, given)),
    conflict(["fault", "remedy", ...labKeyNames], (given) => remedyProblems(run, given)),
    conflict(["environment"], (given) => clusterReferenceProblems(name, lab, given)),
    conflict(["localCluster", "environment", "remedy", ...labKeyNames], (given) =>
      localClusterProblems(name, lab, given, args),
    ),
    conflict(["environment", "remedy"], (given) => ownershipProblems(lab, given, args)),
    conflict(["environment", "localCluster", "remedy"], (given) => capacityProblems(name, lab, given, args)),
    conflict(["environment", "localCluster", "fault"], ({ environment, localCluster, fault }) => {
      const settable = environment === undefined && localCluster === undefined ? args : settableIn(args);
      return [...valueProblems(name, lab, settable, fault === "on"), ...faultsOfOtherLabs(name, labs, settable)];
    }),
  );
}

/** The arguments that a stack may set in a cluster that it does not create. */
function settableIn({ gpuOperator }: Partial<GpuEnvironmentArgs>): Partial<GpuEnvironmentArgs> {
  return gpuOperator === undefined ? {} : { gpuOperator };
}

function unknownLab(got: string): Problem {
  const known = Object.keys(labs);
  const guess = nearest(got, known);
  const why = `Must be one of ${known.join(", ")}. A stack whose name is not a lab must set lab.`;
  return { code: "not-allowed", path: "lab", got, why, fix: `pulumi config set lab ${guess ?? known[0]}` };
}

/** Problems of `environment`: a lab whose fault changes the infrastructure needs its own cluster. */
function clusterReferenceProblems(
  name: string,
  lab: Lab,
  { environment: got }: Pick<LabSettings, "environment">,
): Problem[] {
  if (got === undefined) return [];
  const refuse = (why: string, fix = "pulumi config rm environment"): Problem[] => [
    { code: "not-allowed", path: "environment", got, why, fix },
  ];
  if (!lab.add) return refuse(`${name} creates the environment itself and cannot use another.`);
  if (!lab.supportsSharedCluster) {
    return refuse(
      `${name} changes the environment, and only the stack that created it can do that.`,
      "pulumi config rm environment: the stack then creates an environment of its own",
    );
  }
  const [, owner] = /^[^/\s]+\/[^/\s]+\/([^/\s]+)$/.exec(got) ?? [];
  if (owner === undefined) {
    const fix = "pulumi config set environment ORGANIZATION/eks-gpu-lab/gpu-lab";
    return refuse("Must be the full name of a stack: organization, project, stack.", fix);
  }
  if (isLabStack(owner)) return [];
  return refuse(
    "Faults can be injected only in clusters of lab stacks; elsewhere they would look like an outage.",
    `use the cluster of a stack named ${labStackNames.join(", ")}, where * matches any characters; or pulumi config rm environment`,
  );
}

/** Keys that only the stack that created the cluster can set, and settings of an operator that is not installed. */
function ownershipProblems(
  lab: Lab,
  { environment }: Pick<LabSettings, "environment">,
  args: Partial<GpuEnvironmentArgs>,
): Problem[] {
  if (environment === undefined) return [];
  const others = Object.entries(args).filter(([key]) => !Object.hasOwn(sharedSection.entries, key));
  const { enabled = lab.environment?.gpuOperator?.enabled, ...operator } = isRecord(args.gpuOperator)
    ? args.gpuOperator
    : {};
  const unused = enabled === undefined || enabled === false ? Object.entries(operator) : [];
  return [
    ...others.map(([path, got]): Problem => {
      const why = `Only ${environment}, which created the cluster, can set it.`;
      const fix = `pulumi config rm ${path}, or set it in that stack; or pulumi config rm environment`;
      return { code: "conflict", path, got, why, fix };
    }),
    ...unused.map(([key, got]: [string, unknown]): Problem => {
      const path = join("gpuOperator", key);
      const why = "This stack does not install the GPU Operator.";
      const fix = `pulumi config rm --path ${path}; or pulumi config set --path gpuOperator.enabled true`;
      return { code: "conflict", path, got, why, fix };
    }),
  ];
}

/** The lab needs a minimum number of GPU nodes. */
function capacityProblems(
  name: string,
  lab: Lab,
  { environment, localCluster, remedy }: Pick<LabSettings, "environment" | "localCluster" | "remedy">,
  { gpuNodes }: Partial<GpuEnvironmentArgs>,
): Problem[] {
  if (environment !== undefined || localCluster !== undefined) return [];
  const got: unknown = gpuNodes?.maxSize;
  if (!lab.add || typeof got !== "number" || got < 1) return [];
  const needed = remedyOf(lab, remedy)?.gpuNodes ?? lab.leastMaxSize ?? lab.gpuNodes;
  if (got >= needed) return [];
  const why = `${name} needs room for ${needed} GPU nodes.`;
  const fix = `pulumi config set --path gpuNodes.maxSize ${needed}`;
  return [{ code: "conflict", path: "gpuNodes.maxSize", got, why, fix }];
}
