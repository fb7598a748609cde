/** The arguments that contain the node groups of an environment. */
export type Section = keyof typeof nouns;

const nouns = { systemNodes: "system", gpuNodes: "gpu" } as const;
export const sections = Object.keys(nouns) as Section[];

/** A node group or an add-on of the cluster. */
export interface RunningPart {
  readonly name: string;
  /** E.g. `ACTIVE` or `CREATE_FAILED`. */
  readonly status: string;
  /** What EKS reports as wrong; none in a preview, whose functions do not return it. */
  readonly issues?: readonly string[];
}

export interface GroupSizes {
  readonly desiredSize: number;
  readonly minSize: number;
  readonly maxSize: number;
}

/** The size limits of a node group in the arguments. */
export interface ScaledGroup extends Pick<GroupSizes, "minSize" | "maxSize"> {
  /** The argument that contains it. */
  readonly section: Section;
  /** The prefix of its name; EKS appends a unique suffix. */
  readonly namePrefix: string;
}

/** An existing node group. */
export interface RunningGroup extends GroupSizes {
  readonly name: string;
  /** The subnets of its nodes. */
  readonly subnetIds?: readonly string[];
}

/** A node group as AWS describes it. */
export interface FoundGroup extends RunningPart {
  readonly sizes?: GroupSizes | undefined;
  readonly subnetIds?: readonly string[] | undefined;
}

/** Node groups that only one of the environment's sections can have created. */
export interface SecondGroups {
  readonly section: Section;
  /** Oldest first. */
  readonly names: readonly string[];
}

/** What the names of an environment's node groups begin with; the provider appends a unique suffix. */
export function groupPrefix(clusterName: string, section: Section): string {
  return `${clusterName}-${nouns[section]}-`;
}

/** The section whose node groups have such a name. */
export function sectionOf(clusterName: string, name: string): Section | undefined {
  return sections.find((section) => name.startsWith(groupPrefix(clusterName, section)));
}

/** The newest of the names with a prefix; EKS appends a suffix that starts with the time. */
export function newestName(names: readonly string[], prefix: string): string | undefined {
  return names
    .filter((each) => each.startsWith(prefix))
    .sort()
    .at(-1);
}

/** The newest group with a name prefix, if it can have nodes. One whose creation failed stays failed until it is replaced. */
function newestGroup(groups: readonly FoundGroup[], namePrefix: string): RunningGroup | undefined {
  const names = groups.map(({ name }) => name);
  const newest = newestName(names, namePrefix);
  const { name, status = "", sizes, subnetIds } = groups.find((one) => one.name === newest) ?? {};
  if (name === undefined || !sizes || !["ACTIVE", "UPDATING", "DEGRADED"].includes(status)) return undefined;
  return { name, ...sizes, subnetIds };
}

/** What the provider appends to a prefix: the time, and a counter. */
const uniqueSuffix = /^\d{18}[0-9a-f]{8}$/;

/**
 * The newest GPU group, and that of each section whose size Pulumi does not manage; the state of all groups; and the sections
 * with several groups. A program does not know its state, so it cannot tell which of them an interrupted update has left;
 * that there are two is enough for a warning.
 */
export function groupFacts(clusterName: string, scaled: readonly ScaledGroup[] = [], groups: readonly FoundGroup[]) {
  const gpuNodes = { section: "gpuNodes", namePrefix: groupPrefix(clusterName, "gpuNodes") } as const;
  const running = [gpuNodes, ...scaled].map(({ section, namePrefix }) => [section, newestGroup(groups, namePrefix)]);
  const secondGroups = sections.flatMap((section): SecondGroups[] => {
    const prefix = groupPrefix(clusterName, section);
    const ofSection = groups.map(({ name }) => name).filter((name) => name.startsWith(prefix));
    const names = ofSection.filter((name) => uniqueSuffix.test(name.slice(prefix.length))).sort();
    return names.length > 1 ? [{ section, names }] : [];
  });
  return {
    runningGroups: Object.fromEntries(running) as Partial<Record<Section, RunningGroup | undefined>>,
    secondGroups,
    parts: { groups },
  };
}
