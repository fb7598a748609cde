import type { NodeBox } from "./boxes";
import type { Network, SubnetBox } from "./networks";

/** The ids of what is drawn: nodes, and boxes around nodes, which Graphviz knows as `cluster_` and the id. */

export function networkId(index: number): string {
  return `net${index}`;
}

export function gatewayId(network: string): string {
  return `${network}_gateway`;
}

/** The subnets of a network in the order of its zones. */
export function subnetsOf(network: Network, id: string): { readonly subnet: SubnetBox; readonly id: string }[] {
  return network.zones.flatMap((zone, z) => zone.subnets.map((subnet, s) => ({ subnet, id: `${id}_${z}_${s}` })));
}

export function natId(subnet: string, index: number): string {
  return `${subnet}_nat${index}`;
}

/** Id of the box around the nodes of a GPU group, of which this is the first. */
export function gpuClusterOf(box: NodeBox | undefined): string {
  return `gpu_${box?.id ?? ""}`;
}

export function controlPlaneId(index: number): string {
  return `control${index}`;
}
