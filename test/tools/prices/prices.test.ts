import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { updatePrices } from "../../../tools/prices";
import { acceptOptions, type AcceptOption } from "../../../tools/prices/collect";
import { fieldsOf } from "../../../tools/prices/price-list";
import type { Download } from "../../../tools/prices/download";
import { cellsOf, type PriceTable } from "../../../tools/prices/table";
import {
  awsAnswers,
  dropRegion,
  ec2Rows,
  priceListPath,
  row,
  serve,
  withEc2Rows,
  type Answers,
} from "./aws-price-lists";

const old: PriceTable = {
  about: "",
  collected: "2026-07-01",
  units: {},
  regions: ["us-east-1"],
  lists: [
    { date: "2026", source: "a.b/c", status: "stated", usd: { "t3.medium": "0.04", "g5.xlarge": 1.006 } },
    { date: "2026", source: "a.b/c", status: "stated", usd: { "nat-gateway": "?" } },
  ],
};
const today = new Date("2026-11-24T05:00:00Z");

let folder: string;
let path: string;
let answers: Answers;
let limits: Partial<Download>;
beforeEach(() => {
  limits = {};
  folder = mkdtempSync(join(tmpdir(), "prices-"));
  path = join(folder, "price-table.json");
  writeFileSync(path, JSON.stringify(old));
  answers = awsAnswers();
});
afterEach(() => rmSync(folder, { recursive: true }));

async function update(...accepts: readonly AcceptOption[]) {
  const { origin, close } = await serve(answers);
  const waits: number[] = [];
  const wait = (attempt: number) => Promise.resolve(void waits.push(attempt));
  const from = { origin, attempts: 3, wait, stallSeconds: 60, mostSeconds: 60, ...limits };
  const lines: string[] = [];
  const progress = (line: string) => void lines.push(line);
  const result = await updatePrices(path, { accepts, from, progress, today });
  close();
  return {
    waits,
    lines,
    changes: "changes" in result ? result.changes : [],
    problems: "problems" in result ? result.problems : [],
  };
}

const written = () => JSON.parse(readFileSync(path, "utf8")) as PriceTable;

/** The paths and reasons of the problems; the table must be as it was, without another file beside it. */
async function refused(...accepts: readonly AcceptOption[]): Promise<string[]> {
  const { problems } = await update(...accepts);
  expect(written()).toEqual(old);
  expect(readdirSync(folder)).toEqual(["price-table.json"]);
  return problems.map(({ path, why }) => `${path}: ${why}`).sort();
}

describe("a new table", () => {
  test("has the prices of the commercial regions, with the version of each price list and the date of today", async () => {
    expect((await update()).problems).toEqual([]);
    const table = written();
    expect(table.collected).toBe("2026-11-24");
    expect(table.regions).toEqual(["eu-west-2", "us-east-1"]);
    const balancers = table.lists.find(({ source }) => source.includes("AWSELB"));
    expect(balancers).toEqual({
      date: "2026-11-24",
      source: "pricing.us-east-1.amazonaws.com, AWSELB 20260831092255",
      status: "stated",
      usd: {
        "load-balancer-application": "0.02646 0.0225",
        "load-balancer-network": "0.02646 0.0225",
        "load-balancer-gateway": "0.0147 0.0125",
        "load-balancer-classic": "0.0294 0.025",
      },
    });
  });

  test("has one price for what costs the same everywhere, and tells what a region does not offer", async () => {
    await update();
    const rows = Object.assign({}, ...written().lists.map(({ usd }) => usd)) as Record<string, unknown>;
    expect(rows).toMatchObject({
      "t3.medium": "0.0472 0.0416",
      "g5.xlarge": "- 1.006",
      "ebs-gp3-storage": "0.0928 0.08",
      "nat-gateway": "0.05 0.045",
      "eks-control-plane-standard": 0.1,
      "eks-extended-support": 0.5,
      "kms-key": 1,
      "public-ipv4": 0.005,
      "vpc-interface-endpoint": "0.011 0.01",
      "vpc-interface-endpoint-data": 0.01,
      "cloudwatch-logs-ingest-standard": 0.5,
      "cloudwatch-alarm": 0.1,
    });
    expect(rows).not.toHaveProperty("p5e.48xlarge");
  });

  test("keeps regions whose price lists have another version apart", async () => {
    const london = priceListPath("AmazonEKS", "eu-west-2");
    answers.set(london, String(answers.get(london)).replaceAll("20260904231117", "20260801231117"));
    await update();
    const lists = written().lists.filter(({ source }) => source.includes("AmazonEKS"));
    expect(lists.map(({ source, regions }) => [source.split(" ")[2], regions])).toEqual([
      ["20260801231117", ["eu-west-2"]],
      ["20260904231117", ["us-east-1"]],
    ]);
    expect(cellsOf(written()).get("eu-west-2 eks-extended-support")).toBe("0.5");
  });

  test("is reported as changes", async () => {
    expect((await update()).changes).toEqual([
      "Price table of 2026-07-01 → 2026-11-24: 34 cells in 2 regions",
      "  us-east-1 t3.medium: 0.04 → 0.0416 (+4.0 %)",
      "  eu-west-2: new prices of 16 items",
      "  us-east-1: new prices of 15 items",
    ]);
    expect((await update()).changes).toEqual([
      "Price table of 2026-11-24 → 2026-11-24: 34 cells in 2 regions",
      "  no price changed",
    ]);
  });
});

