import type { PreviewState } from "../facts/preview-state";
import { stackType } from "../facts/resource-index";
import { changesBetween, type PropertyChange } from "./property-changes";

/** One of two plans that are compared: of this process, or saved with `--json`. */
export interface ComparedPlan {
  /** Name of the stack. */
  readonly name: string;
  readonly resources: readonly PreviewState[];
  /** Absent in a preview by the engine, which has no prices. */
  readonly atRest?: { readonly usdPerHour: number; readonly complete: boolean };
}

export interface ResourceName {
  readonly urn: string;
  readonly type: string;
  readonly name: string;
  readonly parent?: string;
}

/** A resource of both plans with different properties. */
export interface ResourceChange {
  readonly from: ResourceName;
  readonly to: ResourceName;
  readonly properties: readonly PropertyChange[];
}

/** What changes on the way from one plan to another. A component comes before what is in it. */
export interface PlanDifference {
  readonly from: string;
  readonly to: string;
  readonly added: readonly ResourceName[];
  readonly removed: readonly ResourceName[];
  readonly changed: readonly ResourceChange[];
  /** Resources that are equal in both. */
  readonly unchanged: number;
  /** Two stacks name their clusters differently: that, and what derives from it, counts as equal. */
  readonly clusters?: ClusterNames;
  readonly atRest?: { readonly from: ComparedPlan["atRest"]; readonly to: ComparedPlan["atRest"] };
}

/**
 * Compares two plans resource by resource. Stack and project do not count, and a resource that carries the name of its
 * outermost component, such as `lab-gpu` in `lab`, is found again where that component has another name. Nor does the
 * cluster's name count between two stacks.
 *
 * Compared are inputs and options. Not compared are dependencies, which follow from the inputs, and the values of
 * secrets, which a saved plan does not have.
 */
export function differenceOf(from: ComparedPlan, to: ComparedPlan): PlanDifference {
  // Within one stack another name of the cluster is another cluster.
  const clusters = from.name === to.name ? undefined : clusterNames(from.resources, to.resources);
  const as = (value: unknown) => (clusters ? renamed(value, clusters) : value);
  const [before, after] = [described(from, as), described(to)];
  const pairs = pairsOf(before, after);
  const left = new Set(pairs.map(([one]) => one));
  const right = new Set(pairs.map(([, other]) => other));
  const changed = pairs
    .map(([one, other]) => ({ one, other, properties: changesBetween(one.compared, other.compared) }))
    .filter(({ properties }) => properties.length > 0);
  return {
    from: from.name,
    to: to.name,
    added: names(after.filter((one) => !right.has(one))),
    removed: names(before.filter((one) => !left.has(one))),
    changed: changed
      .sort((a, b) => byText(placeOfPair(a), placeOfPair(b)))
      .map(({ one, other, properties }) => ({ from: one.name, to: other.name, properties })),
    unchanged: pairs.length - changed.length,
    ...(clusters && { clusters }),
    ...(from.atRest && to.atRest && { atRest: { from: from.atRest, to: to.atRest } }),
  };
}

interface Described {
  readonly name: ResourceName;
  /** Types of the resource and its parents, and its name. */
  readonly exact: string;
  /** The same with `~` for the name of the outermost component. */
  readonly relative: string;
  readonly compared: unknown;
}

/** Equal names first; then names that are equal without that of the outermost component, where there is no doubt. */
function pairsOf(before: readonly Described[], after: readonly Described[]): (readonly [Described, Described])[] {
  const exact = uniquePairs(before, after, ({ exact }) => exact);
  const found = new Set(exact.flat());
  const rest = (all: readonly Described[]) => all.filter((one) => !found.has(one));
  return [...exact, ...uniquePairs(rest(before), rest(after), ({ relative }) => relative)];
}

function uniquePairs(before: readonly Described[], after: readonly Described[], keyOf: (one: Described) => string) {
  const [left, right] = [groupedBy(before, keyOf), groupedBy(after, keyOf)];
  return [...left].flatMap(([key, ones]): (readonly [Described, Described])[] => {
    const others = right.get(key) ?? [];
    const [one, other] = [ones[0], others[0]];
    return ones.length === 1 && others.length === 1 && one && other ? [[one, other]] : [];
  });
}

