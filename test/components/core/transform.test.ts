import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { transformed, type Transform } from "../../../components/core/transform";

interface Args {
  readonly cidr: string;
  tags: Record<string, string>;
  ipv6?: boolean;
}

const args: Args = { cidr: "10.0.0.0/16", tags: { Name: "lab" } };
const opts = { protect: false };

test.for([
  ["none leaves all as it is", undefined, args, opts],
  ["values lie over the arguments, whole", { tags: {} }, { ...args, tags: {} }, opts],
  ["a function changes arguments", (a) => void (a.ipv6 = true), { ...args, ipv6: true }, opts],
  ["a function changes options", (_, o) => void (o.protect = true), args, { protect: true }],
  ["a function knows the name", (a, _, name) => void (a.tags = { name }), { ...args, tags: { name: "vpc" } }, opts],
] as [string, Transform<Args> | undefined, Args, object][])("%s", ([, transform, newArgs, newOpts]) => {
  expect(transformed(transform, "vpc", args, opts)).toEqual(["vpc", newArgs, newOpts]);
  expect([args, opts]).toEqual([{ cidr: "10.0.0.0/16", tags: { Name: "lab" } }, { protect: false }]);
});

describe("every resource of a provider that a component makes has an escape hatch", () => {
  const files = readdirSync("components", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));

  test("the components make resources", () => {
    expect(files.flatMap((file) => made(join("components", file))).length).toBeGreaterThan(30);
  });

  test.for(files)("%s", (file) => {
    expect(
      made(join("components", file))
        .filter((creation) => !isTransformed(creation))
        .map(textOf),
    ).toEqual([]);
  });
});

/** The expressions that make a resource of one of the providers' packages. */
function made(file: string): ts.NewExpression[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const provided = source.statements.flatMap((statement) =>
    ts.isImportDeclaration(statement) ? names(statement) : [],
  );
  const found: ts.NewExpression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) && provided.includes(node.expression.getText().split(".")[0] ?? "")) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The names that an import takes from a provider's package. */
function names({ moduleSpecifier, importClause }: ts.ImportDeclaration): string[] {
  if (!ts.isStringLiteral(moduleSpecifier) || !/^@pulumi\/(aws|eks|kubernetes)\b/.test(moduleSpecifier.text)) return [];
  const bindings = importClause?.namedBindings;
  if (bindings === undefined) return [];
  return ts.isNamespaceImport(bindings) ? [bindings.name.text] : bindings.elements.map(({ name }) => name.text);
}

function isTransformed(creation: ts.NewExpression): boolean {
  const first = creation.arguments?.[0];
  return first !== undefined && ts.isSpreadElement(first) && /^transformed\b/.test(first.expression.getText());
}

function textOf(creation: ts.NewExpression): string {
  return creation.getText().split("\n")[0] ?? "";
}
