// The pages of docs/policies: one for each rule, and an index by theme. Reads the rules and their examples;
// tools/docs.ts writes the pages.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { structuredPatch } from "diff";
import prettier from "prettier";
import type { Pack, PackRule } from "../policies/engine/pack";
import type { Rule } from "../policies/engine/rule";
import { packs } from "../policies/packs";
import { chartSources, installers } from "../policies/facts/charts";
import { labStacks } from "../policies/facts/lab-faults";
import { templateTypes } from "../policies/facts/launch-templates";
import { countedTypes, managedGroups, nodeTypes } from "../policies/facts/node-sources";
import { podTypes } from "../policies/facts/pods";
import { table } from "../planner/report/markdown-syntax";
import { anchorOf } from "./site/links";
import { examplePrograms, type ExamplePrograms } from "./example-programs";

const root = join(__dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const packList: readonly (readonly [string, Pack])[] = Object.entries(packs);

/** Every page, by its path from the project's root. */
export async function policyPages(): Promise<Record<string, string>> {
  const found = documentedRules();
  const pages: Record<string, string> = { "docs/policies/README.md": index(found) };
  for (const described of found) {
    pages[`docs/policies/${described.rule.id}.md`] = page(described, await programs(described.example));
  }
  return pages;
}

/** An example of a policy configuration for each pack, by path: every rule with its defaults. */
export function policyConfigs(): Record<string, string> {
  const entry = ({ rule, level }: PackRule) => [rule.id, { enforcementLevel: level, ...defaultsOf(rule) }] as const;
  return Object.fromEntries(
    packList.map(([name, { rules }]) => [
      `policies/packs/${name}/policy-config.example.json`,
      JSON.stringify(Object.fromEntries(rules.map(entry))),
    ]),
  );
}

function defaultsOf({ parameters }: Rule): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parameters).map(([name, { schema }]) => [name, schema.default]));
}

/** A rule, and what its page shows in addition. */
interface DocumentedRule {
  readonly rule: Rule;
  /** The folder of the rule. */
  readonly theme: string;
  /** The rule in each pack, by the name of the pack's folder. */
  readonly inPacks: readonly (readonly [string, PackRule | undefined])[];
  readonly source: string;
  readonly example: string;
}

function documentedRules(): DocumentedRule[] {
  const files = readdirSync(join(root, "policies/rules"), { recursive: true, encoding: "utf8" });
  return packs.lab.rules.map(({ rule }: PackRule) => {
    const file = files.find((one) => one.endsWith(`/${rule.id}.ts`));
    if (file === undefined) throw new Error(`the rule ${rule.id} needs a file of its name in policies/rules`);
    return {
      rule,
      theme: file.slice(0, file.indexOf("/")),
      inPacks: packList.map(([name, { rules }]) => [name, rules.find((one) => one.rule.id === rule.id)]),
      source: read(`policies/rules/${file}`),
      example: `policies/rules/${file.replace(/\.ts$/, ".example.ts")}`,
    };
  });
}

/** Where the default of a parameter differs in another pack: `; in shared []`. */
function ownDefaults({ inPacks, rule }: DocumentedRule, parameter: string): string {
  const usual = JSON.stringify(rule.parameters[parameter]?.schema.default);
  const others = inPacks.map(([pack, own]) => [pack, own?.rule.parameters[parameter]?.schema.default] as const);
  return others
    .filter(([, own]) => own !== undefined && JSON.stringify(own) !== usual)
    .map(([pack, own]) => `; in ${pack} \`${JSON.stringify(own)}\``)
    .join("");
}

/** The comment above a rule, without its sources. */
function details(source: string): string[] {
  const [, comment = ""] =
    /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*export const \w+ = (?:resource|stack|cluster)Rule\(/.exec(source) ?? [];
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\*? ?/, "").trimEnd());
  const text = lines
    .join("\n")
    .replace(/@see[^]*/, "")
    .trim();
  return text === "" ? [] : ["## Details", "", text, ""];
}

/** The programs of an example, each formatted. */
async function programs(example: string): Promise<ExamplePrograms> {
  const options = { ...(await prettier.resolveConfig(join(root, example))), parser: "typescript" };
  const { bad, good } = examplePrograms(read(example));
  return { bad: await prettier.format(bad, options), good: await prettier.format(good, options) };
}

