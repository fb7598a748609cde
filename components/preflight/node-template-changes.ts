import { isDeepStrictEqual } from "node:util";
import { isOutput } from "../core/outputs";
import { step } from "../core/reader/paths";
import { nameTag, stackTag } from "../core/stack-tags";
import type { EnvironmentSettings } from "../environment/gpu-environment-plan";
import { userData } from "../nodes/machine/user-data";
import { instanceTags } from "../nodes/node-group";
import type { RunningTemplate } from "./running-environment";
import type { Section } from "./running-group";

/** A change that ends running nodes. */
export interface NodeChange {
  readonly path: string;
  readonly wanted: unknown;
  readonly existing: unknown;
  /** `replaces`: a new node group, then the old one is deleted. `rolls`: EKS drains and replaces node by node. */
  readonly effect: "replaces" | "rolls";
  /** How to keep the existing value. @default the argument is set to it */
  readonly reset?: string;
}

/** Whether both values are known, and differ. */
export function isChange({ wanted, existing }: NodeChange): boolean {
  return wanted !== undefined && existing !== undefined && !isDeepStrictEqual(wanted, existing);
}

/** Stands for a value that the template does not have. */
export const none = "none";

/**
 * What another version of a launch template changes: EKS replaces the nodes. Values that are Outputs are not compared.
 *
 * @param own paths that only this section has, with the wanted and the existing values
 */
export function templateChanges(
  section: Section,
  settings: EnvironmentSettings,
  name: StringMap,
  running: RunningTemplate,
  own: readonly [string, unknown, unknown][] = [],
): NodeChange[] {
  const pairs: readonly [string, unknown, unknown][] = [
    [`${section}.diskSizeGiB`, settings[section].diskSizeGiB, running.diskSizeGiB],
    ...own,
    ...bootChanges(section, settings[section], running),
    // With another name of the cluster, the tag is no change of its own.
    ...tagChanges(instanceTags({ ...name, ...settings.tags }), running.tags),
  ];
  return pairs
    .filter(([, wanted]) => !isOutput(wanted))
    .map(([path, wanted, existing]) => ({
      ...{ path, wanted, existing, effect: "rolls" },
      ...(existing === none && path.startsWith("lease.") && { reset: "set lease.enabled to false" }),
    }));
}

/** Another name of the stack, which is a tag of the instances. Nodes of an older version do not have the tag. */
export function stackChanges(wanted: string | undefined, { tags }: RunningTemplate): NodeChange[] {
  const existing = tags[stackTag];
  const reset = existing === undefined ? "keep the older version" : `run pulumi stack rename ${existing}`;
  return [{ path: "stack", wanted, existing: existing ?? none, effect: "rolls", reset }];
}

type StringMap = Readonly<Record<string, unknown>>;
type BootSettings = Parameters<typeof userData>[0];

/**
 * The tags of the instances are part of the launch template, so that another tag is another version. A lab stack adds its name
 * and that of the resource, which the arguments do not contain.
 */
function tagChanges(wanted: StringMap, running: StringMap): [string, unknown, unknown][] {
  const added = Object.keys(running).filter((key) => key !== stackTag && key !== nameTag);
  const keys = [...new Set([...Object.keys(wanted), ...added])];
  return keys.map((key) => [tagPaths[key] ?? step("tags", key), wanted[key] ?? none, running[key] ?? none]);
}

/** The arguments that set tags, by tag. */
const tagPaths: Readonly<Record<string, string>> = { lab: "lease.lab", owner: "lease.owner" };

/** The user data contains three arguments. The packages are a part of its script, so they are what is left. */
function bootChanges(section: Section, nodes: BootSettings, running: RunningTemplate): [string, unknown, unknown][] {
  const wanted = userData(nodes) ?? "";
  const existing = running.userData ?? "";
  if (wanted === existing) return [];
  const before = Buffer.from(existing, "base64").toString();
  const maxPods = Number(/maxPods: (\d+)/.exec(before)?.[1] ?? 0) || none;
  const storage = /strategy: RAID0/.test(before) ? "raid0" : none;
  const stated: [string, unknown, unknown][] = [
    [`${section}.maxPods`, nodes.maxPods ?? none, maxPods],
    [`${section}.localStorage`, nodes.localStorage ?? none, storage],
  ];
  const found = stated.filter(([, now, then]) => now !== then);
  return found.length > 0 ? found : [[`${section}.tools`, nodes.tools?.join(" "), "other tools"]];
}
