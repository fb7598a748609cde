import { join } from "node:path";
import { providerKeyMeant, providerKeys } from "../../components/core/provider-keys";
import { nearest } from "../../components/core/suggest";
import { ResultTypes } from "../lookups/result-types";
import type { Recording } from "../record/record";
import type { Project } from "./project";
import type { StackConfig } from "./stack-config";

/**
 * A sentence on each value of the configuration that the program did not read, so that it has no effect. Providers read the
 * values of their packages, except those whose keys are mistyped.
 *
 * @param reads the keys that the program read; undefined for all of them
 */
export function unreadValues(
  project: Project,
  { values }: StackConfig,
  reads: ReadonlySet<string | undefined>,
  { resources }: Recording,
): string[] {
  if (reads.has(undefined)) return [];
  const used = new Set(["pulumi", "aws", "kubernetes", ...resources.map(({ type }) => type.split(":")[0])]);
  const sdks = new ResultTypes(project.dir);
  const isOfPackage = (name: string) => name !== project.name && (used.has(name) || sdks.hasSdk(name));
  const short = (key: string) => (key.startsWith(`${project.name}:`) ? key.slice(project.name.length + 1) : key);
  const known = [...reads, "aws:region"].filter((key) => key !== undefined).map(short);
  return Object.keys(values)
    .map((key) => key.replace(":config:", ":"))
    .filter((key) => !reads.has(key))
    .flatMap((key) => {
      const [name = "", own = ""] = key.split(":");
      const ofProvider = providerKeyMeant(own, providerKeys(name, join(project.dir, "package.json")));
      if (isOfPackage(name) && ofProvider === undefined) return [];
      const meant = isOfPackage(name) ? `${name}:${ofProvider}` : nearest(short(key), known);
      return `The program does not read ${short(key)}, so its value has no effect.${meant === undefined ? "" : ` Did you mean ${meant}?`}`;
    });
}
