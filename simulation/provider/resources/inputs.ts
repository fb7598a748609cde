import { createHash, randomBytes } from "node:crypto";
import { valueAt } from "../../../components/core/reader/paths";
import type { Properties } from "../../../components/core/wire";
import { overlaps } from "../../../planner/diff/property-changes";
import { changesOf, type Change } from "../../cloud/changes";
import type { CheckFailure, ResourceModel } from "../../cloud/model";
import { withValueAt } from "./outputs";

/** Fills in names and defaults, and checks the inputs. */
export function checkInputs(model: ResourceModel, news: Properties, olds: Properties, naming: Naming): CheckResult {
  const named = withAutoname(model, news, olds, naming);
  const inputs = { ...defaultsOf(model, named.inputs), ...named.inputs };
  const missed = [...named.failures, ...missingInputs(model, inputs)];
  const failures = missed.length > 0 ? missed : (model.check?.(inputs) ?? []);
  return { inputs: failures.length > 0 ? inputs : (model.normalize?.(inputs) ?? inputs), failures };
}

function defaultsOf({ defaults = {} }: ResourceModel, inputs: Properties): Properties {
  return typeof defaults === "function" ? defaults(inputs) : defaults;
}

function missingInputs({ required = [] }: ResourceModel, inputs: Properties): CheckFailure[] {
  return required
    .filter((property) => valueAt(inputs, property) === undefined)
    .map((property) => ({
      property,
      reason: `Missing required argument. The argument "${property}" is required, but no definition was found.`,
    }));
}

/** What an automatic name is made from. */
interface Naming {
  /** The resource's name in the program. */
  readonly name: string;
  /** The engine's random seed: the same for the preview and the update of one `pulumi up`. */
  readonly seed: Uint8Array;
  /** Number of hexadecimal digits after the name. */
  readonly suffixLength: number;
}

/** Checked inputs. */
export interface CheckResult {
  readonly inputs: Properties;
  readonly failures: readonly CheckFailure[];
}

/**
 * Fills in an automatic name when neither the name nor its prefix is set. An existing automatic name is kept.
 *
 * @see https://github.com/pulumi/pulumi-terraform-bridge/blob/v3.120.0/pkg/tfbridge/names.go
 */
function withAutoname({ autoname }: ResourceModel, inputs: Properties, olds: Properties, naming: Naming): CheckResult {
  if (!autoname) return { inputs, failures: [] };
  const { property, prefix, maxLength = Infinity } = autoname;
  const given = valueAt(inputs, property);
  if ((given !== undefined && given !== "") || (prefix !== undefined && valueAt(inputs, prefix) !== undefined)) {
    return { inputs, failures: [] };
  }
  const old = valueAt(olds, property);
  const name = isAutoname(old, naming) ? old : `${naming.name}-${suffixOf(naming)}`;
  if (String(name).length <= maxLength) return { inputs: withValueAt(inputs, property, name), failures: [] };
  const reason = `name '${naming.name}-' plus ${naming.suffixLength} random chars is longer than maximum length ${maxLength}`;
  return { inputs, failures: [{ property, reason }] };
}

/** Whether a physical name is an automatic name of this resource. */
function isAutoname(physical: unknown, { name, suffixLength }: Pick<Naming, "name" | "suffixLength">): boolean {
  if (typeof physical !== "string" || !physical.startsWith(`${name}-`)) return false;
  const suffix = physical.slice(name.length + 1);
  return suffix.length === suffixLength && /^[0-9a-f]+$/.test(suffix);
}

function suffixOf({ seed, suffixLength }: Naming): string {
  const digest = seed.length > 0 ? createHash("sha256").update(seed).digest() : randomBytes(32);
  return digest.toString("hex").slice(0, suffixLength);
}

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
  // The state may be of a version that did not know a default yet.
  const changes = changesOf(model, model.normalize?.(olds) ?? olds, news, ignoreChanges, config);
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
