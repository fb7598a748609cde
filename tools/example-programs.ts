import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as ts from "typescript";

/** In place of a spread of policies/rules/example-parts.ts, a program has the comment above it. */
const parts = new Map(
  [
    ...readFileSync(join(__dirname, "../policies/rules/example-parts.ts"), "utf8").matchAll(
      /^\/\/ (.+)\nexport const (\w+)/gm,
    ),
  ].map(([, text = "", name = ""]) => [name, text]),
);

/** The programs of the example of a rule. */
export interface ExamplePrograms {
  readonly bad: string;
  readonly good: string;
}

/**
 * The two programs of an example module, each as it reads in a project of its own: the body of `example` with one value of
 * `good`, and the imports that it uses.
 */
export function examplePrograms(module: string): ExamplePrograms {
  return { bad: programIn(module, false), good: programIn(module, true) };
}

function programIn(module: string, good: boolean): string {
  const imports = [...module.matchAll(/^import (.+) from (?!"\.\.\/example-parts")(.+);$/gm)];
  const [, body = ""] = /^export function example\(good: boolean\) \{\n([^]*?)^\}$/m.exec(chosen(module, good)) ?? [];
  const lines = imports.flatMap(([, names = "", from = ""]) => {
    const all = [...names.matchAll(/(?:\* as )?(\w+)/g)];
    const used = all.flatMap(([text, name]) => (new RegExp(`\\b${name}\\b`).test(body) ? [text] : []));
    if (used.length === 0) return [];
    return `import ${names.startsWith("{") ? `{ ${used.join(", ")} }` : names} from ${from};`;
  });
  const shown = body.replace(/^ {2}/gm, "").replace(/\.\.\.(\w+),$/gm, (spread, name: string) => {
    const text = parts.get(name);
    return text === undefined ? spread : `// ... ${text}`;
  });
  const program = [...lines, "", shown.trimEnd()].join("\n");
  return program.replace('"../../../components"', '"eks-gpu-lab"');
}

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The module with one value of `good`. A comment above a choice is about the bad program. */
function chosen(module: string, good: boolean): string {
  const file = ts.createSourceFile("example.ts", module, ts.ScriptTarget.Latest, true);
  return choicesIn(file, good).reduceRight(
    (text, edit) => text.slice(0, edit.from) + edit.text + text.slice(edit.to),
    module,
  );
}

/** What each choice becomes, in the order of the module. */
function choicesIn(node: ts.Node, good: boolean): Edit[] {
  if (ts.isIfStatement(node) && node.expression.getText() === "good") {
    const block = good ? node.thenStatement : node.elseStatement;
    return [edited(node, node, good, block?.getText().slice(1, -1).trim() ?? "")];
  }
  if (ts.isConditionalExpression(node) && node.condition.getText() === "good") {
    const value = good ? node.whenTrue : node.whenFalse;
    const owner = ts.isPropertyAssignment(node.parent) ? node.parent : node.parent.parent.parent;
    return [edited(owner, node, good, value.getText() === "undefined" ? undefined : value.getFullText())];
  }
  const edits: Edit[] = [];
  node.forEachChild((child) => void edits.push(...choicesIn(child, good)));
  return edits;
}

/** @param owner the property or statement of a choice. A property without a value goes, with the comma behind it. */
function edited(owner: ts.Node, choice: ts.Node, good: boolean, value: string | undefined): Edit {
  const space = owner.getFullText().slice(0, owner.getLeadingTriviaWidth());
  const lead = good ? space.replace(/^ *\/\/.*\n/gm, "") : space;
  const from = owner.getFullStart();
  if (value === undefined) return { from, to: owner.end + 1, text: lead.trimEnd() };
  const before = owner.getText().slice(0, choice.getStart() - owner.getStart());
  return { from, to: choice.end, text: lead + before + value };
}
