import fc from "fast-check";
import { Netmask, ip2long, long2ip } from "netmask";
import { expect, test } from "vitest";
import { optional, parse, section } from "../../../../components/core/schema";
import {
  privateSubnetCidrs,
  publicSubnetCidrs,
  subnetPlan,
  subnetPlanConflicts,
  type SubnetPlan,
} from "../../../../components/network/vpc/subnet-plan";

const blocksOf = (plan: SubnetPlan) => [...plan.public, ...plan.private];

function layout(cidr: string, zoneCount: number): SubnetPlan {
  return subnetPlan({ cidr, zoneCount });
}

const blocks = section({
  publicSubnetCidrs: optional(publicSubnetCidrs()),
  privateSubnetCidrs: optional(privateSubnetCidrs()),
});

function problems(cidr: string, zoneCount: number, publicCidrs?: unknown, privateCidrs?: unknown, at = "") {
  const given = { publicSubnetCidrs: publicCidrs, privateSubnetCidrs: privateCidrs };
  const { value, problems } = parse(blocks, given, at);
  return value ? subnetPlanConflicts({ cidr, zoneCount, ...value }, at) : problems;
}

test.for([
  ["192.168.0.0/16", 2, "0.0/22 4.0/22", "8.0/22 12.0/22"],
  ["192.168.0.0/16", 3, "0.0/22 4.0/22 8.0/22", "12.0/22 16.0/22 20.0/22"],
  ["192.168.0.0/16", 4, "0.0/22 4.0/22 8.0/22 24.0/22", "12.0/22 16.0/22 20.0/22 28.0/22"],
  ["192.168.0.0/16", 5, "0.0/22 4.0/22 8.0/22 24.0/22 32.0/22", "12.0/22 16.0/22 20.0/22 28.0/22 36.0/22"],
  ["192.168.128.0/19", 3, "128.0/22 132.0/22 136.0/22", "140.0/22 144.0/22 148.0/22"],
  ["192.168.128.0/20", 3, "128.0/23 130.0/23 132.0/23", "134.0/23 136.0/23 138.0/23"],
  ["192.168.8.0/21", 3, "8.0/24 9.0/24 10.0/24", "11.0/24 12.0/24 13.0/24"],
  ["192.168.8.0/21", 4, "8.0/24 9.0/24 10.0/24 14.0/24", "11.0/24 12.0/24 13.0/24 15.0/24"],
  ["192.168.4.0/22", 2, "4.0/24 5.0/24", "6.0/24 7.0/24"],
] as const)("%s in %i zones", ([cidr, zoneCount, publicBlocks, privateBlocks]) => {
  const full = (blocks: string) => blocks.split(" ").map((block) => `192.168.${block}`);
  expect(problems(cidr, zoneCount)).toEqual([]);
  expect(layout(cidr, zoneCount)).toEqual({ public: full(publicBlocks), private: full(privateBlocks) });
});

test.for([
  [2, 22],
  [3, 21],
  [4, 21],
  [5, 20],
  [6, 20],
] as const)("the default layout of %i zones needs a VPC of /%i or larger", ([zoneCount, large]) => {
  expect(problems(`10.0.0.0/${large}`, zoneCount)).toEqual([]);
  const [problem, ...more] = problems(`10.0.0.0/${large + 1}`, zoneCount);
  expect(more).toEqual([]);
  expect(problem).toMatchObject({ code: "out-of-range", path: "cidr", got: `10.0.0.0/${large + 1}` });
  expect(problem?.fix).toContain(`set cidr to a /${large} or larger`);
});

const explicitPublic = ["10.0.0.0/27", "10.0.0.32/27"];
const explicitPrivate = ["10.0.1.0/24", "10.0.2.0/25"];

test("explicit blocks are taken as they are", () => {
  expect(problems("10.0.0.0/22", 2, explicitPublic, explicitPrivate)).toEqual([]);
  const given = { publicSubnetCidrs: explicitPublic, privateSubnetCidrs: explicitPrivate };
  expect(subnetPlan({ cidr: "10.0.0.0/22", zoneCount: 2, ...given })).toEqual({
    public: explicitPublic,
    private: explicitPrivate,
  });
});

const cases = [
  ["only the public ones", explicitPublic, undefined, [["missing", "privateSubnetCidrs"]]],
  ["only the private ones", undefined, explicitPrivate, [["missing", "publicSubnetCidrs"]]],
  ["a text", "10.0.0.0/27", explicitPrivate, [["wrong-type", "publicSubnetCidrs"]]],
  ["too few", explicitPublic.slice(1), explicitPrivate, [["conflict", "publicSubnetCidrs"]]],
  ["too many", explicitPublic, [...explicitPrivate, "10.0.3.0/24"], [["conflict", "privateSubnetCidrs"]]],
  ["too small, public", ["10.0.0.0/28", "10.0.0.32/27"], explicitPrivate, [["out-of-range", "publicSubnetCidrs[0]"]]],
  ["too small, private", explicitPublic, ["10.0.1.0/26", "10.0.2.0/24"], [["out-of-range", "privateSubnetCidrs[0]"]]],
  ["one outside", explicitPublic, ["10.0.1.0/24", "10.0.4.0/24"], [["conflict", "privateSubnetCidrs[1]"]]],
  ["one no block", ["10.0.0.0/27", 7], explicitPrivate, [["wrong-type", "publicSubnetCidrs[1]"]]],
  ["one not canonical", explicitPublic, ["10.0.1.9/24", "10.0.2.0/24"], [["not-allowed", "privateSubnetCidrs[0]"]]],
  [
    "a private one on a public one",
    explicitPublic,
    ["10.0.0.0/24", "10.0.2.0/24"],
    [
      ["conflict", "privateSubnetCidrs[0]"],
      ["conflict", "privateSubnetCidrs[0]"],
    ],
  ],
  ["the same twice", ["10.0.0.0/27", "10.0.0.0/27"], explicitPrivate, [["conflict", "publicSubnetCidrs[1]"]]],
] as const;

