import { isDeepStrictEqual } from "node:util";
import { isOutput } from "../core/outputs";
import { step } from "../core/reader/paths";
import { nameTag, stackTag } from "../core/stack-tags";
import type { EnvironmentSettings } from "../environment/gpu-environment-plan";
import { instanceType } from "../nodes/machine/instance-types";
import { userData } from "../nodes/machine/user-data";
import { instanceTags } from "../nodes/node-group";
import type { ChangeRequest, RunningEnvironment, RunningGpuNodes, RunningTemplate } from "./running-environment";

/** A change of an argument that ends running GPU nodes. */
export interface GpuNodeChange {
  readonly path: string;
  readonly wanted: unknown;
  readonly existing: unknown;
  /** `replaces`: a new node group, then the old one is deleted. `rolls`: EKS drains and replaces node by node. */
  readonly effect: "replaces" | "rolls";
  /** How to keep the existing value. @default the argument is set to it */
  readonly reset?: string;
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
 */
export function gpuNodeChanges(
  { settings, stackTag: stack }: ChangeRequest,
  running: RunningEnvironment,
  zones: readonly string[],
): GpuNodeChange[] {
  const { gpuNodes } = running;
  if (!gpuNodes) return [];
  const { nodeGroup, launchTemplate } = settings.transform?.gpuNodes ?? {};
  const changes = [
    ...(nodeGroup ? [] : groupChanges(settings, gpuNodes)),
    ...(nodeGroup ? [] : zoneChanges(settings, running, gpuNodes, zones)),
    ...(launchTemplate || !gpuNodes.template ? [] : templateChanges(settings, running, gpuNodes.template)),
    ...(launchTemplate || !gpuNodes.template ? [] : stackChanges(stack, gpuNodes.template)),
  ];
  return changes.filter(
    ({ wanted, existing }) => wanted !== undefined && existing !== undefined && !isDeepStrictEqual(wanted, existing),
  );
}

function groupChanges({ gpuNodes, kubernetesVersion }: EnvironmentSettings, running: RunningGpuNodes): GpuNodeChange[] {
  const { instanceType: type, capacityType, releaseVersion } = gpuNodes;
  const image = { wanted: instanceType(type)?.amiType, existing: running.amiType };
  return [
    { path: "gpuNodes.instanceType", wanted: type, existing: running.instanceType, effect: "replaces" },
    // Another image type follows from another instance type, or from another version of this library.
    ...(type === running.instanceType
      ? [{ path: "gpuNodes.instanceType", ...image, effect: "replaces" as const }]
      : []),
    { path: "gpuNodes.capacityType", wanted: capacityType, existing: running.capacityType, effect: "replaces" },
    { path: "kubernetesVersion", wanted: kubernetesVersion, existing: running.kubernetesVersion, effect: "rolls" },
    { path: "gpuNodes.releaseVersion", wanted: releaseVersion, existing: running.releaseVersion, effect: "rolls" },
  ];
}

/** Another subnet. A subnet that is an Output, or that the update would create, is not compared by its id. */
function zoneChanges(
  { network, gpuNodes: { azIndex } }: EnvironmentSettings,
  running: RunningEnvironment,
  { subnetId }: RunningGpuNodes,
  regionZones: readonly string[],
): GpuNodeChange[] {
  const zones: readonly unknown[] = network.existing?.privateSubnetIds ?? network.zones ?? regionZones;
  const now = network.existing ? subnetId : running.network?.subnets.find(({ id }) => id === subnetId)?.zone;
  const index = zones.indexOf(now);
  const isKnown = now !== undefined && typeof zones[azIndex] === "string";
  const existing = index < 0 ? now : index;
  return isKnown ? [{ path: "gpuNodes.azIndex", wanted: azIndex, existing, effect: "replaces" }] : [];
}

/** A value that the template does not have is `none`. Values that are Outputs are not compared. */
function templateChanges(
  settings: EnvironmentSettings,
  { clusterName }: RunningEnvironment,
  running: RunningTemplate,
): GpuNodeChange[] {
  const { diskSizeGiB, efa, placementGroup, capacityReservation } = settings.gpuNodes;
  const reservation = capacityReservation?.id ?? capacityReservation?.resourceGroupArn;
  const pairs: [string, unknown, unknown][] = [
    ["gpuNodes.diskSizeGiB", diskSizeGiB, running.diskSizeGiB],
    ["gpuNodes.efa", efa, running.efa],
    ["gpuNodes.placementGroup", placementGroup ?? none, running.placementGroup ?? none],
    ["gpuNodes.capacityReservation", reservation ?? none, running.capacityReservation ?? none],
    ...bootChanges(settings, running),
    // With another name of the cluster, the tag is no change of its own.
    ...tagChanges(instanceTags({ Name: `${clusterName}-gpu`, ...settings.tags }), running.tags),
  ];
  return pairs
    .filter(([, wanted]) => !isOutput(wanted))
    .map(([path, wanted, existing]) => ({ path, wanted, existing, effect: "rolls" }));
}

const none = "none";

/** Another name of the stack, which is a tag of the instances. Nodes of an older version do not have the tag. */
function stackChanges(wanted: string | undefined, { tags }: RunningTemplate): GpuNodeChange[] {
  const existing = tags[stackTag];
  const reset = existing === undefined ? "keep the older version" : `run pulumi stack rename ${existing}`;
  return [{ path: "stack", wanted, existing: existing ?? none, effect: "rolls", reset }];
}

type StringMap = Readonly<Record<string, unknown>>;

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
function bootChanges({ gpuNodes }: EnvironmentSettings, running: RunningTemplate): [string, unknown, unknown][] {
  const wanted = userData(gpuNodes) ?? "";
  const existing = running.userData ?? "";
  if (wanted === existing) return [];
  const before = Buffer.from(existing, "base64").toString();
  const maxPods = Number(/maxPods: (\d+)/.exec(before)?.[1] ?? 0) || none;
  const storage = /strategy: RAID0/.test(before) ? "raid0" : none;
  const stated: [string, unknown, unknown][] = [
    ["gpuNodes.maxPods", gpuNodes.maxPods ?? none, maxPods],
    ["gpuNodes.localStorage", gpuNodes.localStorage, storage],
  ];
  const found = stated.filter(([, now, then]) => now !== then);
  return found.length > 0 ? found : [["gpuNodes.tools", gpuNodes.tools.join(" "), "other tools"]];
}
