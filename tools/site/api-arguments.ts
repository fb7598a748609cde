import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { anchorOf } from "./links";

// What the page of a component shows before its outputs: an example, and its arguments. TypeDoc has them on other pages.

/** Pages of the documentation with examples in TypeScript. */
const guides = ["README.md", "docs/library.md", "docs/changes.md"];

/** Completes the page of each component in a folder of the API reference. */
export function completeComponents(folder: string): void {
  const examples = guides.flatMap((guide) => readFileSync(guide, "utf8").match(/^```ts\n[^]*?^```$/gm) ?? []);
  for (const name of readdirSync(join(folder, "classes"))) {
    const file = join(folder, "classes", name);
    const page = readFileSync(file, "utf8");
    const [, args] = /^##### args\n\n\[`\w+`\]\((\.\.\/\S+\.md)\)$/m.exec(page) ?? [];
    if (args === undefined) continue;
    const example = examples.find((block) => block.includes(`new ${basename(name, ".md")}(`));
    const list = argumentList(args, readFileSync(join(folder, "classes", args), "utf8"));
    const parts = [...(example === undefined ? [] : ["## Example", example]), "## Arguments", list];
    writeFileSync(file, page.replace(/^## (?:Extends|Constructors)$/m, `${parts.join("\n\n")}\n\n$&`));
  }
}

/** The arguments of a page, each with its first paragraph and its default. */
function argumentList(path: string, page: string): string {
  const [, properties = ""] = page.split(/^## Properties$/m);
  const entries = properties
    .split(/^### /m)
    .slice(1)
    .map((entry) => entry.split(/^#### /m)[0] ?? "");
  return entries
    .map((entry) => {
      const [name = "", , ...paragraphs] = entry.split("\n\n");
      const isText = (paragraph: string) => !/^(?:\*\*|#|>|```)/.test(paragraph);
      const text = paragraphs.find(isText)?.replaceAll("\n", " ") ?? "";
      const standard = /^\*\*Default:\*\* ([^]*?)(?= - |\n\n|$)/m.exec(entry)?.[1]?.replaceAll("\n", " ");
      const shown = ["none", "[]", "{}", undefined].includes(standard) ? "" : ` Default: ${standard}.`;
      return `- [\`${name}\`](${path}#${anchorOf(name)}): ${moved(text, path)}${shown}`;
    })
    .join("\n");
}

/** The links of a text of another page, as they are from the page of a class. */
function moved(text: string, path: string): string {
  return text.replace(/\]\((?!https?:|#)([^)]+)\)/g, (_, href: string) => {
    return `](${posix.join(posix.dirname(path), href)})`;
  });
}
