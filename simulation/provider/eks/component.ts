import { hasUnknown, type Properties, secretValue, unknownSentinel } from "../../../components/core/wire";

/** A component that a program asks for. */
export interface ComponentRequest {
  readonly type: string;
  readonly name: string;
  readonly inputs: OutputValues;
  /** A preview: nothing is made, and what is missing in an output is unknown. */
  readonly dryRun: boolean;
  /** The stack's configuration by key, e.g. `aws:profile`. */
  readonly config: Readonly<Record<string, string>>;
}

/** One child of a component. */
export interface ChildResource {
  readonly type: string;
  readonly name: string;
  readonly parent: string;
  /** The version of the package that the component was built with. */
  readonly version: string;
  readonly inputs: OutputValues;
  readonly ignoreChanges?: readonly string[];
}

/** A resource that the engine has registered. */
export interface RegisteredResource {
  readonly urn: string;
  readonly id: string;
  /** The output at a path such as `identities.0.oidcs`; unknown in a preview that does not have it. */
  output(path: string): OutputValue;
}

/** What a component provider asks of the engine. */
export interface Monitor {
  /** Registers the component itself, with the options that the program gave it, and tells its URN. */
  component(): Promise<string>;
  resource(child: ChildResource): Promise<RegisteredResource>;
  outputs(urn: string, state: Properties): Promise<void>;
  /** A resource of the program that was given as an argument. */
  existing(urn: string): Promise<RegisteredResource>;
}

export interface ComponentState {
  readonly urn: string;
  readonly state: OutputValues;
}

export type Construct = (construction: ComponentRequest, monitor: Monitor) => Promise<ComponentState>;

/** What the SDK calls an Output: a value, known or not, with what it must not be told to and what it waits for. */
export interface OutputValue {
  /** Without wrappers; the sentinel where it is unknown, undefined when there is none. */
  readonly value: unknown;
  readonly secret: boolean;
  /** The URNs of the resources it comes from. */
  readonly dependencies: readonly string[];
}

export type OutputValues = Readonly<Record<string, OutputValue>>;

export function known(value: unknown): OutputValue {
  return { value, secret: false, dependencies: [] };
}

/** What is made from other values: unknown while any of them is, and secret as soon as one is. */
export function derived(from: readonly OutputValue[], make: (...values: unknown[]) => unknown): OutputValue {
  const values = from.map(({ value }) => value);
  return { ...metadataOf(from), value: hasUnknown(values) ? unknownSentinel : make(...values) };
}

/** An object of values: each of them is unknown for itself. */
export function objectOf(parts: OutputValues): OutputValue {
  const entries = Object.entries(parts).map(([key, { value }]) => [key, value] as const);
  return {
    ...metadataOf(Object.values(parts)),
    value: Object.fromEntries(entries.filter(([, value]) => value !== undefined)),
  };
}

/** Values in the form in which they travel. */
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
