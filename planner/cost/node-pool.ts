import { unknownCost, type CostLine } from "../../components/cost/cost-line";
import {
  instances,
  publicIpv4Addresses,
  volumes,
  type CapacityType,
  type Volume,
} from "../../components/cost/cost-lines";
import { price } from "../../components/cost/prices";

/** Nodes that are made alike: a node group or an Auto Scaling group. */
export interface NodePool {
  readonly name: string;
  readonly region: string;
  /** More than one when EC2 may choose; none when they are known only after the update. */
  readonly instanceTypes: readonly string[];
  readonly capacityType: CapacityType;
  /** `undefined` when it is known only after the update. */
  readonly desiredSize: number | undefined;
  /** `undefined` when it is known only after the update. */
  readonly maxSize: number | undefined;
  /** Of each node. */
  readonly volumes: readonly Volume[];
  /** Whether each node gets a public IPv4 address. */
  readonly publicAddress: boolean;
}

/** What `size` nodes of a pool cost by the hour. */
export function poolLines(pool: NodePool, size: number | undefined): CostLine[] {
  if (size === 0) return [];
  return [
    ...instanceLines(pool, size),
    ...pool.volumes.flatMap((volume) => volumes(pool.region, volume, size)),
    ...publicIpv4Addresses(pool.region, pool.publicAddress ? size : 0),
  ];
}

/** Where EC2 may choose among types, the dearest stands for them: the amount is an upper bound. */
function instanceLines({ name, region, instanceTypes, capacityType }: NodePool, size: number | undefined): CostLine[] {
  const [first, ...others] = instanceTypes;
  if (first === undefined) {
    return [unknownCost(`instances of ${name}`, "instance-hour", size, "the plan does not hold their type")];
  }
  if (others.length === 0) return instances(region, first, size, capacityType);
  const usd = (type: string) => price(region, type)?.usd ?? Infinity;
  const dearest = others.reduce((dear, type) => (usd(type) > usd(dear) ? type : dear), first);
  return instances(region, dearest, size, capacityType, `EC2 chooses among ${instanceTypes.join(", ")}`);
}
