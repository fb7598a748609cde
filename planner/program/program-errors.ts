import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, relative, resolve } from "node:path";
import { runErrorMark } from "../../components/core/outputs";
import { InputError, show, type Problem } from "../../components/core/problems";
import { translations } from "./load-program";
import { packageOf, type Project } from "./project";

/** The error of a program. Its message has the place in the source, and its stack has only the frames of the program. */
class ProgramError extends Error {
  constructor(message: string, stack: string) {
    super(message);
    this.stack = stack;
  }
}

/**
 * The error of a program for its author: wrong configuration and missing packages are problems of the input, and any other
 * error has its place in the sources.
 *
 * @param stack whose program failed
 */
export function programError(error: unknown, project: Project, stack: string): Error {
  if (InputError.is(error)) return error;
  if (!(error instanceof Error))
    return new ProgramError(`the program threw ${show(error)}`, `The program threw ${show(error)}`);
  const frames = framesOf(error, project.dir);
  const [place] = frames.map(placeIn);
  const problem = configurationProblem(error) ?? packageProblem(error, place, project);
  if (problem) return new InputError(`stack ${stack}`, [problem]);
  // An engine names the resource, and only packages are in the stack of one that a component registers.
  const isOfEngine = place === undefined && error.message.includes("duplicate resource URN");
  const isExpected = isOfEngine || hasTrue(error, runErrorMark) || hasTrue(error, "hideStack");
  if (isExpected) return new ProgramError(error.message, error.message);
  const title = titleOf(error);
  return new ProgramError(place === undefined ? title : `${title} (${place})`, readable(error, project.dir));
}

function hasTrue(error: Error, key: string): boolean {
  return (error as unknown as Readonly<Record<string, unknown>>)[key] === true;
}

/** The first lines of a stack trace: the name and the message. */
function titleOf(error: Error): string {
  const [title = ""] = (error.stack ?? "").split(/\n {4}at /);
  return title.includes(error.message) ? title.trim() : `${error.name}: ${error.message}`;
}

/** The error and its causes, each with the frames of the program; without any, the frames of packages. */
function readable(error: Error, dir: string): string {
  const frames = framesOf(error, dir);
  const others = framesIn(error)
    .filter((frame) => !frame.includes("node:"))
    .slice(0, 5);
  const lines = (frames.length > 0 ? frames : others).map((frame) => `\n    at ${frame}`);
  const { cause } = error;
  const causes =
    cause === undefined ? "" : `\nCaused by ${cause instanceof Error ? readable(cause, dir) : show(cause)}`;
  return `${titleOf(error)}${lines.join("")}${causes}`;
}

function framesIn({ stack = "" }: Error): string[] {
  return stack
    .split(/\n {4}at /)
    .slice(1)
    .map((frame) => frame.split("\n", 1)[0] ?? "");
}

/** The place in a frame, which has the name of a function before it. */
function placeIn(frame: string): string {
  return frame.replace(/^.*\((.*)\)$/, "$1");
}

/** The frames of the program, in its sources. */
function framesOf(error: Error, dir: string): string[] {
  return framesIn(error).flatMap((frame) => {
    const [whole, file = "", line, column] = /([^\s(]+\.plan\.js):(\d+):(\d+)/.exec(frame) ?? [];
    const place = whole === undefined ? undefined : sourceOf(file, Number(line), Number(column));
    if (whole === undefined || place === undefined) return [];
    return [frame.replace(whole, () => `${relative(dir, place.file)}:${place.line}:${place.column}`)];
  });
}

function sourceOf(file: string, line: number, column: number) {
  const code = translations.get(file);
  if (code === undefined) return undefined;
  const json = Buffer.from(code.slice(code.lastIndexOf("base64,") + "base64,".length), "base64").toString();
  const entry = new SourceMap(JSON.parse(json) as SourceMapPayload).findEntry(line - 1, column - 1);
  if (!("originalSource" in entry)) return undefined;
  const { originalSource, originalLine, originalColumn } = entry;
  return { file: resolve(dirname(file), originalSource), line: originalLine + 1, column: originalColumn + 1 };
}

/** The errors of the SDK's class Config name a key. */
function configurationProblem({ message }: Error): Problem | undefined {
  const [, path] = /^(?:Missing required configuration variable|Configuration) '([^']+)'/.exec(message) ?? [];
  if (path === undefined) return undefined;
  const [first = ""] = message.split("\n");
  const value = /^Configuration '[^']+' value '([^]*?)' (?:is|does)/.exec(message)?.[1];
  const isSecret = value === "[secret]";
  const why = isSecret
    ? "The value is encrypted, and the plan uses a placeholder, which the program rejects."
    : `${first}.`;
  const plan = `add --config ${path}=VALUE`;
  const fix = isSecret ? plan : `run pulumi config set ${path} VALUE, or ${plan}`;
  return { code: value === undefined ? "missing" : "not-allowed", path, got: value, why, fix };
}

const notFound = /^Cannot find (?:module|package) '([^']+)'/;

function packageProblem(error: Error, place: string | undefined, project: Project): Problem | undefined {
  const { code } = error as { code?: unknown };
  const why = `${error.message.split("\n")[0]}${place === undefined ? "" : ` at ${place}`}.`;
  if (code === "ERR_REQUIRE_ESM" || code === "ERR_REQUIRE_ASYNC_MODULE") {
    const fix = "load the package with await import(), or plan with Node.js 22.12 or newer";
    return { code: "not-allowed", path: "import", got: "an ES module", why, fix };
  }
  const [, path = "."] = notFound.exec(error.message) ?? [];
  if (/^[./]/.test(path) || (code !== "MODULE_NOT_FOUND" && code !== "ERR_MODULE_NOT_FOUND")) return undefined;
  const [name = path] = /^(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
  const settings = packageOf(project.dir);
  const isListed = ["dependencies", "devDependencies"].some((list) => settings.text([list, name]).value !== undefined);
  const fix = `run npm install${isListed ? "" : ` ${name}`} in ${project.dir}`;
  return { code: "missing", path, got: undefined, why, fix };
}