function page(described: DocumentedRule, { bad, good }: ExamplePrograms): string {
  const { rule, inPacks, source } = described;
  const { id, title, incident, severity, types } = rule;
  const sources = sourcesIn(source);
  return [
    `# ${id}`,
    "",
    title,
    "",
    `${levelsIn(inPacks)}. **Severity** ${severity}.`,
    "",
    "## What it prevents",
    "",
    `${incident.charAt(0).toUpperCase()}${incident.slice(1)}.`,
    "",
    ...details(source),
    "## Example",
    "",
    ...code("diff", change(bad, good)),
    ...parameters(described),
    "## What it reads",
    "",
    reading(types),
    ...(sources.length > 0 ? ["", "## Sources", "", ...sources] : []),
    "",
  ].join("\n");
}

/** The level of a rule, or its levels if packs differ. In `audit`, every rule is advisory. */
function levelsIn(inPacks: DocumentedRule["inPacks"]): string {
  const levels = inPacks.filter(([pack]) => pack !== "audit").map(([pack, own]) => [pack, own?.level] as const);
  const [first, ...others] = new Set(levels.map(([, level]) => level));
  if (others.length === 0) return `**Level** ${first}`;
  return `**Levels** ${levels.map(([pack, level]) => `\`${pack}\`: ${level}`).join(", ")}`;
}

/** The parameters that only this rule has, and a link to those of several rules. */
function parameters(described: DocumentedRule): string[] {
  const { parameters: all } = described.rule;
  const own = Object.entries(all).filter(([name, one]) => name !== "exempt" && one !== labStacks);
  const rows = own.map(([name, { schema }]) => {
    const standard = JSON.stringify(schema.default).replaceAll("|", "\\|");
    return [`\`${name}\``, `\`${standard}\`${ownDefaults(described, name)}`, `${schema.description}`];
  });
  const shared =
    all.labStacks === labStacks ? ["The rule also has the parameter [`labStacks`](README.md#parameters).", ""] : [];
  const listed = own.length === 0 ? [] : [table(["name", "default", "what it does"], rows), ""];
  return [...listed, ...shared].length === 0 ? [] : ["## Parameters", "", ...listed, ...shared];
}

function sourcesIn(source: string): string[] {
  const cited = [...source.matchAll(/@see (https:\S+)(.*)/g)];
  return [
    ...new Set(
      cited.map(([, url = "", rest = ""]) => `- [${sourceTitle(url)}](${url})${rest.replace(/\s*\*\/.*/, "")}`),
    ),
  ];
}

/** A title from an address: `kubernetes.io: volumes, hostpath volume types`, or `NVIDIA/gpu-operator #397`. */
export function sourceTitle(address: string): string {
  const { hostname, pathname, hash } = new URL(address);
  const [owner = "", name = "", kind, number, ...file] = pathname.split("/").filter((part) => part !== "");
  if (hostname === "github.com") {
    const rest = kind === "blob" ? `: ${file.at(-1)}${hash}` : kind === undefined ? "" : ` #${number}`;
    return `${owner}/${name}${rest}`;
  }
  const page = /([^/]+?)(?:\.html)?\/?$/.exec(pathname)?.[1] ?? "";
  const words = `${page.replace(/^API_/, "")}${hash.replace("#", ", ")}`.replaceAll(/[-_]+/g, " ");
  return `${hostname.replace(/^(?:docs|www)\./, "")}: ${words}`;
}

function code(language: string, text: string): string[] {
  return [`\`\`\`${language}`, text.trimEnd(), "```", ""];
}

/** A program that the rule rejects, with the change that it accepts. */
function change(bad: string, good: string): string {
  const { hunks } = structuredPatch("", "", bad, good, "", "", { context: Infinity });
  return hunks.flatMap(({ lines }) => lines).join("\n");
}

