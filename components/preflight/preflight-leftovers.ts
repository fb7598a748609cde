import { groupPrefix, type Section } from "./running-group";

/** Node groups that only one of the environment's sections can have created. */
export interface SecondGroups {
  readonly section: Section;
  /** Oldest first. */
  readonly names: readonly string[];
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
