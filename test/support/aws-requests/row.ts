import type { Properties } from "../../../components/core/wire";
import type { PolicyText } from "../aws-models";

/** A resource of a plan, with its inputs. */
export interface PlannedResource {
  readonly type: string;
  readonly name: string;
  readonly inputs: Properties;
}

/** Members that the provider computes. */
export interface Computed {
  /** The inputs that they are computed from. */
  readonly from: readonly string[];
  readonly params: (inputs: Properties, resource: PlannedResource) => object;
}

/** A request of the provider. Inputs become members with the same name in any case, singular or plural. */
export interface ApiRequest {
  /** The name of botocore, e.g. `ec2`. */
  readonly service: string;
  readonly operation: string;
  /** The inputs in this request. @default all that no other request of the row names */
  readonly only?: readonly string[];
  /** Where the other inputs are below the request, e.g. `LaunchTemplateData`. @default at its root */
  readonly below?: string;
  /** Members with other names: the path of an input to the name of its member, or to a path from the root. */
  readonly members?: Readonly<Record<string, string>>;
  readonly computed?: readonly Computed[];
  /** Whether the keys begin with a capital letter, as in the input of a universal target. @default false */
  readonly isPascalCase?: boolean;
  /** Whether the provider sends the request. @default always */
  readonly when?: (inputs: Properties) => boolean;
}

/** How the provider creates a resource of a type. */
export interface Row {
  readonly requests: readonly ApiRequest[];
  /** Inputs that no request contains, with the reason. */
  readonly notSent?: Readonly<Record<string, string>>;
  /** Inputs that are IAM policies, and where they are attached. */
  readonly policies?: Readonly<Record<string, PolicyText["use"]>>;
}
