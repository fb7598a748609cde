import { isDeepStrictEqual } from "node:util";
import type { Properties } from "../../../components/core/wire";
import type { WorldObject } from "../../world/kind";
import type { World } from "../../world/world";
import { types } from "../types";

/** Where a rule says who is let through, and where a group's own list of rules does. */
const peers = {
  cidrIpv4: "cidrBlocks",
  cidrIpv6: "ipv6CidrBlocks",
  prefixListId: "prefixListIds",
  referencedSecurityGroupId: "securityGroups",
} as const;

type Peer = keyof typeof peers;

/**
 * The rules that are resources of their own, as a group's provider reads them: those of one protocol, of the same ports
 * and description are one, with all their peers.
 *
 * @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/ec2/vpc_security_group.go resourceSecurityGroupRead
 */
export function liveRules(group: WorldObject, world: World): Properties {
  const read = (type: string) => gathered(world.find(type, { securityGroupId: group.id }), group.id);
  return { ingress: read(types.ingressRule), egress: read(types.egressRule) };
}

function gathered(rules: readonly WorldObject[], groupId: string): Properties[] {
  const listed: { traffic: Properties; peers: Record<string, unknown[]>; self: boolean }[] = [];
  for (const { inputs } of rules) {
    const traffic = trafficOf(inputs);
    const same = listed.find((entry) => isDeepStrictEqual(entry.traffic, traffic));
    const entry = same ?? { traffic, peers: {}, self: false };
    if (!same) listed.push(entry);
    for (const name of Object.keys(peers) as Peer[]) {
      if (inputs[name] === groupId) entry.self = true;
      else if (inputs[name] !== undefined) (entry.peers[peers[name]] ??= []).push(inputs[name]);
    }
  }
  return listed.map(({ traffic, peers: known, self }) => ({ ...traffic, ...known, self }));
}

function trafficOf({ ipProtocol, fromPort, toPort, description = "" }: Properties): Properties {
  const all = ipProtocol === "-1";
  return { protocol: ipProtocol, fromPort: all ? 0 : fromPort, toPort: all ? 0 : toPort, description };
}
