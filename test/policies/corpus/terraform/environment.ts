import type { Choices } from "./choices";
import { cluster } from "./cluster";
import { addons, gpuOperator, rightsOfControllers } from "./controllers";
import { network } from "./network";
import { nodes } from "./nodes";

/** The environment that was written for Terraform first, ported to Pulumi manually. */
export function environment(choices: Choices): void {
  const net = network();
  const eks = cluster(net, choices);
  const { groups, systemRole } = nodes(net, eks, choices);
  rightsOfControllers(eks, systemRole, choices);
  addons(eks, groups, choices);
  gpuOperator(groups);
}
