import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** A request to AWS, as the SDK for Python sends it. */
export interface AwsRequest {
  readonly service: string;
  readonly operation: string;
  readonly params: object;
  /** Whether the first letter of each key is a capital one, as in the input of a universal target. @default false */
  readonly isPascalCase?: boolean;
}

/** Why no models can be read, or undefined if botocore is installed. */
export function missingModels(): string | undefined {
  const { error, status } = spawnSync("python3", ["-c", "import botocore"]);
  if (error) return "python3 is not on the PATH";
  return status === 0 ? undefined : "python3 has no botocore: pip install botocore";
}

/** The problems of each request, by the models of AWS in botocore: names, types, enums, patterns and limits. */
export function modelProblems(requests: readonly AwsRequest[]): string[][] {
  const script = join(__dirname, "aws-models.py");
  const { stdout, stderr, status } = spawnSync("python3", [script], {
    input: JSON.stringify(requests),
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return (JSON.parse(stdout) as { problems: string[][] }).problems;
}
