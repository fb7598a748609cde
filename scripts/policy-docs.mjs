// The pages of docs/policies: one for each rule, and an index by theme. Reads the rules and their examples;
// scripts/docs.ts writes the pages.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loadBundled } from "./bundled.mjs";

const root = new URL("..", import.meta.url);
const read = (path) => readFileSync(fileURLToPath(new URL(path, root)), "utf8");

/** Every page, by its path from the project's root. */
export async function policyPages() {
  const { packs } = loadBundled("policies/packs/index.ts");
  const { judgeProgram } = loadBundled("planner/judge-program.ts");
  const found = rulesOf(packs);
  const pages = [];
  for (const rule of found) {
    const example = fileURLToPath(new URL(rule.example, root));
    const findings = await judgeProgram(example, fileURLToPath(root), packs.shared, "bad");
    const violation = findings.find((finding) => finding.rule === rule.id && finding.verdict === "fail");
    pages.push([`docs/policies/${rule.id}.md`, page(rule, violation?.message ?? "")]);
  }
  return { "docs/policies/README.md": index(found, packs), ...Object.fromEntries(pages) };
}

/** An example of a policy configuration for each pack, by path: every rule with its defaults. */
export function policyConfigs() {
  const { packs } = loadBundled("policies/packs/index.ts");
  const entry = ({ rule, level }) => [rule.id, { enforcementLevel: level, ...defaultsOf(rule) }];
  return Object.fromEntries(
    Object.entries(packs).map(([name, { rules }]) => [
      `policies/packs/${name}/policy-config.example.json`,
      JSON.stringify(Object.fromEntries(rules.map(entry))),
    ]),
  );
}

function defaultsOf({ parameters }) {
  return Object.fromEntries(Object.entries(parameters).map(([name, { schema }]) => [name, schema.default]));
}

function rulesOf(packs) {
  const themeOf = new Map(
    readdirSync(new URL("policies/rules", root), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => readdirSync(new URL(`policies/rules/${name}`, root)).map((file) => [file, name])),
  );
  return packs.lab.rules.map(({ rule }) => {
    const theme = themeOf.get(`${rule.id}.ts`);
    if (theme === undefined) throw new Error(`the rule ${rule.id} needs a file of its name in policies/rules`);
    const levels = Object.entries(packs).map(([pack, { rules }]) => [
      pack,
      rules.find((one) => one.rule.id === rule.id)?.level,
    ]);
    return {
      ...rule,
      theme,
      levels,
      ownDefaults: ownDefaults(packs, rule),
      source: read(`policies/rules/${theme}/${rule.id}.ts`),
      example: `policies/rules/${theme}/${rule.id}.example.ts`,
    };
  });
}

/** Defaults that differ in another pack, by parameter: `in shared: []`. */
function ownDefaults(packs, rule) {
  return Object.fromEntries(
    Object.entries(rule.parameters).map(([name, { schema }]) => {
      const others = Object.entries(packs).flatMap(([pack, { rules }]) => {
        const own = rules.find((one) => one.rule.id === rule.id)?.rule.parameters[name].schema.default;
        const same = own === undefined || JSON.stringify(own) === JSON.stringify(schema.default);
        return same ? [] : [`; in ${pack} \`${JSON.stringify(own)}\``];
      });
      return [name, others.join("")];
    }),
  );
}

/** The comment above a rule, without its sources. */
function details(source) {
  const [, comment = ""] =
    /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*export const \w+ = (?:resource|stack)Rule\(/.exec(source) ?? [];
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\*? ?/, "").trimEnd());
  const text = lines.join("\n").split("@see")[0].trim();
  return text === "" ? [] : ["## Details", "", text, ""];
}

function page(rule, message) {
  const { id, title, incident, severity, types, theme, levels, source, parameters, ownDefaults } = rule;
  const program = programsIn(read(rule.example));
  const sources = [...source.matchAll(/@see (https:\S+)(.*)/g)].map(
    ([, url, rest]) => `- <${url}>${rest.replace(/\s*\*\/.*/, "")}`,
  );
  const rows = Object.entries(parameters).map(
    ([name, { schema }]) =>
      `| \`${name}\` | \`${JSON.stringify(schema.default).replaceAll("|", "\\|")}\`${ownDefaults[name]} | ${schema.description} |`,
  );
  return [
    `# ${id}`,
    "",
    title,
    "",
    `**Levels** ${levels.map(([pack, level]) => `\`${pack}\`: ${level}`).join(", ")}. **Severity** ${severity}. **Theme** ${headingOf(theme)}.`,
    "",
    "## Why",
    "",
    `Without it: ${incident}.`,
    "",
    ...details(source),
    "## Bad",
    "",
    code(program("bad")),
    "",
    "The rule reports:",
    "",
    `\`\`\`text\n${message}\n\`\`\``,
    "",
    "## Good",
    "",
    code(program("good")),
    "",
    "## Parameters",
    "",
    "| name | default | what it does |",
    "| --- | --- | --- |",
    ...rows,
    "",
    "## What it reads",
    "",
    [...new Set(types)].map((type) => `\`${type}\``).join(", "),
    ...(sources.length > 0 ? ["", "## Sources", "", ...new Set(sources)] : []),
    "",
  ].join("\n");
}

