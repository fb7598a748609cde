import fc from "fast-check";
import { judge, type Finding, type Pack } from "../../../policies/engine/judge";
import { lab } from "../../../policies/packs/lab/rules";
import { hostileValues, pathsOf, withValue } from "./hostile";
import { samples } from "./samples";
import { resource } from "./verdicts";

/** Every type that a rule reads. */
export const types = [...new Set(lab.rules.flatMap(({ rule }) => rule.types))];

const packs = new Map<string, Pack>();

export function sampleOf(type: string): Record<string, unknown> {
  return samples[type] ?? {};
}

/** The rules that read a type. The others have nothing to say about a resource of it: see wired-stack.test.ts. */
export function rulesFor(type: string): Pack {
  const pack = packs.get(type) ?? { ...lab, rules: lab.rules.filter(({ rule }) => rule.types.includes(type)) };
  packs.set(type, pack);
  return pack;
}

/** One type of each kind: versions of an API with the same sample and the same rules are spoilt once. */
export const kinds = [...new Map(types.map((type) => [kindOf(type), type])).values()];

function kindOf(type: string): string {
  const ids = rulesFor(type).rules.map(({ rule }) => rule.id);
  return JSON.stringify([type.split(":").at(-1), sampleOf(type), ids]);
}

/** What the rules say of one resource. */
export function say(type: string, properties: unknown): Finding[] {
  return judge(rulesFor(type), [resource(type, properties as Record<string, unknown>)]);
}

/** A sample with any of its values replaced by hostile ones. */
export function spoilt(type: string): fc.Arbitrary<Record<string, unknown>> {
  const paths = pathsOf(sampleOf(type));
  const change = fc.tuple(fc.constantFrom(...paths), fc.constantFrom(...hostileValues));
  return fc
    .array(change, { minLength: 1, maxLength: 6 })
    .map((changes) => changes.reduce((to, [path, put]) => withValue(to, path, put), sampleOf(type) as unknown))
    .map((properties) => properties as Record<string, unknown>);
}
