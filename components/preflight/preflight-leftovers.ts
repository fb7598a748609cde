import { price } from "../cost/prices";
import { groupPrefix, type Section } from "./running-group";
import type { PreflightFacts } from "./preflight-facts";

/** Node groups that only one of the environment's sections can have created. */
export interface SecondGroups {
  readonly section: Section;
  /** Oldest first. */
  readonly names: readonly string[];
}

/** Objects of a stack with one logical name, of which its state knows one. */
export interface SecondObjects {
  readonly kind: "elastic address" | "launch template";
  /** The logical name. */
  readonly name: string;
  readonly ids: readonly string[];
}

/** An object in AWS with the tags of the stack that its state does not know. */
export interface Leftover {
  /** E.g. `node group`. */
  readonly kind: string;
  readonly id: string;
  readonly logicalName?: string;
  /** With what is deleted with it, such as the nodes of a node group; undefined if a price is not known. */
  readonly usdPerDay?: number;
  /** Adopts or removes it. */
  readonly command: string;
}

/** What the provider appends to a prefix: the time, and a counter. */
const uniqueSuffix = /^\d{18}[0-9a-f]{8}$/;

/**
 * The sections with several of the node groups of a cluster. A program does not know its state, so it cannot tell which of
 * them an interrupted update has left; that there are two is enough for a warning.
 */
export function secondGroupsOf(clusterName: string, names: readonly string[]): SecondGroups[] {
  return (["systemNodes", "gpuNodes"] as const).flatMap((section) => {
    const prefix = groupPrefix(clusterName, section);
    const own = names.filter((name) => name.startsWith(prefix) && uniqueSuffix.test(name.slice(prefix.length)));
    return own.length > 1 ? [{ section, names: own.sort() }] : [];
  });
}

/** A warning for each section with several node groups. */
export function secondGroupWarnings(groups: readonly SecondGroups[] = []): string[] {
  return groups.map(
    ({ section, names }) =>
      `${section}: the cluster has ${names.length} node groups of it: ${names.join(", ")}. Unless this update deletes one, ` +
      "an interrupted update has left it, and its nodes cost money. Run npx eks-gpu-lab leftovers: it names the one that the " +
      "state does not know, and the commands that adopt or remove it.",
  );
}

/** A warning for each object that the state does not know, or may not know. */
export function leftoverWarnings({ leftovers = [], secondObjects = [], region = "" }: PreflightFacts): string[] {
  return [
    ...secondObjects.map((one) => secondObjectsWarning(one, region)),
    ...leftovers.map(({ kind, id, logicalName, usdPerDay, command }) => {
      const of = logicalName === undefined ? "" : ` of ${logicalName}`;
      return `${kind} ${id}${of}: the state of the stack does not know it. ${costText(usdPerDay)} If no update runs:\n${command}`;
    }),
  ];
}

const hoursPerDay = 24;

function secondObjectsWarning({ kind, name, ids }: SecondObjects, region: string): string {
  const hourly = kind === "launch template" ? 0 : price(region, "public-ipv4")?.usd;
  const usd = hourly === undefined ? undefined : hourly * hoursPerDay;
  return (
    `${name}: the stack has ${ids.length} of this ${kind}: ${ids.join(", ")}. Unless this update deletes one, an interrupted ` +
    `update has left it. ${costText(usd)} Run npx eks-gpu-lab leftovers: it names the one that the state does not know, and ` +
    "the commands that adopt or remove it."
  );
}

function costText(usdPerDay: number | undefined): string {
  if (usdPerDay === undefined) return "Its cost is not known.";
  return usdPerDay === 0 ? "It costs nothing." : `It costs ${usdPerDay.toFixed(2)} USD per day.`;
}
