import { addons, clusters, nodeGroups } from "./cluster";
import { instanceProfiles, oidcProviders, roles } from "./identity";
import type { Kind } from "./kind";
import { alarms, budgets, queues, scheduleGroups } from "./lease";
import { classicLoadBalancers, loadBalancers, targetGroups } from "./load-balancers";
import { instances, launchTemplates, networkInterfaces, volumes } from "./machines";
import { addresses, natGateways, vpcEndpoints } from "./gateways";
import { flowLogs, internetGateways, routeTables, subnets, vpcs, securityGroups } from "./network";
import { keys, logGroups } from "./other";

/** All kinds, in the order in which they are removed: what uses another object comes before it. */
export const kinds: readonly Kind[] = [
  scheduleGroups,
  alarms,
  queues,
  budgets,
  loadBalancers,
  classicLoadBalancers,
  targetGroups,
  nodeGroups,
  addons,
  oidcProviders,
  clusters,
  instances,
  launchTemplates,
  natGateways,
  vpcEndpoints,
  volumes,
  networkInterfaces,
  addresses,
  securityGroups,
  routeTables,
  subnets,
  internetGateways,
  flowLogs,
  vpcs,
  logGroups,
  keys,
  instanceProfiles,
  roles,
];

/** What can be in a network, and need its parts. */
export const inNetwork: readonly string[] = [
  loadBalancers,
  classicLoadBalancers,
  nodeGroups,
  instances,
  natGateways,
  vpcEndpoints,
  networkInterfaces,
  securityGroups,
  routeTables,
  subnets,
  internetGateways,
  vpcs,
].map(({ kind }) => kind);
