import { InputError } from "../../components/core/problems";
import { judge, type AnalyzedResource, type Finding, type JudgeOptions } from "./judge";
import type { Pack } from "./pack";
import { isPack } from "./rule-schema";

/** A pack that is ready to judge resources. It carries the `judge` of its own copy of this package. */
export interface ServedPack extends Pick<Pack, "name" | "version"> {
  /** Number of rules. */
  readonly rules: number;
  /** What each rule requires, by its name. A pack of an older copy of this package has none. */
  readonly titles?: Readonly<Record<string, string>>;
  readonly judge: (resources: readonly AnalyzedResource[], options: JudgeOptions) => readonly Finding[];
}

/** Where {@link serve} finds what receives a pack, across copies of this package in one process. */
const receiverKey = Symbol.for("eks-gpu-lab.packReceiver");

type Receivers = { [receiverKey]?: ((pack: ServedPack) => void) | undefined };

/**
 * Serves a pack to the Pulumi engine. Call it once, in the module that `pulumi preview --policy-pack` starts. The process
 * must not write to its standard output before: the engine reads the first line as the port to call.
 *
 * `eks-gpu-lab plan --pack` runs the same module. Then the pack judges the plan, and no server starts.
 *
 * @throws InputError when it does not get a pack
 */
export function serve(pack: Pack): void {
  if (!isPack(pack)) {
    const fix = "pass the result of pack(), or a pack such as lab";
    throw new InputError("serve()", [{ code: "wrong-type", path: "pack", got: pack, why: "Must be a pack.", fix }]);
  }
  const receive = (globalThis as Receivers)[receiverKey];
  if (receive) receive(served(pack));
  else void import("./crossguard.js").then(({ startServer }) => startServer(pack));
}

export function served(pack: Pack): ServedPack {
  const { name, version, rules } = pack;
  const titles = Object.fromEntries(rules.map(({ rule }) => [rule.id, rule.title]));
  return { name, version, rules: rules.length, titles, judge: (resources, options) => judge(pack, resources, options) };
}

/** The packs that a module serves. */
export function packsServedBy(load: () => void): readonly ServedPack[] {
  const packs: ServedPack[] = [];
  const receivers = globalThis as Receivers;
  receivers[receiverKey] = (pack) => packs.push(pack);
  try {
    load();
    return packs;
  } finally {
    receivers[receiverKey] = undefined;
  }
}
