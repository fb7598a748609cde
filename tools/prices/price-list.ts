import { WrongContent } from "./download";
import { itemsByUsage, type Product } from "./products";

/** One price of a product: its first tier that costs something. */
export interface Found {
  readonly sku: string;
  readonly startingRange: number;
  readonly usd: number;
}

/** What the price list of one offer and one region says about the items of the table. */
export interface PriceList {
  readonly offer: string;
  readonly region: string;
  /** Such as `20260904231117`. */
  readonly version: string;
  /** The products that have a price for an item; more than one contradict each other unless they are equal. */
  readonly found: ReadonlyMap<string, readonly Found[]>;
}

/**
 * Reads a price list as CSV. AWS has each list as JSON, too: there a price is far from its product, so the whole file must
 * be in memory; that of EC2 has hundreds of MB. In CSV, each line is complete.
 *
 * @throws WrongContent if it is not a price list of this offer
 * @throws Error if it ends early
 */
export async function readPriceList(
  offer: string,
  region: string,
  body: AsyncIterable<Uint8Array>,
): Promise<PriceList> {
  const reader = new PriceListReader(offer, region);
  for await (const lines of linesOf(body)) lines.forEach((line) => reader.add(line));
  return reader.result();
}

/** The columns of every price list that are read. */
const columns = ["SKU", "TermType", "StartingRange", "PricePerUnit", "Currency", "Location Type", "usageType"] as const;

class PriceListReader {
  private readonly facts = new Map<string, string>();
  private readonly items: ReadonlyMap<string, readonly (readonly [string, Product])[]>;
  private readonly prefix: RegExp;
  private readonly found = new Map<string, Found[]>();
  private header: ReadonlyMap<string, number> | undefined;
  private last = "";

  constructor(
    private readonly offer: string,
    private readonly region: string,
  ) {
    this.items = itemsByUsage(offer);
    // Ireland is EU, other regions are such as APN2, and KMS uses the name of the region. us-east-1 often has no prefix.
    this.prefix = new RegExp(`^(?:EU|[A-Z]{3}\\d+|${region})-`);
  }

  add(line: string): void {
    if (line === "") return;
    this.last = line;
    if (!this.header) this.addHead(fieldsOf(line));
    // 97 % of the rows of EC2 are for reserved instances. To look for this is faster than to read their fields.
    else if (!line.includes(',"Reserved",')) this.addRow(fieldsOf(line), this.header);
  }

  result(): PriceList {
    const { offer, region, found, facts } = this;
    const version = facts.get("Version");
    if (!this.header || version === undefined) throw notAPriceList();
    requireWhole(fieldsOf(this.last), this.header.size);
    return { offer, region, version, found };
  }

  /** The first lines are pairs, such as the version. Then come the names of the columns. */
  private addHead(fields: readonly string[]): void {
    const [name = "", value = ""] = fields;
    if (name === "SKU") this.addHeader(fields);
    else if (fields.length === 2 && this.facts.size < 20) this.facts.set(name, value);
    else throw notAPriceList();
  }

  private addHeader(fields: readonly string[]): void {
    const offer = this.facts.get("OfferCode");
    if (offer !== this.offer) throw new WrongContent(`It is the price list of ${offer}`);
    const wanted = [...columns, ...[...this.items.values()].flat().flatMap(([, { where = {} }]) => Object.keys(where))];
    const missing = [...new Set(wanted)].filter((column) => !fields.includes(column));
    if (missing.length > 0) throw new WrongContent(`Columns are missing: ${missing.join(", ")}`);
    this.header = new Map(fields.map((field, place) => [field, place]));
  }

  private addRow(fields: readonly string[], header: ReadonlyMap<string, number>): void {
    const field = (column: string) => fields[header.get(column) ?? -1] ?? "";
    if (field("TermType") !== "OnDemand" || field("Currency") !== "USD") return;
    if (field("Location Type") !== "AWS Region") return;
    const candidates = this.items.get(field("usageType").replace(this.prefix, "")) ?? [];
    for (const [item, { where = {} }] of candidates) {
      if (Object.entries(where).every(([column, value]) => field(column) === value)) this.keep(item, field);
    }
  }

  /** Keeps the first tier of a SKU; two rows of one tier stay both, so that a contradiction is seen. */
  private keep(item: string, field: (column: (typeof columns)[number]) => string): void {
    const startingRange = Number(field("StartingRange"));
    const price = { sku: field("SKU"), startingRange, usd: Number(field("PricePerUnit")) };
    const known = this.found.get(item) ?? [];
    const precedes = (a: Found, b: Found) => a.sku === b.sku && comesFirst(a, b);
    if (known.some((one) => precedes(one, price))) return;
    this.found.set(item, [...known.filter((one) => !precedes(price, one)), price]);
  }
}

/** A tier that costs something comes before a free one. */
function comesFirst(a: Found, b: Found): boolean {
  if (a.usd > 0 === b.usd > 0) return a.startingRange < b.startingRange;
  return a.usd > 0 && a.startingRange !== b.startingRange;
}

/** A proxy may end a download early as if it were complete; another attempt may get all of it. */
function requireWhole(fields: readonly string[], size: number): void {
  if (fields.length !== size) throw new Error("The file is not complete: it ends within a line");
}

function notAPriceList(): WrongContent {
  return new WrongContent("It is not a price list: a proxy may have answered");
}

/** The fields of a line of a CSV file. A field in quotes may have commas, and quotes that are doubled. */
export function fieldsOf(line: string): string[] {
  const fields = line.match(/(?<=^|,)(?:"(?:[^"]|"")*"|[^,"]*)(?=,|$)/g) ?? [];
  return fields.map((field) => (field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field));
}

/** The lines of a download, in the blocks in which they arrive: single lines of a file of 300 MB take minutes. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield lines;
  }
  if (rest !== "") yield [rest];
}
