import { dump } from "js-yaml";
import * as v from "valibot";
import { configSection, configType, type ConfigKey } from "../stacks/run/config-keys";
import { interfaceDocs, type ArgumentDoc } from "./argument-docs";

// The configuration keys in Pulumi.yaml and in the README, from the schema and its docstrings.

const keys = Object.keys(configSection.entries) as ConfigKey[];

function configurationDocs(): readonly ArgumentDoc[] {
  return interfaceDocs("stacks/run/config-keys.ts", "Configuration");
}

/** The `config` block of Pulumi.yaml. */
export function pulumiConfig(): string {
  const docs = new Map(configurationDocs().map((doc) => [doc.path, firstSentence(doc.text)]));
  const block = Object.fromEntries(
    keys.map((key) => {
      const type = configType(key);
      const value = v.getDefault(configSection.entries[key]) as unknown;
      const items = type === "array" ? { items: { type: "string" } } : {};
      return [
        key,
        { type, ...items, ...(value !== undefined && { default: value }), description: docs.get(key) ?? "" },
      ];
    }),
  );
  return dump({ config: block }, { lineWidth: -1, noRefs: true });
}

/** The table of the README: a row for each key, and for each key of a section. */
export function readmeTable(): string {
  const rows = configurationDocs()
    .filter(({ path }) => path.split(".").length <= 2)
    .map(({ path, text, defaultText, isOptional }) => {
      const standard = isOptional ? (defaultText ?? "").split(" - ")[0] : "must be set";
      return [`\`${path}\``, standard ?? "", oneLine(text)];
    });
  const cells = [["key", "default", "what it does"], ["---", "---", "---"], ...rows];
  return cells.map((row) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`).join("\n");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function firstSentence(text: string): string {
  return /^.*?[.:](?= |$)/.exec(oneLine(text))?.[0] ?? oneLine(text);
}
