import * as v from "valibot";
import { join, nearest, type GpuEnvironmentArgs, type Problem } from "../../components";
import { isLabStack, labStackNames } from "../../components/core/faults";
import { valueAt } from "../../components/core/reader/paths";
import { isRecord } from "../../components/core/reader/records";
import { conflict, problemsIn } from "../../components/core/schema";
import { labSection, sharedSection, type LabSettings } from "./config-keys";
import {
  faultProblems,
  fewNodes,
  keyProblems,
  labKeyNames,
  refused,
  remedyProblems,
  variantProblems,
  type Given,
  type LabRun,
} from "./fault-rules";
import type { Lab } from "./lab";
import { localClusterProblems } from "./local-rules";
import { onDemandLab, valueProblems } from "./lab-values";
import { labs, type LabName } from "../labs";

/** The lab of that name; undefined where none has it. */
export function labOf(name: string): Lab | undefined {
  return Object.hasOwn(labs, name) ? labs[name as LabName] : undefined;
}

/** Every problem of the choice of a lab and of its settings. `args` are the configured arguments of the environment. */
export function labProblems(
  settings: Given,
  args: Partial<GpuEnvironmentArgs>,
  at: Pick<LabRun, "stack" | "now">,
): readonly Problem[] {
  const name = settings.lab ?? at.stack;
  const lab = labOf(name);
  if (!lab) return [unknownLab(name), ...problemsIn(labSection, settings)];
  const run = { name, lab, args, ...at };
  const found = problemsIn(
    v.pipe(
      labSection,
      ...rules.map(([needs, rule]) => conflict<LabSettings, keyof LabSettings>(needs, (given) => rule(run, given))),
    ),
    settings,
  );
  // Arguments of the environment are not among the settings of the lab.
  return found.map((problem) =>
    valueAt(args, problem.path) === undefined ? problem : { ...problem, isDefault: false },
  );
}

/** The checks of conflicts. Each is made where the settings that it needs are valid one by one. */
const rules: readonly [needs: readonly (keyof LabSettings)[], rule: (run: LabRun, given: Given) => Problem[]][] = [
  [["fault", "expires", ...labKeyNames], faultProblems],
  [labKeyNames, keyProblems],
  [["fault", "remedy", ...labKeyNames], remedyProblems],
  [["faultVariant"], variantProblems],
  [["environment"], clusterReferenceProblems],
  [["localCluster", "environment", "remedy", ...labKeyNames], localClusterProblems],
  [["environment", "remedy"], ownershipProblems],
  [["environment", "localCluster", "remedy"], capacityProblems],
  [["environment", "localCluster"], provisionerProblems],
  [["environment", "localCluster", "fault"], valueProblems],
];

function unknownLab(got: string): Problem {
  const known = Object.keys(labs);
  const guess = nearest(got, known);
  const why = `Must be one of ${known.join(", ")}. A stack that is not named after a lab must set lab.`;
  return { code: "not-allowed", path: "lab", got, why, fix: `pulumi config set lab ${guess ?? known[0]}` };
}

/** Problems of `environment`: a lab whose fault changes the infrastructure needs its own cluster. */
function clusterReferenceProblems({ name, lab }: LabRun, { environment: got }: Given): Problem[] {
  if (got === undefined) return [];
  const refuse = (why: string, fix?: string) => [refused("environment", got, why, fix)];
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
function ownershipProblems({ lab, args }: LabRun, { environment }: Given): Problem[] {
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

/** A lab that needs a node group. */
function provisionerProblems({ name, args }: LabRun, { environment, localCluster }: Given): Problem[] {
  const why = onDemandLab(name as LabName, args)?.refused;
  if (why === undefined || environment !== undefined || localCluster !== undefined) return [];
  const path = "gpuNodes.provisioner";
  return [{ code: "conflict", path, got: args.gpuNodes?.provisioner, why, fix: `pulumi config rm --path ${path}` }];
}

/** The GPU node group must have room for the nodes of the lab. */
function capacityProblems(run: LabRun, given: Given): Problem[] {
  const got: unknown = run.args.gpuNodes?.maxSize;
  const hasCluster = given.environment !== undefined || given.localCluster !== undefined;
  if (hasCluster || !run.lab.add || typeof got !== "number" || got < 1) return [];
  return fewNodes(run, given, "gpuNodes.maxSize", got, "room for ");
}
