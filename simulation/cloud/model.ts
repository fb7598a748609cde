import type { Properties } from "../../components/core/wire";
import type { CloudError } from "./errors";
import type { Operation } from "./faults";
import { valuesAt } from "../../components/core/reader/paths";

/** An object of the simulated cloud. */
export interface CloudObject {
  readonly type: string;
  readonly id: string;
  /** The inputs of the program, with the provider's defaults. */
  readonly inputs: Properties;
  /** What the cloud added: ARNs, addresses, states. */
  readonly computed: Properties;
}

/** A property of an object: an output of the cloud, or an input. */
export function propertyOf(object: CloudObject, key: string): unknown {
  if (key === "id") return object.id;
  return Object.hasOwn(object.computed, key) ? object.computed[key] : object.inputs[key];
}

/** A region of AWS. */
export interface Place {
  readonly region: string;
  readonly partition: string;
  /** Names of the availability zones, e.g. `ap-northeast-2a`. */
  readonly zones: readonly string[];
}

/** The AWS account and its region. */
export interface Account extends Place {
  readonly accountId: string;
  /** ARN of the caller. */
  readonly caller: string;
  /** Quota of vCPUs for running on-demand G and VT instances. */
  gpuVcpuQuota: number;
  /** Instance types that no zone has capacity for. @default none */
  soldOut?: readonly string[];
}

/** A finished operation. */
export interface CloudEvent {
  readonly operation: Operation;
  readonly type: string;
  readonly id: string;
  /** Start and end, in seconds since the cloud was created. */
  readonly from: number;
  readonly to: number;
}

/** What models read and change: the account, and the objects that its region has. */
export interface CloudState {
  readonly account: Account;
  /** The date in the cloud: that of this machine, and the time that was skipped. Operations do not move it. */
  readonly date: Date;
  /** All objects of the region, and those of all regions, oldest first. */
  readonly objects: readonly CloudObject[];
  readonly history: readonly CloudEvent[];
  get(type: string, id: string): CloudObject | undefined;
  /** The objects of a type whose properties have the given values. */
  find(type: string, properties?: Properties): CloudObject[];
  /** Adds or replaces an object without a request, as AWS does with the objects that it creates itself. */
  put(object: CloudObject): CloudObject;
  /** Changes inputs of an object outside of Pulumi. */
  drift(type: string, id: string, change: Properties): void;
  /** Removes an object outside of Pulumi, with the objects that are deleted with it; nothing prevents this. */
  remove(type: string, id: string): void;
  /** The model of a type. A type without one is accepted as it is, and recorded as not simulated. */
  modelOf(type: string): ResourceModel;
}

/** Answers a provider function such as `aws:index/getPartition:getPartition`. */
export type ProviderFunction = (args: Properties, cloud: CloudState) => Properties;

/** A request to an API that has no inputs yet. */
export interface ApiCall {
  readonly cloud: CloudState;
  readonly operation: Operation;
  readonly provider: Properties;
}

/** A request to create an object. */
export interface Request {
  readonly cloud: CloudState;
  readonly inputs: Properties;
  /** The configuration of the provider that sends the request, e.g. its kubeconfig. */
  readonly provider: Properties;
}

/** A request about an existing object. */
export interface ObjectRequest extends Request {
  readonly object: CloudObject;
}

/** New inputs of an object, before the provider sends a request. */
export type ProposedInputs = Pick<Request, "inputs" | "provider">;

/** What the deletion of a referenced object does: the API rejects it with an error, or deletes the referrer with it. */
export type DeletePolicy = CloudError | "cascade";

/** An input that names another object. */
export interface Reference {
  /** The path of the input: `vpcId`, `subnetIds[*]`, `launchTemplate.id`. */
  readonly path: string;
  /** The type of the referenced object. */
  readonly to: string;
  /** The property of the referenced object that the input contains. @default "id" */
  readonly by?: string;
  /** The error of the API when the referenced object does not exist. */
  readonly missing: (value: string) => CloudError;
  /**
   * What the deletion of the referenced object does; a function decides for each pair of objects.
   *
   * @default the referenced object is deleted, and this one stays
   */
  readonly onDelete?: DeletePolicy | ((referenced: CloudObject, referrer: CloudObject) => DeletePolicy | undefined);
}

/** A problem of the inputs that the provider finds before it sends a request. */
export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
}

/** How the simulation behaves for one type of resource: first its provider, then its API. */
export interface ResourceModel {
  /** The Pulumi type token, e.g. `aws:ec2/vpc:Vpc`. */
  readonly type: string;

