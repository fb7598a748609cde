import { isPulumiOutput, runErrorMark } from "./outputs";
import { countOf } from "./text";

/**
 * What kind of mistake a {@link Problem} reports. The catalog with an example of each is docs/errors.md.
 */
export type ProblemCode =
  /** The value has the wrong type. */
  | "wrong-type"
  /** A number, size or length lies outside its range. */
  | "out-of-range"
  /** The value is not one of those allowed. */
  | "not-allowed"
  /** A value that must be stated is missing. */
  | "missing"
  /** The key does not exist. */
  | "unknown-key"
  /** Two values contradict each other. */
  | "conflict"
  /** A version floats, or does not fit another version. */
  | "version"
  /** AWS does not offer what was asked for in this region, zone or account. */
  | "not-offered";

/** One mistake in the input, in the user's own argument or configuration names. */
export interface Problem {
  readonly code: ProblemCode;
  /** The argument or configuration key, e.g. `gpuNodes.maxSize`. */
  readonly path: string;
  /** The value as the user wrote it. Never a secret: no checked input contains one. */
  readonly got: unknown;
  /** Whether the value is a default, which the user did not write. @default false */
  readonly isDefault?: boolean;
  /** Why the value does not work, as a sentence. */
  readonly why: string;
  /** What to do about it, in the imperative. */
  readonly fix: string;
}

/** The problem of an Output or a Promise where the value must be checked before any resource is created. */
export function requirePlainValue(path: string): Problem[] {
  const why = "Must be known when the program starts, so that it can be checked.";
  return [{ code: "wrong-type", path, got: "an Output", why, fix: `set ${path} to a plain value` }];
}

/** The length of a shown value that still fits into a message. */
const mostCharacters = 200;

/** Shows a value as in a configuration file, a long one with `…` at its end, and a missing one as `nothing`. */
export function show(value: unknown): string {
  const text = whole(value);
  return text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters - 1)}…`;
}

function whole(value: unknown): string {
  if (value === undefined || value === null || value === "") return value === "" ? 'an empty string ("")' : "nothing";
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  try {
    // A token of Hugging Face that is in the wrong place must not reach a log.
    return JSON.stringify(value, withoutOutputs)?.replace(/\bhf_\w{4,}/g, "hf_…") ?? typeof value;
  } catch {
    return typeof value; // a cycle, or a bigint within
  }
}

/** An Output turns itself into Pulumi's explanation of why it cannot be printed. */
function withoutOutputs(this: Readonly<Record<string, unknown>>, key: string, item: unknown): unknown {
  return isPulumiOutput(this[key]) ? "an Output" : item;
}

/** A problem as text, both lines after `indent`. A value that the user did not give is not shown. */
export function renderProblem({ path, got, isDefault, why, fix }: Omit<Problem, "code">, indent = ""): string {
  if (isDefault) return renderFinding({ path, got: show(got), why, fix }, indent, "  ", "the default is");
  if (got === undefined || got === null) return `${indent}${path}: ${why}\n${indent}  fix: ${fix}`;
  return renderFinding({ path, got: show(got), why, fix }, indent);
}

/** The content of a problem or of a policy violation, with `got` as text. */
type Finding = Readonly<Record<"path" | "got" | "why" | "fix", string>>;

/** The two lines of a problem or of a policy violation: what is wrong, and the fix, which is indented by `step` more. */
export function renderFinding({ path, got, why, fix }: Finding, indent = "", step = "  ", verb = "got"): string {
  return `${indent}${path}: ${verb} ${got}. ${why}\n${indent}${step}fix: ${fix}`;
}

/** What Node.js calls to print an object. @see https://nodejs.org/api/util.html#utilinspectcustom */
const inspection = Symbol.for("nodejs.util.inspect.custom");

/**
 * The input is wrong. Contains every problem of the input. It is thrown before any resource is created. Pulumi prints
 * its message without a stack trace.
 */
export class InputError extends Error {
  /** Marks it as a RunError for Pulumi's runner. */
  readonly [runErrorMark] = true;

  /** Stable across copies of this package in one process, where `instanceof` is not. */
  readonly code = "EKS_GPU_LAB_INPUT";

  constructor(
    /** What was being read, e.g. `GpuNodeGroup "gpu"` or `stack gpu-lab`. */
    readonly subject: string,
    readonly problems: readonly Problem[],
  ) {
    const count = countOf(problems.length, "problem");
    super(`${count} with ${subject}:\n${problems.map((p) => renderProblem(p, "  ")).join("\n")}`);
    // Pulumi's runner inspects each error. Node.js 20 takes most of a minute for the stack, which has no information.
    Object.defineProperty(this, inspection, { value: () => this.message });
  }

  /** Whether `error` is an InputError, made by this or by another copy of the package. */
  static is(error: unknown): error is InputError {
    return error instanceof Error && (error as { code?: unknown }).code === "EKS_GPU_LAB_INPUT";
  }
}

/**
 * Stops the program when the input has problems.
 *
 * @throws InputError with all of them.
 */
export function refuse(subject: string, problems: readonly Problem[]): void {
  if (problems.length > 0) throw new InputError(subject, problems);
}
