import { isDeepStrictEqual } from "node:util";
import { isOutput } from "../core/outputs";
import { show } from "../core/problems";
import { step } from "../core/reader/paths";
import { nameTag, stackTag } from "../core/stack-tags";
import type { EnvironmentSettings } from "../environment/gpu-environment-plan";
import { instanceType } from "../nodes/machine/instance-types";
import { userData } from "../nodes/machine/user-data";
import { instanceTags } from "../nodes/node-group";
import type { ChangeRequest, RunningEnvironment, RunningNodes, RunningTemplate } from "./running-environment";
import { groupPrefix, type Section } from "./running-group";

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

/** A path, and its wanted and its existing value. */
type Pair = readonly [path: string, wanted: unknown, existing: unknown];

/** Stands for a value that the template does not have. */
const none = "none";
const orNone = (value: unknown) => value ?? none;

/** The values that change. */
export function changedValues(changes: readonly NodeChange[]): string {
  return changes.map(({ path, existing, wanted }) => `${path} from ${show(existing)} to ${show(wanted)}`).join(", ");
}

/**
 * The changes that end running GPU nodes. EKS cannot change the instance type, the capacity type, the image type or the
 * subnets of a node group. It replaces the nodes for another AMI release, Kubernetes version or launch template version.
 * Sizes, labels, taints, update and repair settings change in place.
 *
 * What a `transform` of the GPU nodes sets is not compared.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html
 * @see https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html
 * @param zones the zones of the region, the first of which are the default
 */
export function gpuNodeChanges(
  request: ChangeRequest,
  running: RunningEnvironment | undefined,
  zones: readonly string[] = [],
): NodeChange[] {
  const nodes = running?.gpuNodes;
  if (!nodes) return [];
  const template: Partial<RunningTemplate> = nodes.template ?? {};
  const { gpuNodes } = request.settings;
  const { provisioner, instanceType: type, capacityType, efa, placementGroup, capacityReservation } = gpuNodes;
  // Another image type follows from another instance type, or from another version of this library.
  const image = type === nodes.instanceType ? instanceType(type)?.amiType : undefined;
  const reservation = capacityReservation?.id ?? capacityReservation?.resourceGroupArn;
  const replacing: Pair[] = [
    ["gpuNodes.provisioner", provisioner, "managedNodeGroup"],
    ["gpuNodes.instanceType", image, nodes.amiType],
    ["gpuNodes.capacityType", capacityType, nodes.capacityType],
    ["gpuNodes.azIndex", ...placesOf(request.settings, running, zones)],
  ];
  return nodeChanges("gpuNodes", request, running.clusterName, nodes, replacing, [
    ["gpuNodes.efa", efa, template.efa],
    ["gpuNodes.placementGroup", orNone(placementGroup), orNone(template.placementGroup)],
    ["gpuNodes.capacityReservation", orNone(reservation), orNone(template.capacityReservation)],
  ]);
}

/** The changes that end running system nodes. What a `transform` of them sets is not compared. */
export function systemNodeChanges(
  request: ChangeRequest,
  { clusterName, systemNodes: nodes }: RunningEnvironment,
): NodeChange[] {
  return nodes ? nodeChanges("systemNodes", request, clusterName, nodes) : [];
}

/**
 * The changes of a node group and of its launch template, another version of which replaces the nodes. Values that are not
 * known, or that are Outputs, are not compared.
 *
 * @param replacing what only this section has in its node group
 * @param rolling what only this section has in its launch template
 */
