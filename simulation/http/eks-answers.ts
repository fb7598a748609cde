import { valuesAt } from "../../components/core/reader/paths";
import { isRecord } from "../../components/core/reader/records";
import { autoscalingGroupName } from "../aws/eks/nodes/autoscaling";
import { instancesOf, launchFailure } from "../aws/eks/nodes/instances";
import { notReadyReason } from "../aws/eks/nodes/nodes";
import { propertyOf, type CloudObject } from "../cloud/model";
import type { SimulatedCloud } from "../cloud/simulated-cloud";
import { picked } from "./objects";

/** A cluster as DescribeCluster answers. */
export function clusterAnswer(object: CloudObject): object {
  return {
    ...picked(object, "name", "arn", "version", "endpoint", "roleArn", "status", "certificateAuthority"),
    ...picked(object, "platformVersion", "upgradePolicy", "deletionProtection"),
    createdAt: secondsOf(object.computed["createdAt"]),
    resourcesVpcConfig: object.computed["vpcConfig"],
    identity: { oidc: valuesAt(object.computed, "identities[*].oidcs[*]")[0] },
    ...tagsOf(object),
  };
}

/** A node group as DescribeNodegroup answers. */
export function nodegroupAnswer(cloud: SimulatedCloud, object: CloudObject): object {
  return {
    ...picked(object, "clusterName", "version", "releaseVersion", "status", "capacityType", "instanceTypes"),
    ...picked(object, "amiType", "scalingConfig", "updateConfig", "taints", "labels", "launchTemplate"),
    nodegroupName: propertyOf(object, "nodeGroupName"),
    nodegroupArn: propertyOf(object, "arn"),
    subnets: object.inputs["subnetIds"],
    nodeRole: object.inputs["nodeRoleArn"],
    resources: { autoScalingGroups: [{ name: autoscalingGroupName(object) }] },
    health: { issues: issuesOf(cloud, object) },
    ...tagsOf(object),
  };
}

/** An add-on as DescribeAddon answers. */
export function addonAnswer(object: CloudObject): object {
  const { arn, createdAt } = object.computed;
  return {
    ...picked(object, "addonName", "clusterName", "addonVersion"),
    ...{ status: "ACTIVE", addonArn: arn, createdAt: secondsOf(createdAt), ...tagsOf(object) },
  };
}

/** An access entry as DescribeAccessEntry answers. */
export function accessEntryAnswer(object: CloudObject): object {
  return { ...picked(object, "clusterName", "principalArn", "accessEntryArn", "type"), ...tagsOf(object) };
}

/** A pod identity association as ListPodIdentityAssociations answers. */
export function associationAnswer(object: CloudObject): object {
  return picked(object, "clusterName", "namespace", "serviceAccount", "associationArn", "associationId");
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

function tagsOf({ computed: { tagsAll: tags } }: CloudObject): object {
  return isRecord(tags) && Object.keys(tags).length > 0 ? { tags } : {};
}

const secondsOf = (timestamp: unknown) => Date.parse(String(timestamp)) / 1000;
