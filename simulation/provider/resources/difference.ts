import { valueAt } from "../../../components/core/reader/paths";
import type { Properties } from "../../../components/core/wire";
import { type Change, changesOf, overlaps } from "../../cloud/changes";
import type { ResourceModel } from "../../cloud/model";
import { isAutoname, type Naming } from "./check";

/** What new inputs mean for a resource that is there. */
export interface Difference {
  readonly changes: readonly Change[];
  /** The inputs that changed, without what is inside them. */
  readonly changed: readonly string[];
  /** Those of them that need another object. */
  readonly replacing: readonly string[];
  readonly deleteBeforeReplace: boolean;
}

export interface DiffRequest {
  readonly olds: Properties;
  readonly news: Properties;
  readonly ignoreChanges: readonly string[];
  /** The configuration of the provider. */
  readonly config: Properties;
}

export function difference(
  kind: ResourceModel,
  { olds, news, ignoreChanges, config }: DiffRequest,
  naming: Pick<Naming, "name" | "suffixLength">,
): Difference {
  const changes = changesOf(kind, olds, news, { ignored: ignoreChanges, provider: config });
  const replacing = topLevel(changes.filter(({ replaces }) => replaces));
  const inTheWay = hasOwnName(kind, news, naming) && !movesAway(kind, changes);
  return {
    changes,
    changed: topLevel(changes),
    replacing,
    deleteBeforeReplace: replacing.length > 0 && (kind.deleteBeforeReplace ?? inTheWay),
  };
}

/** @see https://github.com/pulumi/pulumi-kubernetes/blob/v4.32.0/provider/pkg/provider/provider.go Diff, of name and namespace */
function movesAway({ identity = [] }: ResourceModel, changes: readonly Change[]): boolean {
  return changes.some(({ path }) => identity.some((part) => overlaps(path, part)));
}

/**
 * Two objects cannot have one name, so with a name that the program states the old object goes first. The Terraform
 * bridge does not ask whether it is the name that changes.
 *
 * @see https://github.com/pulumi/pulumi-terraform-bridge/blob/v3.120.0/pkg/tfbridge/schema.go nameRequiresDeleteBeforeReplace
 */
function hasOwnName(
  { autoname }: ResourceModel,
  news: Properties,
  naming: Pick<Naming, "name" | "suffixLength">,
): boolean {
  const name = autoname && valueAt(news, autoname.property);
  return name !== undefined && !isAutoname(name, naming);
}

function topLevel(changes: readonly Change[]): string[] {
  return [...new Set(changes.map(({ path }) => /^[^.[]*/.exec(path)?.[0] || path))];
}
