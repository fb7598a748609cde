import { Reader } from "../../components/core/reader/reader";
import manifest from "../../package.json";

/** Where the pages of the rules are: in the repository of a released package, else in the package itself. */
export function rulePages(): string {
  const { name, version } = manifest;
  const [, repository] = /^git\+(https:.+)\.git$/.exec(new Reader(manifest).text("repository.url").value ?? "") ?? [];
  return repository === undefined ? `${name}/docs/policies` : `${repository}/blob/v${version}/docs/policies`;
}
