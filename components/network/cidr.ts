import { Netmask } from "netmask";
import * as v from "valibot";
import { parseCidr } from "../core/cidr-form";
import type { Problem } from "../core/problems";
import { s } from "../core/schema";

/** Prefix lengths that a block may have; the smaller the number, the larger the block. */
export interface PrefixRange {
  /** Prefix length of the largest block, e.g. 16. */
  readonly largest: number;
  /** Prefix length of the smallest block, e.g. 28. */
  readonly smallest: number;
  /** Why no other is allowed, as a sentence. */
  readonly why: string;
}

export function overlap(one: Netmask, other: Netmask): boolean {
  return one.contains(other) || other.contains(one);
}

/** An IPv4 block in canonical form with an allowed prefix length. */
export function cidrBlock(range: PrefixRange) {
  return v.pipe(
    s.text("set {path} to a block such as 192.168.0.0/16"),
    s.check((got: string, at) => cidrProblems(got, at, range)),
  );
}

function cidrProblems(got: string, path: string, range: PrefixRange): Problem[] {
  const block = parseCidr(got);
  if (!block) {
    const why = "Must be an IPv4 block in CIDR notation.";
    return [{ code: "not-allowed", path, got, why, fix: `set ${path} to a block such as 192.168.0.0/16` }];
  }
  const problems: Problem[] = [];
  if (block.bitmask < range.largest || block.bitmask > range.smallest) {
    const fix = `set ${path} to a block from /${range.largest} to /${range.smallest}`;
    problems.push({ code: "out-of-range", path, got, why: range.why, fix });
  }
  if (block.toString() !== got) {
    const why =
      "Must begin with the first address of the block: AWS stores that address, and each preview would show a change.";
    problems.push({ code: "not-allowed", path, got, why, fix: `set ${path} to ${block.toString()}` });
  }
  return problems;
}

/** What AWS allows for any VPC. @see https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html */
export const vpcPrefixes: PrefixRange = { largest: 16, smallest: 28, why: "AWS creates VPCs from /16 to /28." };

/** RFC 1918, and the shared address space of RFC 6598, which EKS accepts as well. */
const usable = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"].map((cidr) => new Netmask(cidr));

/**
 * Reserved blocks, with the reason. The ranges that EKS uses for Services are not among them: EKS chooses the one of
 * 10.100.0.0/16 and 172.20.0.0/16 that does not overlap the VPC.
 *
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_KubernetesNetworkConfigRequest.html
 * @see https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html
 */
const reserved = (
  [
    [
      "172.17.0.0/16",
      "Docker's bridge uses this range: hosts with Docker, and AWS services such as SageMaker notebooks and Cloud9, cannot reach a VPC there.",
    ],
    ["0.0.0.0/8", "This range means this host on this network and is never assigned."],
    ["127.0.0.0/8", "This range is loopback: no packet to it leaves a node."],
    [
      "169.254.0.0/16",
      "This range is link-local: nodes reach their metadata, their DNS and the Pod Identity agent there.",
    ],
    ["224.0.0.0/4", "This range is multicast: no interface can have such an address."],
    ["240.0.0.0/4", "This range is reserved: operating systems drop packets from it."],
  ] as const
).map(([cidr, why]) => ({ block: new Netmask(cidr), why }));

/** The IPv4 block of a new VPC. */
export function newVpcCidr() {
  return v.pipe(cidrBlock(vpcPrefixes), s.check(reservedProblems));
}

function reservedProblems(got: string, path: string): Problem[] {
  const why = reasonAgainst(new Netmask(got));
  if (why === undefined) return [];
  const fix = `set ${path} to a private block such as 192.168.0.0/16 or 10.0.0.0/16`;
  return [{ code: "not-allowed", path, got, why, fix }];
}

function reasonAgainst(block: Netmask): string | undefined {
  const match = reserved.find((range) => overlap(range.block, block));
  if (match) return `Overlaps ${match.block.toString()}. ${match.why}`;
  if (usable.some((range) => range.contains(block))) return undefined;
  return "Must be private: nodes could not reach the hosts on the internet that own these addresses.";
}
