import type { Properties } from "../../../components/core/wire";
import type { Value, Values } from "./value";

/** A component that a program asks for. */
export interface Construction {
  readonly type: string;
  readonly name: string;
  readonly inputs: Values;
  /** A preview: nothing is made, and what is missing in an output is unknown. */
  readonly dryRun: boolean;
  /** The stack's configuration by key, e.g. `aws:profile`. */
  readonly config: Readonly<Record<string, string>>;
}

/** One child of a component. */
export interface Child {
  readonly type: string;
  readonly name: string;
  readonly parent: string;
  /** The version of the package that the component was built with. */
  readonly version: string;
  readonly inputs: Values;
  readonly ignoreChanges?: readonly string[];
}

/** A resource that the engine has registered. */
export interface Registered {
  readonly urn: string;
  readonly id: string;
  /** The output at a path such as `identities.0.oidcs`; unknown in a preview that does not have it. */
  output(path: string): Value;
}

/** What a component provider asks of the engine. */
export interface Monitor {
  /** Registers the component itself, with the options that the program gave it, and tells its URN. */
  component(): Promise<string>;
  resource(child: Child): Promise<Registered>;
  outputs(urn: string, state: Properties): Promise<void>;
  /** A resource of the program that was given as an argument. */
  existing(urn: string): Promise<Registered>;
}

export interface Constructed {
  readonly urn: string;
  readonly state: Values;
}

export type Construct = (construction: Construction, monitor: Monitor) => Promise<Constructed>;
