import type { Answer } from "../../../../support/aws-server";

/** The answers of EKS and EC2 Auto Scaling about one GPU node group. */

export interface GroupFields {
  readonly desired?: number;
  readonly min?: number;
  readonly max?: number;
  readonly status?: string;
  readonly issues?: readonly { readonly code: string; readonly message: string }[];
  readonly instanceTypes?: readonly string[];
  readonly capacityType?: string;
}

/** The answer to DescribeNodegroup. */
export function nodegroup(fields: GroupFields = {}): Answer {
  const { desired = 0, min = 0, max = 2, status = "ACTIVE", issues = [], capacityType = "ON_DEMAND" } = fields;
  const group = {
    ...{ nodegroupName: "gpu", clusterName: "myeks", status, capacityType },
    scalingConfig: { minSize: min, maxSize: max, desiredSize: desired },
    instanceTypes: fields.instanceTypes ?? ["g5.xlarge"],
    subnets: ["subnet-0123456789abcdef0"],
    resources: { autoScalingGroups: [{ name: "eks-gpu-1" }] },
    health: { issues: issues.map((issue) => ({ ...issue, resourceIds: ["eks-gpu-1"] })) },
  };
  return { nodegroup: group };
}

/** The answer to DescribeAutoScalingGroups: instances in these lifecycle states. */
export function instances(...states: readonly string[]): Answer {
  const placed = { InstanceType: "g5.xlarge", AvailabilityZone: "ap-northeast-2a" };
  const members = states.map((LifecycleState, at) => ({
    ...{ InstanceId: `i-${at + 1}`, ...placed, LifecycleState, HealthStatus: "Healthy", ProtectedFromScaleIn: false },
  }));
  const sizes = { MinSize: 0, MaxSize: 2, DesiredCapacity: states.length, DefaultCooldown: 300 };
  const group = { AutoScalingGroupName: "eks-gpu-1", ...sizes, AvailabilityZones: ["ap-northeast-2a"] };
  const created = { HealthCheckType: "EC2", CreatedTime: "2026-11-20T09:00:00Z" };
  return { AutoScalingGroups: [{ ...group, ...created, Instances: members }] };
}

export interface ActivityFields {
  readonly id: string;
  readonly status: string;
  readonly message?: string;
  readonly description?: string;
}

/** The answer to DescribeScalingActivities, the latest first. */
export function activities(...list: readonly ActivityFields[]): Answer {
  const Activities = list.map(({ id, status, message, description = "Launching a new EC2 instance" }) => ({
    ...{ ActivityId: id, AutoScalingGroupName: "eks-gpu-1", Description: description, Cause: "The size was changed." },
    ...{ StartTime: "2026-11-20T10:00:00Z", StatusCode: status, StatusMessage: message },
  }));
  return { Activities };
}

/** The answer to DescribeCluster. */
export function cluster(endpoint: string): Answer {
  return { cluster: { name: "myeks", endpoint } };
}

/** The answer to UpdateNodegroupConfig. */
export const accepted: Answer = {
  update: { id: "u", status: "InProgress", type: "ConfigUpdate", params: [], errors: [] },
};
