import type { FoundObject } from "./found";

/**
 * What says to whom an object belongs:
 * - `id`: the tag with the id of the environment, on what the program or a controller of its cluster creates.
 * - `aws`: a tag that only AWS sets names the cluster, and the object is in a VPC of the environment; or the cluster names it.
 * - `part`: it is part of an object of the environment, whose removal removes it.
 * - `copy`: it has the id, but cannot be what the program created.
 * - `other`: the id of another environment.
 * - `former`: the tag of the stack only, as versions without ids set it.
 * - `named`: a name, or a tag that a controller sets for each cluster of that name.
 * - `place`: it is in a VPC of the environment.
 */
export type Evidence = "id" | "aws" | "part" | "copy" | "other" | "former" | "named" | "place";

/** The owner of an object, as far as the evidence shows it. */
export const ownerTexts: Readonly<Record<Evidence, string>> = {
  id: "this environment, by its id",
  aws: "this environment, by a tag of AWS",
  part: "this environment, as a part",
  copy: "unknown, has the id of this environment",
  other: "another environment, by its id",
  former: "unknown, has the tag of the stack",
  named: "unknown, has the name of the cluster",
  place: "unknown, is in the VPC",
};

/**
 * What runs in the region: `rival` is a cluster with the name of the environment's that has not its id; `busy` is the
 * environment's own cluster while pods hold GPUs, or may hold some; `unread`: the clusters could not be read.
 */
export type Running = "nothing" | "rival" | "busy" | "unread";

/** Whether something that stays uses the object; `unread`: what uses it could not be read. */
export type Use = "none" | "used" | "unread";

/** `remove`; `keep`, with the commands that would remove it; `hold`: without commands, because something may need it. */
type Decision = "remove" | "keep" | "hold";

export interface Case {
  readonly evidence: Evidence;
  readonly running: Running;
  readonly use: Use;
}

/** Names what a reason is about. */
interface Names {
  readonly cluster: string;
  readonly user: string;
  readonly id: string;
  readonly region: string;
}

interface Row {
  readonly when: { readonly [K in keyof Case]?: readonly Case[K][] };
  readonly decision: Decision;
  readonly why: (names: Names) => string;
}

const unused = { running: ["nothing"], use: ["none"] } as const;

/** The first row that matches decides. Only the first two remove anything. */
const rows: readonly Row[] = [
  {
    when: { evidence: ["id", "aws", "part"], ...unused },
    decision: "remove",
    why: () => "it belongs to this environment",
  },
  {
    when: { evidence: ["other"] },
    decision: "hold",
    why: ({ id, region }) =>
      `it belongs to the environment ${id}. If that is yours: npx eks-gpu-lab leftovers --id ${id} --region ${region}`,
  },
  {
    when: { running: ["unread"] },
    decision: "hold",
    why: () => "the clusters of the region could not be read, so one of them may use it",
  },
  {
    when: { running: ["rival"] },
    decision: "hold",
    why: ({ cluster }) => `${cluster}: it may be in use there`,
  },
  {
    when: { running: ["busy"] },
    decision: "hold",
    why: ({ cluster }) => `${cluster}. End the session first`,
  },
  { when: { use: ["used"] }, decision: "hold", why: ({ user }) => `it is used by ${user}` },
  {
    when: { use: ["unread"] },
    decision: "hold",
    why: ({ user }) => `${user} could not be read, so it may still use this object`,
  },
  {
    when: { evidence: ["copy"] },
    decision: "keep",
    why: () => "it has the id of this environment, but may be a copy: check what it is, and remove it yourself",
  },
  {
    when: { evidence: ["former"] },
    decision: "keep",
    why: () =>
      "it has the tag of the stack, but no id: an earlier version created it, or another stack with this name. " +
      "Check what it is, and remove it yourself",
  },
  {
    when: { evidence: ["named", "place"] },
    decision: "keep",
    why: () => "it has no id of this environment: check what it is, and remove it yourself",
  },
];

/** Whether an object is removed, and why it stays. */
export function decide(one: Case): Pick<Row, "decision" | "why"> {
  const isMatch = ({ when }: Row) =>
    (Object.keys(when) as (keyof Case)[]).every((key) => (when[key] as readonly string[]).includes(one[key]));
  return rows.find(isMatch) as Row;
}

/** An object as a user reads it: `instance i-1 "db", owner somebody`. */
function nameOf({ kind, id, tags }: FoundObject): string {
  const { Name: name, owner } = tags;
  return `${kind} ${id}${name === undefined ? "" : ` "${name}"`}${owner === undefined ? "" : `, owner ${owner}`}`;
}

/**
 * What uses each object, directly or through others, and stays. A subnet stays with an instance in it; its route table, the
 * gateway of that table and the VPC stay, too.
 *
 * @param stays objects that are not removed
 */
export function usersOf(
  all: readonly FoundObject[],
  stays: (one: FoundObject) => boolean,
): ReadonlyMap<FoundObject, string> {
  // Somebody can name a schedule like the ID of a VPC: a name stands for all that have it.
  const byName = new Map<string, FoundObject[]>();
  for (const one of all) for (const name of namesOf(one)) byName.set(name, [...(byName.get(name) ?? []), one]);
  const needs = needsOf(all, byName);
  const users = new Map<FoundObject, string>();
  const visit = (one: FoundObject, user: string): void => {
    for (const needed of needs.get(one) ?? []) use(needed, user);
  };
  const use = (needed: FoundObject, user: string): void => {
    if (users.has(needed) || stays(needed)) return;
    users.set(needed, user);
    visit(needed, user);
  };
  for (const one of all) {
    const stranger = one.usedBy?.find((user = "") => user !== "" && !byName.has(user));
    if (stays(one)) visit(one, nameOf(one));
    if (stays(one) && stranger !== undefined) users.set(one, stranger);
    else if (stranger !== undefined) use(one, stranger);
  }
  return users;
}

/** Kinds whose ID is a name, which an object of another kind can have, too. */
const namedKinds: readonly string[] = [
  ...["cluster", "node group", "add-on", "role", "instance profile", "log group", "budget"],
  ...["schedule group", "EventBridge rule", "SSM document", "CloudWatch alarm", "SQS queue", "classic load balancer"],
];

/** How other objects call it. */
export function namesOf({ id, kind, aliases = [], interfaces = [] }: FoundObject): string[] {
  return [`${kind} ${id}`, ...(namedKinds.includes(kind) ? [] : [id]), ...aliases, ...interfaces];
}

function needsOf(all: readonly FoundObject[], byName: ReadonlyMap<string, readonly FoundObject[]>) {
  const needs = new Map<FoundObject, FoundObject[]>(all.map((one) => [one, []]));
  for (const one of all) {
    const named = [...(one.uses ?? []), one.vpc, one.within].flatMap((name) => byName.get(name ?? "") ?? []);
    needs.get(one)?.push(...named.filter((other) => other !== one));
    for (const outer of byName.get(one.within ?? "") ?? []) needs.get(outer)?.push(one);
    const users = (one.usedBy ?? []).flatMap((name = "") => byName.get(name) ?? []);
    for (const user of users) needs.get(user)?.push(one);
  }
  return needs;
}
