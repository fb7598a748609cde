// The SDK marks its objects so that several copies of it in one process recognize each other's. Reading a mark does not
// load the SDK: the tool reads configuration and prints its help without it.
// @see https://github.com/pulumi/pulumi/blob/master/sdk/nodejs/utils.ts, `isInstance`

/** Marks an error whose message Pulumi prints without the stack: a RunError. */
export const runErrorMark = "__pulumiRunError";

const outputMark = "__pulumiOutput";
const resourceMark = "__pulumiResource";

function hasMark(value: unknown, mark: string): boolean {
  return (
    (typeof value === "object" || typeof value === "function") &&
    value !== null &&
    (value as Record<string, unknown>)[mark] === true
  );
}

/** Whether a value is an Output of any copy of the SDK. */
export function isPulumiOutput(value: unknown): boolean {
  return hasMark(value, outputMark);
}

/** Whether a value is a resource of any copy of the SDK. */
export function isPulumiResource(value: unknown): boolean {
  return hasMark(value, resourceMark);
}

/** Whether a value is an Output or a Promise: its content is not known when the program starts. */
export function isOutput(value: unknown): boolean {
  return isPulumiOutput(value) || value instanceof Promise;
}
