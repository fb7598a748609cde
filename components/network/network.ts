import * as pulumi from "@pulumi/pulumi";
import { join, keysOf, onlyKeys } from "../core/checks";
import { isOutput, requirePlainValue } from "../core/outputs";
import type { Problem } from "../core/problems";
import { isRecord } from "../core/reader/records";
import { distinct, each, list, resourceId } from "./checks";
import { cidrProblems, vpcPrefixes } from "./cidr";
import { zoneCount, zoneNameProblems } from "./vpc/zones";

/**
 * A VPC and its subnets, as the other components need them: what a {@link Vpc} made, or a VPC that was there before,
 * given as an object of this shape.
 */
export interface Network {
  readonly vpcId: pulumi.Input<string>;
  /** The VPC's IPv4 block; one firewall rule lets it in. */
  readonly cidrBlock: pulumi.Input<string>;
  /** `zones[i]` is the Availability Zone of `privateSubnetIds[i]`. A zone may stand here more than once. */
  readonly zones: pulumi.Input<string>[];
  /** May be empty: only load balancers for the internet use them. */
  readonly publicSubnetIds: pulumi.Input<string>[];
  /** Where nodes and the control plane's network interfaces live: at least two, in two zones. */
  readonly privateSubnetIds: pulumi.Input<string>[];
  /**
   * What a node group must depend on besides its subnets: the routes, their associations and the endpoints. A node that
   * starts before its route to the internet exists cannot join the cluster, and on destroy the route must outlive the
   * node. Nothing for an existing VPC, which is ready.
   */
  readonly ready?: pulumi.Resource[];
}

const networkKeys = keysOf<Network>({
  vpcId: true,
  cidrBlock: true,
  zones: true,
  publicSubnetIds: true,
  privateSubnetIds: true,
  ready: true,
});

/** Problems of an existing VPC in configuration. Values that are known only later are not checked. */
export function existingNetworkProblems(network: Network, at = ""): Problem[] {
  const given: unknown = network;
  if (isOutput(given)) return requirePlainValue(at || "network");
  if (!isRecord(given)) {
    const why = "It must describe a VPC: vpcId, cidrBlock, zones, publicSubnetIds and privateSubnetIds.";
    const fix = "state the five values of the existing VPC, or leave it out to have one made";
    return [{ code: "wrong-type", path: at || "network", got: given, why, fix }];
  }
  const { vpcId, cidrBlock } = network;
  return [
    ...(isWritten(given) ? onlyKeys(at, given, networkKeys) : []),
    ...resourceId(join(at, "vpcId"), vpcId, "vpc"),
    ...(isOutput(cidrBlock) ? [] : cidrProblems(join(at, "cidrBlock"), cidrBlock, vpcPrefixes)),
    ...zonesOf(network, at),
    ...subnetsOf(network, at),
    ...readyProblems(given["ready"], join(at, "ready")),
  ];
}

/** Whether an object is written down key by key; a component such as a Vpc has fields of its own besides. */
function isWritten(given: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(given);
  return prototype === Object.prototype || prototype === null;
}

function readyProblems(got: unknown, path: string): Problem[] {
  if (got === undefined) return [];
  const fix = `list the resources themselves in ${path}, such as new aws.ec2.Route(…), or leave it out`;
  if (isOutput(got)) return requirePlainValue(path);
  if (!Array.isArray(got)) return [{ code: "wrong-type", path, got, why: "It must be a list of resources.", fix }];
  const why = "It is no Pulumi resource, and nothing can depend on it.";
  return each(path, got, (itemPath, item) => {
    if (pulumi.Resource.isInstance(item)) return [];
    return [{ code: "wrong-type", path: itemPath, got: isOutput(item) ? "an Output" : item, why, fix }];
  });
}

function zonesOf({ zones, privateSubnetIds }: Network, at: string): Problem[] {
  const path = join(at, "zones");
  if (!Array.isArray(zones)) return isOutput(zones) ? [] : list(path, zones, '["ap-northeast-2a", "ap-northeast-2b"]');
  const problems = each(path, zones, zoneNameProblems);
  if (Array.isArray(privateSubnetIds) && privateSubnetIds.length !== zones.length) {
    const why = `zones[i] is the zone of privateSubnetIds[i]: there are ${zones.length} zones and ${privateSubnetIds.length} private subnets.`;
    const fix = `list a zone for each private subnet in ${path}`;
    problems.push({ code: "conflict", path, got: zones.length, why, fix });
  }
  const known = zones.filter((zone) => !isOutput(zone));
  if (new Set(known).size + zones.length - known.length < zoneCount.min) {
    const why = `EKS needs private subnets in at least ${zoneCount.min} zones.`;
    const fix = `add a private subnet in another zone to the VPC, and list it in ${join(at, "privateSubnetIds")} and its zone here`;
    problems.push({ code: "out-of-range", path, got: known, why, fix });
  }
  return problems;
}

function subnetsOf(network: Network, at: string): Problem[] {
  const example = '["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]';
  const problems = (["publicSubnetIds", "privateSubnetIds"] as const).flatMap((key) => {
    const path = join(at, key);
    const ids: unknown = network[key];
    if (!Array.isArray(ids)) return isOutput(ids) ? [] : list(path, ids, example);
    return [
      ...each(path, ids, (itemPath, id) => resourceId(itemPath, id, "subnet")),
      ...distinct(path, ids, "A subnet is listed once."),
    ];
  });
  const { publicSubnetIds, privateSubnetIds } = network;
  if (!Array.isArray(publicSubnetIds) || !Array.isArray(privateSubnetIds)) return problems;
  return [...problems, ...each(join(at, "publicSubnetIds"), publicSubnetIds, publicAndPrivate)];

  function publicAndPrivate(path: string, id: unknown): Problem[] {
    const index = isOutput(id) ? -1 : privateSubnetIds.findIndex((other) => other === id);
    if (index < 0) return [];
    const twin = `${join(at, "privateSubnetIds")}[${index}]`;
    const why = `It is ${twin} as well, and a subnet either has a route to an internet gateway or has none.`;
    return [{ code: "conflict", path, got: id, why, fix: `remove the wrong one of ${path} and ${twin}` }];
  }
}