describe("nothing is written, and all problems are reported at once, when", () => {
  test("a price that the table has is missing, or a service has none", async () => {
    withEc2Rows(
      answers,
      ec2Rows["us-east-1"].filter(({ usageType }) => !/g5|NatGateway-Bytes/.test(usageType ?? "")),
    );
    answers.set(
      priceListPath("awskms", "eu-west-2"),
      String(answers.get(priceListPath("awskms", "eu-west-2"))).replaceAll("-Keys", "-Key"),
    );
    expect(await refused()).toEqual([
      expect.stringContaining(
        "eu-west-2 kms-key: The price list awskms has no on-demand price with the usage type KMS-Keys",
      ),
      expect.stringContaining("us-east-1 g5.xlarge: The price list AmazonEC2 has no on-demand price"),
      expect.stringContaining("us-east-1 nat-gateway-data: "),
    ]);
  });

  test("two products have different prices for one key, or a price is 0", async () => {
    const windowsFirst = ec2Rows["us-east-1"].map((one) =>
      one["SKU"] === "WINDOWS" ? { ...one, "Operating System": "Linux" } : one,
    );
    const free = windowsFirst.map((one) =>
      one["usageType"] === "NatGateway-Bytes" ? { ...one, PricePerUnit: "0.0000000000" } : one,
    );
    withEc2Rows(answers, free);
    expect(await refused()).toEqual([
      "us-east-1 nat-gateway-data: A price must be above 0: SKU NatGateway-Bytes.",
      "us-east-1 t3.medium: More than one product has a price for it, and they differ.",
    ]);
  });

  test.for([
    ["another price", "1.5090000000", "More than one product has a price for it, and they differ."],
    ["no price", "0.0000000000", "A price must be above 0: SKU BoxUsage:g5.xlarge."],
  ] as const)(
    "two rows of one SKU are for the same tier, and one has %s",
    async ([, PricePerUnit, why], { expect }) => {
      const rows = ec2Rows["us-east-1"];
      const isG5 = ({ usageType = "" }) => usageType === "BoxUsage:g5.xlarge";
      const g5 = rows.filter(isG5).map((one) => ({ ...one, PricePerUnit }));
      for (const [place, both] of [
        [...rows, ...g5],
        [...g5, ...rows],
      ].entries()) {
        withEc2Rows(answers, both);
        expect(await refused(), `order ${place}`).toEqual([`us-east-1 g5.xlarge: ${why}`]);
      }
    },
  );

  test("files are missing, or the server fails", async () => {
    answers.delete(priceListPath("AmazonVPC", "eu-west-2"));
    answers.set(priceListPath("AmazonEKS", "us-east-1"), (response) => response.writeHead(503).end());
    expect(await refused()).toEqual([
      `${priceListPath("AmazonEKS", "us-east-1")}: The server answered 503 Service Unavailable.`,
      `${priceListPath("AmazonVPC", "eu-west-2")}: The server answered 403 Forbidden.`,
    ]);
  });

  test("an index is missing, or a proxy answers with a page", async () => {
    answers.set("/offers/v1.0/aws/awskms/current/region_index.json", "<html>Sign in</html>");
    answers.set("/offers/v1.0/aws/AWSELB/current/region_index.json", "{}");
    answers.delete("/offers/v1.0/aws/AmazonVPC/current/region_index.json");
    expect(await refused()).toEqual([
      expect.stringMatching(/AWSELB.*not an index of regions/),
      expect.stringMatching(/AmazonVPC.*403/),
      expect.stringMatching(/awskms.*not JSON: a proxy/),
    ]);
  });

  test.for([
    ["a page", () => "<html>Sign in</html>\n", /not a price list: a proxy/],
    ["nothing", () => "", /not a price list/],
    ["another price list", (text: string) => text.replace('"AmazonEKS"', '"AmazonECS"'), /price list of AmazonECS/],
    ["without a column", (text: string) => text.replace('"Currency"', '"Money"'), /Columns are missing: Currency/],
    ["a file that ends within a line", (text: string) => text.slice(0, -30), /not complete/],
    ["a file that ends within its first lines", (text: string) => text.slice(0, 60), /not a price list/],
  ] as const)("a price list is %s", async ([, change, why]) => {
    const path = priceListPath("AmazonEKS", "us-east-1");
    answers.set(path, change(String(answers.get(path))));
    expect(await refused()).toEqual([expect.stringMatching(why)]);
  });

  test("a file ends within a reserved row, which is otherwise not read", async () => {
    const [reserved] = ec2Rows["us-east-1"] as readonly [ReturnType<typeof row>];
    withEc2Rows(answers, [...ec2Rows["us-east-1"], reserved]);
    const path = priceListPath("AmazonEC2", "us-east-1");
    answers.set(path, String(answers.get(path)).slice(0, -60));
    expect(await refused()).toEqual([expect.stringMatching(/AmazonEC2.*not complete/)]);
  });

  test("a region that the table has is in no index, or only in some", async () => {
    dropRegion(answers, "us-east-1");
    expect(await refused()).toEqual([
      "us-east-1: The index of EC2 or of EKS does not have this region; the table has 2 prices of it.",
    ]);
    answers = awsAnswers();
    dropRegion(answers, "us-east-1", "AmazonEKS");
    expect(await refused()).toHaveLength(1);
    answers = awsAnswers();
    dropRegion(answers, "us-east-1", "awskms");
    expect(await refused()).toEqual([expect.stringContaining("The index has no price list of us-east-1")]);
  });

  test("the indexes have no commercial region, whatever is accepted", async () => {
    for (const region of ["us-east-1", "eu-west-2"]) dropRegion(answers, region);
    expect(await refused(...acceptOptions)).toEqual([
      "regions: The indexes have no commercial region with EC2 and EKS.",
    ]);
    expect(await refused()).toHaveLength(2);
  });

  test("a price is more than three times, or less than a third, of what is known", async () => {
    const prices: Record<string, string> = { "BoxUsage:g5.xlarge": "3.1", "NatGateway-Bytes": "1000000000" };
    withEc2Rows(
      answers,
      ec2Rows["us-east-1"].map((one) => ({
        ...one,
        PricePerUnit: prices[one["usageType"] ?? ""] ?? one["PricePerUnit"] ?? "",
      })),
    );
    const keys = answers.get(priceListPath("awskms", "eu-west-2"));
    answers.set(priceListPath("awskms", "eu-west-2"), String(keys).replace('"1.0000000000"', '"0.2"'));
    const within = (path: string, usd: number) =>
      `${path}: A price must be within a factor of 3 of ${usd}, the price that the table or other regions have.`;
    expect(await refused("--accept-missing")).toEqual([
      within("us-east-1 g5.xlarge", 1.006),
      within("us-east-1 kms-key", 0.2),
      within("us-east-1 nat-gateway-data", 0.05),
    ]);
    expect((await update("--accept-changes")).problems).toEqual([]);
    expect(cellsOf(written()).get("us-east-1 g5.xlarge")).toBe("3.1");
  });

  test("the missing prices are accepted, but another problem remains", async () => {
    withEc2Rows(answers, [{ ...row("NatGateway-Bytes", "0") }]);
    expect(await refused("--accept-missing")).toEqual([
      expect.stringContaining("us-east-1 nat-gateway-data: A price must be above 0"),
    ]);
  });
});

