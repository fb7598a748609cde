import { nearest, type GpuEnvironmentArgs, type Problem } from "../../components";
import { isLabStack, labStackNames } from "../../components/core/faults";
import { faultProblems, keyProblems, remedyOf, remedyProblems } from "./fault-rules";
import type { Lab } from "./lab";
import type { LabSettings } from "./lab-keys";
import { foreignAccidents, valueProblems } from "./lab-values";
import { labs, type LabName } from "../labs";

/** The lab of that name, if there is one. */
export function labOf(name: unknown): Lab | undefined {
  return typeof name === "string" && Object.hasOwn(labs, name) ? labs[name as LabName] : undefined;
}

/** Every problem of which lab is to run, and how. */
export function labProblems(given: LabSettings, args: Partial<GpuEnvironmentArgs>, now: Date): Problem[] {
  const lab = labOf(given.lab);
  if (!lab) return [unknownLab(given.lab)];
  const name = String(given.lab);
  const isOwn = given.environment === undefined;
  // Of another stack's cluster nothing is this one's to set but the operator, which it may have to install.
  const { gpuOperator, ...others } = args;
  const settable = isOwn ? args : { ...(gpuOperator && { gpuOperator }) };
  return [
    ...faultProblems(name, lab, given, now),
    ...keyProblems(name, lab, given),
    ...remedyProblems(name, lab, given),
    ...placeProblems(name, lab, given),
    ...(isOwn ? roomProblems(name, lab, given, args) : ownershipProblems(given, others)),
    ...valueProblems(name, lab, settable, given.fault === "on"),
    ...foreignAccidents(name, labs, settable),
  ];
}

function unknownLab(got: unknown): Problem {
  const known = Object.keys(labs);
  const guess = typeof got === "string" ? nearest(got, known) : undefined;
  const why = `The labs are ${known.join(", ")}; a stack of another name says which it runs.`;
  return { code: "not-allowed", path: "lab", got, why, fix: `pulumi config set lab ${guess ?? known[0]}` };
}

/** A lab whose accident lies in the cluster's own infrastructure cannot borrow a cluster, and no lab one that is none. */
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
  const [, lender] = (typeof got === "string" && /^[^/\s]+\/[^/\s]+\/([^/\s]+)$/.exec(got)) || [];
  if (lender === undefined) {
    const fix = "pulumi config set environment ORGANISATION/eks-gpu-lab/gpu-lab";
    return refuse("It must name a stack in full: organisation, project, stack.", fix);
  }
  if (isLabStack(lender)) return [];
  return refuse(
    "That stack is no lab: whoever works in its cluster takes the fault for a real one.",
    `borrow the cluster of a stack named ${labStackNames.join(", ")}, where * stands for any text; or pulumi config rm environment`,
  );
}

/** Keys of a lab's own cluster that its committed file states: they rest while another is used. */
const resting: readonly string[] = ["clusterName", "publicAccessCidrs", "admins", "addons"];

/** A cluster of another stack is set up there. */
function ownershipProblems({ environment }: LabSettings, args: Partial<GpuEnvironmentArgs>): Problem[] {
  return Object.entries(args)
    .filter(([key]) => !resting.includes(key))
    .map(([path, got]) => {
      const why = `The cluster is that of ${String(environment)}, which alone sets it.`;
      const fix = `pulumi config rm ${path}, or set it in that stack; or pulumi config rm environment`;
      return { code: "conflict", path, got, why, fix };
    });
}

/** With fewer GPU nodes the lab shows nothing. */
function roomProblems(
  name: string,
  lab: Lab,
  { remedy }: LabSettings,
  { gpuNodes }: Partial<GpuEnvironmentArgs>,
): Problem[] {
  const got: unknown = gpuNodes?.maxSize;
  if (!lab.add || typeof got !== "number" || got < 1) return [];
  const needed = remedyOf(lab, remedy)?.gpuNodes ?? lab.roomForGpuNodes ?? lab.gpuNodes;
  if (got >= needed) return [];
  const why = `${name} needs room for ${needed} GPU nodes.`;
  const fix = `pulumi config set --path gpuNodes.maxSize ${needed}`;
  return [{ code: "conflict", path: "gpuNodes.maxSize", got, why, fix }];
}
