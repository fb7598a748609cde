import { families, priceUnit } from "../../components/cost/prices";
import type { Collected } from "./collect";
import type { PriceList } from "./price-list";
import { items, products } from "./products";

/** The content of components/cost/price-table.json. */
export interface PriceTable {
  readonly about: string;
  readonly collected: string;
  readonly units: Readonly<Record<string, string>>;
  /** The sizes of families of instance types, whose rows are `FAMILY.*`. */
  readonly families?: Readonly<Record<string, string>>;
  readonly regions: readonly string[];
  readonly lists: readonly TableList[];
}

interface TableList {
  readonly date: string;
  readonly source: string;
  readonly status: string;
  readonly note?: string;
  readonly regions?: readonly string[];
  readonly usd: Readonly<Record<string, number | string>>;
}

const notOffered = "-";

const about =
  "On-demand Linux prices in USD, without taxes and discounts, from the price lists of AWS. `npm run prices` writes this " +
  "file. A row has one price for all regions of its list, or one for each: - is not offered there, ? is not known. A list " +
  "without regions is for all regions of the table. An item without a unit of its own is an EC2 instance type. Types of a " +
  "family cost in proportion to their size: families has the factors, and the row FAMILY.* the price of the factor 1.";

/** The cells of a table: a price, `-` or `?`, by region and item, such as `us-east-1 g5.xlarge`. */
export function cellsOf(table: PriceTable): ReadonlyMap<string, string> {
  const cells = new Map<string, string>();
  for (const { regions = table.regions, usd } of table.lists) {
    for (const [item, row] of Object.entries(usd)) {
      const ofRow = typeof row === "number" ? regions.map(() => String(row)) : row.split(" ");
      regions.forEach((region, column) => {
        const key = `${region} ${item}`;
        if (!Number(cells.get(key))) cells.set(key, ofRow[column] ?? "?");
      });
    }
  }
  return cells;
}

/** The table of what was collected. */
export function tableOf({ regions, lists }: Collected, today: Date): PriceTable {
  const sold = new Set(lists.flatMap(({ found }) => [...found.keys()]));
  const versions = [...new Set(lists.map(({ offer, version }) => `${offer} ${version}`))].sort();
  const collected = today.toISOString().slice(0, 10);
  return {
    about,
    collected,
    units: Object.fromEntries(items.map((item) => [item, priceUnit(item)])),
    families,
    regions,
    lists: versions.map((one) => {
      const same = lists.filter(({ offer, version }) => `${offer} ${version}` === one);
      return tableList(
        same,
        regions,
        [...products.keys()].filter((item) => sold.has(item)),
        collected,
      );
    }),
  };
}

/** Regions whose price lists have one version. */
function tableList(
  same: readonly PriceList[],
  allRegions: readonly string[],
  sold: readonly string[],
  collected: string,
): TableList {
  const [{ offer, version }] = same as [PriceList];
  const byRegion = new Map(same.map((list) => [list.region, list]));
  const regions = allRegions.filter((region) => byRegion.has(region));
  const row = (item: string) => regions.map((region) => usdOf(byRegion.get(region), item) ?? notOffered);
  const ofOffer = sold.filter((item) => products.get(item)?.offer === offer);
  return {
    // AWS publishes a list again only when it changes: these are its prices of today.
    date: collected,
    source: `pricing.us-east-1.amazonaws.com, ${offer} ${version}`,
    status: "stated",
    ...(regions.length < allRegions.length && { regions }),
    usd: Object.fromEntries(ofOffer.map((item) => [item, compact(row(item))])),
  };
}

function usdOf(list: PriceList | undefined, item: string): number | undefined {
  return list?.found.get(item)?.[0]?.usd;
}

function compact(row: readonly (number | string)[]): number | string {
  const [first] = row;
  return typeof first === "number" && row.every((cell) => cell === first) ? first : row.join(" ");
}
