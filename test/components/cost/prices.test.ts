import { expect, test } from "vitest";
import { instanceType, instanceTypeNames } from "../../../components/nodes/machine/instance-types";
import { instances } from "../../../components/cost/cost-lines";
import { price, priceUnit, pricedRegions, priceSources, priceTableDate } from "../../../components/cost/prices";
import table from "../../../components/cost/price-table.json";

test("five regions have prices", () => {
  expect(pricedRegions).toEqual(["us-east-1", "us-west-2", "eu-west-1", "ap-northeast-1", "ap-northeast-2"]);
  expect(priceTableDate).toBe("2026-11-21");
});

test("a price carries its unit, date, source and status", () => {
  expect(price("ap-northeast-2", "g5.xlarge")).toEqual({
    usd: 1.237,
    unit: "instance-hour",
    date: "2025-04-04",
    source: "github.com/yeo/ec2.shop, data/ec2/ap-northeast-2-ondemand.json",
    status: "stated",
    note: "us-east-1 price of the type unchanged to 2026-07-20",
  });
  expect(price("eu-west-1", "kms-key")).toEqual({
    usd: 1,
    unit: "key-month",
    date: "2026",
    source: "inferred from the other four regions",
    status: "inferred",
  });
  expect(price("ap-northeast-2", "nat-gateway")?.status).toBe("computed");
});

test.for([
  ["us-east-1", "g4dn.xlarge", 0.526],
  ["us-west-2", "p4d.24xlarge", 21.95764],
  ["eu-west-1", "t3.medium", 0.0456],
  ["ap-northeast-1", "g6e.xlarge", 2.699],
  ["ap-northeast-2", "p5.48xlarge", 75.9552],
  ["us-east-1", "eks-control-plane-extended-total", 0.6],
  ["ap-northeast-1", "nat-gateway-data", 0.062],
  ["eu-west-1", "vpc-interface-endpoint", 0.011],
] as const)("%s %s costs %f", ([region, item, usd]) => expect(price(region, item)?.usd).toBe(usd));

test.for([
  ["a region outside the table", "eu-north-1", "g5.xlarge"],
  ["a type the region does not offer", "eu-west-1", "g6.xlarge"],
  ["a type without a published price", "us-east-1", "p5e.48xlarge"],
  ["a name every object has", "us-east-1", "constructor"],
  ["a region name every object has", "constructor", "g5.xlarge"],
] as const)("%s has no price", ([, region, item]) => expect(price(region, item)).toBeUndefined());

test("every GPU instance type of the catalogue has a price or is an explicit unknown in each region", () => {
  const gpuTypes = instanceTypeNames.filter((name) => instanceType(name)?.gpus);
  expect(gpuTypes).toHaveLength(64);
  const unknown = pricedRegions.map((region) => {
    const lines = gpuTypes.map((name) => instances(region, name, 1));
    expect(lines.every((of) => of.length === 1)).toBe(true);
    for (const [line] of lines) expect(line?.usdPerHour === undefined).toBe(line?.status === "unknown");
    return [region, lines.filter(([line]) => line?.status === "unknown").length];
  });
  // g7, g7e, gr6f and p5e are what most regions miss; Ireland lacks the newer families altogether.
  expect(Object.fromEntries(unknown)).toEqual({
    "us-east-1": 1,
    "us-west-2": 14,
    "eu-west-1": 48,
    "ap-northeast-1": 16,
    "ap-northeast-2": 18,
  });
});

test("the table holds each item once a region, never free, with a date of its own and no later than the collection", () => {
  for (const lists of Object.values(table.regions)) {
    const items = lists.flatMap((list) => Object.keys(list.usd));
    expect(new Set(items).size).toBe(items.length);
    for (const list of lists) {
      expect(list.date).toMatch(/^\d{4}(-\d\d(-\d\d)?)?$/);
      expect(list.date <= priceTableDate).toBe(true);
      expect(["stated", "computed", "inferred"]).toContain(list.status);
      expect(Object.values(list.usd).every((usd) => usd > 0)).toBe(true);
    }
  }
});

test("sources are cited with their date", () => {
  expect(priceSources()).toContain("aws.amazon.com/vpc/pricing, from a bill, 2026-04");
  expect(new Set(priceSources()).size).toBe(priceSources().length);
  for (const source of priceSources()) expect(source).toMatch(/^(github\.com|aws\.amazon\.com)\/|^inferred from /);
});

test("a unit is known without a price", () => {
  expect([priceUnit("ebs-gp3-storage"), priceUnit("x9.huge")]).toEqual(["GB-month", "instance-hour"]);
});