/** Types that many rules read, by the heading under which the index lists them. The larger ones come first. */
const typeSets: readonly (readonly [string, readonly string[]])[] = [
  ["Instances and reservations", countedTypes],
  ["Groups and pools of nodes", nodeTypes],
  ["Managed node groups", managedGroups],
  ["Charts", [...installers, ...chartSources]],
  ["Pods", podTypes],
  ["Launch templates and node classes", templateTypes],
];

/** What a rule reads: names of sets, and the types in no set. */
function reading(types: readonly string[]): string {
  const sets: string[] = [];
  let others = types;
  for (const [name, members] of typeSets) {
    if (!members.every((type) => others.includes(type))) continue;
    sets.push(`[${name.toLowerCase()}](README.md#${anchorOf(name)})`);
    others = others.filter((type) => !members.includes(type));
  }
  return [...sets, ...kinds(others)].join(", ");
}

/** The kinds of resources, each once: custom resources without their version. */
function kinds(types: readonly string[]): string[] {
  const names = types.map((type) => type.replace(/^kubernetes:([^/]+)\/v[^:]+:/, "$1/").replace(/^core\//, ""));
  return [...new Set(names)].map((name) => `\`${name}\``);
}

function index(rules: readonly DocumentedRule[]): string {
  const names = Object.keys(packs);
  const themes = new Set(rules.map(({ theme }) => theme));
  const sections = [...themes].flatMap((theme) => {
    const own = rules.filter((one) => one.theme === theme);
    const entries = own.map(({ rule: { id, title }, inPacks }) => `- [${id}](${id}.md): ${title}${levelsOf(inPacks)}`);
    return ["", `## ${headingOf(theme)}`, "", ...entries];
  });
  const described = packList.map(([name, { description }]) => `- \`policies/packs/${name}\`: ${description}`);
  return [
    "# Policy rules",
    "",
    `${rules.length} rules in ${names.length} packs:`,
    "",
    ...described,
    "",
    "In `lab` and `shared`, a rule is mandatory unless its entry has another level. In `audit`, every rule is advisory.",
    "",
    "[A pack of your own](../library.md#a-policy-pack-of-your-own) adds rules to a pack or leaves rules out.",
    "",
    providers(rules),
    "They also judge charts that Argo CD, Flux, Crossplane, Fleet, Sveltos or k3s installs.",
    ...sections,
    "",
    "## Parameters",
    "",
    "Each pack folder has a `policy-config.example.json` with the level and the parameters of every rule. The page of a rule",
    "lists its own parameters. These are the parameters of several rules:",
    "",
    `- \`exempt\`, of every rule: ${rules[0]?.rule.parameters.exempt?.schema.description}`,
    `- \`labStacks\`, of rules whose failure a lab injects: ${labStacks.schema.description} The default in \`lab\` is`,
    `  \`${JSON.stringify(labStacks.schema.default)}\`. In the other packs, it is empty.`,
    "",
    "## What rules read",
    ...typeSets.flatMap(([name, types]) => ["", `### ${name}`, "", kinds(types).join(", ")]),
    "",
  ].join("\n");
}

/** The providers whose resources the rules read, from the types of the rules. */
function providers(rules: readonly DocumentedRule[]): string {
  const names = new Set(rules.flatMap(({ rule }) => rule.types.map((type) => type.split(":")[0] ?? "")));
  const packages = [...names].filter((name) => name !== "pulumi" && name !== "eks-gpu-lab").sort();
  return `The rules judge resources of ${packages.map((name) => `\`@pulumi/${name}\``).join(", ")} and of this library.`;
}

/** In which of the packs `lab` and `shared` a rule is advisory: `(advisory)` for both, `(advisory in lab)` for one. */
function levelsOf(inPacks: DocumentedRule["inPacks"]): string {
  const advisory = inPacks.flatMap(([name, own]) => (name !== "audit" && own?.level === "advisory" ? [name] : []));
  if (advisory.length === 0) return "";
  return advisory.length === inPacks.length - 1 ? " (advisory)" : ` (advisory in ${advisory.join(", ")})`;
}

/** A theme's folder as a heading: `rbac` is `RBAC`, `workloads` is `Workloads`. */
function headingOf(theme: string): string {
  return theme === "rbac" ? "RBAC" : theme.charAt(0).toUpperCase() + theme.slice(1);
}
