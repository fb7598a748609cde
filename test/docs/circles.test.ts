import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const rooms = "aws commands components planner policies provider simulation stacks tools triage".split(" ");
const files = rooms.flatMap((room) =>
  readdirSync(room, { recursive: true, encoding: "utf8" }).map((file) => join(room, file)),
);
const sources = new Set(
  files.filter((file) => /(?<!\.d|\.example)\.ts$/.test(file) && !/node_modules|\/dist\//.test(file)),
);

/** The files of the project that a file imports, also those of which it needs types only. */
function importsOf(file: string): string[] {
  const found = readFileSync(file, "utf8").matchAll(/^(?:import|export|\}).*? from "(\.[^"]+)";$/gm);
  return [...found].flatMap(([, path = ""]) => {
    const target = join(dirname(file), path);
    return [`${target}.ts`, join(target, "index.ts")].filter((name) => sources.has(name));
  });
}

/** The first circle that a walk through the imports meets, as a list that begins and ends with the same file. */
function circleIn(importsBy: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>();
  const walk = (file: string, way: readonly string[]): readonly string[] | undefined => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const other of importsBy.get(file) ?? []) {
      const circle = walk(other, [...way, file]);
      if (circle) return circle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of importsBy.keys()) {
    const circle = walk(file, []);
    if (circle) return circle;
  }
  return undefined;
}

test("no file imports itself through others, not even a type", () => {
  const importsBy = new Map([...sources].map((file) => [file, importsOf(file)] as const));
  expect([...importsBy.values()].flat().length).toBeGreaterThan(sources.size);
  expect(circleIn(importsBy)).toBeUndefined();
});

test("a circle is found, and named in the order of its imports", () => {
  const imports = { start: ["a"], a: ["b"], b: ["c", "a"], c: [] };
  expect(circleIn(new Map(Object.entries(imports)))).toEqual(["a", "b", "a"]);
});