/**
 * The two programs of an example module, each as it reads in a project of its own: the body of the exported function
 * `bad` or `good`, with the imports that it uses.
 */
function programsIn(text) {
  const imports = [...text.matchAll(/^import (.+) from (.+);$/gm)];
  return (name) => {
    const [, body] = new RegExp(`^export function ${name}\\(\\) \\{\\n([^]*?)^\\}$`, "m").exec(text);
    const lines = imports.flatMap(([, names, module]) => {
      const used = names
        .match(/(?:\* as )?\w+/g)
        .filter((one) => new RegExp(`\\b${one.split(" ").at(-1)}\\b`).test(body));
      if (used.length === 0) return [];
      return `import ${names.startsWith("{") ? `{ ${used.join(", ")} }` : names} from ${module};`;
    });
    const program = [...lines, "", body.replace(/^ {2}/gm, "").trimEnd()].join("\n");
    return program.replace('"../../../components"', '"eks-gpu-lab"');
  };
}

function code(program) {
  return `\`\`\`typescript\n${program}\n\`\`\``;
}

function index(rules, packs) {
  const names = Object.keys(packs);
  const themes = new Set(rules.map(({ theme }) => theme));
  const sections = [...themes].flatMap((theme) => {
    const own = rules.filter((rule) => rule.theme === theme);
    const rows = own.map(
      ({ id, title, levels }) => `| [${id}](${id}.md) | ${title} | ${levels.map(([, level]) => level).join(" | ")} |`,
    );
    return [
      "",
      `## ${headingOf(theme)}`,
      "",
      `| rule | what holds | ${names.join(" | ")} |`,
      `| --- | --- |${names.map(() => " --- |").join("")}`,
      ...rows,
    ];
  });
  const described = Object.entries(packs).map(
    ([name, { description }]) => `- \`policies/packs/${name}\`: ${description}`,
  );
  return [
    "# Policy rules",
    "",
    `${rules.length} rules in ${names.length} packs:`,
    "",
    ...described,
    "",
    "Each pack folder holds `policy-config.example.json` with every rule: its level, and its parameters.",
    "[A pack of your own](../library.md#a-policy-pack-of-your-own) adds rules to a pack or leaves rules out.",
    "",
    ...providers(rules),
    ...sections,
    "",
    "## By pack",
    ...Object.entries(packs).flatMap(([name, pack]) => ["", `### ${name}`, ...byLevel(pack)]),
    "",
  ].join("\n");
}

/** The providers whose resources the rules read, from the types of the rules. */
function providers(rules) {
  const names = new Set(rules.flatMap(({ types }) => types.map((type) => type.split(":")[0])));
  const packages = [...names].filter((name) => name !== "pulumi" && name !== "eks-gpu-lab").sort();
  const listed = packages.map((name) => `\`@pulumi/${name}\``).join(", ");
  return [
    `The rules judge resources of ${listed} and of this library.`,
    "They also judge the charts that Argo CD and Flux install. They do not judge resources of other providers, such as",
    "`aws-native`. The page of each rule lists the types that it reads.",
  ];
}

/** A theme's folder as a heading: `rbac` is `RBAC`, `workloads` is `Workloads`. */
function headingOf(theme) {
  return theme === "rbac" ? "RBAC" : theme[0].toUpperCase() + theme.slice(1);
}

/** The rules of a pack, level by level. */
function byLevel({ rules }) {
  return ["mandatory", "advisory", "disabled"].flatMap((level) => {
    const own = rules.filter((one) => one.level === level).map(({ rule }) => `[${rule.id}](${rule.id}.md)`);
    return own.length === 0 ? [] : ["", `${own.length} ${level}: ${own.join(", ")}.`];
  });
}
