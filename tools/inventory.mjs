// Lists what users of a built checkout can reach: exports, component arguments, configuration keys, commands with options
// and exit statuses, stacks with what their plans hold, rules with levels and parameters, alerts, conclusions, error
// codes and pages. With two folders it prints what the second one lacks and has in addition, and ends with 1 on a difference.
//
//   npm run build, then: node tools/inventory.mjs [BEFORE] AFTER
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { load } from "js-yaml";
import ts from "typescript";

function inventory(folder) {
  const root = resolve(folder);
  const text = (path) => readFileSync(join(root, path), "utf8");
  const yaml = (path) => load(text(path));
  const help = (...args) => execFileSync("node", [join(root, "dist/cli.js"), ...args, "--help"], { encoding: "utf8" });
  return {
    "runtime export": runtimeExports(root),
    "type export": typeExports(root),
    argument: componentArguments(root),
    "configuration key": configKeys(yaml("Pulumi.yaml"), text("docs/configuration.md")),
    stack: readdirSync(join(root, "stacks")).filter((file) => /^Pulumi\..*\.yaml$/.test(file)),
    planned: plannedResources(root),
    "rule, level and parameters": ["lab", "shared", "audit"].flatMap((pack) => policies(pack, text)),
    alert: yaml("docs/alerts/gpu-alerts.rules.yaml").groups.flatMap(({ rules }) => rules.map((rule) => rule.alert)),
    "finding of the failure index": [...text("docs/accidents.md").matchAll(/`([a-z0-9-]+)`/g)].map(([, id]) => id),
    "option or status": ["plan", "preflight", "pin", "rehearse", "triage", "gpu", "leftovers", "drill"].flatMap(
      (command) =>
        [...help(command).matchAll(/(?<= )--[a-z-]+|exit status:.*\d/g)].map(
          ([option]) => `${command} ${statuses(option)}`,
        ),
    ),
    page: execFileSync("git", ["ls-files", "docs"], { cwd: root, encoding: "utf8" }).trim().split("\n"),
  };
}

/** Of a line on exit statuses only the numbers. */
function statuses(option) {
  return option.startsWith("exit")
    ? `exit status ${[...option.matchAll(/\b\d\b/g)].map(([n]) => n).join(" ")}`
    : option;
}

function runtimeExports(root) {
  const library = createRequire(join(root, "package.json"))(join(root, "dist/index.js"));
  return Object.entries(library).flatMap(([name, value]) =>
    /Defaults$/.test(name)
      ? Object.entries(value).map(([key, one]) => `${name}.${key} = ${JSON.stringify(one)}`)
      : [name],
  );
}

function libraryProgram(root) {
  const options = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    esModuleInterop: true,
    resolveJsonModule: true,
    noEmit: true,
  };
  const file = join(root, "components/index.ts");
  const program = ts.createProgram([file], options);
  const checker = program.getTypeChecker();
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)));
  return { checker, exported };
}

function typeExports(root) {
  return libraryProgram(root).exported.map(({ name }) => name);
}

/** `GpuNodeGroup(maxSize?)`, and the keys of its sections. */
function componentArguments(root) {
  const { checker, exported } = libraryProgram(root);
  return exported.flatMap((alias) => {
    const symbol = alias.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(alias) : alias;
    if (!(symbol.flags & ts.SymbolFlags.Class)) return [];
    const [create] = checker.getTypeOfSymbolAtLocation(symbol, symbol.valueDeclaration).getConstructSignatures();
    const args = create?.parameters[1];
    return args && create.parameters[0]?.name === "name"
      ? keysOf(checker, checker.getTypeOfSymbol(args), alias.name, 2)
      : [];
  });
}

function keysOf(checker, type, at, depth) {
  if (depth === 0) return [];
  return type.getProperties().flatMap((property) => {
    const optional = property.flags & ts.SymbolFlags.Optional ? "?" : "";
    const inner = checker.getNonNullableType(checker.getTypeOfSymbol(property));
    const keys = inner.flags & ts.TypeFlags.Object && !checker.isArrayType(inner) ? inner.getProperties() : [];
    const isOurs = keys.some(({ declarations }) =>
      declarations?.some((node) => /\/components\//.test(node.getSourceFile().fileName)),
    );
    const isSection =
      isOurs && inner.getCallSignatures().length === 0 && !/Transform/.test(checker.typeToString(inner));
    return [
      `${at}.${property.name}${optional}`,
      ...(isSection ? keysOf(checker, inner, `${at}.${property.name}`, depth - 1) : []),
    ];
  });
}

function configKeys({ config }, page) {
  const declared = Object.entries(config).map(
    ([key, { type, default: value }]) => `${key}: ${type} = ${JSON.stringify(value)}`,
  );
  return [...declared, ...[...page.matchAll(/^\| `([a-zA-Z.]+)` /gm)].map(([, key]) => `documented ${key}`)];
}

/** Every resource of every stack's plan, its inputs as a digest of their own text. */
function plannedResources(root) {
  const json = execFileSync("node", ["dist/cli.js", "plan", "--all", "--json"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1e9,
  });
  const plans = JSON.parse(json);
  return (Array.isArray(plans) ? plans : Object.values(plans)).flatMap((plan) =>
    (plan.steps ?? []).map(({ urn }) => urn),
  );
}

function policies(pack, text) {
  const { ...rules } = JSON.parse(text(`policies/packs/${pack}/policy-config.example.json`));
  return Object.entries(rules).map(([rule, setting]) => `${pack} ${rule} ${JSON.stringify(setting)}`);
}

const folders = process.argv.slice(2);
const [before, after] = folders.length > 1 ? folders.map(inventory) : [{}, inventory(folders[0] ?? ".")];
if (folders.length < 2) console.log(JSON.stringify(after, undefined, 2));
else {
  for (const [kind, items] of Object.entries(after)) {
    const [old, now] = [new Set(before[kind]), new Set(items)];
    for (const item of old) if (!now.has(item)) report("-", kind, item);
    for (const item of now) if (!old.has(item)) report("+", kind, item);
  }
}

function report(sign, kind, item) {
  process.exitCode = 1;
  console.log(`${sign} ${kind}: ${item}`);
}