function groupedBy(all: readonly Described[], keyOf: (one: Described) => string): Map<string, Described[]> {
  const groups = new Map<string, Described[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

function described({ resources }: ComparedPlan, as = (value: unknown) => value): Described[] {
  const byUrn = new Map(resources.map((resource) => [resource.urn, resource]));
  const relative = (urn: string): string => {
    const { types, name } = partsOf(urn);
    const root = rootName(urn, byUrn);
    if (root === undefined || !(name === root || name.startsWith(`${root}-`))) return `${types}::${name}`;
    return `${types}::~${name.slice(root.length)}`;
  };
  return resources.map((resource) => {
    const { urn, type, parent } = resource;
    const { types, name } = partsOf(urn);
    return {
      name: { urn, type, name, ...(parent !== undefined && { parent }) },
      exact: type === stackType ? stackType : `${types}::${name}`,
      relative: type === stackType ? stackType : relative(urn),
      compared: as(withoutUrns(comparedPart(resource), relative)),
    };
  });
}

function partsOf(urn: string): { types: string; name: string } {
  const [, , types = "", ...name] = urn.split("::");
  return { types, name: name.join("::") };
}

/** The name of the outermost component around a resource; the stack is none. */
function rootName(urn: string, byUrn: ReadonlyMap<string, PreviewState>): string | undefined {
  let root: PreviewState | undefined;
  for (let at = byUrn.get(urn); at && at.type !== stackType; at = byUrn.get(at.parent ?? "")) root = at;
  return root && !root.custom ? partsOf(root.urn).name : undefined;
}

function comparedPart({ inputs, ...state }: PreviewState): unknown {
  const { protect, retainOnDelete, deletedWith, ignoreChanges, customTimeouts } = state;
  const provider = state.provider?.split("::").slice(0, 4).join("::");
  const isDefault = /::default(_[^:]*)?$/.test(provider ?? "::default");
  const options = { protect, retainOnDelete, deletedWith, ignoreChanges, customTimeouts, provider };
  const given = Object.entries(options).filter(
    ([key, value]) => value !== undefined && !(key === "provider" && isDefault),
  );
  return { ...inputs, ...Object.fromEntries(given.map(([key, value]) => [`(option) ${key}`, value])) };
}

/** URNs hold the names of stack and project. */
function withoutUrns(value: unknown, relative: (urn: string) => string): unknown {
  if (typeof value === "string") return value.startsWith("urn:pulumi:") ? relative(value) : value;
  if (Array.isArray(value)) return value.map((item) => withoutUrns(item, relative));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutUrns(item, relative)]));
}

function names(resources: readonly Described[]): ResourceName[] {
  return [...resources].sort(byPlace).map(({ name }) => name);
}

function byPlace(a: Described, b: Described): number {
  return byText(placeOf(a), placeOf(b));
}

/** Types from the outside in, then the name: a component comes before what is in it. */
function placeOf({ relative, exact }: Described): string {
  return `${relative.replace("::", " ")} ${exact}`;
}

/** The same from either side, so that the way back lists what the way there lists. */
function placeOfPair({ one, other }: { one: Described; other: Described }): string {
  return [placeOf(one), placeOf(other)].sort(byText).join(" ");
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const clusterType = "eks-gpu-lab:index:EksCluster";

/** The cluster's name in each of two plans, of which that of the first stands for that of the second. */
export interface ClusterNames {
  readonly from: string;
  readonly to: string;
}

/** The names of the clusters where each plan has one and they differ. */
export function clusterNames(from: readonly PreviewState[], to: readonly PreviewState[]): ClusterNames | undefined {
  const [one, other] = [clusterName(from), clusterName(to)];
  return one !== undefined && other !== undefined && one !== other ? { from: one, to: other } : undefined;
}

function clusterName(resources: readonly PreviewState[]): string | undefined {
  const [cluster, ...more] = resources.filter(({ type }) => type === clusterType);
  const name = cluster?.inputs?.["clusterName"];
  return more.length === 0 && typeof name === "string" ? name : undefined;
}

/** A value of the first plan with the cluster named as in the second: names of roles and tags derive from it. */
export function renamed(value: unknown, names: ClusterNames): unknown {
  if (typeof value === "string") return inText(value, names);
  if (Array.isArray(value)) return value.map((item) => renamed(item, names));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [inText(key, names), renamed(item, names)]));
}

/** Where it stands as a word, not as a part of one. */
function inText(text: string, { from, to }: ClusterNames): string {
  const word = from.replaceAll(/[^A-Za-z0-9]/g, "\\$&");
  return text.replaceAll(new RegExp(`(?<![A-Za-z0-9])${word}(?![A-Za-z0-9])`, "g"), () => to);
}
