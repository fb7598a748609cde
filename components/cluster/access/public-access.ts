import { Netmask } from "netmask";
import { parseCidr } from "../../core/cidr-form";
import { isOutput, requirePlainValue } from "../../core/outputs";
import type { Problem } from "../../core/problems";
import { eachOnce } from "../checks";

/** Most blocks that EKS takes. @see https://docs.aws.amazon.com/eks/latest/userguide/service-quotas.html */
const mostBlocks = 40;

/** The largest block that one organisation has ever been given. */
const largestBlock = 8;

/**
 * Addresses that never arrive at the public endpoint, and why.
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const neverSeen = [
  ...["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"].map((block) => [block, "private addresses (RFC 1918)"] as const),
  ["0.0.0.0/8", "addresses of no host"],
  ["100.64.0.0/10", "addresses behind a carrier's NAT (RFC 6598)"],
  ["127.0.0.0/8", "loopback addresses"],
  ["169.254.0.0/16", "link-local addresses"],
  ["224.0.0.0/3", "multicast and reserved addresses"],
] as const;

/** RFC 5737. */
const documentationBlocks = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"];

const ownAddress = "your own address: curl -s https://checkip.amazonaws.com prints it, write x.x.x.x/32";

/**
 * Whether a block lies in the ranges kept for documentation: nobody has such an address, so an endpoint open to it
 * alone is open to nobody. Committed examples carry one where a user must put their own.
 */
export function isDocumentationCidr(cidr: unknown): boolean {
  const block = parseCidr(cidr);
  return block !== undefined && documentationBlocks.some((documentation) => new Netmask(documentation).contains(block));
}

/** The IPv4 blocks that may reach the public endpoint of a cluster. */
export function publicAccessCidrsProblems(path: string, got: unknown): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  if (got === undefined) {
    const why = "It says who may reach the cluster's API from the internet, and there is no default that is safe.";
    return [{ code: "missing", path, got, why, fix: `set ${path} to ${ownAddress}` }];
  }
  if (!Array.isArray(got)) {
    const fix = `set ${path} to ${ownAddress}`;
    return [{ code: "wrong-type", path, got, why: "It must be a list of IPv4 blocks.", fix }];
  }
  if (got.length === 0) {
    const why = "EKS takes an empty list for 0.0.0.0/0: the whole internet.";
    return [{ code: "missing", path, got, why, fix: `set ${path} to ${ownAddress}` }];
  }
  return [...tooMany(path, got), ...eachOnce(path, got, blockProblems)];
}

function tooMany(path: string, got: readonly unknown[]): Problem[] {
  if (got.length <= mostBlocks) return [];
  const fix = `join neighbouring blocks until there are ${mostBlocks} or fewer`;
  return [{ code: "out-of-range", path, got: got.length, why: `EKS takes at most ${mostBlocks} blocks.`, fix }];
}

function blockProblems(path: string, got: unknown): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  const ask = `set ${path} to ${ownAddress}`;
  if (typeof got !== "string") return [{ code: "wrong-type", path, got, why: "It must be a text.", fix: ask }];
  const refused = (why: string, fix = ask): Problem[] => [{ code: "not-allowed", path, got, why, fix }];

  const block = parseCidr(got);
  if (!block) return refused(...notABlock(got));
  const fault = reachFault(block);
  if (fault) return refused(fault);
  if (block.toString() === got) return [];
  const address = got.split("/")[0];
  const fix = `write "${block.toString()}" for the block, or "${address}/32" for the one address`;
  return refused("Its address lies inside the block and is not the first of it.", fix);
}

function notABlock(got: string): [why: string, fix?: string] {
  if (got.includes(":")) {
    const what = got === "::/0" ? "It is the whole IPv6 internet" : "It is an IPv6 block";
    return [`${what}, and the endpoint of this cluster has IPv4 addresses only.`];
  }
  const bare = parseCidr(`${got}/32`);
  const why = "It must be an IPv4 block in CIDR notation.";
  return bare ? [why, `write "${bare.toString()}"`] : [why];
}

/** Undefined for a block that a person or an organisation can come from. */
function reachFault(block: Netmask): string | undefined {
  if (block.bitmask === 0) return "It lets the whole internet try the cluster's API.";
  const unseen = neverSeen.find(([range]) => new Netmask(range).contains(block));
  if (unseen) {
    return `These are ${unseen[1]}: the public endpoint never sees one, and inside the VPC the API has a private endpoint.`;
  }
  if (block.bitmask >= largestBlock) return undefined;
  return `It is ${block.size} addresses, more than anybody owns in one block.`;
}
