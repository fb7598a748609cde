import type { Properties } from "../../components/core/wire";
import { clusterKey } from "../aws/eks/cluster/cluster-parts";
import { CloudError } from "../world/cloud-error";
import type { Asked, WorldObject } from "../world/kind";
import type { World } from "../world/world";
import { destinationOf, standingOf } from "./cluster-access";

/** The cluster that a request goes to. It is there: a request that does not reach one ends before. */
export function clusterOf({ world, provider }: Pick<Asked, "world" | "provider">): WorldObject {
  const cluster = destinationOf(world, provider)?.cluster;
  if (!cluster) throw new Error("the request reached no cluster");
  return cluster;
}

/** The objects of one type in a cluster. */
export function residentsOf(world: World, type: string, clusterName: string): WorldObject[] {
  return world.find(type, { [clusterKey]: clusterName });
}

/** The mark of what is in a cluster. */
export function resides(asked: Asked): Properties {
  return { [clusterKey]: clusterOf(asked).id };
}

/**
 * The object that has this id already in the cluster.
 *
 * @throws when another cluster has one: a world keeps objects by type and id
 */
export function namesake(asked: Asked, type: string, id: string): WorldObject | undefined {
  const there = asked.world.get(type, id);
  if (!there || there.computed[clusterKey] === clusterOf(asked).id) return there;
  throw new Error(`a simulated world cannot hold ${type} ${id} in two clusters at a time`);
}

/** The refusal to a principal that is known and may not do everything. */
export function refuseLimited(asked: Asked, what: string): CloudError | undefined {
  const destination = destinationOf(asked.world, asked.provider);
  if (!destination || standingOf(asked.world, clusterOf(asked), destination.principalArn) === "admin") return undefined;
  return new CloudError("Forbidden", `${what} is forbidden: User "${destination.principalArn}" has no access to it`);
}
