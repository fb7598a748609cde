import { Netmask } from "netmask";
import * as v from "valibot";
import { parseCidr } from "../../core/cidr-form";
import type { Problem } from "../../core/problems";
import { s } from "../../core/schema";

/** Most blocks that EKS accepts. @see https://docs.aws.amazon.com/eks/latest/userguide/service-quotas.html */
const mostBlocks = 40;

/** The largest block that one organization was ever assigned. */
const largestBlock = 8;

/**
 * Addresses that never reach the public endpoint.
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const notPublic = [
  ...["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"].map((block) => [block, "private addresses (RFC 1918)"] as const),
  ["0.0.0.0/8", "addresses that no host has"],
  ["100.64.0.0/10", "addresses behind a carrier's NAT (RFC 6598)"],
  ["127.0.0.0/8", "loopback addresses"],
  ["169.254.0.0/16", "link-local addresses"],
  ["224.0.0.0/3", "multicast and reserved addresses"],
] as const;

/** RFC 5737. */
const documentationBlocks = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"];

const printAddress = "curl -s https://checkip.amazonaws.com prints it";
const ownAddress = `your own address in the form x.x.x.x/32: ${printAddress}`;

/**
 * Whether a block lies in the ranges reserved for documentation. No host has such an address. Committed examples use one
 * where you must set your own.
 */
export function isDocumentationCidr(cidr: unknown): boolean {
  const block = parseCidr(cidr);
  return block !== undefined && documentationBlocks.some((documentation) => new Netmask(documentation).contains(block));
}

/** The IPv4 blocks that may reach the public endpoint of a cluster. */
export function publicAccessCidrs() {
  const block = v.pipe(s.text(`set {path} to ${ownAddress}`), s.check(blockProblems));
  return v.pipe(
    s.list(block, `["x.x.x.x/32"], with your own address: ${printAddress}`, { distinct: true }),
    s.check(countProblems),
  );
}

function countProblems(got: readonly string[], path: string): Problem[] {
  if (got.length === 0) {
    const why = "EKS reads an empty list as 0.0.0.0/0, the whole internet.";
    return [{ code: "missing", path, got, why, fix: `set ${path} to ${ownAddress}` }];
  }
  if (got.length <= mostBlocks) return [];
  const fix = `join neighboring blocks until there are ${mostBlocks} or fewer`;
  return [{ code: "out-of-range", path, got: got.length, why: `EKS accepts at most ${mostBlocks} blocks.`, fix }];
}

function blockProblems(got: string, path: string): Problem[] {
  const setOwnAddress = `set ${path} to ${ownAddress}`;
  const problem = (why: string, fix = setOwnAddress): Problem[] => [{ code: "not-allowed", path, got, why, fix }];

  const block = parseCidr(got);
  if (!block) return problem(...notABlock(got));
  const reason = reasonAgainst(block);
  if (reason) return problem(reason);
  if (block.toString() === got) return [];
  const address = got.split("/")[0];
  const fix = `write "${block.toString()}" for the block, or "${address}/32" for the one address`;
  return problem("Must begin with the first address of the block.", fix);
}

function notABlock(got: string): [why: string, fix?: string] {
  if (got.includes(":")) {
    const what = got === "::/0" ? "the whole IPv6 internet" : "an IPv6 block";
    return [`Must be an IPv4 block, not ${what}: the cluster's endpoint has IPv4 addresses only.`];
  }
  const bare = parseCidr(`${got}/32`);
  const why = "Must be an IPv4 block in CIDR notation.";
  return bare ? [why, `write "${bare.toString()}"`] : [why];
}

/** Undefined for a block that can belong to a person or an organization. */
function reasonAgainst(block: Netmask): string | undefined {
  if (block.bitmask === 0) return "The whole internet could send requests to the cluster's API.";
  const internal = notPublic.find(([range]) => new Netmask(range).contains(block));
  if (internal) {
    return `Must be public addresses, not ${internal[1]}, which never reach the public endpoint. Nodes and pods use the private endpoint.`;
  }
  if (block.bitmask >= largestBlock) return undefined;
  return `Must be /${largestBlock} or smaller: one organization does not own ${block.size} addresses in one block.`;
}
