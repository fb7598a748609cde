import * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";
import { expect, test } from "vitest";
import { vpcDefaults, vpcProblems, type VpcArgs } from "../../../../components/network/vpc/vpc-schema";

function found(args: object, at?: string): [string, string][] {
  return vpcProblems(args as VpcArgs, at).map(({ code, path }) => [code, path]);
}

const cases = [
  ["nothing stated", {}, []],
  ["every default stated", vpcDefaults, []],
  ["no NAT gateway but endpoints", { natGateways: "none", interfaceEndpoints: true }, []],
  ["both", { natGateways: "perAz", interfaceEndpoints: true }, []],
  ["no way out", { natGateways: "none" }, [["conflict", "natGateways"]]],
  ["no way out, said twice", { natGateways: "none", interfaceEndpoints: false }, [["conflict", "natGateways"]]],
  ["a mode that is none", { natGateways: "two" }, [["not-allowed", "natGateways"]]],
  [
    "texts for switches",
    { interfaceEndpoints: "true", flowLogs: "yes" },
    [
      ["wrong-type", "interfaceEndpoints"],
      ["wrong-type", "flowLogs"],
    ],
  ],
  [
    "nulls",
    { cidr: null, zones: null, natGateways: null, interfaceEndpoints: null, flowLogs: null, nameTag: null },
    [
      ["wrong-type", "cidr"],
      ["wrong-type", "zones"],
      ["not-allowed", "natGateways"],
      ["wrong-type", "interfaceEndpoints"],
      ["wrong-type", "flowLogs"],
      ["wrong-type", "nameTag"],
    ],
  ],
  ["a misspelt key", { natGateway: "none" }, [["unknown-key", "natGateway"]]],
  ["a name tag with a space", { nameTag: "my eks" }, [["not-allowed", "nameTag"]]],
  ["an empty name tag", { nameTag: "" }, [["not-allowed", "nameTag"]]],
  ["a VPC too small for three zones", { cidr: "10.0.0.0/22" }, [["out-of-range", "cidr"]]],
  ["the same VPC with two zones", { cidr: "10.0.0.0/22", zones: ["us-west-1a", "us-west-1c"] }, []],
  ["a range that is refused", { cidr: "172.17.0.0/28" }, [["not-allowed", "cidr"]]],
  [
    "explicit blocks for the wrong number of zones",
    {
      publicSubnetCidrs: ["192.168.0.0/24"],
      privateSubnetCidrs: ["192.168.1.0/24"],
    },
    [
      ["conflict", "publicSubnetCidrs"],
      ["conflict", "privateSubnetCidrs"],
    ],
  ],
  [
    "wrong zones; blocks that overlap are reported once the zones are right",
    {
      zones: ["us-east-1a"],
      publicSubnetCidrs: ["192.168.0.0/24"],
      privateSubnetCidrs: ["192.168.0.0/24"],
    },
    [["out-of-range", "zones"]],
  ],
  ["an Output for the block", { cidr: pulumi.output("10.0.0.0/16") }, [["wrong-type", "cidr"]]],
] as const;

test.for(cases)("%s", ([, args, expected]) => expect(found(args)).toEqual(expected));

test("the messages have the paths of the configuration", () => {
  const problems = cases.flatMap(([, args]) => vpcProblems(args as VpcArgs, "network"));
  expect(problems.map(({ path, why, fix }) => `${path}: ${why} | ${fix}`)).toMatchSnapshot();
});

test("property: no JSON makes the checks throw", () => {
  const keys = ["cidr", "zones", "publicSubnetCidrs", "privateSubnetCidrs", "natGateways", "flowLogs", "nameTag"];
  fc.assert(
    fc.property(fc.record(Object.fromEntries(keys.map((key) => [key, fc.jsonValue()]))), (args) => {
      expect(Array.isArray(vpcProblems(args as VpcArgs))).toBe(true);
    }),
  );
});
