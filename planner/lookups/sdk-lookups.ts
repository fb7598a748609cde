import { isRecord } from "../../components/core/reader/records";
import { isFirstChange } from "../program/sdk-changes";
import { unknownOutput, type Properties } from "../../components/core/wire";

/** The address of the plugin in the request of a function whose result the program awaits: nothing is loaded from there. */
export const awaited = "eks-gpu-lab:awaited";

const unknownKey = "eks-gpu-lab:unknown";

/** The result of a function of which nothing is known, not even its form. */
export const unknownResult: Properties = { [unknownKey]: unknownOutput };

type Invoke<Result> = (token: string, props: object, options?: object, packageRef?: unknown) => Result;
interface Output {
  apply(change: (value: unknown) => unknown, runWithUnknowns?: boolean): Output;
}

/** The functions of `@pulumi/pulumi/runtime` that call those of providers. */
export interface Invokes {
  invoke: Invoke<Promise<unknown>>;
  invokeSingle: Invoke<Promise<unknown>>;
  invokeOutput: Invoke<Output>;
  invokeSingleOutput: Invoke<Output>;
}

/** `@pulumi/pulumi` itself, of which this needs two exports. */
export interface Outputs {
  readonly output: (value: unknown) => Output;
  readonly unknown: unknown;
}

/**
 * Lets a plan tell a lookup that the program awaits from one that returns an Output. The latter is unknown if its result has
 * unknown values.
 */
export function tellLookupsApart(runtime: Invokes, { output, unknown }: Outputs): void {
  if (!isFirstChange(runtime, "lookups")) return;
  for (const name of ["invoke", "invokeSingle"] as const) {
    const invoke = runtime[name];
    runtime[name] = async (token, props, options, packageRef) => {
      const result = await invoke(token, props, { ...options, pluginDownloadURL: awaited }, packageRef);
      return isUnknownResult(result) ? unusable(token) : result;
    };
  }
  for (const name of ["invokeOutput", "invokeSingleOutput"] as const) {
    const invoke = runtime[name];
    runtime[name] = (...args) =>
      output(invoke(...args)).apply((result) => (isUnknownResult(result) ? unknown : result), true);
  }
}

function isUnknownResult(result: unknown): boolean {
  return isRecord(result) && unknownKey in result;
}

/** A program that reads a result of unknown form fails with the name of the function. */
function unusable(token: string): object {
  const get = (_: object, key: string | symbol): unknown => {
    if (typeof key === "symbol" || key === "then" || key.startsWith("__")) return undefined;
    throw new Error(`the result of ${token} is unknown, and so is its property ${key}`);
  };
  return new Proxy({}, { get });
}
