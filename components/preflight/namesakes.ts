import type { Problem } from "../core/problems";
import { idTag, stackTag } from "../core/stack-tags";
import { shellText } from "../core/text";
import { identityType, type OwnObject } from "./own-objects";
import type { CapacityRequest, FixedKind, Namesake, PreflightFacts } from "./preflight-facts";

/** The types whose names an environment fixes. The provider completes every other name with a suffix of its own. */
export const fixedNames = {
  cluster: {
    ...{ type: "aws:eks/cluster:Cluster", path: "clusterName" },
    nameOf: ({ clusterName }: CapacityRequest): string | undefined => clusterName,
  },
  "log group": {
    ...{ type: "aws:cloudwatch/logGroup:LogGroup", path: "controlPlaneLogs" },
    nameOf: ({ logGroupName }: CapacityRequest): string | undefined => logGroupName,
  },
  "key alias": {
    ...{ type: "aws:kms/alias:Alias", path: "secretsKey" },
    nameOf: ({ keyAliasName }: CapacityRequest): string | undefined => keyAliasName,
  },
} as const satisfies Record<FixedKind, object>;

export const fixedKinds = Object.keys(fixedNames) as FixedKind[];

/**
 * Whether an object belongs to this stack: its state has it, and the object does not have the id of another environment. The
 * tag of a stack is not proof. Two people with backends of their own can have the same stack and cluster name.
 */
export function isOwn(
  { kind, name, tags }: Pick<Namesake, "kind" | "name" | "tags">,
  own: readonly OwnObject[] = [],
): boolean {
  const ids = idsIn(own);
  const id = tags?.[idTag];
  const isOther = id !== undefined && ids.length > 0 && !ids.includes(id);
  return !isOther && inState({ kind, name }, own) !== undefined;
}

function inState({ kind, name }: Pick<Namesake, "kind" | "name">, own: readonly OwnObject[]): OwnObject | undefined {
  return own.find(({ type, id }) => type === fixedNames[kind].type && id === name);
}

/** The ids of the environments of the stack; none before the first update, and in the state of a version without ids. */
function idsIn(own: readonly OwnObject[]): string[] {
  return own.flatMap(({ type, id }) => (type === identityType ? [id] : []));
}

/** Reads an object by its name; undefined if there is none. */
export type ReadNamesake = (name: string) => Promise<Pick<Namesake, "created" | "tags"> | undefined>;

/**
 * Reads what has a name of the environment and is not its own. A taken cluster is enough: the rest belongs to it. In a first
 * update, these are two or three requests. Later, the tags of what the state has are read, to compare the id.
 */
export async function readNamesakes(
  request: CapacityRequest,
  own: readonly OwnObject[] = [],
  read: Readonly<Record<FixedKind, ReadNamesake>>,
): Promise<Namesake[]> {
  const hasId = idsIn(own).length > 0;
  const found = async (kind: FixedKind): Promise<Namesake[]> => {
    const name = fixedNames[kind].nameOf(request);
    // An alias has no tags.
    const isKnown = name !== undefined && isOwn({ kind, name }, own) && (!hasId || kind === "key alias");
    const object = name === undefined || isKnown ? undefined : await read[kind](name);
    return name === undefined || !object || isOwn({ kind, name, ...object }, own) ? [] : [{ kind, name, ...object }];
  };
  const cluster = await found("cluster");
  return cluster.length > 0 ? cluster : (await Promise.all([found("log group"), found("key alias")])).flat();
}

/** A name that is taken. The update would fail when it creates the object, after it has created others that cost money. */
export function nameProblems(request: CapacityRequest, { namesakes = [], own, region }: PreflightFacts): Problem[] {
  return namesakes.flatMap((one): Problem[] => {
    const { kind, name } = one;
    const at = { code: "conflict" as const, path: fixedNames[kind].path, got: name };
    if (isStray(one)) return [{ ...at, ...strayGroup(name, region) }];
    if (!own) return [];
    const other = inState(one, own);
    if (other) return [{ ...at, ...otherEnvironment(one, other, request) }];
    const why = `The ${kind} ${name} exists, but is not in the state of this stack. ${ownerText(one, request)}`;
    return [{ ...at, why, fix: `choose another name: pulumi config set clusterName NAME; or, ${ifOwn(request)}` }];
  });
}

/** Another environment has made it again, and an update would change what is not of this stack. */
function otherEnvironment(one: Namesake, { urn }: OwnObject, request: CapacityRequest): Pick<Problem, "why" | "fix"> {
  const { kind, name, tags } = one;
  return {
    why:
      `The state of this stack contains the ${kind} ${name}, but in AWS it belongs to another environment: ` +
      `${idTag}=${tags?.[idTag]}. ${ownerText(one, request)}`,
    fix:
      `remove it from the state, which deletes nothing in AWS: ${shellText(["pulumi", "state", "delete", urn])} ` +
      "--target-dependents --force; then choose another name: pulumi config set clusterName NAME",
  };
}

/** EKS can write logs after `pulumi destroy` deleted the log group of a cluster, which creates it again, without tags. */
function isStray({ kind, tags }: Namesake): boolean {
  return kind === "log group" && ["Name", "owner", stackTag].every((tag) => tags?.[tag] === undefined);
}

function strayGroup(name: string, region: string | undefined): Pick<Problem, "why" | "fix"> {
  const option = region === undefined ? "" : ` --region ${region}`;
  return {
    why: "The log group already exists. EKS created it to write the last logs of a deleted cluster.",
    fix: `delete the log group and its logs: aws logs delete-log-group${option} --log-group-name ${name}`,
  };
}

/** What shows whose it is. */
function ownerText({ created, tags = {} }: Namesake, { change }: CapacityRequest): string {
  const { [stackTag]: stack, owner } = tags;
  const facts = [
    ...(created === undefined ? [] : [`created ${created.slice(0, "2026-11-25T10:00".length).replace("T", " ")} UTC`]),
    ...(stack === undefined ? [`no tag ${stackTag}`] : [`${stackTag}=${stack}`]),
    ...(owner === undefined ? [] : [`owner=${owner}`]),
  ];
  const isSame = stack !== undefined && stack === change?.stackTag;
  const twin = isSame ? " Another person can have a stack of the same name." : "";
  return `Hints at its owner: ${facts.join(", ")}.${twin}`;
}

/** An interrupted or failed update can have left it. */
function ifOwn({ change }: CapacityRequest): string {
  const stack = change?.stackTag?.split("/").at(-1);
  const option = stack === undefined ? "" : ` --stack ${stack}`;
  return `if an unfinished update of this stack created it, npx eks-gpu-lab leftovers${option} --adopt`;
}
