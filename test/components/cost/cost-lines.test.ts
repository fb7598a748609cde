import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { CostLine } from "../../../components/cost/cost-line";
import * as costs from "../../../components/cost/cost-lines";
import { costNotes } from "../../../components/cost/cost-notes";
import { citedSources, describeTotal, oldestPrice, summarize } from "../../../components/cost/cost-summary";
import { price, pricedRegions, priceTableDate } from "../../../components/cost/prices";

vi.mock("../../../components/cost/price-table.json", () => import("../../fixtures/price-table.json"));

const seoul = "ap-northeast-2";
const nowhere = "cn-north-1";
const now = new Date("2026-11-21");

/** What tells lines apart in a table of cases. */
const brief = (lines: readonly CostLine[]) =>
  lines.map(({ item, quantity, usdPerHour, note }) => [item, quantity, usdPerHour, note]);

test("a line has item, quantity, price, date and source", () => {
  const listed = price(seoul, "nat-gateway");
  expect(listed?.date).toMatch(/^20/);
  expect(costs.natGateways(seoul, 3)).toEqual([
    {
      item: "NAT gateway",
      quantity: 3,
      unit: "gateway-hour",
      usdPerUnit: 0.059,
      usdPerHour: 0.177,
      status: listed?.status,
      priceDate: listed?.date,
      source: listed?.source,
    },
  ]);
});

test.for([
  ["public IPv4", costs.publicIpv4Addresses(seoul, 2), 0.01],
  ["CloudWatch alarm, by the month", costs.alarms(seoul, 2), 0.2 / 730],
  ["KMS key, by the month", costs.kmsKeys(seoul, 1), 1 / 730],
  ["interface endpoints", costs.interfaceEndpoints(seoul, 6), 6 * 0.013],
  ["load balancers", costs.loadBalancers("eu-west-2", "network", 2), 2 * 0.02646],
  ["instances", costs.instances(seoul, "t3.medium", 2), 0.104],
  ["gp3, by GB and month", costs.volumes(seoul, { sizeGiB: 100 }, 2), (200 * 0.0912) / 730],
] as const)("%s: the hourly amount", ([, lines, usd]) => {
  expect(lines).toHaveLength(1);
  expect(lines[0]?.usdPerHour).toBeCloseTo(usd, 12);
});

test("a quantity of 0 has no line", () => {
  expect(costs.natGateways(seoul, 0)).toEqual([]);
  expect(costs.instances(nowhere, "g5.xlarge", 0)).toEqual([]);
  expect(costs.instances(seoul, "p5.48xlarge", 0, "CAPACITY_BLOCK")).toEqual([]);
  expect(costs.volumes(nowhere, { sizeGiB: 100, volumeType: "io2" }, 0)).toEqual([]);
});

test("the wording of the notes", () => {
  const notes = Object.entries(costNotes).map(([key, note]) => [key, typeof note === "string" ? note : ""]);
  expect({
    ...Object.fromEntries(notes),
    freeTier: costNotes.freeTier("1 million requests"),
    noPriceIn: costNotes.noPriceIn(nowhere),
    notOfferedIn: costNotes.notOfferedIn("eu-west-1"),
    unlistedVersion: costNotes.unlistedVersion("1.99"),
    supportEnded: costNotes.supportEnded("1.29", "extended", "2026-03-23"),
    supportEnds: costNotes.supportEnds("1.34", "2026-12-02"),
    laterSurcharge: [costNotes.laterSurcharge(0.5), costNotes.laterSurcharge(undefined)],
    instanceChoice: costNotes.instanceChoice(["g4dn.xlarge", "g5.xlarge"]),
    schedule: costNotes.schedule("morning", 2),
  }).toMatchInlineSnapshot(`
    {
      "assumedGp3": "volume type not set; priced as gp3",
      "autoModeFee": "7.8% of the on-demand price",
      "automaticUpgrade": "EKS upgrades the cluster",
      "capacityBlock": "paid upfront when you buy the capacity block",
      "defaultVersion": "Kubernetes version not set; EKS uses its default",
      "freeTier": "free up to 1 million requests a month",
      "instanceChoice": "EC2 chooses from g4dn.xlarge, g5.xlarge; the line is for the most expensive type",
      "laterSurcharge": [
        "extended support then adds USD 0.50 per hour",
        "extended support has a surcharge",
      ],
      "loadBalancerTraffic": "traffic is billed separately",
      "logStorage": "log storage is billed separately",
      "noPrice": "no price available",
      "noPriceIn": "no price available in cn-north-1",
      "notOfferedIn": "not offered in eu-west-1",
      "remoteComponent": "its provider creates its resources during the update",
      "reservation": "a reservation is billed whether it is used or not",
      "schedule": "schedule morning starts 2 nodes; how long they run is not known",
      "spot": "at most the on-demand price",
      "supportEnded": "Kubernetes 1.29 left extended support on 2026-03-23",
      "supportEnds": "Kubernetes 1.34 leaves standard support on 2026-12-02",
      "unknownInstanceType": "the plan does not contain the instance type",
      "unknownQuantity": "the quantity is known only after the update",
      "unknownVolumeSize": "the plan does not contain the volume size",
      "unlistedVersion": "Kubernetes 1.99 is not in the EKS calendar; priced as standard support",
      "unseen": "the plan does not see what it creates",
      "upperBound": "an upper bound: IOPS above 32,000 cost less",
    }
  `);
});

