import type { EnvironmentSettings } from "../environment/gpu-environment-plan";
import { instanceType } from "../nodes/machine/instance-types";
import { isChange, none, stackChanges, templateChanges, type NodeChange } from "./node-template-changes";
import type { ChangeRequest, RunningEnvironment, RunningGpuNodes, RunningTemplate } from "./running-environment";

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
): NodeChange[] {
  const { gpuNodes } = running;
  if (!gpuNodes) return [];
  const { nodeGroup, launchTemplate } = settings.transform?.gpuNodes ?? {};
  const changes = [
    ...(nodeGroup ? [] : groupChanges(settings, gpuNodes)),
    ...(nodeGroup ? [] : zoneChanges(settings, running, gpuNodes, zones)),
    ...(launchTemplate || !gpuNodes.template ? [] : gpuTemplateChanges(settings, running, gpuNodes.template)),
    ...(launchTemplate || !gpuNodes.template ? [] : stackChanges(stack, gpuNodes.template)),
  ];
  return changes.filter(isChange);
}

function groupChanges({ gpuNodes, kubernetesVersion }: EnvironmentSettings, running: RunningGpuNodes): NodeChange[] {
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
): NodeChange[] {
  const zones: readonly unknown[] = network.existing?.privateSubnetIds ?? network.zones ?? regionZones;
  const now = network.existing ? subnetId : running.network?.subnets.find(({ id }) => id === subnetId)?.zone;
  const index = zones.indexOf(now);
  const isKnown = now !== undefined && typeof zones[azIndex] === "string";
  const existing = index < 0 ? now : index;
  return isKnown ? [{ path: "gpuNodes.azIndex", wanted: azIndex, existing, effect: "replaces" }] : [];
}

function gpuTemplateChanges(
  settings: EnvironmentSettings,
  { clusterName }: RunningEnvironment,
  running: RunningTemplate,
): NodeChange[] {
  const { efa, placementGroup, capacityReservation } = settings.gpuNodes;
  const reservation = capacityReservation?.id ?? capacityReservation?.resourceGroupArn;
  const own: [string, unknown, unknown][] = [
    ["gpuNodes.efa", efa, running.efa],
    ["gpuNodes.placementGroup", placementGroup ?? none, running.placementGroup ?? none],
    ["gpuNodes.capacityReservation", reservation ?? none, running.capacityReservation ?? none],
  ];
  return templateChanges("gpuNodes", settings, { Name: `${clusterName}-gpu` }, running, own);
}
