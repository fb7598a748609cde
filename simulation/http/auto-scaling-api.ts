import { valuesAt } from "../../components/core/reader/paths";
import { zonesOf, timestampIn } from "../aws/eks/common";
import { activitiesOf, autoscalingGroupName, type ScalingActivity } from "../aws/eks/nodes/autoscaling";
import { instancesOf, reconcileSize } from "../aws/eks/nodes/instances";
import { types } from "../aws/types";
import { stringOf } from "../aws/values";
import { CloudError } from "../cloud/errors";
import { propertyOf, type CloudObject } from "../cloud/model";
import type { SimulatedCloud } from "../cloud/simulated-cloud";
import type { ServiceApi } from "./service-api";
import { queryApi } from "./query";

/** The API of EC2 Auto Scaling: groups, their instances and their activities. */
export function autoScalingApi(cloud: SimulatedCloud): ServiceApi {
  return queryApi("http://autoscaling.amazonaws.com/doc/2011-01-01/", {
    DescribeAutoScalingGroups: (form) => ({
      AutoScalingGroups: groupsIn(cloud, form).map((group) => groupAnswer(cloud, group)),
    }),
    DescribeScalingActivities: (form) => {
      const count = Number(form.get("MaxRecords") ?? 100);
      const activities = groupsIn(cloud, form).flatMap((group) =>
        activitiesOf(group).map((activity) => activityAnswer(group, activity)),
      );
      return { Activities: activities.slice(0, count) };
    },
  });
}

/** The groups that a request names, or all. Each is brought closer to its size: EC2 Auto Scaling keeps trying. */
function groupsIn(cloud: SimulatedCloud, form: URLSearchParams): CloudObject[] {
  const listed = [...form].filter(([key]) => key.startsWith("AutoScalingGroupNames.member.")).map(([, name]) => name);
  const single = form.get("AutoScalingGroupName");
  const wanted = single === null ? listed : [single];
  for (const group of cloud.find(types.nodeGroup)) {
    if (wanted.includes(autoscalingGroupName(group)) && isShort(cloud, group)) reconcileSize(cloud, group);
  }
  const groups = cloud.find(types.autoscalingGroup).filter(({ id }) => wanted.length === 0 || wanted.includes(id));
  if (single === null || groups.length > 0) return groups;
  const explanation = `AutoScalingGroup name not found - AutoScalingGroup '${single}' not found`;
  throw new CloudError("ValidationError", explanation);
}

function isShort(cloud: SimulatedCloud, group: CloudObject): boolean {
  const desired = Number(valuesAt(group.inputs, "scalingConfig.desiredSize")[0]);
  return group.computed["status"] === "DEGRADED" && instancesOf(cloud, group).length < desired;
}

function groupAnswer(cloud: SimulatedCloud, { id, inputs }: CloudObject): object {
  const nodeGroup = cloud.find(types.nodeGroup).find((each) => autoscalingGroupName(each) === id);
  return {
    AutoScalingGroupName: id,
    MinSize: inputs["minSize"],
    MaxSize: inputs["maxSize"],
    DesiredCapacity: inputs["desiredCapacity"],
    DefaultCooldown: 300,
    AvailabilityZones: nodeGroup ? zonesOf(cloud, nodeGroup.inputs, "subnetIds[*]") : [],
    HealthCheckType: "EC2",
    CreatedTime: timestampIn(cloud),
    Instances: nodeGroup ? instancesOf(cloud, nodeGroup).map((instance) => instanceAnswer(cloud, instance)) : [],
  };
}

function instanceAnswer(cloud: SimulatedCloud, { id, inputs }: CloudObject): object {
  const subnet = cloud.get(types.subnet, stringOf(inputs["subnetId"]));
  return {
    InstanceId: id,
    InstanceType: inputs["instanceType"],
    AvailabilityZone: subnet ? propertyOf(subnet, "availabilityZone") : "",
    LifecycleState: "InService",
    HealthStatus: "Healthy",
    ProtectedFromScaleIn: false,
  };
}

function activityAnswer(group: CloudObject, { id, status, description, message, at }: ScalingActivity): object {
  return {
    ActivityId: id,
    AutoScalingGroupName: group.id,
    Description: description,
    Cause: `At ${at} the desired capacity of the group changed.`,
    StartTime: at,
    EndTime: at,
    StatusCode: status,
    ...(message !== undefined && { StatusMessage: message }),
    Progress: 100,
  };
}
