import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { isDocumentationCidr, publicAccessCidrsProblems } from "../../../../components/cluster/access/public-access";
import { InputError } from "../../../../components/core/problems";

const problems = (got: unknown) => publicAccessCidrsProblems("publicAccessCidrs", got);
const said = (got: unknown) => new InputError("stack gpu-lab", problems(got)).message;

test.for([
  ["one address", ["198.51.100.7/32"]],
  ["a block", ["198.51.100.0/24", "8.8.8.0/24"]],
  ["a documentation address, which others look for", ["203.0.113.7/32"]],
  ["the largest block there is", ["17.0.0.0/8"]],
  ["just beside a private range", ["11.0.0.0/8", "172.15.0.0/16", "172.32.0.0/16", "192.167.0.0/16", "192.169.0.0/16"]],
  ["just beside the carriers' NAT", ["100.63.255.0/24", "100.128.0.0/24"]],
  ["40 blocks", Array.from({ length: 40 }, (_, index) => `198.51.100.${index}/32`)],
] as const)("fine: %s", ([, got]) => expect(problems(got)).toEqual([]));

test.for([
  ["nothing", undefined, "missing", "publicAccessCidrs"],
  ["an empty list", [], "missing", "publicAccessCidrs"],
  ["a text", "198.51.100.7/32", "wrong-type", "publicAccessCidrs"],
  ["null", null, "wrong-type", "publicAccessCidrs"],
  ["an Output", pulumi.output(["0.0.0.0/0"]), "wrong-type", "publicAccessCidrs"],
  ["an Output in the list", [pulumi.output("0.0.0.0/0")], "wrong-type", "publicAccessCidrs[0]"],
  ["a number in the list", [8], "wrong-type", "publicAccessCidrs[0]"],
  ["the internet", ["0.0.0.0/0"], "not-allowed", "publicAccessCidrs[0]"],
  ["the internet by another name", ["198.51.100.7/0"], "not-allowed", "publicAccessCidrs[0]"],
  ["half the internet", ["128.0.0.0/1"], "not-allowed", "publicAccessCidrs[0]"],
  ["the IPv6 internet", ["::/0"], "not-allowed", "publicAccessCidrs[0]"],
  ["an IPv6 block", ["2001:db8::/32"], "not-allowed", "publicAccessCidrs[0]"],
  ["no CIDR", ["everybody"], "not-allowed", "publicAccessCidrs[0]"],
  ["an empty text", [""], "not-allowed", "publicAccessCidrs[0]"],
  ["an address alone", ["198.51.100.7"], "not-allowed", "publicAccessCidrs[0]"],
  ["a prefix too long", ["198.51.100.7/33"], "not-allowed", "publicAccessCidrs[0]"],
  ["an octet too large", ["198.51.100.256/32"], "not-allowed", "publicAccessCidrs[0]"],
  ["octal, which netmask reads", ["0306.063.0144.07/32"], "not-allowed", "publicAccessCidrs[0]"],
  ["no canonical block", ["198.51.100.7/24"], "not-allowed", "publicAccessCidrs[0]"],
  ["10/8", ["10.0.0.0/8"], "not-allowed", "publicAccessCidrs[0]"],
  ["inside 10/8", ["10.20.0.0/16"], "not-allowed", "publicAccessCidrs[0]"],
  ["172.16/12", ["172.31.0.0/16"], "not-allowed", "publicAccessCidrs[0]"],
  ["192.168/16", ["192.168.1.7/32"], "not-allowed", "publicAccessCidrs[0]"],
  ["a carrier's NAT", ["100.64.0.0/10"], "not-allowed", "publicAccessCidrs[0]"],
  ["loopback", ["127.0.0.1/32"], "not-allowed", "publicAccessCidrs[0]"],
  ["link-local", ["169.254.169.254/32"], "not-allowed", "publicAccessCidrs[0]"],
  ["multicast", ["224.0.0.0/4"], "not-allowed", "publicAccessCidrs[0]"],
  ["broadcast", ["255.255.255.255/32"], "not-allowed", "publicAccessCidrs[0]"],
  ["no host", ["0.0.0.0/32"], "not-allowed", "publicAccessCidrs[0]"],
  ["the same twice", ["198.51.100.7/32", "198.51.100.7/32"], "conflict", "publicAccessCidrs[1]"],
  ["41 blocks", Array.from({ length: 41 }, (_, i) => `198.51.100.${i}/32`), "out-of-range", "publicAccessCidrs"],
] as const)("refused: %s", ([, got, code, path]) => {
  expect(problems(got).map((problem) => [problem.code, problem.path])).toEqual([[code, path]]);
});

test("the messages say what to do", () => {
  expect(said(undefined)).toMatchInlineSnapshot(`
    "stack gpu-lab: 1 problem in the input
      publicAccessCidrs: got nothing. It says who may reach the cluster's API from the internet, and there is no default that is safe.
        fix: set publicAccessCidrs to your own address: curl -s https://checkip.amazonaws.com prints it, write x.x.x.x/32"
  `);
  expect(said(["0.0.0.0/0", "10.0.0.0/8", "128.0.0.0/1", "198.51.100.7", "198.51.100.7/24", "::/0", "2001:db8::/32"]))
    .toMatchInlineSnapshot(`
      "stack gpu-lab: 7 problems in the input
        publicAccessCidrs[0]: got "0.0.0.0/0". It lets the whole internet try the cluster's API.
          fix: set publicAccessCidrs[0] to your own address: curl -s https://checkip.amazonaws.com prints it, write x.x.x.x/32
        publicAccessCidrs[1]: got "10.0.0.0/8". These are private addresses (RFC 1918): the public endpoint never sees one, and inside the VPC the API has a private endpoint.
          fix: set publicAccessCidrs[1] to your own address: curl -s https://checkip.amazonaws.com prints it, write x.x.x.x/32
        publicAccessCidrs[2]: got "128.0.0.0/1". It is 2147483648 addresses, more than anybody owns in one block.
          fix: set publicAccessCidrs[2] to your own address: curl -s https://checkip.amazonaws.com prints it, write x.x.x.x/32
        publicAccessCidrs[3]: got "198.51.100.7". It must be an IPv4 block in CIDR notation.
          fix: write "198.51.100.7/32"
        publicAccessCidrs[4]: got "198.51.100.7/24". Its address lies inside the block and is not the first of it.
          fix: write "198.51.100.0/24" for the block, or "198.51.100.7/32" for the one address
        publicAccessCidrs[5]: got "::/0". It is the whole IPv6 internet, and the endpoint of this cluster has IPv4 addresses only.
          fix: set publicAccessCidrs[5] to your own address: curl -s https://checkip.amazonaws.com prints it, write x.x.x.x/32
        publicAccessCidrs[6]: got "2001:db8::/32". It is an IPv6 block, and the endpoint of this cluster has IPv4 addresses only.
          fix: set publicAccessCidrs[6] to your own address: curl -s https://checkip.amazonaws.com prints it, write x.x.x.x/32"
    `);
});

describe("documentation addresses", () => {
  test.for(["192.0.2.0/24", "198.51.100.7/32", "203.0.113.128/25", "203.0.113.7/24"])("%s is one", (cidr) =>
    expect(isDocumentationCidr(cidr)).toBe(true),
  );
  test.for(["203.0.112.0/23", "198.51.101.0/24", "0.0.0.0/0", "203.0.113.7", "", undefined, 7])("%s is none", (cidr) =>
    expect(isDocumentationCidr(cidr)).toBe(false),
  );
});
