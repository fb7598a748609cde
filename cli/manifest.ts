import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Reader } from "../components/core/reader/reader";
import { packs } from "../policies/packs";

function manifest(): Reader {
  return new Reader(JSON.parse(readFileSync(join(__dirname, "..", "package.json"), "utf8")));
}

/** The version of this package. */
export function packageVersion(): string {
  return manifest().text("version").value ?? "";
}

/**
 * The address of the page of a rule; `undefined` for a rule without a page.
 *
 * @param url the folder of the pages @default that of this package's rules, if the package names its repository
 */
export function rulePage(rule: string, url: string | undefined): string | undefined {
  const folder = url ?? ownPages(rule);
  return folder === undefined ? undefined : `${folder.replace(/\/+$/, "")}/${encodeURIComponent(rule)}.md`;
}

function ownPages(rule: string): string | undefined {
  const [, repository] = /^git\+(https:.+)\.git$/.exec(manifest().text("repository.url").value ?? "") ?? [];
  const isOwn = packs.lab.rules.some((own) => own.rule.id === rule);
  return repository === undefined || !isOwn ? undefined : `${repository}/blob/v${packageVersion()}/docs/policies`;
}