test("a server that fails is asked again, one that refuses is not", async () => {
  answers.set(priceListPath("AmazonEKS", "us-east-1"), (response) => response.writeHead(503).end());
  expect((await update()).waits).toEqual([1, 2]);
  answers.delete(priceListPath("AmazonEKS", "us-east-1"));
  expect((await update()).waits).toEqual([]);
});

test.for([
  ["never answers", () => undefined, "The server sent nothing for 0.3 s."],
  ["stops", sendOnce, "The server sent nothing for 0.3 s."],
  ["sends a byte now and then", trickle, "It took more than 0.9 s."],
] as const)("a server that %s is given up", async ([, answer, why], { expect }) => {
  const path = priceListPath("AmazonEKS", "us-east-1");
  answers.set(path, answer);
  limits = { attempts: 1, stallSeconds: 0.3, mostSeconds: 0.9 };
  const { problems, lines } = await update();
  expect(problems).toEqual([{ path, got: undefined, why, fix: "check the network and run the command again" }]);
  expect(lines).toEqual(["eu-west-2: read, 1 of 2 regions"]);
});

function sendOnce(response: ServerResponse): void {
  response.writeHead(200).write("a");
}

function trickle(response: ServerResponse): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write("a"), 50);
  response.on("close", () => clearInterval(timer));
}

