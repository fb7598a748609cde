import type { Properties } from "../../components/core/wire";
import type { CloudError } from "../cloud/errors";
import type { Operation } from "../cloud/faults";
import { constructCluster } from "./eks/cluster";
import type { Construct } from "./eks/component";
import { changedSettings, kubernetesConfigDifference } from "./kubernetes-config";

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
  errorMessage(operation: Operation | "invoke", what: string, error: CloudError): string;
  /** Makes a component and its children. */
  readonly construct?: Construct;
}

/** The provider of AWS: a bridge to the one of Terraform. */
export function aws(version: string): Plugin {
  return {
    name: "aws",
    version,
    accepts: { secrets: false, resources: false, outputs: false },
    suffixLength: 7,
    diffConfig: (olds, news) => ({ changed: changedSettings(olds, news), replacing: [] }),
    errorMessage: (operation, what, { code, explanation }) =>
      `${gerunds[operation]} ${what}: 1 error occurred:\n\t* ${code}: ${explanation}\n`,
  };
}

/** How an error of an operation begins. */
const gerunds: Readonly<Record<Operation | "invoke", string>> = {
  create: "creating",
  read: "reading",
  update: "updating",
  delete: "deleting",
  invoke: "invoking",
};

/** The provider of the components for EKS. */
export function eks(version: string): Plugin {
  return {
    ...aws(version),
    name: "eks",
    accepts: { secrets: true, resources: true, outputs: true },
    construct,
  };
}

const construct: Construct = (construction, monitor) => {
  if (construction.type === "eks:index:Cluster") return constructCluster(construction, monitor);
  throw new Error(`The component ${construction.type} is not simulated`);
};

/** The provider of Kubernetes objects and Helm releases. */
export function kubernetes(version: string): Plugin {
  return {
    name: "kubernetes",
    version,
    accepts: { secrets: true, resources: false, outputs: false },
    suffixLength: 8,
    diffConfig: kubernetesConfigDifference,
    errorMessage: (_operation, _what, { explanation }) => explanation,
  };
}
