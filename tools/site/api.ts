import { join } from "node:path";
import type * as TypeDoc from "typedoc" with { "resolution-mode": "import" };
import { completeComponents } from "./api-arguments";

// Writes the pages of the API reference with TypeDoc.

/** The entries of the package, as its users import them. */
const entries: Readonly<Record<string, string>> = {
  "components/index.ts": "eks-gpu-lab",
  "policies/index.ts": "eks-gpu-lab/policies",
  "simulation/mocks.ts": "eks-gpu-lab/testing",
};

/** On the first page, above the links to the entries. */
const introduction =
  "The exports of the npm package, by import path: components and their arguments from `eks-gpu-lab`, policy rules " +
  "and packs from `eks-gpu-lab/policies`, and mocks for unit tests from `eks-gpu-lab/testing`. " +
  "[Use the components in another repository](../../../docs/library.md) shows them in programs.";

/** The categories of the exports, by the folder of their file. */
const categories: readonly (readonly [folder: string, category: string])[] = [
  ["components/environment/", "Environment"],
  ["components/network/", "Network"],
  ["components/cluster/", "Cluster"],
  ["components/nodes/", "Nodes"],
  ["components/gpu/", "GPU Operator and health"],
  ["components/local/", "Local clusters"],
  ["components/workloads/", "Workloads"],
  ["components/observe/", "Monitoring"],
  ["components/cost/", "Cost"],
  ["components/lease/", "Lease"],
  ["components/preflight/", "Preflight"],
  ["components/core/", "Problems and versions"],
  ["components/", "Environment"],
  ["policies/packs/", "Packs"],
  ["policies/facts/", "Facts"],
  ["policies/", "Rules"],
  ["simulation/", "Mocks"],
];

/** TypeScript declares the properties of a mapped type twice, at the same place. */
const repeated = / has multiple declarations with a comment/;

const options = {
  entryPoints: Object.keys(entries),
  tsconfig: "tsconfig.types.json",
  plugin: ["typedoc-plugin-markdown"],
  skipErrorChecking: true, // npm run check has found them.
  validation: { notExported: false, invalidLink: true, rewrittenLink: true, invalidPath: true, notDocumented: false },
  excludePrivate: true,
  excludeProtected: true,
  excludeExternals: true,
  disableSources: true,
  name: "API reference",
  readme: "none",
  jsDocCompatibility: { defaultTag: false, exampleTag: true },
  categoryOrder: [...new Set(categories.map(([, category]) => category))],
  navigation: { includeCategories: true, includeGroups: false, includeFolders: false },
} as const;

/** Options of typedoc-plugin-markdown. */
const markdown = {
  router: "member",
  hidePageHeader: true,
  hideBreadcrumbs: true,
  hideGroupHeadings: true,
  pageTitleTemplates: { project: "{projectName}", module: "{name}", member: "{name}" },
};

/**
 * Writes a page for each public export into a folder.
 *
 * @param navigation the file for the tree of pages, as JSON
 * @throws Error with every warning of TypeDoc, such as a link in a docstring to what is not exported.
 */
export async function writeApi(folder: string, navigation: string): Promise<void> {
  const typedoc = await import("typedoc");
  const warnings: string[] = [];
  class Collector extends typedoc.Logger {
    override log(message: string, level: TypeDoc.LogLevel): void {
      if (level >= typedoc.LogLevel.Warn && !repeated.test(message)) warnings.push(message);
    }
  }
  const blockTags = [...typedoc.OptionDefaults.blockTags, "@cost", "@change", "@changeCost"] as const;
  const excludeTags = [...typedoc.OptionDefaults.excludeTags, "@change", "@changeCost"] as const;
  const outputs = [{ name: "markdown", path: folder }];
  const settings = { ...options, ...markdown, blockTags, excludeTags, outputs, navigationJson: navigation };
  const app = await typedoc.Application.bootstrapWithPlugins(settings as object);
  app.logger = new Collector();
  app.converter.on(typedoc.Converter.EVENT_RESOLVE_BEGIN, (context: TypeDoc.Context) =>
    arrange(context.project, typedoc),
  );
  const project = await app.convert();
  if (project) {
    app.validate(project);
    await generate(app, project);
    completeComponents(join(folder, "eks-gpu-lab/classes"));
  }
  if (warnings.length > 0) throw new Error(`TypeDoc:\n${warnings.join("\n")}`);
}

async function generate(app: TypeDoc.Application, project: TypeDoc.ProjectReflection): Promise<void> {
  const { MarkdownPageEvent } = await import("typedoc-plugin-markdown");
  app.renderer.on(MarkdownPageEvent.END, (page: { contents?: string }) => {
    page.contents = tidy(page.contents ?? "").replace(/^# API reference\n/, `$&\n${introduction}\n`);
  });
  await app.generateOutputs(project);
}

/** Short sections become lines such as `**Default:** 100`. What only names types that are not exported is removed. */
function tidy(page: string): string {
  return page
    .replace(/^> (`readonly` )?`optional` /gm, "> $1")
    .replace(/^#{2,6} (?:Inherited from|Overrides)\n\n.*\n\n?/gm, "")
    .replace(/^#{2,6} Extends\n\n- `(?:Readonly|Omit|Partial)`.*\n\n/gm, "")
    .replace(/^#{2,6} (Default|See|Throws|Cost)\n\n(?!-)/gm, "**$1:** ");
}

/** Names the entries as users import them, and puts each export into a category. */
function arrange(project: TypeDoc.ProjectReflection, typedoc: typeof TypeDoc): void {
  for (const entry of project.children ?? []) {
    for (const child of entry.children ?? []) {
      child.comment ??= new typedoc.Comment();
      const text = categoryOf(fileOf(project, child));
      child.comment.blockTags.push(new typedoc.CommentTag("@category", [{ kind: "text", text }]));
    }
    entry.name = entries[fileOf(project, entry)] ?? entry.name;
  }
}

function fileOf(project: TypeDoc.ProjectReflection, reflection: TypeDoc.DeclarationReflection): string {
  return project.getSymbolIdFromReflection(reflection)?.packagePath ?? "";
}

function categoryOf(file: string): string {
  return categories.find(([folder]) => file.startsWith(folder))?.[1] ?? "Other";
}
