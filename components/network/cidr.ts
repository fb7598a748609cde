import { Netmask } from "netmask";
import { parseCidr } from "../core/cidr-form";
import type { Problem } from "../core/problems";

export { parseCidr } from "../core/cidr-form";

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
export function cidrProblems(path: string, got: unknown, range: PrefixRange): Problem[] {
  const block = parseCidr(got);
  if (!block) {
    const why = "It must be an IPv4 block in CIDR notation.";
    const fix = `set ${path} to a block such as 192.168.0.0/16`;
    return [{ code: typeof got === "string" ? "not-allowed" : "wrong-type", path, got, why, fix }];
  }
  const problems: Problem[] = [];
  if (block.bitmask < range.largest || block.bitmask > range.smallest) {
    const fix = `set ${path} to a block from /${range.largest} to /${range.smallest}`;
    problems.push({ code: "out-of-range", path, got, why: range.why, fix });
  }
  if (block.toString() !== got) {
    const why =
      "Its address is not the first of the block: AWS would change it, and every later preview would show that.";
    problems.push({ code: "not-allowed", path, got, why, fix: `set ${path} to ${block.toString()}` });
  }
  return problems;
}

/** What AWS allows for any VPC. @see https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html */
export const vpcPrefixes: PrefixRange = { largest: 16, smallest: 28, why: "AWS makes VPCs from /16 to /28." };

/** RFC 1918, and the shared address space of RFC 6598, which EKS takes as well. */
const usable = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"].map((cidr) => new Netmask(cidr));

/**
 * Blocks that are refused, with the reason. The ranges EKS takes for Services are not among them: EKS chooses the
 * one of 10.100.0.0/16 and 172.20.0.0/16 that does not overlap the VPC.
 *
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_KubernetesNetworkConfigRequest.html
 * @see https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html
 */
const refused = (
  [
    [
      "172.17.0.0/16",
      "It is the range of Docker's bridge: hosts with Docker, and AWS services such as SageMaker notebooks and Cloud9, cannot reach a VPC there.",
    ],
    ["0.0.0.0/8", "It means this host on this network and is never assigned."],
    ["127.0.0.0/8", "It is loopback: no packet to it leaves a node."],
    ["169.254.0.0/16", "It is link-local: nodes reach their metadata, their DNS and the Pod Identity agent there."],
    ["224.0.0.0/4", "It is multicast: no interface can have such an address."],
    ["240.0.0.0/4", "It is reserved: operating systems drop packets from it."],
  ] as const
).map(([cidr, why]) => ({ block: new Netmask(cidr), why }));

function reasonAgainst(block: Netmask): string | undefined {
  const match = refused.find((range) => overlap(range.block, block));
  if (match) return `It overlaps ${match.block.toString()}. ${match.why}`;
  if (usable.some((range) => range.contains(block))) return undefined;
  return "It is not private: nodes could not reach the hosts on the internet that own these addresses.";
}

/** The IPv4 block of a VPC that is to be made. */
export function vpcCidrProblems(path: string, got: unknown): Problem[] {
  const problems = cidrProblems(path, got, vpcPrefixes);
  const block = parseCidr(got);
  const why = block && reasonAgainst(block);
  if (!why || problems.some((problem) => problem.code === "out-of-range")) return problems;
  const fix = `set ${path} to a private block such as 192.168.0.0/16 or 10.0.0.0/16`;
  return [...problems, { code: "not-allowed", path, got, why, fix }];
}
