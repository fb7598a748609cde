import { patchCommand } from "../../../components/core/text";
import { nodeScenarios } from "../../../commands/drill/scenarios/nodes";

/** A change of an object by somebody else than the stack. */
export interface Writer {
  /** The row of `clusterWrites` that it stands for. @default none - another person or program */
  readonly row?: string;
  /** Shell commands, with the name of a node in the place of NODE. */
  readonly commands: readonly string[];
}

const zero = { metadata: { annotations: { "eks-gpu-lab/capacity": '{"nvidia.com/gpu":"0"}' } } };
const maintenance = "kubectl taint nodes -l kubernetes.io/hostname=NODE example.com/maintenance";
const team = "kubectl taint node NODE team=research:NoSchedule";

export const nodeWriters: readonly Writer[] = [
  {
    row: "annotate node … …-",
    commands: ["kubectl annotate node NODE eks-gpu-lab/drill=x", "kubectl annotate node NODE eks-gpu-lab/drill-"],
  },
  { row: "cordon …", commands: ["kubectl cordon NODE"] },
  {
    row: "drain …",
    commands: ["kubectl drain NODE --ignore-daemonsets --delete-emptydir-data --force --timeout=120s"],
  },
  {
    row: "label node … nvidia.com/mig.config=all-disabled",
    commands: ["kubectl label node NODE nvidia.com/mig.config=all-disabled --overwrite"],
  },
  { row: "label node NODE …=r1", commands: ["kubectl label node NODE example.com/rack=r1"] },
  { row: "patch node ……", commands: [patchCommand("node NODE", zero)] },
  { row: "taint node … …=…:…-", commands: [team, `${team}-`] },
  {
    row: "taint nodes -l tier=gpu example.com/maintenance=true:NoSchedule",
    commands: [`${maintenance}=true:NoSchedule`],
  },
  {
    row: "taint nodes -l tier=gpu example.com/maintenance-",
    commands: [`${maintenance}=true:NoSchedule`, `${maintenance}-`],
  },
  { row: "uncordon …", commands: ["kubectl cordon NODE", "kubectl uncordon NODE"] },
  { commands: ["kubectl annotate node NODE eks-gpu-lab/capacity-"] },
  { commands: ["kubectl label node NODE tier=mine --overwrite"] },
  { commands: ["kubectl taint node NODE nvidia.com/gpu-"] },
  { commands: [patchCommand("node NODE", zero).replace("pulumi-kubernetes", "helm")] },
  { commands: ["KUBE_EDITOR='sed -i s/NVIDIA-A10G/edited/' kubectl edit node NODE"] },
];

/** The drills that change a node, each on a node of its own. */
export const nodeDrills = nodeScenarios.flatMap((scenario) =>
  [true, false].map((isRestored) => ({ scenario, isRestored })),
);

/** The node of a writer, and after them those of the drills. */
export function nodeOf(index: number): string {
  return `gpu-${index + 1}`;
}

export const nodeCount = nodeWriters.length + nodeDrills.length;
