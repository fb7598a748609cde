import type { Properties } from "../../../planner/record/wire";
import { changesOf, type Change } from "../../world/diff";
import type { Kind } from "../../world/kind";
import { isAutoname, type Naming } from "./autoname";
import { valueAt } from "./nested";

/** What new inputs mean for a resource that is there. */
export interface Difference {
  readonly changes: readonly Change[];
  /** The inputs that changed, without what is inside them. */
  readonly changed: readonly string[];
  /** Those of them that need another object. */
  readonly replacing: readonly string[];
  readonly deleteBeforeReplace: boolean;
}

export interface Compared {
  readonly olds: Properties;
  readonly news: Properties;
  readonly ignoreChanges: readonly string[];
}

export function difference(
  kind: Kind,
  { olds, news, ignoreChanges }: Compared,
  naming: Pick<Naming, "name" | "suffixLength">,
): Difference {
  const changes = changesOf(kind, olds, news, ignoreChanges);
  const replacing = topLevel(changes.filter(({ replaces }) => replaces));
  return {
    changes,
    changed: topLevel(changes),
    replacing,
    deleteBeforeReplace: replacing.length > 0 && (kind.deleteBeforeReplace ?? hasOwnName(kind, news, naming)),
  };
}

/**
 * Two objects cannot have one name, so with a name that the program states the old object goes first.
 *
 * @see https://github.com/pulumi/pulumi-terraform-bridge/blob/v3.120.0/pkg/tfbridge/schema.go nameRequiresDeleteBeforeReplace
 */
function hasOwnName({ autoname }: Kind, news: Properties, naming: Pick<Naming, "name" | "suffixLength">): boolean {
  const name = autoname && valueAt(news, autoname.property);
  return name !== undefined && !isAutoname(name, naming);
}

function topLevel(changes: readonly Change[]): string[] {
  return [...new Set(changes.map(({ path }) => /^[^.[]*/.exec(path)?.[0] || path))];
}
