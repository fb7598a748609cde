import { isRecord, optionalProperty } from "../../components/core/reader/records";
import { nameTag, stackTag } from "../../components/core/stack-tags";
import type { PreviewState } from "../facts/preview-state";
import { groupedBy } from "../facts/resource-index";
import { stackType } from "../record/recorded-resource";
import type { ComparablePlan, HourlyCost } from "./comparable-plan";
import { changesBetween, replacesResource, type PropertyChange } from "./property-changes";

export interface ResourceName {
  readonly urn: string;
  readonly type: string;
  readonly name: string;
  readonly parent?: string;
}

/** What stands for the same in each of two plans. */
interface Change<Value> {
  readonly from: Value;
  readonly to: Value;
}

/** A resource of both plans with different properties. */
export interface ResourceChange extends Change<ResourceName> {
  readonly properties: readonly PropertyChange[];
}

export type CostChange = Change<HourlyCost>;

/** The changes from one plan to another. A component comes before its content. */
export interface PlanDifference extends Change<string> {
  readonly added: readonly ResourceName[];
  readonly removed: readonly ResourceName[];
  readonly changed: readonly ResourceChange[];
  /** The number of resources that are equal in both plans. */
  readonly unchanged: number;
  /** Two stacks have different cluster names: those and the values derived from them count as equal. */
  readonly clusters?: Change<string>;
  /** Absent where one of the plans has none. */
  readonly atRest?: CostChange;
  readonly inUse?: CostChange;
  /** That prices of the costs are old. */
  readonly priceWarning?: string;
}

/**
 * Compares the inputs and options of two plans resource by resource. The following do not count as differences:
 * - the names of stack and project, and between two stacks the name of the cluster;
 * - the name of the outermost component, and the names of resources that start with it, such as `lab-gpu` in `lab`;
 * - dependencies, which follow from the inputs;
 * - the values of secrets, which a saved plan does not contain.
 */
export function differenceOf(from: ComparablePlan, to: ComparablePlan): PlanDifference {
  // Within one stack, another name of the cluster means another cluster.
  const clusters = from.name === to.name ? undefined : clusterNames(from.resources, to.resources);
  const before = comparedResources(from, (value) => (clusters ? withClusterRenamed(value, clusters) : value));
  const after = comparedResources(to);
  const pairs = pairsOf(before, after);
  const paired = new Set(pairs.flat());
  const changed = pairs.map(changeOf).filter(({ properties }) => properties.length > 0);
  return {
    from: from.name,
    to: to.name,
    added: names(after.filter((resource) => !paired.has(resource))),
    removed: names(before.filter((resource) => !paired.has(resource))),
    changed: changed.sort((a, b) => compareText(a.position, b.position)).map(({ position: _, ...change }) => change),
    unchanged: pairs.length - changed.length,
    ...(clusters && { clusters }),
    ...(from.atRest && to.atRest && { atRest: { from: from.atRest, to: to.atRest } }),
    ...(from.inUse && to.inUse && { inUse: { from: from.inUse, to: to.inUse } }),
    ...optionalProperty("priceWarning", to.priceWarning ?? from.priceWarning),
  };
}

interface ComparedResource {
  readonly name: ResourceName;
  /** Types of the resource and its parents, and its name. */
  readonly exactKey: string;
  /** The same with `~` for the name of the outermost component. */
  readonly relativeKey: string;
  readonly inputs: unknown;
  readonly options: unknown;
}

type Pair = readonly [from: ComparedResource, to: ComparedResource];

/** Pairs of equal names first; then unambiguous pairs of names that differ only in the outermost component. */
function pairsOf(before: readonly ComparedResource[], after: readonly ComparedResource[]): Pair[] {
  const exact = uniquePairs(before, after, ({ exactKey }) => exactKey);
  const paired = new Set(exact.flat());
  const rest = (resources: readonly ComparedResource[]) => resources.filter((resource) => !paired.has(resource));
  return [...exact, ...uniquePairs(rest(before), rest(after), ({ relativeKey }) => relativeKey)];
}

function uniquePairs(
  before: readonly ComparedResource[],
  after: readonly ComparedResource[],
  keyOf: (resource: ComparedResource) => string,
): Pair[] {
  const [left, right] = [groupedBy(before, keyOf), groupedBy(after, keyOf)];
  return [...left].flatMap(([key, candidates]): Pair[] => {
    const others = right.get(key) ?? [];
    const [from, to] = [candidates[0], others[0]];
    return candidates.length === 1 && others.length === 1 && from && to ? [[from, to]] : [];
  });
}

/** The position is the same in both directions, so that the reverse comparison has the same order. */
function changeOf([from, to]: Pair): ResourceChange & { readonly position: string } {
  const options = changesBetween(from.options, to.options);
  const properties = [
    ...options.map((change) => ({ ...change, path: `(option) ${change.path}` })),
    ...changesBetween(from.inputs, to.inputs).map((change) => withReplacement(change, from.name, to.name)),
  ];
  const position = [positionOf(from), positionOf(to)].sort(compareText).join(" ");
  return { from: from.name, to: to.name, properties, position };
}

