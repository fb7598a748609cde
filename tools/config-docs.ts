import { dump } from "js-yaml";
import * as v from "valibot";
import {
  configSection,
  configType,
  emptyValue,
  innerKeys,
  placeholderCidr,
  type ConfigKey,
} from "../stacks/run/config-keys";
import { labs } from "../stacks/labs";
import { anchorOf } from "./site/links";
import { interfaceDocs, type ArgumentDoc } from "./argument-docs";

// The configuration keys in Pulumi.yaml, docs/configuration.md, from the schema and its docstrings.

const keys = Object.keys(configSection.entries) as ConfigKey[];

/** The documentation of the keys. */
export function configurationDocs(): readonly ArgumentDoc[] {
  return interfaceDocs("stacks/run/config-keys.ts", "Configuration");
}

/** Values of Pulumi.yaml for keys that each user sets. */
const placeholders: Readonly<Partial<Record<ConfigKey, unknown>>> = { publicAccessCidrs: [placeholderCidr] };

/** The labs, and the `config` block, of Pulumi.yaml. */
export function pulumiConfig(): string {
  const docs = new Map(configurationDocs().map((doc) => [doc.path, summary(doc.text)]));
  const described = (key: ConfigKey) => {
    const inner = innerKeys(key).join(", ");
    return inner === "" ? docs.get(key) : `${docs.get(key)} Keys: ${inner}`;
  };
  const block = Object.fromEntries(
    keys.map((key) => {
      const type = configType(key);
      const value = v.getDefault(configSection.entries[key]) ?? emptyValue(key) ?? placeholders[key];
      const items = type === "array" ? { items: { type: "string" } } : {};
      return [key, { type, ...items, ...(value !== undefined && { default: value }), description: described(key) }];
    }),
  );
  const config = { "aws:region": { value: "ap-northeast-2" }, ...block };
  return dump({ stacks: Object.keys(labs), config }, { lineWidth: -1, noRefs: true });
}

/** The keys that users change most. */
const commonKeys = [
  "publicAccessCidrs",
  "gpuNodes.instanceType",
  "gpuNodes.maxSize",
  "gpuNodes.capacityType",
  "gpuNodes.owner",
  "gpuOperator.enabled",
  "monitoring.enabled",
  "nccl",
  "lease.timeZone",
  "fault",
];

/** The entries of docs/configuration.md: one for each key, and for each key of a section. */
export function configurationEntries(): string {
  const changes = changesByKey();
  const isShown = ({ path }: ArgumentDoc) => path.split(".").length <= 2;
  const own = configurationDocs().filter(isShown);
  const heading = (path: string) => `${path.includes(".") ? "####" : "###"} ${path}`;
  const entries = [
    ...own.map((doc) => [heading(doc.path), "", summary(doc.text), ...facts(doc, changes.get(doc.path))]),
    ...Object.keys(providerChanges).map((key) => [`### ${key}`, ...facts(undefined, changes.get(key))]),
  ];
  return entries.map((lines) => lines.join("\n")).join("\n\n");
}

/** The list below a key. A section has none: its keys have. */
function facts(doc: ArgumentDoc | undefined, change: Change | undefined): string[] {
  if (!change) return [];
  const { effect, what, time, cost } = change;
  const effectAndTime = time === undefined ? effect : `${effect}, ${time}`;
  return [
    "",
    ...(doc ? [`- Type: ${shownType(doc.type)}${shownDefault(doc)}`] : []),
    `- Change: ${what === "" ? effectAndTime : `${effectAndTime}. ${what}`}`,
    ...(cost === undefined ? [] : [`- Cost of the change: ${cost}`]),
  ];
}

