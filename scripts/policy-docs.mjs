// What the policy rules look like in docs/policies: a page for each rule, and an index by theme. Pure but for reading the
// rules and their examples; scripts/docs.mjs writes it.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loadBundled } from "./bundled.mjs";

const root = new URL("..", import.meta.url);
const read = (path) => readFileSync(fileURLToPath(new URL(path, root)), "utf8");

const themes = {
  scaling: "Sizes and scaling",
  cost: "Money and quota",
  nodes: "GPU nodes",
  machines: "Machines",
  operator: "GPU Operator",
  health: "GPU health and node repair",
  cluster: "Cluster and add-ons",
  network: "Network",
  workloads: "GPU workloads",
  pods: "Pods",
  rbac: "Rights in the cluster",
  alerts: "Alerts",
  experiments: "Experiments",
};

/** Every page, by its path from the project's root. */
export async function policyPages() {
  const { packs } = loadBundled("policies/packs/index.ts");
  const { judgeProgram } = loadBundled("planner/judge-program.ts");
  const found = rulesOf(packs);
  const pages = [];
  for (const rule of found) {
    const findings = await judgeProgram(example(rule.id, "bad"), fileURLToPath(root), packs.shared);
    const said = findings.find((finding) => finding.rule === rule.id && finding.verdict === "fail");
    pages.push([`docs/policies/${rule.id}.md`, page(rule, said?.message ?? "")]);
  }
  return { "docs/policies/README.md": index(found, packs), ...Object.fromEntries(pages) };
}

/** An example of a policy configuration for each pack, by path: every rule as it is without one. */
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
    };
  });
}

/** What other packs than the first have as defaults of their own: `in shared: []`, by parameter. */
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

/** What the comment above a rule says of what it does and leaves. */
function details(source) {
  const [, comment = ""] =
    /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*export const \w+ = (?:resource|stack)Rule\(/.exec(source) ?? [];
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\*? ?/, "").trimEnd());
  const text = lines.join("\n").split("@see")[0].trim();
  return text === "" ? [] : ["## Details", "", text, ""];
}

function example(id, kind) {
  return fileURLToPath(new URL(`policies/examples/${id}/${kind}.ts`, root));
}

function page({ id, title, incident, severity, types, theme, levels, source, parameters, ownDefaults }, message) {
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
    `**Levels** ${levels.map(([pack, level]) => `\`${pack}\`: ${level}`).join(", ")}. **Severity** ${severity}. **Theme** ${themes[theme] ?? theme}.`,
    "",
    "## Why",
    "",
    `Without it: ${incident}.`,
    "",
    ...details(source),
    "## Bad",
    "",
    code(`policies/examples/${id}/bad.ts`),
    "",
    "It says:",
    "",
    `\`\`\`text\n${message}\n\`\`\``,
    "",
    "## Good",
    "",
    code(`policies/examples/${id}/good.ts`),
    "",
    "## Parameters",
    "",
    "| name | default | what it does |",
    "| --- | --- | --- |",
    ...rows,
    "",
    "## What it reads",
    "",
    types.map((type) => `\`${type}\``).join(", "),
    ...(sources.length > 0 ? ["", "## Sources", "", ...new Set(sources)] : []),
    "",
  ].join("\n");
}

/** An example as it reads in a project of its own. */
function code(path) {
  const text = read(path).trimEnd().replace('"../../../components"', '"eks-gpu-lab"');
  return `\`\`\`typescript\n${text}\n\`\`\``;
}

function index(rules, packs) {
  const names = Object.keys(packs);
  const sections = Object.entries(themes).flatMap(([theme, heading]) => {
    const own = rules.filter((rule) => rule.theme === theme);
    if (own.length === 0) return [];
    const rows = own.map(
      ({ id, title, levels }) => `| [${id}](${id}.md) | ${title} | ${levels.map(([, level]) => level).join(" | ")} |`,
    );
    return [
      "",
      `## ${heading}`,
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
    ...sections,
    "",
    "## By pack",
    ...Object.entries(packs).flatMap(([name, pack]) => ["", `### ${name}`, ...byLevel(pack)]),
    "",
  ].join("\n");
}

/** The rules of a pack, level by level. */
function byLevel({ rules }) {
  return ["mandatory", "advisory", "disabled"].flatMap((level) => {
    const own = rules.filter((one) => one.level === level).map(({ rule }) => `[${rule.id}](${rule.id}.md)`);
    return own.length === 0 ? [] : ["", `${own.length} ${level}: ${own.join(", ")}.`];
  });
}
