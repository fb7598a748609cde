// Reads the declarations of eks-gpu-lab as a project in which it is installed does, and prints what it finds as JSON.
// A process of its own: it takes seconds and 800 MB, most of them for the declarations of @pulumi/aws.
//
//   node type-check.mjs <project> <file> …
import { createRequire } from "node:module";
import { join, relative, sep } from "node:path";

const [project, ...files] = process.argv.slice(2);
const ts = createRequire(join(project, "package.json"))("typescript");
const own = join("node_modules", "eks-gpu-lab") + sep;

const strict = {
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2023.d.ts"],
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
};
const modes = {
  node10: { module: ts.ModuleKind.CommonJS, moduleResolution: ts.ModuleResolutionKind.Node10 },
  node16: { module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16 },
  bundler: { module: ts.ModuleKind.Preserve, moduleResolution: ts.ModuleResolutionKind.Bundler },
};

/** The declarations that the imports of the package lead to, and what they import in vain. */
function walk(mode) {
  const imports = ["eks-gpu-lab", "eks-gpu-lab/policies", "eks-gpu-lab/testing"];
  const entries = imports.flatMap((wanted) => resolve(wanted, join(project, "index.ts"), mode) ?? []);
  const seen = new Set(entries);
  const packages = new Set();
  const missing = [];
  for (const file of seen) {
    for (const { fileName: wanted } of ts.preProcessFile(ts.sys.readFile(file)).importedFiles) {
      if (!wanted.startsWith(".")) packages.add(/^(@[^/]+\/)?[^/]+/.exec(wanted)[0]);
      const found = resolve(wanted, file, mode);
      if (found === undefined) missing.push(`${relative(project, file)}: ${wanted}`);
      else if (found.includes(own)) seen.add(found);
    }
  }
  return { entries: entries.map((entry) => relative(project, entry)), packages: [...packages].sort(), missing };
}

function resolve(wanted, from, mode) {
  const found = ts.resolveModuleName(wanted, from, modes[mode], ts.sys, undefined, undefined, ts.ModuleKind.CommonJS);
  return found.resolvedModule?.resolvedFileName;
}

/** Errors in the project's own files and in the package's declarations; those of other packages are not judged. */
function check() {
  const roots = files.map((file) => join(project, file));
  const program = ts.createProgram(roots, { ...strict, ...modes.node16 });
  const judged = program.getSourceFiles().filter(({ fileName }) => {
    const path = relative(project, fileName);
    return !path.startsWith("node_modules") ? !path.startsWith("..") : path.startsWith(own);
  });
  const errors = judged.flatMap((file) => [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
  ]);
  return [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics(), ...errors].map(describe);
}

function describe({ file, start, messageText }) {
  const text = ts.flattenDiagnosticMessageText(messageText, " ");
  if (!file) return { file: "", text };
  const { line } = file.getLineAndCharacterOfPosition(start);
  return { file: relative(project, file.fileName), text: `line ${line + 1}: ${text}` };
}

const resolution = Object.fromEntries(Object.keys(modes).map((mode) => [mode, walk(mode)]));
process.stdout.write(JSON.stringify({ resolution, errors: check() }));
