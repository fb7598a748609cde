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
import { table } from "../planner/report/markdown-syntax";
import { interfaceDocs, type ArgumentDoc } from "./argument-docs";

// The configuration keys in Pulumi.yaml, docs/configuration.md, from the schema and its docstrings.

const keys = Object.keys(configSection.entries) as ConfigKey[];

let docsOfKeys: readonly ArgumentDoc[] | undefined;

/** The documentation of the keys. TypeScript reads it once, which takes ten seconds. */
export function configurationDocs(): readonly ArgumentDoc[] {
  docsOfKeys ??= interfaceDocs("stacks/run/config-keys.ts", "Configuration");
  return docsOfKeys;
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

/** The table of docs/configuration.md: a row for each key, and for each key of a section. */
export function configurationTable(): string {
  return tableOf(configurationDocs().filter(({ path }) => path.split(".").length <= 2));
}

/** The table of the most common keys. */
export function commonTable(): string {
  const docs = new Map(configurationDocs().map((doc) => [doc.path, doc]));
  return tableOf(
    commonKeys.map((path) => {
      const doc = docs.get(path);
      if (!doc) throw new Error(`There is no configuration key ${path}`);
      return doc;
    }),
  );
}

function tableOf(docs: readonly ArgumentDoc[]): string {
  const rows = docs.map(({ path, text, defaultText, isOptional }) => {
    const standard = isOptional ? shownDefault(defaultText ?? "") : "must be set";
    return [`\`${path}\``, standard, summary(text)].map((cell) => cell.replaceAll("|", "\\|"));
  });
  return table(["key", "default", "what it does"], rows);
}

/** The first paragraph on one line; library.md and the docstrings have the rest. */
function summary(text: string): string {
  return (text.split(/\n\s*\n/)[0] ?? "").replace(/\s+/g, " ").trim();
}

/** `"g5.xlarge" - the cheapest` reads g5.xlarge, and an empty list or object none. */
function shownDefault(text: string): string {
  const [value = ""] = text.replace(/\s+/g, " ").split(" - ");
  return value === "{}" || value === "[]" ? "none" : value.replaceAll('"', "");
}