  /** Inputs that the provider fills in when they are missing. A function gets the other inputs. */
  readonly defaults?: Properties | ((inputs: Properties) => Properties);
  /** The input that gets the resource's name and a random suffix when neither it nor the prefix is set. */
  readonly autoname?: { readonly property: string; readonly prefix?: string; readonly maxLength?: number };
  readonly required?: readonly string[];
  /** Further checks of the provider. Unknown values are the sentinel of the wire format. */
  readonly check?: (inputs: Properties) => readonly CheckFailure[];
  /** Normalizes valid inputs after names and defaults are filled in, e.g. resolves a version range. */
  readonly normalize?: (inputs: Properties) => Properties;
  /** Inputs whose change replaces the object, in addition to those that {@link replacesResource} knows. */
  readonly immutable?: readonly string[];
  /** Whether a change replaces the object, where that depends on more than its path. */
  readonly requiresReplace?: (path: string, proposed: ProposedInputs) => boolean;
  /** Whether a replacement deletes the old object first. @default when the program sets the name */
  readonly deleteBeforeReplace?: boolean;
  /**
   * Inputs that identify the object: when one of them changes, the old and the new object can exist at the same time.
   *
   * @default none - the name decides
   */
  readonly identity?: readonly string[];

  readonly references?: readonly Reference[];
  /** The key that must be unique among the objects of the type, e.g. a name; undefined when the inputs set none. */
  readonly unique?: (inputs: Properties, request: Request) => { key: string; error: CloudError } | undefined;
  /** The id of a new object. `serial` is unique in the cloud. */
  readonly id: (request: Request, serial: string) => string;
  /** The ID with which the provider imports an object, i.e. reads one whose outputs are not in the state. @default its id */
  readonly importId?: (object: CloudObject) => string;
  /**
   * The outputs that the cloud adds when it creates or updates the object. A preview calls it, too, to learn which outputs are
   * unknown until then: some inputs are unknown, and objects that they name may not exist.
   */
  readonly computed?: (request: Request, id: string, old: Properties | undefined) => Properties;
  /** The outputs that other objects determine, e.g. the policies of a role or the rules of a security group. */
  readonly derivedOutputs?: (object: CloudObject, cloud: CloudState) => Properties;
  /** Names of the outputs that an update of the given inputs makes unknown. */
  readonly recomputes?: (changed: readonly string[]) => readonly string[];
  /** Names of the secret outputs. */
  readonly secrets?: readonly string[];

  /** The error when the API cannot be reached. Runs before each request, also for objects that no longer exist. */
  readonly connect?: (call: ApiCall) => CloudError | undefined;
  readonly validateCreate?: (request: Request) => CloudError | undefined;
  readonly validateUpdate?: (request: ObjectRequest) => CloudError | undefined;
  /** The error of the provider's dry run of an update, in a preview. @default none - the provider sends no dry run */
  readonly validatePreview?: (request: ObjectRequest) => CloudError | undefined;
  readonly validateDelete?: (request: ObjectRequest) => CloudError | undefined;
  /** Why a created object does not become ready; the object exists, and the create fails. */
  readonly createFailure?: (request: ObjectRequest) => string | undefined;
  /** Why an updated object does not become ready; the object is updated, and the update fails. */
  readonly updateFailure?: (request: ObjectRequest, old: CloudObject) => string | undefined;
  /** Side effects of a create or an update, e.g. the Auto Scaling group of a node group. */
  readonly afterChange?: (request: ObjectRequest, old?: CloudObject) => void;
  readonly afterDelete?: (request: ObjectRequest) => void;
  /** How long operations usually take. @default 1 second each */
  readonly seconds?: Readonly<Partial<Record<"create" | "update" | "delete", number>>>;
}

/** @throws CloudError when an input names an object that does not exist */
export function requireReferences(references: readonly Reference[], { cloud, inputs }: Request): void {
  for (const reference of references) {
    for (const value of valuesAt(inputs, reference.path)) {
      if (!cloud.find(reference.to).some((object) => refersTo(reference, value, object))) {
        throw reference.missing(String(value));
      }
    }
  }
}

/** @throws CloudError when another object of the type has the key that must be unique */
export function requireUnique({ type, unique }: ResourceModel, request: Request): void {
  const wanted = unique?.(request.inputs, request);
  if (!wanted) return;
  const taken = request.cloud
    .find(type)
    .some(({ inputs }) => unique?.(inputs, { ...request, inputs })?.key === wanted.key);
  if (taken) throw wanted.error;
}

/** The objects that prevent the deletion of an object, or that are deleted with it. */
export function referrersOf(cloud: CloudState, object: CloudObject): { object: CloudObject; policy: DeletePolicy }[] {
  return cloud.objects.flatMap((referrer) =>
    (cloud.modelOf(referrer.type).references ?? []).flatMap((reference) => {
      const { to, path, onDelete } = reference;
      if (to !== object.type || onDelete === undefined) return [];
      if (!valuesAt(referrer.inputs, path).some((value) => refersTo(reference, value, object))) return [];
      const policy = typeof onDelete === "function" ? onDelete(object, referrer) : onDelete;
      return policy === undefined ? [] : [{ object: referrer, policy }];
    }),
  );
}

function refersTo({ by = "id" }: Reference, value: unknown, object: CloudObject): boolean {
  return propertyOf(object, by) === value;
}
