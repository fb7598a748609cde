import { amiReleases } from "../../../../components/core/versions";
import { isRecord } from "../../../../components/core/reader/records";
import { unknownSentinel, type Properties } from "../../../../components/core/wire";
import { CloudError } from "../../../world/cloud-error";
import type { Asked, AskedOf, CheckFailure, Kind, WorldObject } from "../../../world/kind";
import { valuesAt } from "../../../world/paths";
import { propertyOf, type World } from "../../../world/world";
import { types } from "../../types";
import { arn, besides, recomputesTags, regional, regionalOutputs, shown, textOf } from "../../values";
import { invalid } from "../errors";
import { uuidFor } from "../hashes";
import { clusterNamed, eksTypes, toCluster } from "../types";
import { launchProblem, machinesOf, makeRoomToRoll } from "./capacity";
import { autoscalingGroupOf, launchOf, matchMachines } from "./machines";
import { refuseNodeGroup } from "./node-group-rules";
import { whyNotReady } from "./nodes";

/**
 * A managed node group: two minutes until its nodes are ready, five for an update, three for its deletion. Beside it the
 * world has its Auto Scaling group and a machine for each node.
 *
 * @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/eks/node_group.go
 */
export const nodeGroup: Kind = {
  type: eksTypes.nodeGroup,
  autoname: { property: "nodeGroupName", prefix: "nodeGroupNamePrefix", maxLength: 63 },
  required: ["clusterName", "nodeRoleArn", "scalingConfig", "subnetIds"],
  check: checkNodeGroup,
  immutable: [
    "amiType",
    "capacityType",
    "clusterName",
    "diskSize",
    "instanceTypes",
    "launchTemplate.id",
    "launchTemplate.name",
    "nodeGroupName",
    "nodeGroupNamePrefix",
    "nodeRoleArn",
    "remoteAccess",
    "subnetIds",
  ],
  references: [
    toCluster(new CloudError("ResourceInUseException", "Cluster has nodegroups attached")),
    {
      path: "nodeRoleArn",
      to: types.role,
      by: "arn",
      missing: (given) => invalid(`The role with name ${given.split("/").at(-1) ?? given} cannot be found.`),
    },
    { path: "subnetIds[*]", to: types.subnet, missing: (id) => invalid(`The subnet ID '${id}' does not exist`) },
    { path: "launchTemplate.id", to: types.launchTemplate, missing: noTemplate },
    { path: "launchTemplate.name", to: types.launchTemplate, by: "name", missing: noTemplate },
  ],
  unique: ({ clusterName, nodeGroupName }) => {
    if (nodeGroupName === undefined) return undefined;
    const words = `NodeGroup already exists with name ${shown(nodeGroupName)} and cluster name ${shown(clusterName)}`;
    return {
      key: `${shown(clusterName)}/${shown(nodeGroupName)}`,
      error: new CloudError("ResourceInUseException", words),
    };
  },
  id: ({ inputs }, serial) => `${shown(inputs["clusterName"])}:${nameFor(inputs, serial)}`,
  computes: [
    ...regionalOutputs,
    "amiType",
    "arn",
    "capacityType",
    "instanceTypes",
    "nodeGroupName",
    "releaseVersion",
    "resources",
    "status",
    "updateConfig",
    "version",
  ],
  recomputes: recomputesTags,
  computed: (asked, id, old) => ({
    ...regional(asked),
    ...besides(asked.inputs, { ...defaultsOf(asked, old), nodeGroupName: nameIn(id) }),
    ...(old ? { arn: old["arn"], resources: old["resources"], status: old["status"] } : bornWith(asked, id)),
  }),
  create: refuseNodeGroup,
  update: refuseNodeGroup,
  settle,
  settleUpdate,
  after: follow,
  afterRemove: ({ world, object }) => {
    for (const machine of machinesOf(world, object)) world.lose(machine.type, machine.id);
    world.lose(eksTypes.autoscalingGroup, autoscalingGroupOf(object));
  },
  seconds: { create: 120, update: 300, delete: 180 },
};

function noTemplate(given: string): CloudError {
  return new CloudError(
    "InvalidRequestException",
    `The specified launch template, with template ID ${given}, does not exist.`,
  );
}

/** What the provider completes from a prefix has 26 digits. */
const longestPrefix = 63 - 26;

function nameFor(inputs: Properties, serial: string): string {
  const completed = `${textOf(inputs, "nodeGroupNamePrefix") ?? "terraform-"}202601010000000000${serial.slice(-8)}`;
  return textOf(inputs, "nodeGroupName") ?? completed;
}

function nameIn(id: string): string {
  return id.slice(id.indexOf(":") + 1);
}

