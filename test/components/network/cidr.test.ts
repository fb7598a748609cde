import { expect, test } from "vitest";
import { cidrProblems, vpcCidrProblems, vpcPrefixes } from "../../../components/network/cidr";
import { InputError } from "../../../components/core/problems";

test.for([
  ["fits", "10.0.0.0/16", []],
  ["is no CIDR", "10.0.0.0", [["not-allowed", "set cidr to a block such as 192.168.0.0/16"]]],
  ["is missing", undefined, [["wrong-type", "set cidr to a block such as 192.168.0.0/16"]]],
  ["is too large", "10.0.0.0/15", [["out-of-range", "set cidr to a block from /16 to /28"]]],
  ["is too small", "10.0.0.0/29", [["out-of-range", "set cidr to a block from /16 to /28"]]],
  ["is not canonical", "10.0.1.1/16", [["not-allowed", "set cidr to 10.0.0.0/16"]]],
  [
    "is neither canonical nor of a size",
    "10.1.1.1/8",
    [
      ["out-of-range", "set cidr to a block from /16 to /28"],
      ["not-allowed", "set cidr to 10.0.0.0/8"],
    ],
  ],
] as const)("a block that %s", ([, got, expected]) => {
  const problems = cidrProblems("cidr", got, vpcPrefixes);
  expect(problems.map(({ code, fix }) => [code, fix])).toEqual(expected);
  expect(problems.every((problem) => problem.path === "cidr" && problem.got === got)).toBe(true);
});

test.for([
  ["192.168.0.0/16", undefined],
  ["10.0.0.0/16", undefined],
  ["10.255.0.0/16", undefined],
  ["172.16.0.0/16", undefined],
  ["172.31.0.0/16", undefined],
  ["100.64.0.0/16", undefined],
  // EKS takes the other of its two ranges for Services.
  ["10.100.0.0/16", undefined],
  ["172.20.0.0/16", undefined],
  ["172.17.0.0/16", /Docker's bridge/],
  ["172.17.128.0/20", /overlaps 172\.17\.0\.0\/16.*Docker's bridge/],
  ["0.0.0.0/16", /never assigned/],
  ["127.0.0.0/16", /loopback/],
  ["169.254.0.0/16", /link-local/],
  ["224.0.0.0/16", /multicast/],
  ["239.255.0.0/16", /multicast/],
  ["240.0.0.0/16", /reserved/],
  ["172.32.0.0/16", /not private/],
  ["192.169.0.0/16", /not private/],
  ["100.128.0.0/16", /not private/],
  ["8.8.0.0/16", /not private/],
] as const)("a VPC of %s", ([cidr, why]) => {
  const problems = vpcCidrProblems("cidr", cidr);
  expect(problems.length).toBe(why ? 1 : 0);
  if (why) expect(problems[0]?.why).toMatch(why);
});

test("a VPC that is too large is told its size alone, not what it overlaps", () => {
  expect(vpcCidrProblems("cidr", "172.16.0.0/12").map((problem) => problem.code)).toEqual(["out-of-range"]);
});

test("the message names the range and the reason", () => {
  expect(new InputError('Vpc "myeks"', vpcCidrProblems("network.cidr", "172.17.0.0/20")).message)
    .toMatchInlineSnapshot(`
    "Vpc "myeks": 1 problem in the input
      network.cidr: got "172.17.0.0/20". It overlaps 172.17.0.0/16. It is the range of Docker's bridge: hosts with Docker, and AWS services such as SageMaker notebooks and Cloud9, cannot reach a VPC there.
        fix: set network.cidr to a private block such as 192.168.0.0/16 or 10.0.0.0/16"
  `);
});
