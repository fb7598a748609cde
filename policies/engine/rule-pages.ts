import { Reader } from "../../components/core/reader/reader";
import manifest from "../../package.json";

/**
 * Where the pages of the rules are: in the repository that a released package names, else below its homepage, else in this
 * repository.
 */
export function rulePages(settings: object = manifest): string {
  const read = new Reader(settings);
  const [, repository] = /^git\+(https:.+)\.git$/.exec(read.text("repository.url").value ?? "") ?? [];
  if (repository !== undefined) return `${repository}/blob/v${read.text("version").value}/docs/policies`;
  const [homepage] = /^https?:\/\/[^#?]*[^#?/]/.exec(read.text("homepage").value ?? "") ?? [];
  return homepage === undefined ? "docs/policies" : `${homepage}/docs/policies`;
}