describe("an unknown price has a note", () => {
  test.for([
    ["a region", costs.natGateways(nowhere, 1), "NAT gateway", costNotes.noPriceIn(nowhere)],
    ["a type", costs.instances(seoul, "g7.2xlarge", 1), "g7.2xlarge, on demand", costNotes.noPriceIn(seoul)],
    ["a count", costs.natGateways(seoul, undefined), "NAT gateway", costNotes.unknownQuantity],
    [
      "a capacity block",
      costs.instances(seoul, "p5.48xlarge", 2, "CAPACITY_BLOCK"),
      "p5.48xlarge, capacity block",
      costNotes.capacityBlock,
    ],
    [
      "a volume type",
      costs.volumes(seoul, { sizeGiB: 10, volumeType: "io9" }, 1),
      "EBS io9 storage",
      costNotes.noPrice,
    ],
    ["a volume size", costs.volumes(seoul, { sizeGiB: undefined }, 1), "EBS gp3 storage", costNotes.unknownVolumeSize],
  ] as const)("%s", ([, lines, item, note]) => {
    expect(lines).toEqual([expect.objectContaining({ item, note, usdPerHour: undefined, status: "unknown" })]);
  });

  test("spot is priced as on demand, with a note", () => {
    expect(brief(costs.instances(seoul, "g5.xlarge", 2, "SPOT", "one of many"))).toEqual([
      ["g5.xlarge, spot, at most", 2, 2.474, `one of many; ${costNotes.spot}`],
    ]);
  });

  const usd = (item: string) => price(seoul, item)?.usd ?? NaN;
  test.for([
    ["gp2", { volumeType: "gp2", iops: 300 }, ["storage", 10]],
    ["st1", { volumeType: "st1" }, ["storage", 10]],
    ["sc1", { volumeType: "sc1" }, ["storage", 10]],
    ["gp3 with more IOPS", { volumeType: "gp3", iops: 6000 }, ["storage", 10, "iops", 3000]],
    ["gp3 with more throughput", { volumeType: "gp3", throughput: 637 }, ["storage", 10, "throughput", 0.5]],
    ["io1", { volumeType: "io1", iops: 500 }, ["storage", 10, "iops", 500]],
    ["io2", { volumeType: "io2", iops: 40_000 }, ["storage", 10, "iops", 40_000]],
  ] as const)("%s costs its size, and the performance that this does not include", ([, volume, expected]) => {
    const lines = costs.volumes(seoul, { sizeGiB: 10, ...volume }, 1);
    const parts = [expected.slice(0, 2), expected.slice(2)].filter(([what]) => what !== undefined);
    const items = parts.map(([what]) => `ebs-${volume.volumeType}-${String(what)}`);
    expect(lines.map(({ quantity, usdPerUnit }) => [quantity, usdPerUnit])).toEqual(
      parts.map(([, quantity], at) => [quantity, usd(items[at] ?? "")]),
    );
    expect(lines.every(({ usdPerHour = 0 }) => usdPerHour > 0)).toBe(true);
  });

  test("IOPS known only after the update make the cost of io1 a lower bound, and that of gp2 does not have them", () => {
    const complete = (volumeType: string) =>
      costs.volumes(seoul, { sizeGiB: 10, volumeType }, 1).map(({ status }) => status);
    expect([complete("io1"), complete("gp2")]).toEqual([["stated", "unknown"], ["stated"]]);
  });

  test("gp3 with its base performance is its size alone", () => {
    expect(costs.volumes(seoul, { sizeGiB: 10, iops: 3000, throughput: 125 }, 1)).toHaveLength(1);
  });
});

