import type { Collected, PriceProblem } from "./collect";
import type { Found } from "./price-list";
import { products, serviceItems } from "./products";
import { cellsOf, type PriceTable } from "./table";

/** A price that differs more from the known ones is an error of the price list, or of how it is read. */
const mostFactor = 3;

/**
 * What prevents a new table: regions and prices that the old table has and the price lists lack, prices of 0, products
 * that contradict each other, and prices that are far from those of the old table or of other regions.
 */
export function tableProblems({ regions, lists }: Collected, old: PriceTable): PriceProblem[] {
  const before = cellsOf(old);
  const found = new Map<string, readonly Found[]>(
    lists.flatMap((list) => [...list.found].map(([item, some]) => [`${list.region} ${item}`, some] as const)),
  );
  const wanted = regions.flatMap((region) =>
    [...products.keys()]
      .filter((item) => serviceItems.includes(item) || Number(before.get(`${region} ${item}`)) > 0)
      .map((item) => `${region} ${item}`),
  );
  const missing = wanted.filter((key) => !found.has(key)).map((path) => missingProblem(path, before.get(path)));
  const now = new Map([...found].map(([path, some]) => [path, some[0]?.usd] as const));
  return [
    ...(regions.length === 0 ? [noRegions] : []),
    ...old.regions.filter((region) => !regions.includes(region)).map((region) => lostRegion(region, before)),
    ...missing,
    ...[...found].flatMap(([path, some]) => priceProblems(path, some, expectedUsd(path, before, now))),
  ];
}

const noRegions: PriceProblem = {
  path: "regions",
  got: 0,
  why: "The indexes have no commercial region with EC2 and EKS.",
  fix: "check the network; if AWS changed its indexes, correct tools/prices/collect.ts",
};

function lostRegion(region: string, before: ReadonlyMap<string, string>): PriceProblem {
  const prices = [...before].filter(([key, cell]) => key.startsWith(`${region} `) && Number(cell) > 0).length;
  return {
    path: region,
    got: undefined,
    why: `The index of EC2 or of EKS does not have this region; the table has ${prices} prices of it.`,
    fix: "run the command again later; if AWS closed the region, add --accept-missing",
    accept: "--accept-missing",
  };
}

function missingProblem(path: string, before: string | undefined): PriceProblem {
  const [, item = ""] = path.split(" ");
  const { offer, usage } = products.get(item) ?? {};
  return {
    path,
    got: undefined,
    why: `The price list ${offer} has no on-demand price with the usage type ${usage}; the table has ${before ?? "none"}.`,
    fix: "if AWS renamed it, correct tools/prices/products.ts; if AWS withdrew it, add --accept-missing",
    accept: "--accept-missing",
  };
}

function priceProblems(path: string, some: readonly Found[], expected: number): PriceProblem[] {
  const fix = "narrow the product in tools/prices/products.ts";
  const bad = some.filter(({ usd }) => !(usd > 0));
  if (bad.length > 0) {
    const why = `A price must be above 0: ${bad.map(({ sku }) => `SKU ${sku}`).join(", ")}.`;
    return [{ path, got: bad[0]?.usd, why, fix }];
  }
  const [first, second] = new Set(some.map(({ usd }) => usd));
  if (second !== undefined) {
    const why = "More than one product has a price for it, and they differ.";
    return [{ path, got: some.map(({ sku, usd }) => `${sku} ${usd}`).join(", "), why, fix }];
  }
  return first === undefined || isPlausible(first, expected) ? [] : [implausible(path, first, expected)];
}

function isPlausible(usd: number, expected: number): boolean {
  return Math.max(usd / expected, expected / usd) <= mostFactor;
}

function implausible(path: string, got: number, expected: number): PriceProblem {
  return {
    path,
    got,
    why: `A price must be within a factor of ${mostFactor} of ${expected}, the price that the table or other regions have.`,
    fix: "narrow the product in tools/prices/products.ts; if AWS has this price, add --accept-changes",
    accept: "--accept-changes",
  };
}

/** The price in the old table; else the median of the item in the old table, or in the price lists if it has none. */
function expectedUsd(
  path: string,
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, number | undefined>,
): number {
  const [, item = ""] = path.split(" ");
  const pricesIn = (cells: ReadonlyMap<string, unknown>) =>
    [...cells].flatMap(([key, cell]) => (key.endsWith(` ${item}`) && Number(cell) > 0 ? [Number(cell)] : []));
  const own = Number(before.get(path));
  if (own > 0) return own;
  const known = pricesIn(before);
  const prices = (known.length > 0 ? known : pricesIn(now)).sort((a, b) => a - b);
  return prices[(prices.length - 1) >> 1] ?? NaN;
}
