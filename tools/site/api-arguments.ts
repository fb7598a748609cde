import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { anchorOf } from "./links";

/** Pages with examples in TypeScript. */
const guides = ["README.md", "docs/library.md", "docs/changes.md"];

/** Adds an example and the arguments to the page of each component in a folder that TypeDoc has written. */
export function completeComponents(folder: string): void {
  const examples = guides.flatMap((guide) => readFileSync(guide, "utf8").match(/^```ts\n[^]*?^```$/gm) ?? []);
  for (const name of readdirSync(folder)) {
    const page = readFileSync(join(folder, name), "utf8");
    const [, args] = /^##### args\n\n\[`\w+`\]\((\.\.\/\S+\.md)\)$/m.exec(page) ?? [];
    if (args === undefined) continue;
    const example = examples.find((block) => block.includes(`new ${basename(name, ".md")}(`));
    const list = argumentList(args, readFileSync(join(folder, args), "utf8"));
    const parts = [...(example === undefined ? [] : ["## Example", example]), "## Arguments", list];
    writeFileSync(join(folder, name), page.replace(/^## (?:Extends|Constructors)$/m, `${parts.join("\n\n")}\n\n$&`));
  }
}

/** The arguments on a page, each with a link, its first paragraph and its default. */
function argumentList(path: string, page: string): string {
  const [, properties = ""] = page.split(/^## Properties$/m);
  const entries = properties.split(/^### /m).slice(1);
  return entries.map((entry) => argumentLine(path, entry.split(/^#### /m)[0] ?? "")).join("\n");
}

function argumentLine(path: string, entry: string): string {
  const [name = "", , ...paragraphs] = entry.replace(/(?<=\S)\n(?=\S)/g, " ").split("\n\n");
  const text = paragraphs.find((paragraph) => !/^(?:\*\*|#|>|```)/.test(paragraph)) ?? "";
  const [, standard = "none"] = /^\*\*Default:\*\* (.*?)(?: - |$)/m.exec(paragraphs.join("\n")) ?? [];
  const shown = ["none", "[]", "{}"].includes(standard) ? "" : ` Default: ${standard}.`;
  return `- [\`${name}\`](${path}#${anchorOf(name)}): ${text.replace(/\[(.*?)\]\(.*?\)/g, "$1")}${shown}`;
}
