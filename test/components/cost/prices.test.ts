import { Region } from "@pulumi/aws/types/enums";
import { expect, test } from "vitest";
import { isRegion } from "../../../components/core/region";
import { instanceType, instanceTypeNames } from "../../../components/nodes/machine/instance-types";
import { instances } from "../../../components/cost/cost-lines";
import {
  citation,
  isOffered,
  price,
  pricedRegions,
  pricedSizes,
  priceTableDate,
} from "../../../components/cost/prices";
import table from "../../../components/cost/price-table.json";

interface List {
  readonly date: string;
  readonly status: string;
  readonly regions?: readonly string[];
  readonly usd: Readonly<Record<string, number | string>>;
}

/** TypeScript gives each list the items of every other one, too. */
const lists = table.lists as unknown as readonly List[];

test("the table has every commercial region that the AWS provider knows", () => {
  const known = Object.values(Region).filter((region) => !/^(cn|us-gov|us-iso\w*|eu-isoe|eusc)-/.test(region));
  expect(pricedRegions).toEqual(expect.arrayContaining(known));
  expect(known.length).toBeGreaterThan(30);
  for (const region of pricedRegions) expect(isRegion(region)).toBe(true);
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
  expect(["p5e.48xlarge"]).toEqual(expect.arrayContaining(unpriced));
});

test("each list has a cell for each of its regions, a date no later than the collection, and no price of 0", () => {
  for (const { regions = pricedRegions, date, status, usd } of lists) {
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
  const stated = lists.flatMap(({ regions = pricedRegions, usd }) =>
    Object.entries(usd).flatMap(([item, row]) => {
      const cells = typeof row === "number" ? regions.map(() => String(row)) : row.split(" ");
      return regions.filter((_, column) => cells[column] !== "?").map((region) => `${region} ${item}`);
    }),
  );
  expect(stated.filter((one, place) => stated.indexOf(one) !== place)).toEqual([]);
});

test("sources are cited with their date", () => {
  for (const source of table.lists.map(citation)) expect(source).toMatch(/^\S+\.\w+[/,].+, \d{4}[\d-]*$/);
});

test.for([
  ["us-east-1", "t3.small", 0.0208],
  ["us-east-1", "m6i.large", 0.096],
  ["us-east-1", "c7i.4xlarge", 0.714],
  ["us-east-1", "r6g.16xlarge", 3.2256],
  ["us-east-1", "c8i.2xlarge", 0.37484],
  ["us-west-2", "m5.24xlarge", 4.608],
  ["eu-west-1", "t3.micro", 0.0114],
  ["eu-central-1", "c5.9xlarge", 1.746],
  ["ap-northeast-1", "t4g.nano", 0.0054],
  ["ap-northeast-2", "i3en.24xlarge", 12.768],
] as const)("in %s, %s costs what AWS publishes", ([region, type, usd]) => {
  expect(price(region, type)).toMatchObject({ usd, unit: "instance-hour", status: "stated" });
  expect(isOffered(region, type)).toBe(true);
});

test("a size that a family does not have, and a family that the table does not have, are unknown", () => {
  for (const type of ["m6i.9xlarge", "m6i", "m6i.", "m6i.*.large", "z99.large", "constructor.large"]) {
    expect(price("us-east-1", type), type).toBeUndefined();
  }
});

test("each family has one size of the factor 1, and a row with its price", () => {
  for (const [family, size] of pricedSizes) {
    expect(size, family).not.toBe("");
    expect(price("us-east-1", `${family}.${size}`)?.usd, family).toBe(price("us-east-1", `${family}.*`)?.usd);
  }
  expect(pricedSizes.size).toBeGreaterThan(100);
});
