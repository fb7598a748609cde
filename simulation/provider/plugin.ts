import type { Properties } from "../../components/core/wire";
import type { Construct } from "./eks/construct";
import type { CloudError } from "../world/cloud-error";
import type { Operation } from "../world/faults";

export type PackageName = "aws" | "eks" | "kubernetes";

/** What a changed configuration means for a provider. */
export interface ConfigDifference {
  readonly changed: readonly string[];
  /** Those for which the provider, and with it all its resources, must be replaced. */
  readonly replacing: readonly string[];
}

/** In what the simulated providers differ. */
export interface Plugin {
  readonly name: PackageName;
  /** The version of the package that the program uses. */
  readonly version: string;
  /** What reaches the provider as it is; the engine unwraps the rest, and marks secrets again in the answer. */
  readonly accepts: { readonly secrets: boolean; readonly resources: boolean; readonly outputs: boolean };
  /** How many hexadecimal digits it appends to a resource's name. */
  readonly suffixLength: number;
  diffConfig(olds: Properties, news: Properties): ConfigDifference;
  /** How it tells of an error of the cloud. `what` is a URN, or the token of a function. */
  explain(operation: Operation | "invoke", what: string, error: CloudError): string;
  /** Makes a component and its children. */
  readonly construct?: Construct;
}