test("each region is a line of progress", async () => {
  const { lines } = await update();
  expect(lines.map((line) => line.split(":")[0]).sort()).toEqual(["eu-west-2", "us-east-1"]);
  expect(lines[1]).toMatch(/^[a-z0-9-]+: read, 2 of 2 regions$/);
});

test("a dropped download starts over, without what it had read", async () => {
  const path = priceListPath("AmazonEC2", "us-east-1");
  const whole = String(answers.get(path));
  let drops = 0;
  answers.set(path, (response) => {
    if (++drops > 2) return void response.writeHead(200).end(whole);
    response.writeHead(200, { "content-length": whole.length });
    response.write(whole.slice(0, whole.length - 300), () => response.destroy());
  });
  const { waits, problems } = await update();
  expect([waits, problems]).toEqual([[1, 2], []]);
  expect(cellsOf(written()).get("us-east-1 t3.medium")).toBe("0.0416");
});

test("a price that AWS withdrew becomes not offered, if that is accepted", async () => {
  withEc2Rows(
    answers,
    ec2Rows["us-east-1"].filter(({ usageType }) => usageType !== "NatGateway-Bytes"),
  );
  const { changes, problems } = await update("--accept-missing");
  expect(problems).toEqual([]);
  expect(changes[0]).toContain("2 regions");
  expect(cellsOf(written()).get("us-east-1 nat-gateway-data")).toBe("-");
});

test("a region that AWS closed leaves the table, if that is accepted", async () => {
  dropRegion(answers, "us-east-1");
  expect((await update("--accept-missing")).problems).toEqual([]);
  expect(written().regions).toEqual(["eu-west-2"]);
});

test.for([
  ['"a","b"', ["a", "b"]],
  ['"a, b",,"c ""d"""', ["a, b", "", 'c "d"']],
  [",,", ["", "", ""]],
  ['a,"b', ["a"]],
] as const)("the fields of %s", ([line, fields]) => expect(fieldsOf(line)).toEqual(fields));
