import * as pulumi from "@pulumi/pulumi";
import * as v from "valibot";
import { isOutput } from "../core/outputs";
import type { Problem } from "../core/problems";
import { isRecord } from "../core/reader/records";
import { s, problemsIn, type Schema, type ValueOf } from "../core/schema";
import { join } from "../core/reader/paths";
import { cidrBlock, vpcPrefixes } from "./cidr";
import { ec2Id } from "./ec2-id";
import { zoneCount, zoneName } from "./vpc/zones";

/**
 * A VPC and its subnets, as the other components need them: what a {@link Vpc} created, or an existing VPC, given as an
 * object of this shape.
 */
export interface Network {
  readonly vpcId: pulumi.Input<string>;
  /** The VPC's IPv4 block, which one firewall rule allows. */
  readonly cidrBlock: pulumi.Input<string>;
  /** `zones[i]` is the Availability Zone of `privateSubnetIds[i]`. A zone may be listed more than once. */
  readonly zones: pulumi.Input<string>[];
  /** May be empty: only load balancers for the internet use them. */
  readonly publicSubnetIds: pulumi.Input<string>[];
  /** Subnets of the nodes and of the control plane's network interfaces: at least two, in two zones. */
  readonly privateSubnetIds: pulumi.Input<string>[];
  /**
   * What a node group must depend on in addition to its subnets: the routes, their associations and the endpoints. A
   * node that starts before its route to the internet exists cannot join the cluster, and on destroy the route must
   * outlive the node. Not needed for an existing VPC.
   */
  readonly ready?: pulumi.Resource[];
}

const subnetIds = () =>
  s.input(s.list(ec2Id("subnet"), '["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]', { distinct: true }));

const readyFix = "list the resources themselves in {path}, such as new aws.ec2.Route(…), or leave it out";

const resource = v.custom<pulumi.Resource>(
  (item) => pulumi.Resource.isInstance(item),
  s.explain("Must be a Pulumi resource.", readyFix),
);

/** The keys of a {@link Network}. */
const networkSection = s.section({
  vpcId: ec2Id("vpc"),
  cidrBlock: s.input(cidrBlock(vpcPrefixes)),
  zones: s.input(s.list(s.input(zoneName()), '["ap-northeast-2a", "ap-northeast-2b"]')),
  publicSubnetIds: subnetIds(),
  privateSubnetIds: subnetIds(),
  ready: s.optional(v.array(resource, s.explain("Must be a list of resources.", readyFix))),
});

const networkSchema = v.pipe(networkSection, s.check(networkConflicts));

/** An existing VPC. Outputs are not checked. */
export const existingNetwork: Schema<Network> = v.pipe(s.anything<Network>(), s.check(existingNetworkProblems));

/** Every problem in an existing VPC. Outputs are not checked. */
export function existingNetworkProblems(network: Network, at = ""): readonly Problem[] {
  return problemsIn(networkSchema, isInstance(network) ? keysOf(network) : network, at);
}

/** Whether the network is an instance of a class such as Vpc, which has further fields. */
function isInstance(network: unknown): network is Network {
  if (!isRecord(network) || isOutput(network)) return false;
  const prototype: unknown = Object.getPrototypeOf(network);
  return prototype !== Object.prototype && prototype !== null;
}

function keysOf({ vpcId, cidrBlock, zones, publicSubnetIds, privateSubnetIds, ready }: Network): Network {
  return { vpcId, cidrBlock, zones, publicSubnetIds, privateSubnetIds, ready };
}

function networkConflicts(network: ValueOf<typeof networkSection>, at: string): Problem[] {
  return [...zoneConflicts(network, at), ...subnetConflicts(network, at)];
}

/** The items of a list that is known when the program starts. */
function known<Item>(items: pulumi.Input<readonly Item[]>): readonly Item[] | undefined {
  return Array.isArray(items) ? (items as readonly Item[]) : undefined;
}

function zoneConflicts(network: ValueOf<typeof networkSection>, at: string): Problem[] {
  const zones = known(network.zones);
  const subnets = known(network.privateSubnetIds);
  if (!zones) return [];
  const path = join(at, "zones");
  const problems: Problem[] = [];
  if (subnets && subnets.length !== zones.length) {
    const why = `zones[i] is the zone of privateSubnetIds[i], but there are ${zones.length} zones and ${subnets.length} private subnets.`;
    const fix = `list a zone for each private subnet in ${path}`;
    problems.push({ code: "conflict", path, got: zones.length, why, fix });
  }
  const names = zones.filter((zone) => !isOutput(zone));
  if (new Set(names).size + zones.length - names.length < zoneCount.min) {
    const why = `EKS needs private subnets in at least ${zoneCount.min} zones.`;
    const fix = `add a private subnet in another zone to the VPC, and list the subnet in ${join(at, "privateSubnetIds")} and its zone in ${path}`;
    problems.push({ code: "out-of-range", path, got: names, why, fix });
  }
  return problems;
}

/** Subnets that are listed as public and as private. */
function subnetConflicts(network: ValueOf<typeof networkSection>, at: string): Problem[] {
  const privateIds = known(network.privateSubnetIds) ?? [];
  return (known(network.publicSubnetIds) ?? []).flatMap((id, index): Problem[] => {
    const twinIndex = isOutput(id) ? -1 : privateIds.indexOf(id);
    if (twinIndex < 0) return [];
    const path = `${join(at, "publicSubnetIds")}[${index}]`;
    const twin = `${join(at, "privateSubnetIds")}[${twinIndex}]`;
    const why = `Must not repeat ${twin}: a subnet with a route to an internet gateway is public, and any other subnet is private.`;
    return [{ code: "conflict", path, got: id, why, fix: `remove ${path} or ${twin}` }];
  });
}
