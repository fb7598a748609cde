import { isRegion } from "../../components/core/region";
import { isRecord } from "../../components/core/reader/records";
import type { Problem } from "../../components/core/problems";
import { download, WrongContent, type Download } from "./download";
import { readPriceList, type PriceList } from "./price-list";
import { offers } from "./products";

/** Options with which a maintainer confirms what AWS did. */
export const acceptOptions = ["--accept-missing", "--accept-changes"] as const;
export type AcceptOption = (typeof acceptOptions)[number];

export interface PriceProblem extends Omit<Problem, "code"> {
  /** The option that accepts it. @default undefined - it must be corrected */
  readonly accept?: AcceptOption;
}

/** What was read, and what could not be. */
export interface Collected {
  /** The commercial regions that have both EC2 and EKS. */
  readonly regions: readonly string[];
  readonly lists: readonly PriceList[];
  readonly problems: readonly PriceProblem[];
}

/**
 * Downloads the price lists of all offers and commercial regions.
 *
 * @param progress is called with a line when the price lists of a region are done
 */
export async function collect(from: Download, progress: (line: string) => void): Promise<Collected> {
  const indexes = await settled(offers, async (offer) => [offer, await regionIndex(offer, from)] as const, indexPath);
  const byOffer = new Map(indexes.values);
  if (indexes.problems.length > 0) return { regions: [], lists: [], problems: indexes.problems };
  const regions = [...(byOffer.get("AmazonEC2")?.keys() ?? [])]
    .filter((region) => isCommercial(region) && byOffer.get("AmazonEKS")?.has(region))
    .sort();
  const files = regions.flatMap((region) =>
    [...byOffer].map(([offer, paths]) => ({ offer, region, path: paths.get(region) })),
  );
  const read = new Map(regions.map((region) => [region, 0]));
  const lists = await settled(
    files,
    async ({ offer, region, path }) => {
      if (path === undefined) throw new Error(`The index has no price list of ${region}`);
      const list = await download(path, from, (body) => readPriceList(offer, region, body));
      const count = (read.get(region) ?? 0) + 1;
      read.set(region, count);
      const done = [...read.values()].filter((one) => one === offers.length).length;
      if (count === offers.length) progress(`${region}: read, ${done} of ${regions.length} regions`);
      return list;
    },
    ({ offer, path }) => path ?? indexPath(offer),
  );
  return { regions, lists: lists.values, problems: lists.problems };
}

/** Local zones have names such as us-west-2-lax-1; other partitions have other prices. */
function isCommercial(region: string): boolean {
  return isRegion(region) && !/^(us-gov|us-iso|cn|eu-iso|eusc)/.test(region);
}

function indexPath(offer: string): string {
  return `/offers/v1.0/aws/${offer}/current/region_index.json`;
}

/** The paths of the price lists of an offer as CSV, by region. */
async function regionIndex(offer: string, from: Download): Promise<ReadonlyMap<string, string>> {
  const index = await download(indexPath(offer), from, readJson);
  const regions = isRecord(index) && isRecord(index["regions"]) ? Object.entries(index["regions"]) : [];
  const paths = regions.flatMap(([region, entry]) => {
    const url = isRecord(entry) ? entry["currentVersionUrl"] : undefined;
    return typeof url === "string" ? [[region, url.replace(/\.json$/, ".csv")] as const] : [];
  });
  if (paths.length === 0) throw new Error("It is not an index of regions: a proxy may have answered");
  return new Map(paths);
}

async function readJson(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new WrongContent("It is not JSON: a proxy may have answered");
  }
}

/** Runs four at a time. A failure becomes a problem, and the others go on. */
async function settled<Input, Value>(
  inputs: readonly Input[],
  run: (input: Input) => Value | Promise<Value>,
  pathOf: (input: Input) => string,
): Promise<{ values: Value[]; problems: PriceProblem[] }> {
  const values: Value[] = [];
  const problems: PriceProblem[] = [];
  const left = [...inputs];
  const worker = async () => {
    for (let input = left.shift(); input !== undefined; input = left.shift()) {
      try {
        values.push(await run(input));
      } catch (error) {
        const why = `${(error as Error).message}.`;
        problems.push({ path: pathOf(input), got: undefined, why, fix: "check the network and run the command again" });
      }
    }
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  return { values, problems };
}
