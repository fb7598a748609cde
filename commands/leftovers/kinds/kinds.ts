import { addons, clusters, nodeGroups } from "./cluster";
import { instanceProfiles, oidcProviders, roles } from "./identity";
import type { Kind } from "./kind";
import { leaseKinds } from "./lease";
import { loadBalancerKinds } from "./load-balancers";
import { instances, launchTemplates, networkInterfaces, volumes } from "./machines";
import { addresses, natGateways, networkKinds, vpcEndpoints, vpcs } from "./network";
import { keys, logGroups } from "./other";

/** All kinds, in the order in which they are removed: what uses another object comes before it. */
export const kinds: readonly Kind[] = [
  ...leaseKinds,
  ...loadBalancerKinds,
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
  ...networkKinds,
  vpcs,
  logGroups,
  keys,
  instanceProfiles,
  roles,
];
