import * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";
import { expect, test } from "vitest";
import { optional, parse, problemsIn, section } from "../../../components/core/schema";
import { existingNetwork, existingNetworkProblems, type Network } from "../../../components/network/network";
import { Vpc } from "../../../components/network/vpc/vpc";
import { plan } from "../../support/plan";

const subnet = (number: number) => `subnet-0123456789abcde${number.toString(16).padStart(2, "0")}`;

const network = {
  vpcId: "vpc-0123456789abcdef0",
  cidrBlock: "10.0.0.0/16",
  zones: ["ap-northeast-2a", "ap-northeast-2c"],
  publicSubnetIds: [subnet(1), subnet(2)],
  privateSubnetIds: [subnet(3), subnet(4)],
};

function found(changes: object): [string, string][] {
  // A value in a configuration file can have any type.
  const problems = existingNetworkProblems({ ...network, ...changes });
  return problems.map(({ code, path }) => [code, path]);
}

const cases = [
  ["as it should be", {}, []],
  ["without public subnets", { publicSubnetIds: [] }, []],
  ["with ids of before 2018", { vpcId: "vpc-1a2b3c4d", publicSubnetIds: ["subnet-1a2b3c4d"] }, []],
  ["with a public range, which is the owner's affair", { cidrBlock: "8.8.0.0/16" }, []],
  [
    "with two private subnets in one zone and one in another",
    {
      zones: ["ap-northeast-2a", "ap-northeast-2a", "ap-northeast-2b"],
      privateSubnetIds: [subnet(3), subnet(4), subnet(5)],
    },
    [],
  ],
  ["the id of a subnet as the VPC", { vpcId: subnet(1) }, [["not-allowed", "vpcId"]]],
  ["no VPC id", { vpcId: undefined }, [["missing", "vpcId"]]],
  ["no CIDR block", { cidrBlock: "10.0.0.0" }, [["not-allowed", "cidrBlock"]]],
  [
    "a zone too few",
    { zones: ["ap-northeast-2a"] },
    [
      ["conflict", "zones"],
      ["out-of-range", "zones"],
    ],
  ],
  ["one zone", { zones: ["ap-northeast-2a", "ap-northeast-2a"] }, [["out-of-range", "zones"]]],
  ["no private subnets", { zones: [], privateSubnetIds: [] }, [["out-of-range", "zones"]]],
  ["zones as a text", { zones: "ap-northeast-2a" }, [["wrong-type", "zones"]]],
  ["a zone that is none", { zones: ["ap-northeast-2", "ap-northeast-2c"] }, [["not-allowed", "zones[0]"]]],
  ["subnets as a text", { privateSubnetIds: subnet(1) }, [["wrong-type", "privateSubnetIds"]]],
  ["no public subnets key", { publicSubnetIds: undefined }, [["missing", "publicSubnetIds"]]],
  [
    "a subnet id that is none",
    { publicSubnetIds: ["public", 3] },
    [
      ["not-allowed", "publicSubnetIds[0]"],
      ["wrong-type", "publicSubnetIds[1]"],
    ],
  ],
  ["a private subnet twice", { privateSubnetIds: [subnet(3), subnet(3)] }, [["conflict", "privateSubnetIds[1]"]]],
  ["a subnet public and private", { publicSubnetIds: [subnet(1), subnet(4)] }, [["conflict", "publicSubnetIds[1]"]]],
  ["a misspelt key", { publicSubnetIDs: [] }, [["unknown-key", "publicSubnetIDs"]]],
  ["nothing to wait for", { ready: [] }, []],
  ["a text to wait for", { ready: "route" }, [["wrong-type", "ready"]]],
  [
    "texts to wait for",
    { ready: ["route", null, pulumi.output("route")] },
    [
      ["wrong-type", "ready[0]"],
      ["wrong-type", "ready[1]"],
      ["wrong-type", "ready[2]"],
    ],
  ],
  ["something to wait for that comes later", { ready: pulumi.output([]) }, [["wrong-type", "ready"]]],
] as const;

test.for(cases)("an existing VPC, %s", ([, changes, expected]) => expect(found(changes)).toEqual(expected));

test("the messages have the paths of the configuration", () => {
  const problems = cases.flatMap(([, changes]) =>
    existingNetworkProblems({ ...network, ...changes } as unknown as Network, "network.existing"),
  );
  expect(problems.map(({ path, why, fix }) => `${path}: ${why} | ${fix}`)).toMatchSnapshot();
});

test("as an argument it has the same checks, and stays the same object", () => {
  const args = section({ existing: optional(existingNetwork) });
  const existing = { ...network, publicSubnetIds: [subnet(3)], zones: ["x"], ready: "route" };
  expect(problemsIn(args, { existing }, "network").map(({ path }) => path)).toEqual(
    existingNetworkProblems(existing as unknown as Network, "network.existing").map(({ path }) => path),
  );
  expect(parse(args, { existing: network }).value?.existing).toBe(network);
});

test("Outputs are not checked", () => {
  const later = pulumi.output("anything");
  const lists = { zones: [later, later], publicSubnetIds: [later, later], privateSubnetIds: [later, later] };
  expect(found({ vpcId: later, cidrBlock: Promise.resolve("x"), ...lists })).toEqual([]);
  expect(found({ zones: pulumi.output([]), publicSubnetIds: later, privateSubnetIds: later })).toEqual([]);
  expect(found({ zones: [later, "ap-northeast-2a"] })).toEqual([]);
  expect(found({ zones: [later], privateSubnetIds: [later] })).toEqual([["out-of-range", "zones"]]);
});

test.for([
  ["a string", "wrong-type"],
  [undefined, "missing"],
  [null, "wrong-type"],
  [[], "wrong-type"],
  [7, "wrong-type"],
] as const)("%j is not a network", ([value, code]) => {
  const problems = existingNetworkProblems(value as unknown as Network, "network.existing");
  expect(problems.map(({ code, path }) => [code, path])).toEqual([[code, "network.existing"]]);
});

test("property: no JSON makes the checks throw", () => {
  const keys = Object.fromEntries(Object.keys(network).map((key) => [key, fc.jsonValue()]));
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.record(keys)), (value) => {
      expect(Array.isArray(existingNetworkProblems(value as unknown as Network))).toBe(true);
    }),
  );
});

test("a component that is a network may have fields of its own, and resources to wait for", async () => {
  let problems: unknown;
  await plan(() => {
    const vpc = new Vpc("vpc", { zones: ["ap-northeast-2a", "ap-northeast-2c"] });
    problems = existingNetworkProblems(vpc);
  });
  expect(problems).toEqual([]);
});

test("a network that is an Output is one problem", () => {
  const network: unknown = pulumi.output({ vpcId: "vpc-0123456789abcdef0" });
  expect(existingNetworkProblems(network as Network, "network.existing")).toMatchObject([
    { path: "network.existing", got: "an Output", fix: "set network.existing to a plain value" },
  ]);
});
