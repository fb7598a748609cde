import { withoutUndefined } from "../../../components/core/reader/records";
import { hasUnknown, type Properties, secretValue, unknownSentinel } from "../../../components/core/wire";

/** A program's request for a component. */
interface ComponentRequest {
  readonly type: string;
  readonly name: string;
  readonly inputs: OutputValues;
  /** The configuration of the stack by key, e.g. `aws:profile`. */
  readonly config: Readonly<Record<string, string>>;
}

/** A child of a component. */
export interface ChildResource {
  readonly type: string;
  readonly name: string;
  readonly parent: string;
  /** The package version that the component was built with. */
  readonly version: string;
  readonly inputs: OutputValues;
  readonly ignoreChanges?: readonly string[];
}

/** A resource that the engine has registered. */
export interface RegisteredResource {
  readonly urn: string;
  readonly id: string;
  /** The output at a path such as `identities.0.oidcs`. In a preview, or after a failure, a missing output is unknown. */
  output(path: string): OutputValue;
}

/** The engine's resource monitor, as a component provider uses it. */
export interface Monitor {
  /** Registers the component with the options of the program, and returns its URN. */
  component(): Promise<string>;
  resource(child: ChildResource): Promise<RegisteredResource>;
  outputs(urn: string, state: Properties): Promise<void>;
  /** A resource that the program passed as an argument. */
  existing(urn: string): Promise<RegisteredResource>;
}

export type Construct = (
  request: ComponentRequest,
  monitor: Monitor,
) => Promise<{ readonly urn: string; readonly state: OutputValues }>;

/** The value of an Output of the SDK, with its secretness and its dependencies. */
export interface OutputValue {
  /** The value without wire wrappers; the sentinel if it is unknown, undefined if it is missing. */
  readonly value: unknown;
  readonly secret: boolean;
  /** The URNs of the resources that the value depends on. */
  readonly dependencies: readonly string[];
}

export type OutputValues = Readonly<Record<string, OutputValue>>;

export function known(value: unknown): OutputValue {
  return { value, secret: false, dependencies: [] };
}

/** A value computed from others, as with `pulumi.all(…).apply`: unknown if one of them is, secret if one of them is. */
export function derived(from: readonly OutputValue[], make: (...values: unknown[]) => unknown): OutputValue {
  const values = from.map(({ value }) => value);
  return { ...metadataOf(from), value: hasUnknown(values) ? unknownSentinel : make(...values) };
}

/** An object of values, each of which may be unknown. */
export function objectOf(parts: OutputValues): OutputValue {
  const entries = Object.entries(parts).map(([key, { value }]) => [key, value] as const);
  return { ...metadataOf(Object.values(parts)), value: withoutUndefined(Object.fromEntries(entries)) };
}

/** Values in the wire format. */
export function toWire(values: OutputValues): Properties {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, { value }]) => value !== undefined)
      .map(([key, { value, secret }]) => [key, secret ? secretValue(value) : value]),
  );
}

function metadataOf(values: readonly OutputValue[]): Pick<OutputValue, "secret" | "dependencies"> {
  return {
    secret: values.some(({ secret }) => secret),
    dependencies: [...new Set(values.flatMap(({ dependencies }) => dependencies))],
  };
}
