import type { NodeGroupBox, Picture } from "./picture";
import type { SubnetBox } from "./networks";
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
  const ports = path.ports === "all" ? "all ports" : path.ports;
  switch (path.kind) {
    case "control-plane":
      return [ports];
    case "node-to-node":
      return ["NCCL", ports];
    case "vpc-wide":
      return ["VPC-wide", `${ports} from ${path.cidr ?? "the VPC"}`];
  }
}

/** Title of a subnet: what it is, and its block or else its name. */
export function subnetText({ kind, cidr, name }: SubnetBox): string {
  return kind === "existing" ? name : `${kind} ${cidr ?? name}`;
}

/** Whether anything leads to the internet. */
export function hasInternet(picture: Picture): boolean {
  const subnets = picture.networks.flatMap(({ zones }) => zones.flatMap((zone) => zone.subnets));
  const gateway = picture.networks.some(({ internetGateway }) => internetGateway);
  return gateway || subnets.some(({ natRoutes }) => natRoutes.length > 0);
}

/** What stands in place of a picture that would be empty. */
export const nothingToDraw = "This program makes no VPC, no cluster and no node group.";

/** Whether a group is drawn as not running. */
export function isStopped(group: NodeGroupBox): boolean {
  return group.size.desired === 0;
}