test.for(cases)("explicit blocks, %s", ([, publicCidrs, privateCidrs, expected]) => {
  expect(problems("10.0.0.0/22", 2, publicCidrs, privateCidrs).map(({ code, path }) => [code, path])).toEqual(expected);
});

test("the messages name both sides of an overlap, and the canonical form", () => {
  const found = [
    ...problems("10.0.0.0/24", 3, undefined, undefined, "network"),
    ...cases.flatMap(([, publicCidrs, privateCidrs]) =>
      problems("10.0.0.0/22", 2, publicCidrs, privateCidrs, "network"),
    ),
  ];
  expect(found.map(({ path, why, fix }) => `${path}: ${why} | ${fix}`)).toMatchSnapshot();
});

test("overlaps are reported once every block has the right form", () => {
  const found = problems("10.0.0.0/22", 2, ["10.0.0.0/24", "10.0.0.0/24"], ["x"]);
  expect(found.map(({ code, path }) => [code, path])).toEqual([["not-allowed", "privateSubnetCidrs[0]"]]);
});

/** First and last address, counted without the library the plan is made with. */
function span(cidr: string): [first: number, last: number] {
  const [address = "", prefix] = cidr.split("/");
  const first = address.split(".").reduce((sum, octet) => sum * 256 + Number(octet), 0);
  return [first, first + 2 ** (32 - Number(prefix)) - 1];
}

const vpcs = fc
  .record({
    range: fc.constantFrom("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"),
    prefix: fc.integer({ min: 16, max: 28 }),
    offset: fc.nat(),
  })
  .map(({ range, prefix, offset }) => {
    const within = new Netmask(range);
    return new Netmask(long2ip(ip2long(within.base) + (offset % within.size)), prefix).toString();
  });
const zoneCounts = fc.integer({ min: 2, max: 6 });

test("property: any VPC that is accepted gets disjoint blocks of one size inside it, the same each time", () => {
  let accepted = 0;
  fc.assert(
    fc.property(vpcs, zoneCounts, (cidr, zoneCount) => {
      if (problems(cidr, zoneCount).length > 0) return;
      accepted += 1;
      const plan = layout(cidr, zoneCount);
      const all = blocksOf(plan);
      const [vpcFirst, vpcLast] = span(cidr);
      const spans = all.map(span).sort(([one], [other]) => one - other);
      expect(layout(cidr, zoneCount)).toEqual(plan);
      expect([plan.public.length, plan.private.length]).toEqual([zoneCount, zoneCount]);
      expect(new Set(all.map((block) => block.split("/")[1])).size).toBe(1);
      expect(Number(all[0]?.split("/")[1])).toBeGreaterThanOrEqual(22);
      expect(Number(all[0]?.split("/")[1])).toBeLessThanOrEqual(24);
      expect(spans[0]?.[0]).toBe(vpcFirst);
      expect(spans.at(-1)?.[1]).toBeLessThanOrEqual(vpcLast);
      spans.slice(1).forEach(([first], index) => expect(first).toBe((spans[index]?.[1] ?? NaN) + 1));
    }),
    { numRuns: 300 },
  );
  expect(accepted).toBeGreaterThan(50);
});

test("property: what the default layout makes would pass as explicit blocks", () => {
  fc.assert(
    fc.property(vpcs, zoneCounts, (cidr, zoneCount) => {
      if (problems(cidr, zoneCount).length > 0) return;
      const plan = layout(cidr, zoneCount);
      expect(problems(cidr, zoneCount, plan.public, plan.private)).toEqual([]);
    }),
  );
});

test("property: from three zones on, a zone at the end moves no block, in a VPC of /18 or larger", () => {
  const large = vpcs.filter((cidr) => Number(cidr.split("/")[1]) <= 18);
  fc.assert(
    fc.property(large, fc.integer({ min: 3, max: 5 }), (cidr, zoneCount) => {
      const before = layout(cidr, zoneCount);
      const after = layout(cidr, zoneCount + 1);
      expect(after.public.slice(0, -1)).toEqual(before.public);
      expect(after.private.slice(0, -1)).toEqual(before.private);
    }),
  );
});

test("property: no explicit value makes the checks throw", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), zoneCounts, (one, other, zoneCount) => {
      expect(Array.isArray(problems("10.0.0.0/16", zoneCount, one, other))).toBe(true);
    }),
  );
});
