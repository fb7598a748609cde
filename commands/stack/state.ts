import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../components/core/reader/records";

/** What the state of a stack says about objects in AWS. */
export interface StackState {
  /** Whether it contains no resource: the stack was destroyed, or never created. */
  readonly isEmpty: boolean;
  /** The IDs of its resources. */
  readonly ids: ReadonlySet<string>;
  /** The ids of its environments, and when they were made, in ISO 8601. */
  readonly environments: ReadonlyMap<string, string | undefined>;
  readonly resources: readonly StateResource[];
  /** Creates that a killed update did not finish; an update that still runs has them, too. */
  readonly pending: readonly StateResource[];
  readonly region?: string;
  /** Its clusters, and the one that its last update exported. */
  readonly clusters: readonly string[];
  /** The AWS account of its resources. */
  readonly account?: string;
}

/**
 * Whether a later update has made the object of an interrupted create again: the state has one with the same inputs in its
 * place. A create that was to replace an object has other inputs than that.
 */
export function isMadeAgain({ resources }: StackState, { urn, inputs }: StateResource): boolean {
  return resources.some((one) => one.urn === urn && isDeepStrictEqual(one.inputs, inputs));
}

export interface StateResource {
  readonly urn: string;
  readonly type: string;
  /** The logical name. */
  readonly name: string;
  readonly id?: string;
  /** The inputs; `{}` if it has none. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The ID that follows from the inputs of an interrupted create: objects in the cluster are called `namespace/name`. */
  readonly derivedId?: string;
}

/** An interrupted create, and the ID of the object in AWS that it created. */
export interface Adoption {
  readonly resource: StateResource;
  readonly id: string;
}

const clusterType = "aws:eks/cluster:Cluster";
const releaseType = "kubernetes:helm.sh/v3:Release";
const providerType = "pulumi:providers:aws";

type Fields = Readonly<Record<string, unknown>>;

/** A resource of the document, with what is not of the expected type left out. */
interface Raw {
  readonly urn: string;
  readonly type: string;
  readonly fields: Fields;
  readonly inputs: Fields;
  readonly outputs: Fields;
}

/** Reads the document of `pulumi stack export`; undefined if it is none. */
export function readState(document: unknown): StackState | undefined {
  const deployment = isRecord(document) ? document["deployment"] : undefined;
  if (!isRecord(deployment)) return undefined;
  const raw = recordsOf(deployment["resources"]).map(rawOf);
  const resources = raw.flatMap(resource);
  const creates = recordsOf(deployment["pending_operations"]).filter(({ type }) => type === "creating");
  const pending = creates.flatMap(({ resource: one }) => (isRecord(one) ? resource(rawOf(one)) : []));
  const ids = resources.flatMap(({ type, id }) => (type === clusterType ? (id ?? []) : []));
  // An update that was to change the name of the cluster may have deleted the former one, but not all that belongs to it.
  const exported = raw.flatMap(({ type, outputs }) =>
    type === "pulumi:pulumi:Stack" ? textOf(outputs["clusterName"]) : [],
  );
  return {
    isEmpty: resources.every(({ id }) => id === undefined),
    ids: new Set(resources.flatMap(({ id }) => id ?? [])),
    environments: new Map(raw.flatMap(environment)),
    ...{ resources, pending, clusters: [...new Set([...ids, ...exported])] },
    region: raw.flatMap(({ type, inputs }) => (type === providerType ? textOf(inputs["region"]) : []))[0],
    account: raw.flatMap(accountOfResource)[0],
  };
}

export function recordsOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function textOf(value: unknown): string[] {
  return typeof value === "string" ? [value] : [];
}

function rawOf(fields: Fields): Raw {
  const { inputs, outputs } = fields;
  const [[urn = ""], [type = ""]] = [textOf(fields["urn"]), textOf(fields["type"])];
  return { urn, type, fields, inputs: isRecord(inputs) ? inputs : {}, outputs: isRecord(outputs) ? outputs : {} };
}

/** A resource that exists outside of the state; providers and components do not. */
function resource({ urn, type, inputs, fields }: Raw): StateResource[] {
  if (urn === "" || type === "" || fields["custom"] !== true || type.startsWith("pulumi:")) return [];
  const name = urn.split("::").slice(3).join("::");
  const derivedId = type.startsWith("kubernetes:") ? kubernetesId(type, inputs) : undefined;
  const [id] = textOf(fields["id"] || undefined);
  return [{ urn, type, name, inputs, id, derivedId }];
}

function kubernetesId(type: string, inputs: Fields): string | undefined {
  const { metadata } = inputs;
  const { namespace, name } = type === releaseType ? inputs : isRecord(metadata) ? metadata : {};
  if (typeof name !== "string") return undefined;
  return typeof namespace === "string" ? `${namespace}/${name}` : name;
}

/** What the stack only reads can be in another account. Policies of AWS have `aws` in its place. */
function accountOfResource({ type, fields, outputs }: Raw): string[] {
  if (!type.startsWith("aws:") || fields["external"] === true) return [];
  return textOf(outputs["arn"]).flatMap((arn) => /^arn:[\w-]+:[\w-]+:[\w-]*:(\d{12}):/.exec(arn)?.[1] ?? []);
}

/** The identity of an environment. */
function environment({ type, urn, outputs, fields }: Raw): [string, string | undefined][] {
  const isIdentity = type === "pulumi:index:Stash" && urn.includes("eks-gpu-lab:index:GpuEnvironment$");
  return isIdentity ? textOf(outputs["output"]).map((id) => [id, textOf(fields["created"])[0]]) : [];
}
