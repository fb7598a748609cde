import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { isDocumentationCidr, publicAccessCidrs } from "../../../../components/cluster/access/public-access";
import { show } from "../../../../components/core/problems";
import { problemsIn } from "../../../../components/core/schema";

const problems = (got: unknown) => problemsIn(publicAccessCidrs(), got, "publicAccessCidrs");

test.for([
  ["one address", ["198.51.100.7/32"]],
  ["a block", ["198.51.100.0/24", "8.8.8.0/24"]],
  ["a documentation address, which the stack checks", ["203.0.113.7/32"]],
  ["the largest block there is", ["17.0.0.0/8"]],
  ["next to a private range", ["11.0.0.0/8", "172.15.0.0/16", "172.32.0.0/16", "192.167.0.0/16", "192.169.0.0/16"]],
  ["just outside the carriers' NAT", ["100.63.255.0/24", "100.128.0.0/24"]],
  ["40 blocks", Array.from({ length: 40 }, (_, index) => `198.51.100.${index}/32`)],
] as const)("accepted: %s", ([, got]) => expect(problems(got)).toEqual([]));

const wrong = [
  ["nothing", undefined, "missing", "publicAccessCidrs"],
  ["an empty list", [], "missing", "publicAccessCidrs"],
  ["a string", "198.51.100.7/32", "wrong-type", "publicAccessCidrs"],
  ["null", null, "wrong-type", "publicAccessCidrs"],
  ["an Output", pulumi.output(["0.0.0.0/0"]), "wrong-type", "publicAccessCidrs"],
  ["an Output in the list", [pulumi.output("0.0.0.0/0")], "wrong-type", "publicAccessCidrs[0]"],
  ["a number in the list", [8], "wrong-type", "publicAccessCidrs[0]"],
  ["the internet", ["0.0.0.0/0"], "not-allowed", "publicAccessCidrs[0]"],
  ["the internet by another name", ["198.51.100.7/0"], "not-allowed", "publicAccessCidrs[0]"],
  ["half the internet", ["128.0.0.0/1"], "not-allowed", "publicAccessCidrs[0]"],
  ["the IPv6 internet", ["::/0"], "not-allowed", "publicAccessCidrs[0]"],
  ["an IPv6 block", ["2001:db8::/32"], "not-allowed", "publicAccessCidrs[0]"],
  ["a word", ["everyone"], "not-allowed", "publicAccessCidrs[0]"],
  ["an empty string", [""], "not-allowed", "publicAccessCidrs[0]"],
  ["an address alone", ["198.51.100.7"], "not-allowed", "publicAccessCidrs[0]"],
  ["a prefix too long", ["198.51.100.7/33"], "not-allowed", "publicAccessCidrs[0]"],
  ["an octet too large", ["198.51.100.256/32"], "not-allowed", "publicAccessCidrs[0]"],
  ["octal, which netmask reads", ["0306.063.0144.07/32"], "not-allowed", "publicAccessCidrs[0]"],
  ["a block that is not canonical", ["198.51.100.7/24"], "not-allowed", "publicAccessCidrs[0]"],
  ["10/8", ["10.0.0.0/8"], "not-allowed", "publicAccessCidrs[0]"],
  ["inside 10/8", ["10.20.0.0/16"], "not-allowed", "publicAccessCidrs[0]"],
  ["172.16/12", ["172.31.0.0/16"], "not-allowed", "publicAccessCidrs[0]"],
  ["192.168/16", ["192.168.1.7/32"], "not-allowed", "publicAccessCidrs[0]"],
  ["a carrier's NAT", ["100.64.0.0/10"], "not-allowed", "publicAccessCidrs[0]"],
  ["loopback", ["127.0.0.1/32"], "not-allowed", "publicAccessCidrs[0]"],
  ["link-local", ["169.254.169.254/32"], "not-allowed", "publicAccessCidrs[0]"],
  ["multicast", ["224.0.0.0/4"], "not-allowed", "publicAccessCidrs[0]"],
  ["broadcast", ["255.255.255.255/32"], "not-allowed", "publicAccessCidrs[0]"],
  ["an address without a host", ["0.0.0.0/32"], "not-allowed", "publicAccessCidrs[0]"],
  ["the same twice", ["198.51.100.7/32", "198.51.100.7/32"], "conflict", "publicAccessCidrs[1]"],
  ["41 blocks", Array.from({ length: 41 }, (_, i) => `198.51.100.${i}/32`), "out-of-range", "publicAccessCidrs"],
] as const;

test.for(wrong)("rejected: %s", ([, got, code, path]) => {
  expect(problems(got).map((problem) => [problem.code, problem.path])).toEqual([[code, path]]);
});

test("the messages", () => {
  const found = wrong.flatMap(([, got]) => problems(got));
  expect(found.map(({ path, got, why, fix }) => `${path} ${show(got)}: ${why} | ${fix}`)).toMatchSnapshot();
});

describe("documentation addresses", () => {
  test.for(["192.0.2.0/24", "198.51.100.7/32", "203.0.113.128/25", "203.0.113.7/24"])("%s is one", (cidr) =>
    expect(isDocumentationCidr(cidr)).toBe(true),
  );
  test.for(["203.0.112.0/23", "198.51.101.0/24", "0.0.0.0/0", "203.0.113.7", "", undefined, 7])(
    "%s is not one",
    (cidr) => expect(isDocumentationCidr(cidr)).toBe(false),
  );
});