describe("control plane", () => {
  const at = (kubernetesVersion: string | undefined, day: string, supportType?: "STANDARD" | "EXTENDED") =>
    brief(costs.controlPlane({ region: seoul, kubernetesVersion, supportType, now: new Date(day) }));
  const standard = (note?: string) => ["EKS control plane", 1, expect.closeTo(0.1, 12) as number, note];
  const surcharge = (note: string) => ["EKS extended support surcharge", 1, expect.closeTo(0.5, 12) as number, note];

  test.for([
    ["in standard support", "1.35", "2027-01-25", undefined, [standard()]],
    [
      "60 days before the end of standard support",
      "1.35",
      "2027-01-26",
      undefined,
      [standard(`${costNotes.supportEnds("1.35", "2027-03-27")}; ${costNotes.laterSurcharge(0.5)}`)],
    ],
    [
      "on the last day of standard support",
      "1.34",
      "2026-12-02T23:00:00Z",
      undefined,
      [standard(`${costNotes.supportEnds("1.34", "2026-12-02")}; ${costNotes.laterSurcharge(0.5)}`)],
    ],
    [
      "before the end of standard support, upgrade policy STANDARD",
      "1.36",
      "2027-08-01",
      "STANDARD",
      [standard(`${costNotes.supportEnds("1.36", "2027-08-02")}; ${costNotes.automaticUpgrade}`)],
    ],
    [
      "in extended support",
      "1.35",
      "2027-03-28",
      undefined,
      [standard(), surcharge(costNotes.supportEnded("1.35", "standard", "2027-03-27"))],
    ],
    [
      "in extended support, upgrade policy STANDARD",
      "1.35",
      "2027-03-28",
      "STANDARD",
      [standard(`${costNotes.supportEnded("1.35", "standard", "2027-03-27")}; ${costNotes.automaticUpgrade}`)],
    ],
    [
      "past extended support",
      "1.29",
      "2026-11-21",
      "EXTENDED",
      [standard(), surcharge(costNotes.supportEnded("1.29", "extended", "2026-03-23"))],
    ],
    ["no version", undefined, "2026-11-21", undefined, [standard(costNotes.defaultVersion)]],
    ["newer than the calendar", "1.40", "2026-11-21", undefined, [standard(costNotes.unlistedVersion("1.40"))]],
  ] as const)("%s", ([, version, day, supportType, lines]) => expect(at(version, day, supportType)).toEqual(lines));

  test("the surcharge of a region without prices is unknown", () => {
    const lines = costs.controlPlane({ region: nowhere, kubernetesVersion: "1.31", now });
    expect(lines.map((line) => [line.status, line.usdPerHour])).toEqual([
      ["unknown", undefined],
      ["unknown", undefined],
    ]);
  });
});

test("what is paid by use has a price and no amount", () => {
  expect(costs.natGatewayData(seoul)).toMatchObject({ item: "NAT gateway data", unit: "GB", usdPerUnit: 0.059 });
  expect(costs.logIngest(seoul)).toMatchObject({ unit: "GB", usdPerUnit: 0.76 });
  expect(costs.interfaceEndpointData(seoul)).toMatchObject({ unit: "GB", usdPerUnit: 0.01 });
  expect(costs.logIngest(nowhere)).toMatchObject({ unit: "GB", usdPerUnit: undefined, status: "unknown" });
});

