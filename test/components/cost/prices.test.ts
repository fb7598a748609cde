import { Region } from "@pulumi/aws/types/enums";
import { expect, test } from "vitest";
import { isRegion } from "../../../components/core/region";
import { instanceType, instanceTypeNames } from "../../../components/nodes/machine/instance-types";
import { costNotes } from "../../../components/cost/cost-notes";
import { instances } from "../../../components/cost/cost-lines";
import {
  isOffered,
  price,
  priceUnit,
  pricedRegions,
  priceSources,
  priceTableDate,
} from "../../../components/cost/prices";
import table from "../../../components/cost/price-table.json";

interface List {
  readonly date: string;
  readonly status: string;
  readonly regions?: readonly string[];
  readonly usd: Readonly<Record<string, number | string>>;
}

test("the table has every commercial region that the AWS provider knows", () => {
  const known = Object.values(Region).filter((region) => !/^(cn|us-gov|us-iso\w*|eu-isoe|eusc)-/.test(region));
  expect(pricedRegions).toEqual(expect.arrayContaining(known));
  expect(known.length).toBeGreaterThan(30);
  for (const region of pricedRegions) expect(isRegion(region)).toBe(true);
});

test("a price carries its unit, date, source and status", () => {
  const source = expect.stringMatching(/\w/) as string;
  expect(price("ap-northeast-2", "g5.xlarge")).toMatchObject({ usd: 1.237, unit: "instance-hour", source });
  expect(price("eu-west-1", "kms-key")).toMatchObject({ usd: 1, unit: "key-month", source });
});

test("what costs the same everywhere has a price in every region", () => {
  const everywhere = [
    ...["eks-control-plane-standard", "eks-extended-support", "public-ipv4", "kms-key", "cloudwatch-alarm"],
  ];
  for (const item of everywhere) {
    expect(new Set(pricedRegions.map((region) => price(region, item)?.usd)).size, item).toBe(1);
    expect(price("us-east-1", item)?.usd, item).toBeGreaterThan(0);
  }
});

test.for([
  ["a type with a price", "us-east-1", "g5.xlarge", true],
  ["a type that the region lacks", "eu-west-1", "p5.48xlarge", false],
  ["a type without a price anywhere", "us-east-1", "p5e.48xlarge", undefined],
  ["a region outside the table", "cn-north-1", "g5.xlarge", undefined],
] as const)("whether %s is offered", ([, region, type, offered]) => {
  expect(isOffered(region, type)).toBe(offered);
  const [line] = instances(region, type, 1);
  const note = offered === false ? costNotes.notOfferedIn(region) : costNotes.noPriceIn(region);
  expect(line?.note).toBe(offered ? undefined : note);
});

test.for([
  ["us-east-1", "g4dn.xlarge", 0.526],
  ["us-west-2", "p4d.24xlarge", 21.95764],
  ["eu-west-1", "t3.medium", 0.0456],
  ["ap-northeast-1", "g6e.xlarge", 2.699],
  ["ap-northeast-2", "p5.48xlarge", 75.9552],
  ["us-east-1", "eks-extended-support", 0.5],
  ["ap-northeast-1", "nat-gateway-data", 0.062],
  ["eu-west-1", "vpc-interface-endpoint", 0.011],
] as const)("%s %s costs %f", ([region, item, usd]) => expect(price(region, item)?.usd).toBe(usd));

test.for([
  ["a region outside the table", "cn-north-1", "g5.xlarge"],
  ["a type the region does not offer", "eu-west-1", "g6.xlarge"],
  ["a type without a published price", "us-east-1", "p5e.48xlarge"],
  ["a name every object has", "us-east-1", "constructor"],
  ["a region name every object has", "constructor", "g5.xlarge"],
] as const)("%s has no price", ([, region, item]) => expect(price(region, item)).toBeUndefined());

test("every GPU instance type of the catalog has a price or is an explicit unknown in each region", () => {
  const gpuTypes = instanceTypeNames.filter((name) => instanceType(name)?.gpus);
  expect(gpuTypes).toHaveLength(64);
  for (const region of pricedRegions) {
    const lines = gpuTypes.map((name) => instances(region, name, 1));
    expect(lines.every((of) => of.length === 1)).toBe(true);
    for (const [line] of lines) expect(line?.usdPerHour === undefined).toBe(line?.status === "unknown");
  }
  // Only p5e, which AWS sells in capacity blocks alone, has no price where the labs were made and where most is offered.
  const unpriced = gpuTypes.filter((type) => price("us-east-1", type) === undefined);
  expect(unpriced).toEqual(["p5e.48xlarge"]);
});

test("each list has a cell for each of its regions, a date no later than the collection, and no price of 0", () => {
  for (const { regions = pricedRegions, date, status, usd } of table.lists as readonly List[]) {
    expect(regions.filter((region) => !pricedRegions.includes(region))).toEqual([]);
    expect(date).toMatch(/^\d{4}(-\d\d(-\d\d)?)?$/);
    expect(date <= priceTableDate).toBe(true);
    expect(["stated", "computed", "inferred"]).toContain(status);
    for (const [item, row] of Object.entries(usd)) {
      const cells = typeof row === "number" ? [String(row)] : row.split(" ");
      expect(cells, item).toHaveLength(typeof row === "number" ? 1 : regions.length);
      for (const cell of cells) expect(cell === "-" || cell === "?" || Number(cell) > 0, `${item} ${cell}`).toBe(true);
    }
  }
});

test("each item has one cell with a price, or one that says not offered, for each region", () => {
  const stated = (table.lists as readonly List[]).flatMap(({ regions = pricedRegions, usd }) =>
    Object.entries(usd).flatMap(([item, row]) => {
      const cells = typeof row === "number" ? regions.map(() => String(row)) : row.split(" ");
      return regions.filter((_, column) => cells[column] !== "?").map((region) => `${region} ${item}`);
    }),
  );
  expect(stated.filter((one, place) => stated.indexOf(one) !== place)).toEqual([]);
});

test("sources are cited once, with their date", () => {
  expect(new Set(priceSources()).size).toBe(priceSources().length);
  for (const source of priceSources()) expect(source).toMatch(/^\S+\.\w+[/,].+, \d{4}[\d-]*$/);
});

test("a unit is known without a price", () => {
  expect([priceUnit("ebs-gp3-storage"), priceUnit("x9.huge")]).toEqual(["GB-month", "instance-hour"]);
});
