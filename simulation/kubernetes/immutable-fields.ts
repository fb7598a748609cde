import type { Properties } from "../../components/core/wire";
import { ownValue } from "../../components/core/reader/records";
import { overlaps, within } from "../../planner/diff/replacements";
import { changesOf, type Change } from "../cloud/changes";
import fields from "./immutable-fields.json";

/** Fields that the API server does not change in an existing object. */
interface RefusedFields {
  readonly fields: readonly string[];
  /** Fields below them that are mutable. */
  readonly mutable?: readonly string[];
  /** Lists below them that may get more items. */
  readonly extendable?: readonly string[];
  /** The flag of the object that makes the fields immutable. @default none - they always are */
  readonly onlyIf?: string;
  /** The API server's reason, with `{field}` for the first such field and `…` for values. */
  readonly message: string;
}

const replaced: Readonly<Record<string, readonly string[]>> = fields.replacedByProvider;
const refused: Readonly<Record<string, readonly RefusedFields[]>> = fields.refusedByApiServer;

/** Whether the provider replaces an object of a kind, e.g. `apps/v1:Deployment`, for a change at this path. */
export function isReplaced(kind: string, path: string): boolean {
  return (ownValue(replaced, kind) ?? []).some((field) => overlaps(anyItem(path), field));
}

/** The API server's reason not to update an object of a kind; undefined if it accepts the update. */
export function immutableFieldReason(kind: string, olds: Properties, news: Properties): string | undefined {
  const changes = changesOf({ type: kind }, olds, news);
  for (const rule of ownValue(refused, kind) ?? []) {
    if (rule.onlyIf !== undefined && olds[rule.onlyIf] !== true) continue;
    const field = rule.fields.find((one) => changes.some((change) => isRefused(rule, one, change)));
    if (field !== undefined) return rule.message.replaceAll("{field}", field);
  }
  return undefined;
}

function isRefused({ mutable = [], extendable = [] }: RefusedFields, field: string, { path, kind }: Change): boolean {
  const at = anyItem(path);
  if (!overlaps(at, field) || mutable.some((one) => within(at, one))) return false;
  return kind !== "add" || !extendable.some((one) => within(at, one));
}

/** `spec.containers[*].image` for `spec.containers[0].image`. */
function anyItem(path: string): string {
  return path.replace(/\[\d+\]/g, "[*]");
}
