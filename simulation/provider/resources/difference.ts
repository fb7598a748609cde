import { valueAt } from "../../../components/core/reader/paths";
import type { Properties } from "../../../components/core/wire";
import { overlaps } from "../../../planner/diff/replacements";
import { type Change, changesOf } from "../../cloud/changes";
import type { ResourceModel } from "../../cloud/model";
import { isAutoname, type Naming } from "./check";

/** What new inputs change about an existing resource. */
export interface Difference {
  readonly changes: readonly Change[];
  /** The changed top-level inputs. */
  readonly changed: readonly string[];
  /** The changed top-level inputs that replace the object. */
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
  model: ResourceModel,
  { olds, news, ignoreChanges, config }: DiffRequest,
  naming: Pick<Naming, "name" | "suffixLength">,
): Difference {
  const changes = changesOf(model, olds, news, { ignored: ignoreChanges, provider: config });
  const replacing = topLevel(changes.filter(({ replaces }) => replaces));
  const nameCollides = hasExplicitName(model, news, naming) && !changesIdentity(model, changes);
  return {
    changes,
    changed: topLevel(changes),
    replacing,
    deleteBeforeReplace: replacing.length > 0 && (model.deleteBeforeReplace ?? nameCollides),
  };
}

/** @see https://github.com/pulumi/pulumi-kubernetes/blob/v4.32.0/provider/pkg/provider/provider.go Diff */
function changesIdentity({ identity = [] }: ResourceModel, changes: readonly Change[]): boolean {
  return changes.some(({ path }) => identity.some((part) => overlaps(path, part)));
}

/**
 * Two objects cannot have the same name, so an object with an explicit name is deleted before it is replaced. The Terraform
 * bridge does so even when the name itself changes.
 *
 * @see https://github.com/pulumi/pulumi-terraform-bridge/blob/v3.120.0/pkg/tfbridge/schema.go nameRequiresDeleteBeforeReplace
 */
function hasExplicitName(
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
