import { readFileSync } from "node:fs";
import Ajv from "ajv";
import { load } from "js-yaml";
import { paritySchema } from "./schema";

/** Property names to what their values must be; see `holds` for the forms. */
export type Expected = Readonly<Record<string, unknown>>;

/** Resources of one type in a plan, and what must be true of them. */
export interface Selection {
  readonly type: string;
  /** Properties that each of them has. */
  readonly all?: Expected;
  /** By name in the plan: properties of one. */
  readonly resources: Readonly<Record<string, Expected>>;
  readonly ignoreChanges?: readonly string[];
  readonly deletedWith?: string;
  /** Names of resources that each of them waits for. */
  readonly after?: readonly string[];
}

/** A resource that the provider of a remote component makes; a plan shows only the component's arguments. */
export interface RemoteChild {
  readonly type: string;
  readonly name: string;
  /** Name of the component. */
  readonly of: string;
  /** Arguments of the component that lead to the child. */
  readonly values: Expected;
}

/** What no resource of the plan may be: of this type (or its beginning), with these properties. */
export interface Absence {
  readonly type: string;
  readonly values?: Expected;
}

/** What the plan is asked about. */
export interface Claims {
  /** Settings of the plan, as `--config` takes them. */
  readonly config?: readonly string[];
  readonly here?: readonly Selection[];
  readonly remote?: readonly RemoteChild[];
  readonly absent?: readonly Absence[];
}

/** Resources of the original and what stands for them. */
export interface ParityRow extends Claims {
  readonly terraform: string;
  /** Which of them, where the original has several of the type. */
  readonly what?: string;
  /** How many; a Helm release counts for none. */
  readonly count?: number;
  readonly arguments?: Expected;
  /** Arguments with one value for each resource. */
  readonly each?: Readonly<Record<string, readonly unknown[]>>;
  readonly verdict: "same" | "different" | "none";
  /** Arguments that are different in the plan; all others are the same there. */
  readonly differs?: readonly string[];
  readonly why?: readonly string[];
}

/** Resources that the original has not. */
export interface BeyondRow extends Claims {
  readonly what: string;
  readonly why: string;
  /** Type to names: resources that the settings take away. */
  readonly gone?: Readonly<Record<string, readonly string[]>>;
}

export interface OutputRow {
  readonly terraform?: string;
  readonly here: string;
  readonly verdict?: "same" | "different";
  /** Absent where a plan does not know it. */
  readonly value?: string;
  readonly why?: string;
}

export interface VariableRow {
  readonly terraform: string;
  readonly default: unknown;
  readonly key: string;
  readonly verdict: "same" | "different";
  readonly config?: readonly string[];
  readonly at?: readonly Selection[];
  readonly absent?: readonly Absence[];
  readonly why?: string;
}

export interface Parity {
  readonly network: readonly ParityRow[];
  readonly cluster: readonly ParityRow[];
  readonly root: readonly ParityRow[];
  readonly helm: readonly ParityRow[];
  readonly beyond: readonly BeyondRow[];
  readonly onDemand: readonly BeyondRow[];
  readonly outputs: readonly OutputRow[];
  readonly variables: readonly VariableRow[];
}

const files = ["resources", "additions", "interface"];

/** Reads docs/parity/*.yaml. Throws on an unknown key, which would be an unchecked claim. */
export function readParity(): Parity {
  const parts = files.map((file) => load(readFileSync(`docs/parity/${file}.yaml`, "utf8")) as Partial<Parity>);
  const parity: unknown = Object.assign({}, ...parts);
  const ajv = new Ajv({ allErrors: true });
  if (ajv.validate<Parity>(paritySchema, parity)) return parity;
  throw new Error(ajv.errorsText(ajv.errors, { separator: "\n", dataVar: "parity" }));
}
