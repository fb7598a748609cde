import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import type { AddressInfo } from "node:net";

/**
 * Price lists of AWS for two regions. Recorded are: the lists of AWSELB, the columns of AmazonEC2, and of its rows the
 * values that stand here (the other columns are empty). The lists of EKS, VPC, KMS and CloudWatch are completed: they have
 * the columns of AWSELB, and usage types and prices that bills and AWS's pricing pages state.
 */
const fixtures = join(__dirname, "../../fixtures/price-lists");
const recorded = (file: string) => readFileSync(join(fixtures, file), "utf8");

type Row = Readonly<Record<string, string>>;

const ec2Columns = recorded("AmazonEC2-columns.csv").trim();
const otherColumns = recorded("AWSELB-us-east-1.csv").split("\n")[5] ?? "";

/** A price list: its first lines, the columns, and a line for each row. */
export function listOf(offer: string, columns: string, rows: readonly Row[], version = "20260904231117"): string {
  const date = `${version.slice(0, 4)}-${version.slice(4, 6)}-${version.slice(6, 8)}T23:11:17Z`;
  const head = [
    `"FormatVersion","v1.0"`,
    `"Disclaimer","This pricing list is for informational purposes only."`,
    `"Publication Date","${date}"`,
    `"Version","${version}"`,
    `"OfferCode","${offer}"`,
  ];
  const names = columns.split(",").map((name) => name.slice(1, -1));
  const lines = rows.map((row) => names.map((name) => (row[name] === undefined ? "" : `"${row[name]}"`)).join(","));
  return [...head, columns, ...lines, ""].join("\n");
}

const onDemand = { TermType: "OnDemand", StartingRange: "0", Currency: "USD", "Location Type": "AWS Region" };

/** A row that the completed part adds; its SKU is its usage type. */
export function row(usageType: string, usd: string, more: Row = {}): Row {
  return { ...onDemand, SKU: usageType, usageType, PricePerUnit: usd, ...more };
}

const linux = {
  ...{ Tenancy: "Shared", "Operating System": "Linux", "Pre Installed S/W": "NA", CapacityStatus: "Used" },
  ...{ MarketOption: "OnDemand", operation: "RunInstances", Unit: "Hrs" },
};

/** Recorded with the SKU NN4EGUUQRWVYP98C on 2026-08-10, as is its reserved row. */
const t3 = { ...row("BoxUsage:t3.medium", "0.0416000000", linux), SKU: "NN4EGUUQRWVYP98C" };
const t3Reserved = { ...t3, TermType: "Reserved", PricePerUnit: "0.0083000000", OfferTermCode: "38NPMPTW36" };

export const ec2Rows: Readonly<Record<"us-east-1" | "eu-west-2", readonly Row[]>> = {
  "us-east-1": [
    ...[t3Reserved, t3],
    { ...row("BoxUsage:t3.medium", "0.0600000000", { ...linux, "Operating System": "Windows" }), SKU: "WINDOWS" },
    { ...row("DedicatedUsage:t3.medium", "0.0441000000", { ...linux, Tenancy: "Dedicated" }), SKU: "DEDICATED" },
    {
      ...row("BoxUsage:t3.medium", "0.0500000000", { ...linux, CapacityStatus: "UnusedCapacityReservation" }),
      SKU: "UNUSED",
    },
    { ...row("NatGateway-Hours", "0.0600000000", { "Location Type": "AWS Local Zone" }), SKU: "ZONE" },
    { ...row("NatGateway-Hours", "30.0000000000", { TermType: "FlatRate" }), SKU: "FLAT" },
    row("BoxUsage:g5.xlarge", "1.0060000000", linux),
    { ...row("EBS:VolumeUsage.gp3", "0.0800000000"), SKU: "JG3KUJMBRGHV3N8G" },
    { ...row("NatGateway-Hours", "0.0450000000"), SKU: "M2YSHUBETB3JX4M4" },
    { ...row("RegionalNatGateway-Hours", "0.0450000000"), SKU: "KVHMMSJX774M3XRN" },
    row("NatGateway-Bytes", "0.0450000000"),
  ],
  "eu-west-2": [
    row("EUW2-BoxUsage:t3.medium", "0.0472000000", linux),
    row("EUW2-EBS:VolumeUsage.gp3", "0.0928000000"),
    { ...row("EUW2-NatGateway-Hours", "0.0500000000"), SKU: "D8BXG95NJW6MV3B3" },
    { ...row("EUW2-RegionalNatGateway-Hours", "0.0500000000"), SKU: "7YHFNHKKMV3Y57SX" },
    { ...row("EUW2-NatGateway-Bytes", "0.0500000000"), SKU: "ZECE57EY4F96YNAQ" },
  ],
};

