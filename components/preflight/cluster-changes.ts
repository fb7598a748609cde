import { isDeepStrictEqual } from "node:util";
import { Netmask } from "netmask";
import type { Problem } from "../core/problems";
import { countOf } from "../core/text";
import { subnetPlan } from "../network/vpc/subnet-plan";
import { defaultZoneCount } from "../network/vpc/zones";
import type { ChangeRequest, RunningEnvironment, RunningNetwork, RunningSubnet } from "./running-environment";

/** A change that replaces the cluster or cannot work. `reset` sets the existing value again. */
type ClusterChange = Pick<Problem, "path" | "got" | "why"> & { readonly reset: string };

/** The network of a cluster. */
type ClusterNetwork = RunningNetwork & Pick<RunningEnvironment, "clusterName">;

/**
 * The changes of arguments that an existing cluster cannot take. Values that are Outputs are not compared.
 *
 * @param zones the zones of the region, the first of which are the default
 */
export function clusterChanges(
  request: ChangeRequest,
  running: RunningEnvironment,
  zones: readonly string[],
): ClusterChange[] {
  const { clusterName, network } = running;
  return [
    ...nameChanges(request, running),
    ...(network ? networkChanges(request, { clusterName, ...network }, zones) : []),
    ...keyChanges(request, running),
  ];
}

function nameChanges({ settings }: ChangeRequest, { clusterName }: RunningEnvironment): ClusterChange[] {
  if (settings.clusterName === clusterName) return [];
  const why =
    `The cluster of this stack is ${clusterName}, and EKS cannot rename a cluster. The update would create another one ` +
    `and delete ${clusterName} with its nodes and everything that runs in it.`;
  return [{ path: "clusterName", got: settings.clusterName, why, reset: `set clusterName to ${clusterName}` }];
}

function networkChanges(
  { settings }: ChangeRequest,
  running: ClusterNetwork,
  regionZones: readonly string[],
): ClusterChange[] {
  const { existing, ...own } = settings.network;
  if (existing) return existingNetworkChanges(existing, running);
  const zones = own.zones ?? regionZones.slice(0, defaultZoneCount);
  const changes = [
    ...cidrChanges(own.cidr, running),
    ...(zones.length > 0 ? subnetChanges({ ...own, zones }, running) : []),
  ].slice(0, 1);
  // A VPC of the environment's own has this name, unless its `transform` sets another.
  const isOwn = running.name === `${running.clusterName}-VPC` || settings.transform?.network !== undefined;
  if (changes.length === 0 || isOwn) return changes;
  const why = `${cannotMove(running)} The update would create another VPC.`;
  const reset = `set network.existing to the VPC ${running.vpcId} and its subnets`;
  return [{ path: "network.existing", got: undefined, why, reset }];
}

function existingNetworkChanges(
  { vpcId, zones }: { readonly vpcId: unknown; readonly zones: readonly unknown[] },
  running: ClusterNetwork,
): ClusterChange[] {
  if (typeof vpcId === "string" && vpcId !== running.vpcId) {
    const why = `${cannotMove(running)} If the VPC belongs to this stack, the update would also try to delete it.`;
    const reset = `set network.existing.vpcId to ${running.vpcId}, or remove network.existing if this stack created that VPC`;
    return [{ path: "network.existing.vpcId", got: vpcId, why, reset }];
  }
  const wanted = zones.filter((zone) => typeof zone === "string");
  return wanted.length === zones.length ? zoneChanges(wanted, "network.existing.zones", running) : [];
}

function cannotMove({ clusterName, vpcId }: ClusterNetwork): string {
  return `The cluster ${clusterName} is in the VPC ${vpcId}. EKS cannot move a cluster to another VPC and rejects subnets of another VPC.`;
}

function cidrChanges(got: string, { clusterName, cidr, vpcId }: ClusterNetwork): ClusterChange[] {
  if (got === cidr) return [];
  const why =
    `The cluster ${clusterName} is in the VPC ${vpcId} with ${cidr}, and a VPC keeps its block. The update would replace ` +
    "the VPC and everything in it, and fail halfway with DependencyViolation: EC2 does not detach an internet gateway " +
    "or delete a subnet that nodes, NAT gateways or the cluster use. It fails again after the value is reverted.";
  return [{ path: "network.cidr", got, why, reset: `set network.cidr to ${cidr}` }];
}

