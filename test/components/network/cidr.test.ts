import { expect, test } from "vitest";
import { problemsIn } from "../../../components/core/schema";
import { cidrBlock, newVpcCidr, vpcPrefixes } from "../../../components/network/cidr";

test.for([
  ["fits", "10.0.0.0/16", []],
  ["is no CIDR", "10.0.0.0", [["not-allowed", "set cidr to a block such as 192.168.0.0/16"]]],
  ["is missing", undefined, [["missing", "set cidr to a block such as 192.168.0.0/16"]]],
  ["is a number", 10, [["wrong-type", "set cidr to a block such as 192.168.0.0/16"]]],
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
  const problems = problemsIn(cidrBlock(vpcPrefixes), got, "cidr");
  expect(problems.map(({ code, fix }) => [code, fix])).toEqual(expected);
  expect(problems.every((problem) => problem.path === "cidr" && problem.got === got)).toBe(true);
});

const problems = (cidr: unknown) => problemsIn(newVpcCidr(), cidr, "network.cidr");

test.for([
  "192.168.0.0/16",
  "10.0.0.0/16",
  "10.255.0.0/16",
  "172.16.0.0/16",
  "172.31.0.0/16",
  "100.64.0.0/16",
  // EKS uses the other of its two ranges for Services.
  "10.100.0.0/16",
  "172.20.0.0/16",
])("a VPC may have %s", (cidr) => expect(problems(cidr)).toEqual([]));

const reservedOrPublic = [
  "172.17.0.0/16",
  "172.17.128.0/20",
  "0.0.0.0/16",
  "127.0.0.0/16",
  "169.254.0.0/16",
  "224.0.0.0/16",
  "239.255.0.0/16",
  "240.0.0.0/16",
  "172.32.0.0/16",
  "192.169.0.0/16",
  "100.128.0.0/16",
  "8.8.0.0/16",
];

test.for(reservedOrPublic)("a VPC may not have %s", (got) => {
  expect(problems(got)).toMatchObject([{ code: "not-allowed", path: "network.cidr", got }]);
});

test("the messages name the range and the reason", () => {
  const wrong = ["x", "10.0.0.0/29", "10.0.1.1/16", ...reservedOrPublic];
  expect(wrong.flatMap(problems).map(({ got, why, fix }) => `${String(got)}: ${why} | ${fix}`)).toMatchSnapshot();
});

test("of a VPC that is too large, or not canonical, only that is reported", () => {
  expect(problems("172.16.0.0/12").map(({ code }) => code)).toEqual(["out-of-range"]);
  expect(problems("172.17.0.1/16").map(({ fix }) => fix)).toEqual(["set network.cidr to 172.17.0.0/16"]);
});
