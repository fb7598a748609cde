import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Exchange } from "../../simulation/http/account-server";
import { awsPython } from "./aws-python";

/** A request to AWS, as the SDK for Python sends it: service and operation have the names of botocore. */
export interface AwsRequest {
  readonly service: string;
  readonly operation: string;
  readonly params: object;
  /** Whether the first letter of each key is a capital one, as in the input of a universal target. @default false */
  readonly isPascalCase?: boolean;
}

/** An operation, by the names of botocore: `logs`, `CreateLogGroup`. */
export type AwsOperation = Pick<AwsRequest, "service" | "operation">;

/** The type of a value in a request, as a model of AWS states it. */
export interface Shape {
  readonly type: string;
  /** Of a structure. */
  readonly members?: Readonly<Record<string, Shape>>;
  /** The type of the items of a list and of the values of a map. */
  readonly item?: Shape;
}

/** A policy, and where it is attached. */
export interface PolicyText {
  readonly use: "trust" | "inline" | "managed" | "resource";
  readonly text: string;
}

/** Why there are no models, or undefined if they can be read. @throws Error if REQUIRE_AWS_MODELS is 1 */
export function missingModels(): string | undefined {
  const found = awsPython();
  return "why" in found ? found.why : undefined;
}

interface Asked {
  readonly requests?: readonly AwsRequest[];
  readonly answers?: readonly (AwsOperation & { readonly output: object })[];
  readonly shapes?: readonly AwsOperation[];
  readonly policies?: readonly PolicyText[];
  readonly exchanges?: readonly Exchange[];
}

interface Answered {
  readonly requests: string[][];
  readonly answers: string[][];
  readonly shapes: Shape[];
  readonly policies: string[][];
  readonly exchanges: { readonly operation: string | null; readonly problems: string[] }[];
  /** Patterns that cannot be read, and so are not checked. */
  readonly unread: string[];
}

/** Asks the models of AWS. The answer has the keys of the question. */
export function askModels(asked: Asked): Answered {
  const found = awsPython();
  if ("why" in found) throw new Error(found.why);
  const { stdout, stderr, status } = spawnSync(found.python, [join(__dirname, "aws", "main.py")], {
    input: JSON.stringify(asked),
    encoding: "utf8",
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
    maxBuffer: 100_000_000,
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Answered;
}

/** The problems of each request, by the models of AWS in botocore: names, types, enums, patterns and limits. */
export function modelProblems(requests: readonly AwsRequest[]): string[][] {
  return askModels({ requests }).requests;
}

/**
 * Sends requests to an endpoint with the SDK for Python.
 *
 * @returns the answers as that SDK reads them; `{ error }` for a rejected request
 */
export async function callWithBotocore(endpoint: string, region: string, calls: readonly AwsRequest[]) {
  const found = awsPython();
  if ("why" in found) throw new Error(found.why);
  const text = await new Promise<string>((resolve, reject) => {
    const done = (error: Error | null, stdout: string) => (error ? reject(error) : resolve(stdout));
    const script = execFile(found.python, [join(__dirname, "aws", "call.py")], { maxBuffer: 100_000_000 }, done);
    script.stdin?.end(JSON.stringify({ endpoint, region, calls }));
  });
  return JSON.parse(text) as Readonly<Record<string, unknown>>[];
}

/** The problems of requests and answers that went over HTTP, each with its operation. */
export function exchangeProblems(exchanges: readonly Exchange[]): string[] {
  const answers = askModels({ exchanges }).exchanges;
  return answers.flatMap(({ operation, problems }) => problems.map((problem) => `${operation ?? "?"}: ${problem}`));
}

/**
 * Checks one request, such as the input of a command of the SDK for JavaScript. The service has the name of botocore:
 * `autoscaling`, `logs`, `elbv2`, `service-quotas`.
 *
 * @throws Error with all problems
 */
export function validateRequest(service: string, operation: string, params: object): void {
  failWith(`${service}:${operation}`, modelProblems([{ service, operation, params }])[0] ?? []);
}

/**
 * Checks an answer as an SDK returns it, such as one that a test makes up.
 *
 * @throws Error with all problems
 */
export function validateAnswer(service: string, operation: string, output: object): void {
  failWith(
    `answer of ${service}:${operation}`,
    askModels({ answers: [{ service, operation, output }] }).answers[0] ?? [],
  );
}

function failWith(title: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new Error([title, ...problems].join("\n"));
}
