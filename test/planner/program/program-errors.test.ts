import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runPlan } from "../../support/cli";
import { foreignProject } from "../../support/foreign-project";

const sdk = 'import * as pulumi from "@pulumi/pulumi";\n';
const component = 'new pulumi.ComponentResource("my:index:Lake", "lake")';
const deep = "export function total(list?: number[]): number {\n  return list!.length;\n}\n";

/** Programs that fail: their files, the status, and what the message has. */
const failures: readonly [name: string, files: Record<string, string> | string, status: number, message: RegExp][] = [
  [
    "an error of the language",
    `${sdk}interface A { b: number }\nconst a = undefined as unknown as A;\na.b;`,
    3,
    /^TypeError: .*\n {4}at \S+ \(index\.ts:4:3\)$/,
  ],
  [
    "an error in an imported file",
    { "index.ts": 'import { total } from "./lib/deep";\n\ntotal();', "lib/deep.ts": deep },
    3,
    /at total \(lib\/deep\.ts:2:16\)\n {4}at .*index\.ts:3:1/,
  ],
  ["an error of JavaScript", { "index.js": "// none\n\nnull.x;" }, 3, /index\.js:3:6/],
  ["an error below __dirname", `\n\nconsole.error(__dirname); throw new Error("late");`, 3, /index\.ts:3:33/],
  [
    "an error in an async function",
    "export = async () => {\n  await null;\n  throw new RangeError(`gone`);\n};",
    3,
    /^RangeError: gone\n {4}at .*index\.ts:3:9/,
  ],
  ["an unhandled promise", "void Promise.reject(new Error('first'));\n", 3, /^Error: first\n {4}at .*index\.ts:1:21/],
  [
    "an error in an apply",
    `${sdk}pulumi.output(1).apply(() => {\n  throw new Error("inside");\n});`,
    3,
    /^Error: inside\n {4}at .*index\.ts:3:9/,
  ],
  [
    "an error with a cause",
    "throw new Error('outer', { cause: new Error('inner') });",
    3,
    /Error: outer\n[^]*Caused by Error: inner\n {4}at .*index\.ts:1:35/,
  ],
  ["a text", 'throw "no zone left";', 3, /^The program threw "no zone left"$/],
  ["nothing", "export = () => Promise.reject(undefined);", 3, /^The program threw nothing$/],
  ["an object", "throw { code: 7 };", 3, /^The program threw \{"code":7\}$/],
  ["an error for users", `${sdk}throw new pulumi.RunError("Choose a smaller size.");`, 3, /^Choose a smaller size\.$/],
  [
    "resource",
    `${sdk}throw new pulumi.ResourceError("The lake is dry.", ${component}, true);`,
    3,
    /^The lake is dry\.$/,
  ],
  ["wrong data", 'JSON.parse("{");', 3, /^SyntaxError: .*\n[^]*index\.ts:1:6/],
  ["an end of the process", "\nprocess.exit(0);", 3, /process\.exit\(0\).*\n {4}at .*index\.ts:2:9/],
  ["a status", "process.exitCode = 4;", 3, /^Error: The program sets process\.exitCode to 4, so pulumi fails\.$/m],
  [
    "an output of another stack",
    `${sdk}export = async () => {
  const { value } = await new pulumi.StackReference("org/net/prod").getOutputDetails("subnets");
  return { first: value[0] };
};`,
    3,
    /index\.ts:4:\d+\)?\n[^]*The outputs of org\/net\/prod are unknown offline[^]* use getOutput, a default, or --answers FILE\./,
  ],
  [
    "a missing value",
    `${sdk}new pulumi.Config("net").requireNumber("cidr");`,
    2,
    /net:cidr: Missing required configuration variable 'net:cidr'\.\n {4}fix: run pulumi config set net:cidr VALUE, or add --config net:cidr=VALUE$/,
  ],
  [
    "a value of a wrong type",
    `${sdk}new pulumi.Config().requireNumber("size");`,
    2,
    /shop:size: got "many"\. Configuration 'shop:size' value 'many' is not a valid number/,
  ],
  [
    "a secret of another type",
    `${sdk}new pulumi.Config().requireSecretNumber("pin");`,
    2,
    /shop:pin: got "\[secret\]"\. The value is encrypted[^]*fix: add --config shop:pin=VALUE/,
  ],
  [
    "a missing package",
    'import * as x from "@acme/lake/deep";\nconsole.error(x);',
    2,
    /@acme\/lake\/deep: Cannot find .* at index\.ts:1:20\.\n {4}fix: run npm install @acme\/lake in /,
  ],
  ["a missing package", 'import x from "listed";\nconsole.error(x);', 2, /listed: [^]*fix: run npm install in /],
  ["a late missing file", 'const name = "./gone";\nrequire(name);', 3, /Cannot find module '\.\/gone'[^]*index\.ts:2:/],
  [
    "an await at the top level",
    "await Promise.resolve();\nexport {};",
    2,
    /index\.ts:1:1: got "await Promise\.resolve\(\);"\. .*CommonJS[^]*export default async/,
  ],
  [
    "a program that is not built",
    { "package.json": '{"main": "bin/app.js", "scripts": {"build": "tsc"}}', "src/app.ts": "" },
    2,
    /main: got "bin\/app\.js"\. .*Build it first\.\n {4}fix: run npm run build in /,
  ],
  [
    "a program that is not built, without a script",
    { "package.json": '{"main": "bin/app.js"}', "src/app.ts": "" },
    2,
    /fix: run npx tsc in /,
  ],
  ...["dist/", "build", "out/main.js", "./lib"].map((main): (typeof failures)[number] => [
    `a program that Pulumi.yaml expects in ${main}, and that is not built`,
    { "Pulumi.yaml": `name: a\nruntime: nodejs\nmain: ${main}\n`, "src/app.ts": "" },
    2,
    /main: got "[^"]+"\. .*Build it first\.\n {4}fix: run npx tsc in /,
  ]),
  [
    "a folder that does not exist",
    { "Pulumi.yaml": "name: a\nruntime: nodejs\nmain: source\n", "src/app.ts": "" },
    2,
    /The program does not exist\.\n {4}fix: set main to/,
  ],
  ["a file that ends too early", "const a = (1;\n", 2, /index\.ts:1:\d+: got "const a = \(1;"/],
  ["a file that ends too early, after a line", "f(\n", 2, /index\.ts:2:1: got "the end of the file"\. /],
  [
    "a second resource that a component registers late",
    `import * as k8s from "@pulumi/kubernetes";
const objs = [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }];
new k8s.yaml.ConfigGroup("x", { objs: [...objs, ...objs] });`,
    3,
    /duplicate resource URN [^\n]*: rename one of the two resources$/,
  ],
];