describe("summary", () => {
  const line = fc
    .tuple(
      fc.constantFrom(...pricedRegions, nowhere),
      fc.constantFrom("g5.xlarge", "t3.medium", "g7.2xlarge", "p5e.48xlarge"),
      fc.option(fc.nat(20), { nil: undefined }),
      fc.nat(500),
    )
    .map(([region, type, count, sizeGiB]) => [
      ...costs.instances(region, type, count),
      ...costs.volumes(region, { sizeGiB }, count),
      ...costs.kmsKeys(region, count),
    ]);
  const someLines = fc.array(line, { maxLength: 12 }).map((lines) => lines.flat());

  test("the totals are the sums of the lines, and complete when all are known", () => {
    fc.assert(
      fc.property(someLines, (lines) => {
        const summary = summarize(lines);
        const sum = (of: readonly CostLine[]) => of.reduce((total, l) => total + (l.usdPerHour ?? 0), 0);
        expect(summary.usdPerHour).toBeCloseTo(sum(lines), 9);
        expect(summary.usdPerHour).toBe(sum(summary.lines));
        expect(summary.usdPerMonth).toBe(summary.usdPerHour * 730);
        expect(summary.complete).toBe(lines.every((l) => l.usdPerHour !== undefined));
      }),
    );
  });

  test("the order of the lines does not matter", () => {
    fc.assert(
      fc.property(someLines, (lines) => {
        const total = summarize(lines);
        const reversed = summarize([...lines].reverse());
        expect(reversed.usdPerHour).toBeCloseTo(total.usdPerHour, 9);
        expect(new Set(brief(reversed.lines).map(String))).toEqual(new Set(brief(total.lines).map(String)));
      }),
    );
  });

  test("equal lines become one, the most expensive is first, unknown ones last", () => {
    const lines = [
      ...costs.instances(seoul, "g7.2xlarge", 1),
      ...costs.publicIpv4Addresses(seoul, 1),
      ...costs.natGateways(seoul, 1),
      ...costs.instances(seoul, "g7.2xlarge", 2),
      ...costs.natGateways(seoul, 2),
    ];
    expect(brief(summarize(lines).lines)).toEqual([
      ["NAT gateway", 3, expect.closeTo(0.177, 12), undefined],
      ["public IPv4 address", 1, 0.005, undefined],
      ["g7.2xlarge, on demand", 3, undefined, costNotes.noPriceIn(seoul)],
    ]);
  });

  test("a count that is not known is not added to one that is", () => {
    const { lines, complete } = summarize([...costs.kmsKeys(seoul, 1), ...costs.kmsKeys(seoul, undefined)]);
    expect(lines.map((l) => l.quantity)).toEqual([1, undefined]);
    expect(complete).toBe(false);
  });

  test.for([
    ["complete", costs.natGateways(seoul, 1), "0.0590 USD per hour, 43.07 USD per month"],
    [
      "with an unknown",
      [...costs.natGateways(seoul, 1), ...costs.natGateways(nowhere, 1)],
      "at least 0.0590 USD per hour, at least 43.07 USD per month",
    ],
    ["without any price", costs.natGateways(nowhere, 1), "unknown"],
    ["with nothing to pay", [], "0.0000 USD per hour, 0.00 USD per month"],
  ] as const)("total as text, %s", ([, lines, words]) => expect(describeTotal(summarize(lines))).toBe(words));

  test("sources are named once, with their dates, and the oldest price gives the date", () => {
    const lines = [
      ...costs.natGateways(seoul, 1),
      ...costs.publicIpv4Addresses(seoul, 1),
      ...costs.instances(seoul, "t3.medium", 1),
      ...costs.natGateways(nowhere, 1),
    ];
    const prices = ["nat-gateway", "public-ipv4", "t3.medium"].flatMap((item) => price(seoul, item) ?? []);
    const cited = prices.map(({ source, date }) => `${source}, ${date}`);
    expect(cited).toHaveLength(3);
    expect(citedSources([...lines, ...lines])).toEqual([...new Set(cited)].sort());
    expect(oldestPrice(lines)).toBe(prices.map(({ date }) => date).sort()[0]);
    expect(oldestPrice([])).toBe(priceTableDate);
  });
});

test("EKS Auto Mode charges a share for G types; for others, the fee is not known", () => {
  const fees = (type: string, count: number | undefined) => costs.autoModeFees(seoul, type, count);
  expect(fees("g5.xlarge", 2)[0]).toMatchObject({ status: "inferred", quantity: 2 });
  expect(fees("g5.xlarge", 2)[0]?.usdPerHour).toBeCloseTo(2 * 0.078 * (price(seoul, "g5.xlarge")?.usd ?? NaN), 9);
  expect(fees("g5.xlarge", undefined)[0]).toMatchObject({ status: "unknown", usdPerHour: undefined });
  expect(fees("p5.48xlarge", 1)[0]).toMatchObject({ status: "unknown", usdPerHour: undefined });
  expect(fees("g5.xlarge", 0)).toEqual([]);
});
