import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { componentDocs } from "../../tools/argument-docs";

const documented = [...componentDocs().components].flatMap(([component, { args }]) =>
  args.map((arg) => [`${component} ${arg.path}`, arg] as const),
);
const optional = documented.filter(([, { isOptional, path }]) => isOptional && !/^transform\b/.test(path));
const withLiteral = optional.filter(([, { schemaDefault }]) => schemaDefault !== undefined);

test("the components of the library are found", () => {
  expect(new Set(documented.map(([title]) => title.split(" ")[0])).size).toBeGreaterThan(15);
  expect(withLiteral.length).toBeGreaterThan(100);
});

/** The arguments of which something is wrong. */
const titles = (wrong: typeof documented) => wrong.map(([title]) => title);

test("every argument has a docstring", () => {
  expect(titles(documented.filter(([, { text }]) => !/\S/.test(text)))).toEqual([]);
});

test("every optional argument has a default with a reason", () => {
  expect(titles(optional.filter(([, { defaultText = "" }]) => !/ - \S/.test(defaultText)))).toEqual([]);
});

test("the API report has every argument, so that a removed one shows there", () => {
  const report = readFileSync("test/api/components.api.md", "utf8");
  const names = new Set(documented.map(([, { path }]) => path.replace(/^.*\./, "").replace(/\W.*/, "")));
  const reported = new Set([...report.matchAll(/^\s*(?:readonly )?"?(\w+)"?\??: /gm)].map(([, name]) => name));
  expect([...names].filter((name) => !reported.has(name))).toEqual([]);
});

/** The value that a `@default` begins with; undefined when it describes one in words. */
function literal(text: string): unknown {
  const [, value] = /^("[^"]*"|[\d.]+|true|false|\[[^\]]*\]|\{\})( |$)/.exec(text) ?? [];
  return value === undefined ? undefined : (JSON.parse(value) as unknown);
}

test("each @default is what the schema fills in", () => {
  const stated = withLiteral.map(([title, { defaultText = "" }]) => [title, literal(defaultText)]);
  expect(stated).toEqual(withLiteral.map(([title, { schemaDefault }]) => [title, schemaDefault]));
});
