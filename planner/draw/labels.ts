import type { NodeGroupBox, Picture } from "./graph";
import type { SecurityPath } from "./security-paths";

/** `desired 0, min 0, max 2`, with what is known. */
export function sizeText({ size, subnets, picksSubnet }: NodeGroupBox): string {
  const known = (["desired", "min", "max"] as const).filter((key) => size[key] !== undefined);
  if (known.length === 0) return "size known at the update";
  const together = subnets.length > 1 && !picksSubnet ? " in all" : "";
  return known.map((key) => `${key} ${size[key]}`).join(", ") + together;
}

/** What a node group is, without its name: machine and GPU, and where that is not certain. */
export function machineLines(group: NodeGroupBox): readonly string[] {
  const machine = group.gpu === undefined ? group.instanceType : `${group.instanceType}, ${group.gpu}`;
  return [machine, ...(group.picksSubnet ? ["in one of these subnets"] : [])];
}

/** What runs in the clusters, by kind; a kind without anything is left out. */
export function softwareOf(picture: Picture): readonly (readonly [kind: string, items: readonly string[]])[] {
  const kinds = [
    ["Add-ons", picture.addons],
    ["GPU Operator", picture.gpuOperator === undefined ? [] : [picture.gpuOperator]],
    ["Helm charts", picture.charts],
  ] as const;
  return kinds.filter(([, items]) => items.length > 0);
}

/** What stands on the line of a path, in one or two lines. */
export function pathLines(path: SecurityPath): readonly string[] {
  if (path.state === "blocked") return ["NCCL blocked", `no rule for ${path.ports}`];
  switch (path.kind) {
    case "control-plane":
      return [path.ports];
    case "node-to-node":
      return ["NCCL", path.ports];
    case "vpc-wide":
      return ["VPC-wide", `${path.ports} from ${path.cidr ?? "the VPC"}`];
  }
}

/** Whether a group is drawn as not running. */
export function isStopped(group: NodeGroupBox): boolean {
  return group.size.desired === 0;
}
