// Writes components/cost/price-table.json from the public price lists of AWS, without credentials: about 5 GB are read.
// Prints what changed. If anything is wrong, it prints all problems and writes nothing.
//
//   npm run prices
//   npm run prices -- --accept-missing   AWS withdrew prices that the table has: they become "not offered", and regions
//                                        without price lists leave the table
//   npm run prices -- --accept-changes   prices are more than a factor of 3 away from the known ones
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import prettier from "prettier";
import { renderProblem } from "../components/core/problems";
import { changesOf } from "./prices/changes";
import { acceptOptions, collect, type AcceptOption, type PriceProblem } from "./prices/collect";
import { defaultDownload, type Download } from "./prices/download";
import { tableOf, type PriceTable } from "./prices/table";
import { tableProblems } from "./prices/table-problems";

const tablePath = "components/cost/price-table.json";

export async function main(args: readonly string[]): Promise<void> {
  const accepts = acceptOptions.filter((option) => args.includes(option));
  const unknown = args.filter((arg) => !accepts.some((option) => option === arg));
  const result =
    unknown.length > 0 ? { problems: unknown.map(unknownOption) } : await updatePrices(tablePath, { accepts });
  if ("changes" in result) process.stdout.write(`${result.changes.join("\n")}\n`);
  else {
    process.stderr.write(`${result.problems.map((problem) => renderProblem(problem)).join("\n")}\n`);
    process.exitCode = 1;
  }
}

interface UpdateOptions {
  readonly accepts: readonly AcceptOption[];
  /** @default AWS */
  readonly from?: Download;
  /** Is called with a line for each region. @default standard error */
  readonly progress?: (line: string) => void;
  /** @default now */
  readonly today?: Date;
}

type Result = { readonly changes: readonly string[] } | { readonly problems: readonly PriceProblem[] };

/** Reads the price lists and replaces the table, or returns all problems and leaves it as it is. */
export async function updatePrices(path: string, options: UpdateOptions): Promise<Result> {
  const { accepts, from = defaultDownload, progress = toStandardError, today = new Date() } = options;
  const old = JSON.parse(readFileSync(path, "utf8")) as PriceTable;
  const collected = await collect(from, progress);
  if (collected.problems.length > 0) return { problems: collected.problems };
  const problems = tableProblems(collected, old).filter(({ accept }) => !accept || !accepts.includes(accept));
  if (problems.length > 0) return { problems };
  const table = tableOf(collected, today);
  const text = await prettier.format(JSON.stringify(table), { filepath: path, printWidth: 120 });
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
  return { changes: changesOf(old, table) };
}

function toStandardError(line: string): void {
  process.stderr.write(`${line}\n`);
}

function unknownOption(path: string): PriceProblem {
  return { path, got: path, why: "Unknown option.", fix: `remove it; the options are ${acceptOptions.join(" and ")}` };
}
