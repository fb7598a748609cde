import { Reader } from "../../components/core/reader/reader";
import manifest from "../../package.json";

/** Where the pages of the rules are: in the repository that a released package names, else in this one. */
export function rulePages(): string {
  const { version } = manifest;
  const [, repository] = /^git\+(https:.+)\.git$/.exec(new Reader(manifest).text("repository.url").value ?? "") ?? [];
  return repository === undefined ? "docs/policies" : `${repository}/blob/v${version}/docs/policies`;
}
