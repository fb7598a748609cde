import { camelCase } from "./check";
import type { BeyondRow, Claims, Expected, Parity, ParityRow } from "./rows";

const verdicts = { same: "**same**", different: "**different**", none: "**none**" } as const;

/** The tables of docs/parity.md, by the name of their place. */
export function parityTables(parity: Parity): Readonly<Record<string, string>> {
  const { network, cluster, root } = parity;
  const all = [...network, ...cluster, ...root];
  return {
    summary: summary({ "VPC module": network, "EKS module": cluster, "root module": root, together: all }),
    network: comparison(network),
    cluster: comparison(cluster),
    root: comparison(root),
    helm: comparison(parity.helm),
    beyond: additions(parity.beyond),
    onDemand: additions(parity.onDemand),
    ...interfaceTables(parity),
  };
}

function interfaceTables({ outputs, variables }: Parity): Readonly<Record<string, string>> {
  const further = outputs.filter(({ terraform }) => terraform === undefined).map(({ here: name }) => code(name));
  return {
    outputs: table(
      ["original", "here", "what differs"],
      outputs.flatMap(({ terraform, here: name, verdict, why = "" }) =>
        terraform === undefined || verdict === "same" ? [] : [[code(terraform), code(name), why]],
      ),
    ),
    furtherOutputs: `${further.join(", ")}\n`,
    variables: table(
      ["original", "default", "key here", "default here"],
      variables.map(({ terraform, default: there, key, verdict, why }) => [
        code(terraform),
        literal(there),
        code(key),
        verdictWith(verdict, why),
      ]),
    ),
  };
}

function verdictWith(verdict: ParityRow["verdict"], why?: string): string {
  return why === undefined ? verdicts[verdict] : `${verdicts[verdict]}: ${why}`;
}

/** Puts each table between its two marks of a page. */
export function withTables(page: string, tables: Readonly<Record<string, string>>): string {
  const places = [...page.matchAll(/<!-- table: (\w+) -->/g)].map(([, name]) => String(name));
  const wrong = [...places, ...Object.keys(tables)].filter((name) => !(name in tables && places.includes(name)));
  if (wrong.length > 0) throw new Error(`the page and the tables disagree about ${wrong.join(", ")}`);
  return page.replace(
    /(<!-- table: (\w+) -->\n)[^]*?(<!-- end -->)/g,
    (_, start: string, name: string, end: string) =>
      `${start}<!-- prettier-ignore-start -->\n\n${tables[name]}\n<!-- prettier-ignore-end -->\n${end}`,
  );
}

function summary(parts: Readonly<Record<string, readonly ParityRow[]>>): string {
  const row = ([part, rows]: [string, readonly ParityRow[]]) => [
    part,
    count(rows),
    ...(["same", "different", "none"] as const).map((verdict) => count(rows, verdict)),
  ];
  return table(["part of the original", "resources", "same", "different", "none"], Object.entries(parts).map(row));
}

function count(rows: readonly ParityRow[], verdict?: ParityRow["verdict"]): string {
  const counted = rows.filter((row) => verdict === undefined || row.verdict === verdict);
  return String(counted.reduce((sum, row) => sum + (row.count ?? 0), 0));
}

/** A table of the rows that need an explanation, and a list of the others. */
function comparison(rows: readonly ParityRow[]): string {
  const isPlain = ({ verdict, why = [] }: ParityRow) => verdict === "same" && why.length === 0;
  const explained = rows.filter((row) => !isPlain(row));
  const plain = rows.filter(isPlain).map(({ terraform, count: times, what }) => {
    return `${counted(terraform, times)}${what === undefined ? "" : ` (${what})`}`;
  });
  const compared = table(
    ["original", "here", "why"],
    explained.map((row) => [original(row), here(row), lines(row.why ?? [])]),
  );
  return plain.length === 0 ? compared : `${compared}\nThe same: ${plain.join(", ")}.\n`;
}

