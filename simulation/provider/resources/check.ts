import type { Properties } from "../../../components/core/wire";
import type { CheckFailure, Kind } from "../../world/kind";
import { autonamed, type Checked, type Naming } from "./autoname";
import { valueAt } from "./nested";

/** What a provider makes of a program's inputs before anything else: names and defaults filled in, mistakes told. */
export function checked(kind: Kind, news: Properties, olds: Properties, naming: Naming): Checked {
  const named = autonamed(kind, news, olds, naming);
  const inputs = { ...defaultsOf(kind, named.inputs), ...named.inputs };
  const missed = [...named.failures, ...missing(kind, inputs)];
  const failures = missed.length > 0 ? missed : (kind.check?.(inputs) ?? []);
  return { inputs: failures.length > 0 ? inputs : (kind.refine?.(inputs) ?? inputs), failures };
}

function defaultsOf({ defaults = {} }: Kind, inputs: Properties): Properties {
  return typeof defaults === "function" ? defaults(inputs) : defaults;
}

function missing({ required = [] }: Kind, inputs: Properties): CheckFailure[] {
  return required
    .filter((property) => valueAt(inputs, property) === undefined)
    .map((property) => ({
      property,
      reason: `Missing required argument. The argument "${property}" is required, but no definition was found.`,
    }));
}
