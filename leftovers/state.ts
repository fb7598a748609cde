import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../components/core/reader/records";

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

const clusterType = "aws:eks/cluster:Cluster";
const releaseType = "kubernetes:helm.sh/v3:Release";
const providerType = "pulumi:providers:aws";

/** Reads the document of `pulumi stack export`; undefined if it is none. */
export function readState(document: unknown): StackState | undefined {
  const deployment = isRecord(document) ? document["deployment"] : undefined;
  if (!isRecord(deployment)) return undefined;
  const raw = listOf(deployment["resources"]);
  const resources = raw.flatMap(resource);
  const operations = listOf(deployment["pending_operations"]).filter(({ type }) => type === "creating");
  const pending = operations.flatMap(({ resource: one }) => (isRecord(one) ? resource(one) : []));
  const region = raw.flatMap(regionOfProvider)[0];
  const ids = resources.flatMap(({ type, id }) => (type === clusterType ? (id ?? []) : []));
  const account = raw.flatMap(accountOfResource)[0];
  return {
    isEmpty: resources.every(({ id }) => id === undefined),
    ids: new Set(resources.flatMap(({ id }) => id ?? [])),
    environments: new Map(raw.flatMap(environment)),
    ...{ resources, pending, clusters: [...new Set([...ids, ...raw.flatMap(clusterOfOutputs)])] },
    ...(region !== undefined && { region }),
    ...(account !== undefined && { account }),
  };
}

function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** A resource that exists outside of the state; providers and components do not. */
function resource({ urn, type, id, custom, inputs: given }: Readonly<Record<string, unknown>>): StateResource[] {
  if (typeof urn !== "string" || typeof type !== "string" || custom !== true) return [];
  if (type.startsWith("pulumi:")) return [];
  const name = urn.split("::").slice(3).join("::");
  const inputs = isRecord(given) ? given : {};
  const derivedId = type.startsWith("kubernetes:") ? kubernetesId(type, inputs) : undefined;
  return [
    {
      ...{ urn, type, name, inputs },
      ...(typeof id === "string" && id !== "" && { id }),
      ...(derivedId !== undefined && { derivedId }),
    },
  ];
}

function kubernetesId(type: string, inputs: Readonly<Record<string, unknown>>): string | undefined {
  const { metadata } = inputs;
  const { namespace, name } = type === releaseType ? inputs : isRecord(metadata) ? metadata : {};
  if (typeof name !== "string") return undefined;
  return typeof namespace === "string" ? `${namespace}/${name}` : name;
}

/** What the stack only reads can be in another account. Policies of AWS have `aws` in its place. */
function accountOfResource({ type, external, outputs }: Readonly<Record<string, unknown>>): string[] {
  const isOwn = typeof type === "string" && type.startsWith("aws:") && external !== true;
  const arn = isOwn && isRecord(outputs) ? outputs["arn"] : undefined;
  const account = typeof arn === "string" ? /^arn:[\w-]+:[\w-]+:[\w-]*:(\d{12}):/.exec(arn)?.[1] : undefined;
  return account === undefined ? [] : [account];
}

/** An update that was to change the name of the cluster may have deleted the former one, but not all that belongs to it. */
function clusterOfOutputs({ type, outputs }: Readonly<Record<string, unknown>>): string[] {
  const name = type === "pulumi:pulumi:Stack" && isRecord(outputs) ? outputs["clusterName"] : undefined;
  return typeof name === "string" ? [name] : [];
}

/** The identity of an environment. */
function environment({
  type,
  urn,
  outputs,
  created,
}: Readonly<Record<string, unknown>>): [string, string | undefined][] {
  const id = type === "pulumi:index:Stash" && isRecord(outputs) ? outputs["output"] : undefined;
  const isIdentity = typeof id === "string" && String(urn).includes("eks-gpu-lab:index:GpuEnvironment$");
  return isIdentity ? [[id, typeof created === "string" ? created : undefined]] : [];
}

function regionOfProvider({ type, inputs }: Readonly<Record<string, unknown>>): string[] {
  const region = type === providerType && isRecord(inputs) ? inputs["region"] : undefined;
  return typeof region === "string" ? [region] : [];
}
