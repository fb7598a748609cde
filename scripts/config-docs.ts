// The configuration keys in Pulumi.yaml and in the README. scripts/docs.ts writes them.
import { dump } from "js-yaml";
import type { ConfigKey } from "../stacks/run/config-keys";

type ConfigKeys = Readonly<Record<string, ConfigKey>>;

/** The `config` block of Pulumi.yaml. */
export function pulumiConfig(keys: ConfigKeys): string {
  const block = Object.fromEntries(
    Object.entries(keys).map(([name, { type, default: value, doc, keys: inner }]) => [
      name,
      {
        type,
        ...(type === "array" && { items: { type: "string" } }),
        ...(value !== undefined && { default: value }),
        description: inner ? `${doc}: ${Object.keys(inner).join(", ")}` : doc,
      },
    ]),
  );
  return dump({ config: block }, { lineWidth: -1, noRefs: true });
}

/** The table of the README: a row for each key, and for each key of an object. */
export function readmeTable(keys: ConfigKeys): string {
  const rows = Object.entries(keys).flatMap(([name, { default: value, doc, keys: inner }]) => [
    [`\`${name}\``, shown(value), doc],
    ...Object.entries(inner ?? {}).map(([key, text]) => {
      const [what = "", standard = ""] = text.split("; default ");
      return [`\`${name}.${key}\``, standard, what];
    }),
  ]);
  const cells = [["key", "default", "what it does"], ["---", "---", "---"], ...rows];
  return cells.map((row) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`).join("\n");
}

function shown(value: ConfigKey["default"]): string {
  if (value === undefined) return "must be stated";
  if (Array.isArray(value)) return value.join(", ") || "none";
  return typeof value === "object" ? "" : String(value);
}