/** Resources of two stacks replace nothing. */
function withReplacement(change: PropertyChange, from: ResourceName, to: ResourceName): PropertyChange {
  const kind = change.from === undefined ? "add" : change.to === undefined ? "delete" : "update";
  const isReplaced = from.urn === to.urn && replacesResource(to.type, change.path, kind);
  return isReplaced ? { ...change, replaces: true } : change;
}

function comparedResources({ resources }: ComparablePlan, adjust = (value: unknown) => value): ComparedResource[] {
  const byUrn = new Map(resources.map((resource) => [resource.urn, resource]));
  const relativeKey = (urn: string): string => {
    const { types, name } = partsOf(urn);
    const root = rootName(urn, byUrn);
    if (root === undefined || !(name === root || name.startsWith(`${root}-`))) return `${types}::${name}`;
    return `${types}::~${name.slice(root.length)}`;
  };
  // URNs contain the names of stack and project, and two tags those of stack and resource. That a resource has the tags counts.
  const comparable = (value: unknown) =>
    adjust(
      mapStrings(value, (text, key) => {
        if (key === stackTag || key === nameTag) return "";
        return text.startsWith("urn:pulumi:") ? relativeKey(text) : text;
      }),
    );
  return resources.map((resource) => {
    const { urn, type, parent, inputs = {} } = resource;
    const { types, name } = partsOf(urn);
    return {
      name: { urn, type, name, ...(parent !== undefined && { parent }) },
      exactKey: type === stackType ? stackType : `${types}::${name}`,
      relativeKey: type === stackType ? stackType : relativeKey(urn),
      inputs: comparable(inputs),
      options: comparable(optionsOf(resource)),
    };
  });
}

function partsOf(urn: string): { types: string; name: string } {
  const [, , types = "", ...name] = urn.split("::");
  return { types, name: name.join("::") };
}

/** The name of the outermost component around a resource, below the stack. */
function rootName(urn: string, byUrn: ReadonlyMap<string, PreviewState>): string | undefined {
  let root: PreviewState | undefined;
  for (let at = byUrn.get(urn); at && at.type !== stackType; at = byUrn.get(at.parent ?? "")) root = at;
  return root && !root.custom ? partsOf(root.urn).name : undefined;
}

/** The options of a resource. A default provider counts as none. */
function optionsOf(state: PreviewState): Readonly<Record<string, unknown>> {
  const { protect, retainOnDelete, deletedWith, ignoreChanges, customTimeouts } = state;
  const reference = state.provider?.split("::").slice(0, 4).join("::");
  const provider = /::default(_[^:]*)?$/.test(reference ?? "") ? undefined : reference;
  const options = { protect, retainOnDelete, deletedWith, ignoreChanges, customTimeouts, provider };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** Changes every string in a value, and optionally every key. */
function mapStrings(
  value: unknown,
  change: (text: string, key?: string) => string,
  changeKey = (key: string) => key,
  at?: string,
): unknown {
  if (typeof value === "string") return change(value, at);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change, changeKey));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [changeKey(key), mapStrings(item, change, changeKey, key)]),
  );
}

function names(resources: readonly ComparedResource[]): ResourceName[] {
  return [...resources].sort((a, b) => compareText(positionOf(a), positionOf(b))).map(({ name }) => name);
}

/** Types from the outside in, then the name: a component comes before its content. */
function positionOf({ relativeKey, exactKey }: ComparedResource): string {
  return `${relativeKey.replace("::", " ")} ${exactKey}`;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const clusterType = "eks-gpu-lab:index:EksCluster";

/** The names of the clusters if each plan has one cluster and the names differ. */
function clusterNames(before: readonly PreviewState[], after: readonly PreviewState[]): Change<string> | undefined {
  const [from, to] = [clusterName(before), clusterName(after)];
  return from !== undefined && to !== undefined && from !== to ? { from, to } : undefined;
}

function clusterName(resources: readonly PreviewState[]): string | undefined {
  const [cluster, ...more] = resources.filter(({ type }) => type === clusterType);
  const name = cluster?.inputs?.["clusterName"];
  return more.length === 0 && typeof name === "string" ? name : undefined;
}

/** A value of the first plan with the cluster's name of the second in place of that word: names of roles and tags have it. */
function withClusterRenamed(value: unknown, { from, to }: Change<string>): unknown {
  const word = from.replaceAll(/[^A-Za-z0-9]/g, "\\$&");
  const expression = new RegExp(`(?<![A-Za-z0-9])${word}(?![A-Za-z0-9])`, "g");
  const rename = (text: string) => text.replaceAll(expression, () => to);
  return mapStrings(value, rename, rename);
}