function otherLists(region: string, prefix: string, endpointHour: string): Record<string, readonly Row[]> {
  return {
    AmazonEKS: [
      row(`${prefix}AmazonEKS-Hours:perCluster`, "0.1000000000"),
      row(`${prefix}AmazonEKS-Hours:extendedSupport`, "0.5000000000"),
    ],
    AmazonVPC: [
      row(`${prefix}PublicIPv4:InUseAddress`, "0.0050000000"),
      row(`${prefix}PublicIPv4:ContiguousBlock`, "0.0080000000"),
      row(`${prefix}VpcEndpoint-Hours`, endpointHour),
      row(`${prefix}VpcEndpoint-Bytes`, "0.0060000000", { StartingRange: "1048576" }),
      row(`${prefix}VpcEndpoint-Bytes`, "0.0100000000"),
    ],
    awskms: [row(`${region}-KMS-Keys`, "1.0000000000"), row(`${region}-KMS-Requests`, "0.0000030000")],
    AmazonCloudWatch: [
      row(`${prefix}DataProcessing-Bytes`, "0.5000000000"),
      row(`${prefix}CW:AlarmMonitorUsage`, "0.1000000000"),
      row(`${prefix}CW:HighResAlarmMonitorUsage`, "0.3000000000"),
    ],
  };
}

/** What the server answers, by path: a text, or a function that answers. */
export type Answers = Map<string, string | ((response: ServerResponse) => void)>;

export function priceListPath(offer: string, region: string): string {
  return `/offers/v1.0/aws/${offer}/20260904231117/${region}/index.csv`;
}

/** All answers of AWS for the two regions. Its indexes have a local zone, another partition and a region without EKS, too. */
export function awsAnswers(): Answers {
  const answers: Answers = new Map();
  const regions = ["us-east-1", "eu-west-2", "us-west-2-lax-1", "us-gov-west-1"];
  for (const offer of ["AmazonEC2", "AmazonEKS", "AmazonVPC", "awskms", "AmazonCloudWatch", "AWSELB"]) {
    const offered = offer === "AmazonEKS" ? regions : [...regions, "me-west-1"];
    const paths = offered.map((code) => {
      const currentVersionUrl = priceListPath(offer, code).replace(".csv", ".json");
      return [code, { regionCode: code, currentVersionUrl }] as const;
    });
    const index = JSON.stringify({ formatVersion: "v1.0", regions: Object.fromEntries(paths) });
    answers.set(`/offers/v1.0/aws/${offer}/current/region_index.json`, index);
  }
  for (const [region, rows] of Object.entries(ec2Rows)) {
    answers.set(priceListPath("AmazonEC2", region), listOf("AmazonEC2", ec2Columns, rows));
    answers.set(priceListPath("AWSELB", region), recorded(`AWSELB-${region}.csv`));
    const [prefix, hour] = region === "us-east-1" ? ["USE1-", "0.0100000000"] : ["EUW2-", "0.0110000000"];
    for (const [offer, some] of Object.entries(otherLists(region, prefix, hour))) {
      answers.set(priceListPath(offer, region), listOf(offer, otherColumns, some));
    }
  }
  return answers;
}

/** Removes a region from the index of an offer, or from all. */
export function dropRegion(answers: Answers, region: string, offer?: string): void {
  for (const [path, answer] of answers) {
    if (!path.endsWith("/region_index.json") || (offer !== undefined && !path.includes(`/${offer}/`))) continue;
    const index = JSON.parse(String(answer)) as { regions: Record<string, unknown> };
    const regions = Object.entries(index.regions).filter(([code]) => code !== region);
    answers.set(path, JSON.stringify({ ...index, regions: Object.fromEntries(regions) }));
  }
}

/** Replaces the rows of EC2 in us-east-1. */
export function withEc2Rows(answers: Answers, rows: readonly Row[]): void {
  answers.set(priceListPath("AmazonEC2", "us-east-1"), listOf("AmazonEC2", ec2Columns, rows));
}

/** A server on loopback with these answers. */
export async function serve(answers: Answers): Promise<{ readonly origin: string; readonly close: () => void }> {
  const server = createServer(({ url = "" }, response) => {
    const answer = answers.get(url);
    if (typeof answer === "function") answer(response);
    else response.writeHead(answer === undefined ? 403 : 200).end(answer ?? "AccessDenied");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() };
}
