import type { RecordedResource } from "../record/record";
import { groupedBy, shortType, type ResourceIndex } from "../facts/resource-index";
import { countOf } from "../../components/core/text";
import { stackType } from "../record/recorded-resource";

/** One line of the component tree. */
interface TreeRow {
  readonly depth: number;
  readonly label: string;
  /** The number of resources in it and below it, without components. */
  readonly count: number;
  /** Its own resources by type, such as `6 Subnet, Vpc`. */
  readonly summary: string;
}

/** More siblings of one type become one line. */
const fewSiblings = 3;

/** The components of a program as a tree of at most `most` lines; deeper levels are summarized. */
export function componentTree(index: ResourceIndex, most = 30): TreeRow[] {
  const roots = index.recording.resources.filter((resource) => isTop(index, resource));
  for (let depth = 12; depth > 1; depth--) {
    const rows = rowsOf(index, roots, depth);
    if (rows.length <= most) return rows;
  }
  const rows = rowsOf(index, roots, 1);
  if (rows.length <= most) return rows;
  const rest = rows.slice(most - 1);
  const count = rest.reduce((sum, row) => sum + row.count, 0);
  return [...rows.slice(0, most - 1), { depth: 0, label: `${rest.length} more`, count, summary: "" }];
}

/** The numbers of objects that a plan creates. */
export function treeCounts(index: ResourceIndex) {
  const { resources } = index.recording;
  const own = resources.filter((resource) => !isStack(resource));
  const components = own.filter((resource) => isComponent(resource)).length;
  return { total: resources.length, components, resources: own.length - components };
}

export function countsText(index: ResourceIndex): string {
  const { resources, components } = treeCounts(index);
  return `${countOf(resources, "resource")}, ${countOf(components, "component")}, 1 stack`;
}

function rowsOf(index: ResourceIndex, roots: readonly RecordedResource[], depthLeft: number): TreeRow[] {
  const loose = roots.filter((resource) => !isComponent(resource));
  const stack = { depth: 0, label: "not in a component" };
  return [
    ...roots
      .filter(isComponent)
      .sort(byLabel)
      .flatMap((component) => componentRows(index, component, depthLeft, [])),
    ...(loose.length > 0 ? [{ ...stack, ...contentOf(index, loose) }] : []),
  ];
}

function componentRows(
  index: ResourceIndex,
  component: RecordedResource,
  depthLeft: number,
  around: readonly RecordedResource[],
): TreeRow[] {
  const depth = around.length;
  const label = labelOf(component, around[0]?.name);
  const children = index.childrenOf(component.urn);
  const inner = children.filter(isComponent);
  const wrapsOne = children.length === 1 && inner.length === 1 && depth > 0;
  if (inner.length === 0 || depthLeft <= 1 || wrapsOne) return [{ depth, label, ...contentOf(index, children) }];
  const own = contentOf(
    index,
    children.filter((child) => !isComponent(child)),
  );
  const below = groupsOfSiblings(inner).flatMap((siblings) =>
    siblings.length > fewSiblings
      ? [mergedRow(index, siblings, depth + 1)]
      : siblings.flatMap((sibling) => componentRows(index, sibling, depthLeft - 1, [...around, component])),
  );
  return [{ depth, label, count: allBelow(index, children).length, summary: own.summary }, ...below];
}

function mergedRow(index: ResourceIndex, siblings: readonly RecordedResource[], depth: number): TreeRow {
  const label = `${siblings.length} x ${shortType(siblings[0]?.type ?? "")}`;
  const children = siblings.flatMap((sibling) => index.childrenOf(sibling.urn));
  return { depth, label, ...contentOf(index, children) };
}

/** Siblings by type. The order of registration depends on timing, so it is not used. */
function groupsOfSiblings(components: readonly RecordedResource[]): RecordedResource[][] {
  return [...groupedBy([...components].sort(byLabel), ({ type }) => type).values()];
}

function byLabel(a: RecordedResource, b: RecordedResource): number {
  const [one, other] = [labelOf(a), labelOf(b)];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The type and name of a component, without the root's name and without a name that repeats the type. */
function labelOf(component: RecordedResource, root?: string): string {
  const type = shortType(component.type);
  const inRoot = root !== undefined && component.name.startsWith(`${root}-`);
  const name = inRoot ? component.name.slice(root.length + 1) : component.name;
  const repeats = name === root || name === type.replace(/(?<=[a-z])[A-Z]/g, "-$&").toLowerCase();
  return repeats ? type : `${type} ${name}`;
}

function contentOf(index: ResourceIndex, children: readonly RecordedResource[]): Pick<TreeRow, "count" | "summary"> {
  const found = allBelow(index, children);
  const types = countedTypes(found.map(typeLabel)).sort((a, b) => b.count - a.count || (a.type < b.type ? -1 : 1));
  return { count: found.length, summary: types.map(({ text }) => text).join(", ") };
}

/** Each type once, with its count, such as `2 Subnet`. */
export function countedTypes(types: readonly string[]) {
  return [...groupedBy(types, String)].map(([type, { length: count }]) => {
    return { type, count, text: count === 1 ? type : `${count} ${type}` };
  });
}

function typeLabel(resource: RecordedResource): string {
  return resource.remote ? `${resource.type.split(":")[0]} ${shortType(resource.type)}` : shortType(resource.type);
}

/** These resources and all below them, without components. */
function allBelow(index: ResourceIndex, resources: readonly RecordedResource[]): RecordedResource[] {
  return resources.flatMap((resource) => [
    ...(isComponent(resource) ? [] : [resource]),
    ...allBelow(index, index.childrenOf(resource.urn)),
  ]);
}

/** A remote component counts as a resource, because a plan does not contain its children. */
function isComponent(resource: RecordedResource): boolean {
  return !resource.custom && !resource.remote;
}

function isStack(resource: RecordedResource): boolean {
  return resource.type === stackType;
}

function isTop(index: ResourceIndex, resource: RecordedResource): boolean {
  if (isStack(resource)) return false;
  const parent = resource.parent === undefined ? undefined : index.byUrn(resource.parent);
  return parent === undefined || isStack(parent);
}
