import { declareValuePlugin, PluginKind } from "@stryker-mutator/api/plugin";

/** What a rule says of itself, and what its parameters mean: golden files and the pages of the rules hold these texts. */
const prose = new Set(["id", "title", "severity", "incident", "description"]);
const parameters = new Set(["text", "texts", "count", "numbers"]);

function shouldIgnore({ node, parent }) {
  if (node.type !== "StringLiteral") return undefined;
  const isOfRule = parent?.type === "ObjectProperty" && parent.value === node && prose.has(parent.key.name);
  const isOfParameter =
    parent?.type === "CallExpression" && parameters.has(parent.callee.name) && parent.arguments.at(-1) === node;
  return isOfRule || isOfParameter ? "a text of the rule's page, which golden files hold" : undefined;
}

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, "prose", { shouldIgnore: (path) => shouldIgnore(path) }),
];
