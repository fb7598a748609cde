import { isDeepStrictEqual } from "node:util";
import { valuesAt } from "../../../../components/core/reader/paths";
import { isRecord } from "../../../../components/core/reader/records";
import { amiReleases } from "../../../../components/core/versions";
import { type Properties, unknownSentinel } from "../../../../components/core/wire";
import { CloudError } from "../../../cloud/errors";
import {
  type CheckFailure,
  type CloudObject,
  type ObjectRequest,
  propertyOf,
  type Request,
  type ResourceModel,
  type CloudState,
} from "../../../cloud/model";
import { types } from "../../types";
import { arn, computedDefaults, nameFor, regional, stringOf } from "../../values";
import { arnReference, clusterNamed, clusterReference, invalidParameter, uuidFor } from "../common";
import { autoscalingGroupName } from "./autoscaling";
import { instancesOf, launchFailure, launchVersionOf, makeRoomForUpdate, reconcileInstances } from "./instances";
import { hasFailed, rejectFailed, rejectNodeGroup } from "./node-group-rules";
import { notReadyReason } from "./nodes";

/**
 * A managed node group. The cloud also holds its Auto Scaling group and an instance for each node.
 *
 * @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/eks/node_group.go
 */
export const nodeGroup: ResourceModel = {
  type: types.nodeGroup,
  autoname: { property: "nodeGroupName", prefix: "nodeGroupNamePrefix", maxLength: 63 },
  required: ["clusterName", "nodeRoleArn", "scalingConfig", "subnetIds"],
  check: checkNodeGroup,
  references: [
    clusterReference(new CloudError("ResourceInUseException", "Cluster has nodegroups attached")),
    arnReference("nodeRoleArn", types.role, (given) => {
      return `The role with name ${given.split("/").at(-1) ?? given} cannot be found.`;
    }),
    {
      path: "subnetIds[*]",
      to: types.subnet,
      missing: (id) => invalidParameter(`The subnet ID '${id}' does not exist`),
    },
    { path: "launchTemplate.id", to: types.launchTemplate, missing: templateNotFound },
    { path: "launchTemplate.name", to: types.launchTemplate, by: "name", missing: templateNotFound },
  ],
  unique: ({ clusterName, nodeGroupName }) => {
    if (nodeGroupName === undefined) return undefined;
    const message = `NodeGroup already exists with name ${stringOf(nodeGroupName)} and cluster name ${stringOf(clusterName)}`;
    return {
      key: `${stringOf(clusterName)}/${stringOf(nodeGroupName)}`,
      error: new CloudError("ResourceInUseException", message),
    };
  },
  id: ({ inputs }, serial) => `${stringOf(inputs["clusterName"])}:${nameFor(inputs, serial, "nodeGroupName")}`,
  ...regional((request, id, old) => ({
    ...computedDefaults(request.inputs, { ...defaultsOf(request, old), nodeGroupName: nameInId(id) }),
    ...(old ? { arn: old["arn"], resources: old["resources"], status: old["status"] } : initialOutputs(request, id)),
  })),
  validateCreate: rejectNodeGroup,
  validateUpdate: (request) => rejectUpdateOfFailed(request) ?? rejectNodeGroup(request),
  createFailure,
  updateFailure,
  afterChange: reconcileGroup,
  afterDelete: ({ cloud, object }) => {
    for (const instance of instancesOf(cloud, object)) cloud.remove(instance.type, instance.id);
    cloud.remove(types.autoscalingGroup, autoscalingGroupName(object));
  },
  seconds: { create: 120, update: 300, delete: 180 },
};

function templateNotFound(given: string): CloudError {
  return new CloudError(
    "InvalidRequestException",
    `The specified launch template, with template ID ${given}, does not exist.`,
  );
}

/** The provider appends 26 digits to a name prefix. */
const prefixLimit = 63 - 26;

function nameInId(id: string): string {
  return id.slice(id.indexOf(":") + 1);
}

/** A group without a version gets the version that its cluster has at creation, and keeps it. */
function defaultsOf({ cloud, inputs }: Request, old: Properties | undefined): Properties {
  const cluster = clusterNamed(cloud, inputs["clusterName"]);
  const version = inputs["version"] ?? old?.["version"] ?? (cluster && propertyOf(cluster, "version"));
  return {
    amiType: "AL2023_x86_64_STANDARD",
    capacityType: "ON_DEMAND",
    instanceTypes: inputs["launchTemplate"] === undefined ? ["t3.medium"] : [],
    releaseVersion: amiReleases[stringOf(version)] ?? "",
    updateConfig: { maxUnavailable: 1 },
    version,
  };
}

