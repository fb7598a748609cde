import { expect, test } from "vitest";
import { argumentDocs } from "../../scripts/argument-docs";

const documented = [...argumentDocs()].flatMap(([component, args]) => args.map((arg) => [component, arg] as const));
const optional = documented.filter(([, { isOptional, path }]) => isOptional && !/^transform\b/.test(path));

test("the components of the library are found", () => {
  expect(new Set(documented.map(([component]) => component)).size).toBeGreaterThan(15);
});

test.for(documented)("%s: $1.path has a docstring", ([, { text }]) => expect(text).toMatch(/\S/));

test.for(optional)("%s: $1.path states its default, and why", ([, { defaultText }]) => {
  expect(defaultText).toMatch(/ - \S/);
});

/** The value that a `@default` begins with; undefined when it describes one in words. */
function literal(text: string): unknown {
  const [, value] = /^("[^"]*"|[\d.]+|true|false|\[[^\]]*\]|\{\})( |$)/.exec(text) ?? [];
  return value === undefined ? undefined : (JSON.parse(value) as unknown);
}

test.for(optional)("%s: the @default of $1.path is what the schema fills in", ([, { defaultText, schemaDefault }]) => {
  if (schemaDefault === undefined) return;
  expect(literal(defaultText ?? "")).toEqual(schemaDefault);
});