/** A resource with the short arguments that are different here; resources.yaml has the others, too. */
function original({
  terraform,
  count: times,
  what,
  arguments: given = {},
  each = {},
  differs = [],
}: ParityRow): string {
  const values = [
    ...Object.entries(given).map(([argument, value]) => [argument, property(argument, value)] as const),
    ...Object.entries(each).map(([argument, list]) => [argument, perResource(argument, list)] as const),
  ];
  const different = values.flatMap(([argument, texts]) => (differs.includes(argument) ? texts : []));
  return lines([counted(terraform, times), ...(what === undefined ? [] : [what]), ...different.filter(isShort)]);
}

/** Values of one argument, one for each resource; of objects, those of each key. */
function perResource(argument: string, values: readonly unknown[]): string[] {
  const [first] = values;
  if (!isRecord(first)) return [`${argument} ${literal(values)}`];
  return Object.keys(first).map((key) => `${argument}.${key} ${literal(values.map((v) => isRecord(v) && v[key]))}`);
}

/** What replaces the resource: its type, and the short values that differ. A `name` is often a `namePrefix` here. */
function here(row: ParityRow): string {
  const { verdict, here: selections = [], differs = [] } = row;
  const values = selections.flatMap(({ all = {}, resources }) =>
    [all, ...Object.values(resources)].flatMap(properties),
  );
  const different = values.filter((value) => differs.some((argument) => value.startsWith(camelCase(argument))));
  return lines([`${verdicts[verdict]}${settings(row)}`, ...types(row), ...new Set(different.filter(isShort))]);
}

/** The types of the resources, with their number. */
function types({ here: selections = [], remote = [] }: Claims): string[] {
  const counts = new Map<string, number>();
  const add = (type: string, count: number) => counts.set(type, (counts.get(type) ?? 0) + count);
  for (const { type, resources } of selections) add(type, Object.keys(resources).length);
  for (const { type } of remote) add(type, 1);
  return [...counts].map(([type, count]) => counted(type, count));
}

function counted(type: string, count = 1): string {
  return count === 1 ? code(type) : `${code(type)} × ${count}`;
}

function isShort(value: string): boolean {
  return value.length < 60;
}

function additions(rows: readonly BeyondRow[]): string {
  return rows.map((row) => `- **${row.what}**${settings(row)}: ${row.why}\n`).join("");
}

function settings({ config = [] }: Claims): string {
  return config.length === 0 ? "" : ` with ${config.map(code).join(", ")}`;
}

function properties(values: Expected): string[] {
  return Object.entries(values).flatMap(([name, value]) => property(name, value));
}

/** A property on a line of its own; of an object, each of its own. */
function property(path: string, value: unknown): string[] {
  if (Array.isArray(value) && value.length === 1 && isRecord(value[0])) return property(path, value[0]);
  if (!isRecord(value)) return [`${path} ${literal(value)}`];
  const { says, ref, json, contains, lacks, ...inner } = value;
  if (typeof says === "string") return [`${path}: ${says}`];
  if (ref !== undefined) return [`${path} from ${(ref instanceof Array ? ref : [ref]).join(", ")}`];
  if (json !== undefined) return [`${path} ${literal(json)}`];
  if (contains === undefined && lacks === undefined) {
    return Object.entries(inner).flatMap(([key, item]) => property(`${path}.${key}`, item));
  }
  const parts = (list: unknown) => [list ?? []].flat().map(literal).join(" and ");
  return [`${path} with ${parts(contains)}${lacks === undefined ? "" : `, without ${parts(lacks)}`}`];
}

function literal(value: unknown): string {
  if (value === null) return "not set";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(literal).join(", ");
  return code(typeof value === "string" ? value : JSON.stringify(value));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function lines(parts: readonly string[]): string {
  return parts.join("<br>");
}

function code(text: string): string {
  return `\`${text}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("");
}