function initialOutputs({ cloud, inputs }: Request, id: string): Properties {
  const uuid = uuidFor(cloud, `node group ${id}`);
  const name = `eks-${nameInId(id)}-${uuid}`;
  return {
    arn: arn(cloud, "eks", `nodegroup/${stringOf(inputs["clusterName"])}/${nameInId(id)}/${uuid}`),
    resources: [{ autoscalingGroups: [{ name }], remoteAccessSecurityGroupId: "" }],
    status: "ACTIVE",
  };
}

/** Checks of the provider, with the messages of the Terraform plugin SDK. */
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
  const reason = `expected length of nodeGroupNamePrefix to be in the range (0 - ${prefixLimit}), got ${stringOf(prefix)}`;
  const long = typeof prefix === "string" && prefix !== unknownSentinel && prefix.length > prefixLimit;
  return [
    ...sizes,
    ...(nodeGroupName !== undefined && prefix !== undefined ? [both] : []),
    ...(long ? [{ property: "nodeGroupNamePrefix", reason }] : []),
  ];
}

/**
 * Brings the instances in line with the group. With too few instances, the group is DEGRADED; a group whose creation failed
 * stays failed. If its nodes cannot be replaced, the group keeps its version and the old nodes that still run.
 */
function reconcileGroup({ cloud, object }: ObjectRequest, old?: CloudObject): void {
  if (old && !canReplaceNodes(cloud, object, old)) cloud.put(old);
  else reconcileInstances(cloud, object);
  const group = cloud.get(object.type, object.id) ?? object;
  if (hasFailed(group)) return;
  setStatus(cloud, group, launchFailure(cloud, group) === undefined ? "ACTIVE" : "DEGRADED");
}

/** Tags can be changed in every status. Without a change, the provider sends no update. */
function rejectUpdateOfFailed({ object, inputs }: ObjectRequest): CloudError | undefined {
  const sent = (all: Properties): Properties => ({ ...all, tags: {} });
  return isDeepStrictEqual(sent(inputs), sent(object.inputs)) ? undefined : rejectFailed(object);
}

/** The creation of a group fails when its first nodes do not become ready. */
function createFailure({ cloud, object }: ObjectRequest): string | undefined {
  const instances = instancesOf(cloud, object).map(({ id }) => id);
  const launching = launchFailure(cloud, object);
  const joining = instances.length === 0 ? undefined : notReadyReason(cloud, object);
  const issues = [
    ...(launching === undefined ? [] : [`${autoscalingGroupName(object)}: ${launching}`]),
    ...(joining === undefined ? [] : [`${instances.join(", ")}: ${joining}`]),
  ];
  if (issues.length === 0) return undefined;
  setStatus(cloud, object, "CREATE_FAILED");
  const state = "unexpected state 'CREATE_FAILED', wanted target 'ACTIVE'";
  return `waiting for EKS Node Group (${object.id}) create: ${state}. last error: ${issues.join("\n")}`;
}

/** Whether new nodes can be launched and can join, if the version, image or launch template has changed. */
function canReplaceNodes(cloud: CloudState, group: CloudObject, old: CloudObject): boolean {
  if (launchVersionOf(group) === launchVersionOf(old) || instancesOf(cloud, group).length === 0) return true;
  return notReadyReason(cloud, group) === undefined && makeRoomForUpdate(cloud, group);
}

/**
 * EKS gives the same message for every reason why the new nodes of an update do not join.
 * @see https://github.com/aws-ia/terraform-aws-eks-blueprints/issues/1873
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_ErrorDetail.html
 */
function updateFailure({ cloud, object }: ObjectRequest): string | undefined {
  const now = cloud.get(object.type, object.id);
  if (!now || launchVersionOf(now) === launchVersionOf(object)) return undefined;
  const update = uuidFor(cloud, `update ${object.id}`);
  const state = "unexpected state 'Failed', wanted target 'Successful'";
  const message = `Couldn't proceed with upgrade process as new nodes are not joining node group ${nameInId(object.id)}`;
  return `waiting for EKS Node Group (${object.id}) version update (${update}): ${state}. last error: : NodeCreationFailure: ${message}`;
}

function setStatus(cloud: CloudState, { type, id }: CloudObject, status: string): void {
  const group = cloud.get(type, id);
  if (group) cloud.put({ ...group, computed: { ...group.computed, status } });
}