test.for(failures)("%s is reported where it is in the sources", async ([, given, status, message]) => {
  const files = typeof given === "string" ? { "index.ts": given } : given;
  const cwd = foreignProject("", {
    "Pulumi.dev.yaml": "config: { size: many, pin: { secure: abc } }\n",
    "package.json": '{"dependencies": {"listed": "1"}}',
  });
  rmSync(join(cwd, "index.ts"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const result = await runPlan(["--config", "aws:region=us-east-1"], { cwd });
  expect(result).toMatchObject({ status, out: "" });
  expect(result.err.replace(/^eks-gpu-lab plan failed\n/, "").trimEnd()).toMatch(message);
  expect(result.err).not.toMatch(/plan\.js|node_modules|node:internal/);
});

test("a report for others has the place, and no path of the machine", async () => {
  const cwd = foreignProject("\n  throw new Error('oh no');");
  writeFileSync(join(cwd, "base.json"), '{"error": ""}');
  const { out } = await runPlan(["--base", "base.json", "--json"], { cwd });
  expect(JSON.parse(out)).toMatchObject({ stacks: [{ error: "Error: oh no (index.ts:2:9)" }] });
});

test("a program finds its own files by import.meta, as a module", async () => {
  const program = `import { readFileSync } from "node:fs";
    throw [new URL("./a.txt", import.meta.url), import.meta.dirname + "/a.txt"].map((a) => readFileSync(a, "utf8")).join(" and ");`;
  const files = { "package.json": '{"type": "module"}', "a.txt": "here" };
  const { err } = await runPlan([], { cwd: foreignProject(program, files) });
  expect(err).toContain('threw "here and here"');
});