function nodeChanges(
  section: Section,
  { settings, stackTag: stack }: ChangeRequest,
  clusterName: string,
  running: RunningNodes,
  replacing: readonly Pair[] = [],
  rolling: readonly Pair[] = [],
): NodeChange[] {
  const { kubernetesVersion, [section]: nodes } = settings;
  const { template } = running;
  const { nodeGroup, launchTemplate } = settings.transform?.[section] ?? {};
  const group: NodeChange[] = [
    ...withEffect("replaces", [[`${section}.instanceType`, nodes.instanceType, running.instanceType], ...replacing]),
    ...withEffect("rolls", [
      ["kubernetesVersion", kubernetesVersion, running.kubernetesVersion],
      [`${section}.releaseVersion`, nodes.releaseVersion, running.releaseVersion],
    ]),
  ];
  // With another name of the cluster, the tag Name is not a change of its own.
  const tags = instanceTags({ Name: groupPrefix(clusterName, section).slice(0, -1), ...settings.tags });
  const ofTemplate: NodeChange[] = template
    ? [
        ...withEffect("rolls", [
          [`${section}.diskSizeGiB`, nodes.diskSizeGiB, template.diskSizeGiB],
          ...rolling,
          ...bootChanges(section, nodes, template),
          ...tagChanges(tags, template.tags),
        ]),
        stackChange(stack, template),
      ]
    : [];
  return [...(nodeGroup ? [] : group), ...(launchTemplate ? [] : ofTemplate)].filter(
    ({ wanted, existing }) =>
      wanted !== undefined && existing !== undefined && !isOutput(wanted) && !isDeepStrictEqual(wanted, existing),
  );
}

function withEffect(effect: NodeChange["effect"], pairs: readonly Pair[]): NodeChange[] {
  return pairs.map(([path, wanted, existing]) => ({
    ...{ path, wanted, existing, effect },
    ...(existing === none && path.startsWith("lease.") && { reset: "set lease.enabled to false" }),
  }));
}

/** The wanted and the existing place. A subnet that is an Output, or that the update would create, is not compared by its id. */
function placesOf(
  { network, gpuNodes: { azIndex } }: EnvironmentSettings,
  { network: found, gpuNodes }: RunningEnvironment,
  regionZones: readonly string[],
): [unknown, unknown] {
  const zones: readonly unknown[] = network.existing?.privateSubnetIds ?? network.zones ?? regionZones;
  const subnetId = gpuNodes?.subnetId;
  const now = network.existing ? subnetId : found?.subnets.find(({ id }) => id === subnetId)?.zone;
  const index = zones.indexOf(now);
  return [typeof zones[azIndex] === "string" ? azIndex : undefined, index < 0 ? now : index];
}

/** Another name of the stack, which is a tag of the instances. Nodes of an older version do not have the tag. */
function stackChange(wanted: string | undefined, { tags }: RunningTemplate): NodeChange {
  const existing = tags[stackTag];
  const reset = existing === undefined ? "keep the older version" : `run pulumi stack rename ${existing}`;
  return { path: "stack", wanted, existing: orNone(existing), effect: "rolls", reset };
}

type StringMap = Readonly<Record<string, unknown>>;

/**
 * The tags of the instances are part of the launch template, so that another tag is another version. A lab stack adds its name
 * and that of the resource, which the arguments do not contain.
 */
function tagChanges(wanted: StringMap, running: StringMap): Pair[] {
  const added = Object.keys(running).filter((key) => key !== stackTag && key !== nameTag);
  const keys = [...new Set([...Object.keys(wanted), ...added])];
  return keys.map((key) => [tagPaths[key] ?? step("tags", key), orNone(wanted[key]), orNone(running[key])]);
}

/** The arguments that set tags, by tag. */
const tagPaths: Readonly<Record<string, string>> = { lab: "lease.lab", owner: "lease.owner" };

/** The user data contains three arguments. The packages are a part of its script, so they are what is left. */
function bootChanges(section: Section, nodes: Parameters<typeof userData>[0], running: RunningTemplate): Pair[] {
  const wanted = userData(nodes) ?? "";
  const existing = running.userData ?? "";
  if (wanted === existing) return [];
  const before = Buffer.from(existing, "base64").toString();
  const maxPods = Number(/maxPods: (\d+)/.exec(before)?.[1] ?? 0) || none;
  const storage = /strategy: RAID0/.test(before) ? "raid0" : none;
  const stated: Pair[] = [
    [`${section}.maxPods`, orNone(nodes.maxPods), maxPods],
    [`${section}.localStorage`, orNone(nodes.localStorage), storage],
  ];
  const found = stated.filter(([, now, then]) => now !== then);
  return found.length > 0 ? found : [[`${section}.tools`, nodes.tools?.join(" "), "other tools"]];
}
