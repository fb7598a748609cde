import { expect, test, vi } from "vitest";
import { instances } from "../../../components/cost/cost-lines";
import { costNotes } from "../../../components/cost/cost-notes";
import { isOffered, price, priceUnit } from "../../../components/cost/prices";

vi.mock("../../../components/cost/price-table.json", () => import("../../fixtures/price-table.json"));

test("a price carries its unit, date, source and status", () => {
  const source = expect.stringMatching(/\w/) as string;
  expect(price("ap-northeast-2", "g5.xlarge")).toMatchObject({ usd: 1.237, unit: "instance-hour", source });
  expect(price("eu-west-1", "kms-key")).toMatchObject({ usd: 1, unit: "key-month", source });
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

test("a unit is known without a price", () => {
  expect([priceUnit("ebs-gp3-storage"), priceUnit("x9.huge")]).toEqual(["GB-month", "instance-hour"]);
});