type WantedSubnets = Omit<Parameters<typeof subnetPlan>[0], "zoneCount"> & { readonly zones: readonly string[] };

function subnetChanges(wanted: WantedSubnets, running: ClusterNetwork): ClusterChange[] {
  const { zones } = wanted;
  const otherZones = zoneChanges(zones, "network.zones", running);
  if (otherZones.length > 0) return otherZones;
  const plan = subnetPlan({ ...wanted, zoneCount: zones.length });
  return (["private", "public"] as const).flatMap((kind) => {
    const placed = running.subnets.flatMap((one) => (one.kind === kind ? [`${one.cidr} in ${one.zone}`] : []));
    const kept = zones.map((zone, index) => `${plan[kind][index]} in ${zone}`);
    const lost = placed.filter((subnet) => !kept.includes(subnet));
    return lost.length > 0 ? [subnetChange(wanted, kind, lost, running.subnets)] : [];
  });
}

/** Explicit blocks determine the subnets, or else the order of the zones. */
function subnetChange(
  wanted: WantedSubnets,
  kind: RunningSubnet["kind"],
  lost: readonly string[],
  subnets: readonly RunningSubnet[],
): ClusterChange {
  const key = `${kind}SubnetCidrs` as const;
  const former = zonesOf(subnets);
  const why =
    `A subnet keeps its block and its zone. The update would replace ${countOf(lost.length, "subnet")}: ` +
    `${lost.join(", ")}. EC2 rejects a block that overlaps an existing subnet (InvalidSubnet.Conflict), and does not ` +
    "delete a subnet that nodes, NAT gateways or the cluster use (DependencyViolation).";
  const blocks = wanted.zones.map((zone) => subnets.find((one) => one.zone === zone && one.kind === kind)?.cidr);
  const [path, got, existing] =
    wanted[key] === undefined && !isDeepStrictEqual(former, wanted.zones)
      ? ["network.zones", wanted.zones, former]
      : [`network.${key}`, wanted[key], blocks];
  return { path, got, why, reset: `set ${path} to ${JSON.stringify(existing)}` };
}

/** The zones of the private subnets, each once, in the order of the blocks, which is that of `network.zones`. */
function zonesOf(subnets: readonly RunningSubnet[]): string[] {
  const first = ({ cidr }: RunningSubnet) => new Netmask(cidr).netLong;
  const ordered = subnets.filter(({ kind }) => kind === "private").sort((one, other) => first(one) - first(other));
  return [...new Set(ordered.map(({ zone }) => zone))];
}

/** @see https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html */
function zoneChanges(got: readonly string[], path: string, { clusterName, subnets }: ClusterNetwork): ClusterChange[] {
  const existing = zonesOf(subnets);
  if (isDeepStrictEqual([...new Set(got)].sort(), [...existing].sort())) return [];
  const why =
    `The cluster ${clusterName} was created in ${existing.join(", ")}. EKS accepts only subnets in exactly these zones: ` +
    "it rejects a zone that is added, and one that is missing. The subnets of a removed zone stay in use.";
  return [{ path, got, why, reset: `set ${path} to ${JSON.stringify(existing)}` }];
}

/**
 * A key can be added. The provider ignores another key, while Pulumi deletes the key that the environment created.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/enable-kms.html
 */
function keyChanges({ settings }: ChangeRequest, { clusterName, secretsKey }: RunningEnvironment): ClusterChange[] {
  const got = settings.secretsKey;
  if (secretsKey?.arn === undefined || settings.transform?.cluster) return [];
  if (got === secretsKey.arn || (got === "own" && secretsKey.isOwn)) return [];
  const existing = secretsKey.isOwn ? "own" : secretsKey.arn;
  const effect = got === "none" ? "The update would replace the cluster." : "The cluster would keep it.";
  const deletion = secretsKey.isOwn
    ? " Pulumi would delete the key: 7 days later no Secret can be read, and the cluster cannot be repaired."
    : "";
  const why =
    `The Secrets of ${clusterName} are encrypted with ${secretsKey.arn}, and EKS can neither remove nor exchange that key. ` +
    `${effect}${deletion}`;
  return [{ path: "secretsKey", got, why, reset: `set secretsKey to ${existing}` }];
}
