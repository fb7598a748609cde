import { expect, test } from "vitest";
import type { Activity, Group } from "../../../../commands/gpu/group";
import { failedLaunches, reasonsOf } from "../../../../commands/gpu/reasons";

const group: Group = {
  ...{ region: "ap-northeast-2", cluster: "myeks", group: "gpu", status: "ACTIVE" },
  sizes: { desired: 1, min: 0, max: 2 },
  capacityType: "ON_DEMAND",
  instanceTypes: ["g5.xlarge"],
  autoScalingGroups: ["eks-gpu-1"],
  issues: [],
  subnetIds: ["subnet-1"],
};

function activity(id: string, status: string, message = "", description = "Launching a new EC2 instance."): Activity {
  return { id, status, message, description, at: `2026-11-20T10:00:0${id}.000Z` };
}

/** Texts of AWS: of scaling activities, and of health issues as `CODE: message`. */
test.for([
  [
    "quota",
    "You have requested more vCPU capacity than your current vCPU limit of 0 allows for the instance bucket that the specified instance type belongs to. Please visit http://aws.amazon.com/contact-us/ec2-request to request an adjustment to this limit. Launching EC2 instance failed.",
  ],
  ["quota", "AsgInstanceLaunchFailures: Could not launch On-Demand Instances. VcpuLimitExceeded - You have requested."],
  [
    "capacity",
    "We currently do not have sufficient g5.xlarge capacity in the Availability Zone you requested (ap-northeast-2a). Our system will be working on provisioning additional capacity.",
  ],
  ["capacity", "Could not launch Spot Instances. UnfulfillableCapacity - Unable to fulfill capacity."],
  [
    "addresses",
    "There are not enough free addresses in subnet 'subnet-1' to satisfy the requested number of instances.",
  ],
  ["addresses", "InsufficientFreeAddresses: Amazon Autoscaling was unable to launch instances."],
  ["launch-template", "Ec2LaunchTemplateNotFound: Launch Template : lt-1 was not found."],
  ["launch-template", "You must use a valid fully-formed launch template. The image id '[ami-1]' does not exist."],
  [
    "not-offered",
    "Your requested instance type (g5.xlarge) is not supported in your requested Availability Zone (ap-northeast-2d).",
  ],
  ["volume-key", "Client.InternalError: Client error on launch."],
  ["join", "NodeCreationFailure: Instances failed to join the kubernetes cluster."],
  ["join", "AccessDenied: The aws-auth ConfigMap in your cluster is invalid."],
  ["permission", "You are not authorized to use launch template: lt-1. UnauthorizedOperation"],
  ["unknown", "Something new went wrong."],
] as const)("the cause is %s: %s", ([id, text]) => {
  const [reason, ...others] = reasonsOf(group, [activity("1", "Failed", text)]);
  expect(others).toEqual([]);
  expect(reason).toMatchObject({ id, evidence: text, passes: id === "capacity" });
  expect(reason?.next[0]?.command).toMatch(/^aws [\w-]+ [\w-]+ --region ap-northeast-2 /);
});

test("only failures since the last launch that succeeded count; a stopped instance is no launch", () => {
  const list = [
    activity("5", "Failed", "c"),
    activity("4", "Successful", "", "Terminating EC2 instance: i-1."),
    activity("3", "Cancelled", "b"),
    activity("2", "Successful"),
    activity("1", "Failed", "a"),
  ];
  expect(failedLaunches(list).map(({ id }) => id)).toEqual(["5", "3"]);
});

test("each cause is stated once, with its latest text, also if the health of the group repeats it", () => {
  const quota = "more vCPU capacity than your current vCPU limit of 0";
  const issues = [
    { code: "AsgInstanceLaunchFailures", message: `Could not launch On-Demand Instances. ${quota}`, resources: [] },
    { code: "AsgInstanceLaunchFailures", message: "Could not launch.", resources: [] },
  ];
  const found = reasonsOf({ ...group, issues }, [activity("2", "Failed", quota), activity("1", "Failed", quota)]);
  expect(found.map(({ id, at }) => [id, at])).toEqual([["quota", "2026-11-20T10:00:02.000Z"]]);
});
