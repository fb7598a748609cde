import { valuesAt } from "../../components/core/reader/paths";
import { isRecord } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";
import { autoscalingGroupName } from "../aws/eks/nodes/autoscaling";
import { instancesOf, launchFailure } from "../aws/eks/nodes/instances";
import { notReadyReason } from "../aws/eks/nodes/nodes";
import type { CloudObject } from "../cloud/model";
import type { SimulatedCloud } from "../cloud/simulated-cloud";

/** Properties of the API that have the same name and form in the simulated cloud. */
const clusterKeys = [
  "name",
  "arn",
  "version",
  "endpoint",
  "roleArn",
  "status",
  "certificateAuthority",
  "platformVersion",
];
const groupKeys = ["clusterName", "version", "releaseVersion", "status", "capacityType", "instanceTypes", "amiType"];

/** A cluster as DescribeCluster answers. */
export function clusterAnswer(object: CloudObject): object {
  const all: Properties = { ...object.inputs, ...object.computed };
  return {
    ...picked(all, [...clusterKeys, "upgradePolicy", "deletionProtection"]),
    createdAt: secondsOf(all["createdAt"]),
    resourcesVpcConfig: all["vpcConfig"],
    identity: { oidc: valuesAt(all, "identities[*].oidcs[*]")[0] },
    ...tagsOf(all),
  };
}

/** A node group as DescribeNodegroup answers. */
export function nodegroupAnswer(cloud: SimulatedCloud, object: CloudObject): object {
  const all: Properties = { ...object.computed, ...object.inputs, status: object.computed["status"] };
  const { updateConfig, taints, labels, launchTemplate } = all;
  return {
    ...picked(all, [...groupKeys, "scalingConfig"]),
    nodegroupName: all["nodeGroupName"],
    nodegroupArn: all["arn"],
    subnets: all["subnetIds"],
    nodeRole: all["nodeRoleArn"],
    resources: { autoScalingGroups: [{ name: autoscalingGroupName(object) }] },
    health: { issues: issuesOf(cloud, object) },
    ...(isRecord(updateConfig) && { updateConfig }),
    ...(Array.isArray(taints) && { taints: taints as unknown[] }),
    ...(isRecord(labels) && { labels }),
    ...(isRecord(launchTemplate) && { launchTemplate }),
    ...tagsOf(all),
  };
}

/** An add-on as DescribeAddon answers. */
export function addonAnswer(object: CloudObject): object {
  const all: Properties = { ...object.inputs, ...object.computed };
  return {
    ...picked(all, ["addonName", "clusterName", "addonVersion"]),
    ...{ status: "ACTIVE", addonArn: all["arn"], createdAt: secondsOf(all["createdAt"]), ...tagsOf(all) },
  };
}

/** An access entry as DescribeAccessEntry answers. */
export function accessEntryAnswer(object: CloudObject): object {
  const all: Properties = { ...object.inputs, ...object.computed };
  return { ...picked(all, ["clusterName", "principalArn", "accessEntryArn", "type"]), ...tagsOf(all) };
}

/** A pod identity association as ListPodIdentityAssociations answers. */
export function associationAnswer({ inputs, computed }: CloudObject): object {
  const all: Properties = { ...inputs, ...computed };
  return picked(all, ["clusterName", "namespace", "serviceAccount", "associationArn", "associationId"]);
}

/** What EKS reports as wrong: launches that fail, and nodes that do not join. The simulation has both as `CODE: text`. */
function issuesOf(cloud: SimulatedCloud, group: CloudObject): object[] {
  const instances = instancesOf(cloud, group).map(({ id }) => id);
  const launching = { text: launchFailure(cloud, group), resourceIds: [autoscalingGroupName(group)] };
  const joining = { text: instances.length > 0 ? notReadyReason(cloud, group) : undefined, resourceIds: instances };
  return [launching, joining].flatMap(({ text, resourceIds }) => {
    if (text === undefined) return [];
    const [code = "", ...message] = text.split(": ");
    return [{ code, message: message.join(": "), resourceIds }];
  });
}

function tagsOf({ tagsAll: tags }: Properties): object {
  return isRecord(tags) && Object.keys(tags).length > 0 ? { tags } : {};
}

function picked(all: Properties, keys: readonly string[]): Properties {
  return Object.fromEntries(
    keys.map((key) => [key, all[key]]).filter(([, value]) => value !== undefined),
  ) as Properties;
}

const secondsOf = (timestamp: unknown) => Date.parse(String(timestamp)) / 1000;