/** A group without a version of its own takes its cluster's when it is made, and keeps it. */
function defaultsOf({ world, inputs }: Asked, old: Properties | undefined): Properties {
  const cluster = clusterNamed(world, inputs["clusterName"]);
  const version = inputs["version"] ?? old?.["version"] ?? (cluster && propertyOf(cluster, "version"));
  return {
    amiType: "AL2023_x86_64_STANDARD",
    capacityType: "ON_DEMAND",
    instanceTypes: inputs["launchTemplate"] === undefined ? ["t3.medium"] : [],
    releaseVersion: amiReleases[shown(version)] ?? "",
    updateConfig: { maxUnavailable: 1 },
    version,
  };
}

function bornWith({ world, inputs }: Asked, id: string): Properties {
  const uuid = uuidFor(world, `node group ${id}`);
  const name = `eks-${nameIn(id)}-${uuid}`;
  return {
    arn: arn(world, "eks", `nodegroup/${shown(inputs["clusterName"])}/${nameIn(id)}/${uuid}`),
    resources: [{ autoscalingGroups: [{ name }], remoteAccessSecurityGroupId: "" }],
    status: "ACTIVE",
  };
}

/** Checks of the provider itself, in the words of the Terraform plugin SDK. */
function checkNodeGroup(inputs: Properties): CheckFailure[] {
  const lowest = { desiredSize: 0, maxSize: 1, minSize: 0 };
  const sizes = Object.entries(lowest).flatMap(([key, least]) => {
    const size = valuesAt(inputs, `scalingConfig.${key}`)[0];
    const property = `scalingConfig.${key}`;
    if (isRecord(inputs["scalingConfig"]) && size === undefined)
      return [{ property, reason: "Missing required argument" }];
    if (typeof size !== "number" || size >= least) return [];
    return [{ property, reason: `expected ${property} to be at least (${least}), got ${size}` }];
  });
  const { nodeGroupName, nodeGroupNamePrefix: prefix } = inputs;
  const both = { property: "nodeGroupName", reason: `"nodeGroupName": conflicts with nodeGroupNamePrefix` };
  const reason = `expected length of nodeGroupNamePrefix to be in the range (0 - ${longestPrefix}), got ${shown(prefix)}`;
  const long = typeof prefix === "string" && prefix !== unknownSentinel && prefix.length > longestPrefix;
  return [
    ...sizes,
    ...(nodeGroupName !== undefined && prefix !== undefined ? [both] : []),
    ...(long ? [{ property: "nodeGroupNamePrefix", reason }] : []),
  ];
}

/**
 * The machines follow the group. Too few of them make it DEGRADED, and one that failed at first stays failed. A group
 * whose new nodes cannot take the place of the old ones keeps its version, and those old ones that did not end first.
 */
function follow({ world, object }: AskedOf, old?: WorldObject): void {
  if (old && !canRoll(world, object, old)) world.put(old);
  else matchMachines(world, object);
  const group = world.get(object.type, object.id) ?? object;
  if (group.computed["status"] === "CREATE_FAILED") return;
  setStatus(world, group, launchProblem(world, group) === undefined ? "ACTIVE" : "DEGRADED");
}

/** EKS gives up on a group whose first nodes do not become ready. */
function settle({ world, object }: AskedOf): string | undefined {
  const machines = machinesOf(world, object).map(({ id }) => id);
  const launching = launchProblem(world, object);
  const joining = machines.length === 0 ? undefined : whyNotReady(world, object);
  const issues = [
    ...(launching === undefined ? [] : [`${autoscalingGroupOf(object)}: ${launching}`]),
    ...(joining === undefined ? [] : [`${machines.join(", ")}: ${joining}`]),
  ];
  if (issues.length === 0) return undefined;
  setStatus(world, object, "CREATE_FAILED");
  const state = "unexpected state 'CREATE_FAILED', wanted target 'ACTIVE'";
  return `waiting for EKS Node Group (${object.id}) create: ${state}. last error: ${issues.join("\n")}`;
}

/** Whether new nodes start and join, where another version, image or template asks for them. */
function canRoll(world: World, group: WorldObject, old: WorldObject): boolean {
  if (launchOf(group) === launchOf(old) || machinesOf(world, group).length === 0) return true;
  return whyNotReady(world, group) === undefined && makeRoomToRoll(world, group);
}

/**
 * What EKS says of an update that did not get its nodes, whatever kept them away.
 * @see https://github.com/aws-ia/terraform-aws-eks-blueprints/issues/1873
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_ErrorDetail.html for its codes, none of which is about capacity
 */
function settleUpdate({ world, object }: AskedOf): string | undefined {
  const now = world.get(object.type, object.id);
  if (!now || launchOf(now) === launchOf(object)) return undefined;
  const update = uuidFor(world, `update ${object.id}`);
  const state = "unexpected state 'Failed', wanted target 'Successful'";
  const words = `Couldn't proceed with upgrade process as new nodes are not joining node group ${nameIn(object.id)}`;
  return `waiting for EKS Node Group (${object.id}) version update (${update}): ${state}. last error: : NodeCreationFailure: ${words}`;
}

function setStatus(world: World, { type, id }: WorldObject, status: string): void {
  const group = world.get(type, id);
  if (group) world.put({ ...group, computed: { ...group.computed, status } });
}
