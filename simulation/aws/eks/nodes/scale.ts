import { propertyOf, type World } from "../../../world/world";
import { shown } from "../../values";
import { eksTypes } from "../types";
import { launchProblem, machinesOf } from "./capacity";
import { matchMachines } from "./machines";
import { refuseSizes, sizesOf } from "./node-group-rules";

/** What became of a group that was scaled. */
export interface Scaled {
  /** Nodes that run. */
  readonly nodes: number;
  /** The health issue of a group that could not start them all. */
  readonly issue: string | undefined;
}

/**
 * Scales a node group behind Pulumi's back, as `aws eks update-nodegroup-config --scaling-config desiredSize=…` does.
 *
 * @param nodeGroupName the group's name or how it begins
 * @throws CloudError when EKS refuses the size
 */
export function scale(world: World, nodeGroupName: string, desiredSize: number): Scaled {
  const group = world
    .find(eksTypes.nodeGroup)
    .find((each) => shown(propertyOf(each, "nodeGroupName")).startsWith(nodeGroupName));
  if (!group) throw new Error(`there is no node group ${nodeGroupName}`);
  const sizes = { ...sizesOf(group.inputs), desiredSize };
  const refused = refuseSizes(sizes);
  if (refused) throw refused;

  world.drift(group.type, group.id, { scalingConfig: sizes });
  const scaled = world.get(group.type, group.id) ?? group;
  matchMachines(world, scaled);
  const issue = launchProblem(world, scaled);
  const status = issue === undefined ? "ACTIVE" : "DEGRADED";
  world.put({ ...scaled, computed: { ...scaled.computed, status } });
  return { nodes: machinesOf(world, scaled).length, issue };
}
