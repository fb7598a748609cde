import { readFileSync, existsSync } from "node:fs";
import { join } from "node:path";

/** A public Pulumi program. */
export interface CorpusProgram {
  /** `OWNER/NAME` on GitHub. */
  readonly repository: string;
  /** The folder of its Pulumi.yaml in the repository. */
  readonly path: string;
  /** Values of `--config`. */
  readonly config: readonly string[];
}

/** By repository: the commit, and its programs with the values of `--config`. */
type Corpus = Readonly<Record<string, { commit: string; programs: Readonly<Record<string, readonly string[]>> }>>;

const corpus = JSON.parse(readFileSync(join(__dirname, "programs.json"), "utf8")) as Corpus;

export const repositories = Object.entries(corpus).map(([repository, { commit }]) => ({ repository, commit }));

export const programs: readonly CorpusProgram[] = Object.entries(corpus).flatMap(([repository, { programs: listed }]) =>
  Object.entries(listed).map(([path, config]) => ({ repository, path, config })),
);

/** The checkout of a repository in the folder of the corpus. */
export function checkoutOf(folder: string, repository: string): string {
  return join(folder, repository.replace("/", "+"));
}

/** The folder with the checkouts, or why there is none. @throws Error if there is none and REQUIRE_CORPUS is 1 */
export function corpusFolder(): { readonly folder: string } | { readonly why: string } {
  const folder = process.env["CORPUS_DIR"];
  const lacking = repositories.filter(({ repository }) => !existsSync(checkoutOf(folder ?? "", repository)));
  if (folder !== undefined && lacking.length === 0) return { folder };
  const what = folder === undefined ? "CORPUS_DIR is not set" : `${folder} has no ${lacking[0]?.repository ?? ""}`;
  const why = `${what}. Run node tools/run.mjs corpus FOLDER, and set CORPUS_DIR to the folder.`;
  if (process.env["REQUIRE_CORPUS"] === "1") throw new Error(why);
  return { why };
}
