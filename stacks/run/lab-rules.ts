import { nearest, type GpuEnvironmentArgs, type Problem } from "../../components";
import { isLabStack, labStackNames } from "../../components/core/faults";
import { faultProblems, keyProblems, remedyOf, remedyProblems } from "./fault-rules";
import type { Lab } from "./lab";
import type { LabSettings } from "./config-keys";
import { faultsOfOtherLabs, valueProblems } from "./lab-values";
import { labs, type LabName } from "../labs";

/** The lab of that name; undefined where none has it. */
export function labOf(name: string): Lab | undefined {
  return Object.hasOwn(labs, name) ? labs[name as LabName] : undefined;
}

/** Every problem of the choice of a lab and of its settings. */
export function labProblems(given: LabSettings, args: Partial<GpuEnvironmentArgs>, now: Date): Problem[] {
  const { lab: name } = given;
  const lab = labOf(name);
  if (!lab) return [unknownLab(name)];
  const isOwn = given.environment === undefined;
  // In another stack's cluster this stack may configure only the operator, which it may have to install.
  const { gpuOperator, ...others } = args;
  const settable = isOwn ? args : { ...(gpuOperator && { gpuOperator }) };
  return [
    ...faultProblems(name, lab, given, now),
    ...keyProblems(name, lab, given),
    ...remedyProblems(name, lab, given),
    ...clusterReferenceProblems(name, lab, given),
    ...(isOwn ? capacityProblems(name, lab, given, args) : ownershipProblems(given, others)),
    ...valueProblems(name, lab, settable, given.fault === "on"),
    ...faultsOfOtherLabs(name, labs, settable),
  ];
}

function unknownLab(got: string): Problem {
  const known = Object.keys(labs);
  const guess = nearest(got, known);
  const why = `Must be one of ${known.join(", ")}. A stack whose name is not a lab must set lab.`;
  return { code: "not-allowed", path: "lab", got, why, fix: `pulumi config set lab ${guess ?? known[0]}` };
}

/** Problems of `environment`: a lab whose fault changes the infrastructure needs its own cluster. */
function clusterReferenceProblems(name: string, lab: Lab, { environment: got }: LabSettings): Problem[] {
  if (got === undefined) return [];
  const refuse = (why: string, fix = "pulumi config rm environment"): Problem[] => [
    { code: "not-allowed", path: "environment", got, why, fix },
  ];
  if (!lab.add) return refuse(`${name} creates the environment itself and cannot use another.`);
  if (!lab.supportsSharedCluster) {
    return refuse(
      `${name} changes the environment, and only the stack that created it can do that.`,
      `pulumi config rm environment, or make the change in that stack: pulumi config set lab ${name} --stack ${got}`,
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

/** Keys of a lab's own cluster that its stack file may set: they are ignored while another cluster is used. */
const ignoredKeys: readonly string[] = ["clusterName", "publicAccessCidrs", "admins", "addons"];

/** Keys that only the stack that created the cluster can set. */
function ownershipProblems({ environment }: LabSettings, args: Partial<GpuEnvironmentArgs>): Problem[] {
  return Object.entries(args)
    .filter(([key]) => !ignoredKeys.includes(key))
    .map(([path, got]) => {
      const why = `Only ${environment}, which created the cluster, can set it.`;
      const fix = `pulumi config rm ${path}, or set it in that stack; or pulumi config rm environment`;
      return { code: "conflict", path, got, why, fix };
    });
}

/** The lab needs a minimum number of GPU nodes. */
function capacityProblems(
  name: string,
  lab: Lab,
  { remedy }: LabSettings,
  { gpuNodes }: Partial<GpuEnvironmentArgs>,
): Problem[] {
  const got: unknown = gpuNodes?.maxSize;
  if (!lab.add || typeof got !== "number" || got < 1) return [];
  const needed = remedyOf(lab, remedy)?.gpuNodes ?? lab.leastMaxSize ?? lab.gpuNodes;
  if (got >= needed) return [];
  const why = `${name} needs ${needed} GPU nodes.`;
  const fix = `pulumi config set --path gpuNodes.maxSize ${needed}`;
  return [{ code: "conflict", path: "gpuNodes.maxSize", got, why, fix }];
}
