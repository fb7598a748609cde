import type { NodeGroupBox, Picture } from "./picture";
import type { SubnetBox } from "./networks";
import type { SecurityPath } from "./security-paths";

/** The known sizes, such as `desired 0, min 0, max 2`. */
export function sizeText({ size, subnets, picksSubnet }: NodeGroupBox): string {
  const known = (["desired", "min", "max"] as const).filter((key) => size[key] !== undefined);
  if (known.length === 0) return "size known after the update";
  const together = subnets.length > 1 && !picksSubnet ? " in total" : "";
  return known.map((key) => `${key} ${size[key]}`).join(", ") + together;
}

/** The lines below the name of a node group: machine and GPU, and a note if the subnet is not known yet. */
export function machineLines(group: NodeGroupBox): readonly string[] {
  const machine = group.gpu === undefined ? group.instanceType : `${group.instanceType}, ${group.gpu}`;
  return [machine, ...(group.picksSubnet ? ["in one of these subnets"] : [])];
}

/** The software of the clusters by kind, without empty kinds. */
export function softwareOf(picture: Picture): readonly (readonly [kind: string, items: readonly string[]])[] {
  const kinds = [
    ["Add-ons", picture.addons],
    ["GPU Operator", picture.gpuOperator === undefined ? [] : [picture.gpuOperator]],
    ["Helm charts", picture.charts],
  ] as const;
  return kinds.filter(([, items]) => items.length > 0);
}

/** The label of a path, in one or two lines. */
export function pathLines(path: SecurityPath): readonly string[] {
  if (path.state === "blocked") return ["NCCL blocked", `no rule allows ${path.ports}`];
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

/** The title of a subnet: its kind, and its CIDR block or else its name. */
export function subnetText({ kind, cidr, name }: SubnetBox): string {
  return kind === "existing" ? name : `${kind} ${cidr ?? name}`;
}

/** Whether the picture has a route to the internet. */
export function hasInternet(picture: Picture): boolean {
  const subnets = picture.networks.flatMap(({ zones }) => zones.flatMap((zone) => zone.subnets));
  const gateway = picture.networks.some(({ internetGateway }) => internetGateway);
  return gateway || subnets.some(({ natRoutes }) => natRoutes.length > 0);
}

/** The text of an empty picture. */
export const nothingToDraw = "This program creates no VPC, no cluster and no node group.";

/** Whether a group has no running nodes. */
export function isStopped(group: NodeGroupBox): boolean {
  return group.size.desired === 0;
}
