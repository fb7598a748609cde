// The SDK marks its objects, so that its copies in one process recognise each other's. Code that only has to recognise
// or to carry a mark need not load the SDK: the tool reads configuration and prints its help without it.
// @see https://github.com/pulumi/pulumi/blob/master/sdk/nodejs/utils.ts, `isInstance`

/** The mark of an error whose message Pulumi prints without the stack: a RunError. */
export const runErrorMark = "__pulumiRunError";

const outputMark = "__pulumiOutput";

/** Whether a value is an Output, of this or of another copy of the SDK. */
export function isOutput(value: unknown): boolean {
  return (
    (typeof value === "object" || typeof value === "function") &&
    value !== null &&
    (value as Record<string, unknown>)[outputMark] === true
  );
}