/** Links to the entries of the most common keys. */
export function commonLinks(): string {
  const paths = new Set(configurationDocs().map(({ path }) => path));
  const unknown = commonKeys.filter((key) => !paths.has(key));
  if (unknown.length > 0) throw new Error(`There is no configuration key ${unknown.join(", ")}`);
  return `${commonKeys.map((key) => `[\`${key}\`](#${anchorOf(key)})`).join(", ")}.`;
}

/** The first paragraph on one line; library.md and the docstrings have the rest. */
function summary(text: string): string {
  return (text.split(/\n\s*\n/)[0] ?? "").replace(/\s+/g, " ").trim();
}

/** `readonly string[]` reads list of strings, `"on" | "off"` reads `on`, `off`, and a type with keys object. */
function shownType(type: string): string {
  const [, item] = /^(?:readonly )?\(?(.*?)\)?\[\]$/.exec(type) ?? [];
  if (item !== undefined)
    return /^string$|^Input<string>$/.test(item)
      ? "list of strings"
      : `list of ${shownType(item)}`.replace(/object$/, "objects");
  const choices = type.split(" | ");
  if (choices.every((choice) => /^"[^"]*"$/.test(choice)))
    return choices.map((choice) => choice.replaceAll('"', "`")).join(", ");
  return /^(?:string|number|boolean)$/.test(type) ? type : "object";
}

/** `"g5.xlarge" - the cheapest` reads g5.xlarge, and an empty list or object has no default. */
function shownDefault({ isOptional, defaultText = "" }: ArgumentDoc): string {
  if (!isOptional) return "; required";
  const [value = ""] = defaultText.replace(/\s+/g, " ").split(" - ");
  return ["{}", "[]", "none"].includes(value) ? "" : `; default: ${value.replaceAll('"', "")}`;
}

// What happens to a running environment when a configuration key changes. The docstring of a key says it: `@change EFFECT,
// TIME - what happens, and what is interrupted`, and `@changeCost` what it costs meanwhile. docs/changes.md describes the
// effects. An engine test compares them with previews.

/**
 * `in place`: no node and no pod outside of the changed part ends. `rolling`: nodes are replaced one by one. `replaced`:
 * something is created again, and the existing one deleted. `refused`: the preview stops. `no change`: nothing in AWS.
 */
const effects = ["in place", "rolling", "replaced", "refused", "no change"] as const;
export type Effect = (typeof effects)[number];

/** What a change of one key does. */
interface Change {
  readonly effect: Effect;
  /** What happens; empty where the effect says all about the nodes. */
  readonly what: string;
  /** Typical time; undefined if nothing waits for it, or if docs/changes.md has the time of the effect. */
  readonly time: string | undefined;
  /** What it costs in addition, meanwhile and afterwards; undefined if nothing is worth naming. */
  readonly cost: string | undefined;
}

/** What a change of the keys of the AWS provider does that say where the environment is. */
const providerChanges: Readonly<Record<string, string>> = {
  "aws:region":
    "refused - The environment is not in the other region. Use another stack there, or destroy first. Without the key, the variable `AWS_REGION` applies.",
  "aws:profile":
    "refused - Refused if the profile belongs to another account. In the same account, the other credentials are used. Without the key, the variable `AWS_PROFILE` applies.",
};

/**
 * The changes by key, in the order of the schema. A section has none of its own: its keys have.
 *
 * @throws Error for a key whose docstring does not say what a change does.
 */
export function changesByKey(): ReadonlyMap<string, Change> {
  const docs = configurationDocs();
  const isSection = (key: string) => !key.includes(".") && docs.some(({ path }) => path.startsWith(`${key}.`));
  const own = docs.filter(({ path }) => path.split(".").length <= 2 && !isSection(path));
  const changes = own.map((doc) => [doc.path, changeOf(doc.path, doc.changeText, doc.changeCost)] as const);
  const ofProvider = Object.entries(providerChanges).map(([key, text]) => [key, changeOf(key, text)] as const);
  return new Map([...changes, ...ofProvider]);
}

/** Reads `rolling, 10 min per node - It is a tag.` */
function changeOf(key: string, text = "", cost?: string): Change {
  const [head = "", ...sentences] = text.replace(/\s+/g, " ").split(" - ");
  const [name = "", ...times] = head.split(", ");
  const effect = effects.find((each) => each === name);
  if (!effect)
    throw new Error(`The docstring of ${key} needs @change with one of: ${effects.join(", ")}; got "${text}"`);
  return { effect, what: sentences.join(" - "), time: times.length > 0 ? times.join(", ") : undefined, cost };
}
