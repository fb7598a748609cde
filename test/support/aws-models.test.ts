import { describe, expect, test } from "vitest";
import { askModels, missingModels, modelProblems, validateAnswer, validateRequest } from "./aws-models";
import type { AwsRequest, PolicyText } from "./aws-models";
import { saySkipped } from "./skips";

const missing = missingModels();
if (missing !== undefined) saySkipped(`skipped, the models of AWS: ${missing}`);

const scaling = { clusterName: "myeks", nodegroupName: "gpu" };

/** A request with one mistake, and what is said of it. */
const wrong: readonly (readonly [string, AwsRequest, RegExp])[] = [
  [
    "a member that is missing",
    { service: "eks", operation: "UpdateNodegroupConfig", params: { clusterName: "myeks" } },
    /^: nodegroupName is missing$/,
  ],
  [
    "a member that does not exist",
    { service: "eks", operation: "UpdateNodegroupConfig", params: { ...scaling, scaling: {} } },
    /^: scaling is unknown$/,
  ],
  [
    "another type",
    { service: "eks", operation: "UpdateNodegroupConfig", params: { ...scaling, scalingConfig: { minSize: "0" } } },
    /^\.scalingConfig\.minSize: '0' is not a integer$/,
  ],
  [
    "a number below the minimum",
    { service: "eks", operation: "UpdateNodegroupConfig", params: { ...scaling, scalingConfig: { maxSize: 0 } } },
    /^\.scalingConfig\.maxSize: 0 is below the minimum of 1$/,
  ],
  [
    "a number above the maximum",
    { service: "kms", operation: "ScheduleKeyDeletion", params: { KeyId: "k", PendingWindowInDays: 366 } },
    /^\.PendingWindowInDays: 366 is above the maximum of 365$/,
  ],
  [
    "a value outside of an enum",
    {
      ...{ service: "scheduler", operation: "CreateSchedule" },
      params: {
        ...{ Name: "a", ScheduleExpression: "cron(0 22 * * ? *)", FlexibleTimeWindow: { Mode: "NONE" } },
        Target: {
          Arn: "arn:aws:scheduler:::aws-sdk:eks:updateNodegroupConfig",
          RoleArn: "arn:aws:iam::123456789012:role/a",
        },
      },
    },
    /^\.FlexibleTimeWindow\.Mode: 'NONE' is not one of OFF, FLEXIBLE$/,
  ],
  [
    "a name that does not match the pattern",
    { service: "scheduler", operation: "CreateScheduleGroup", params: { Name: "a b" } },
    /^\.Name: 'a b' does not match \[0-9a-zA-Z-_\.\]\+$/,
  ],
  [
    "a name that is too long",
    {
      service: "iam",
      operation: "AttachRolePolicy",
      params: { RoleName: "r".repeat(65), PolicyArn: "arn:aws:iam::aws:policy/A" },
    },
    /^\.RoleName: .* is above the maximum of 64$/,
  ],
  [
    "a tag with a character that no tag has",
    { service: "logs", operation: "CreateLogGroup", params: { logGroupName: "a", tags: { "a#b": "" } } },
    /^\.tags key: 'a#b' does not match/,
  ],
  [
    "the keys of the API in the input of a universal target",
    { service: "eks", operation: "UpdateNodegroupConfig", isPascalCase: true, params: scaling },
    /^: clusterName is unknown; : nodegroupName is unknown; : ClusterName is missing; : NodegroupName is missing$/,
  ],
];

const statement = { Effect: "Allow", Action: "eks:UpdateNodegroupConfig", Resource: "*" };
const policy = (use: PolicyText["use"], ...statements: object[]): PolicyText => {
  return { use, text: JSON.stringify({ Version: "2012-10-17", Statement: statements }) };
};

const wrongPolicies: readonly (readonly [string, PolicyText, RegExp])[] = [
  ["no JSON", { use: "inline", text: "{" }, /it is no JSON/],
  ["an action that does not exist", policy("inline", { ...statement, Action: "eks:ScaleNodegroup" }), /no such action/],
  ["a service that does not exist", policy("inline", { ...statement, Action: ["ekz:*"] }), /has no service ekz/],
  ["no resource", policy("inline", { Effect: "Allow", Action: "eks:ListClusters" }), /one of Resource, NotResource/],
  ["a principal of an identity", policy("inline", { ...statement, Principal: { AWS: "*" } }), /'Principal'/],
  ["a resource of a trust policy", policy("trust", { ...statement, Principal: { Service: "a" } }), /'Resource'/],
  ["an effect", policy("inline", { ...statement, Effect: "allow" }), /'allow' is not one of/],
  ["an operator", policy("inline", { ...statement, Condition: { StringEqual: {} } }), /'StringEqual'/],
  ["a resource without a region", policy("inline", { ...statement, Resource: "arn:aws:eks" }), /does not match/],
  ["a long policy", policy("managed", ...Array<object>(120).fill(statement)), /at most 6144 are allowed/],
];

describe.skipIf(missing !== undefined)("the models of AWS", () => {
  test("each mistake in a request is found, and nothing else", () => {
    const found = modelProblems(wrong.map(([, request]) => request));
    wrong.forEach(([what, , message], at) => expect(found[at]?.join("; "), what).toMatch(message));
  });

  test("each mistake in a policy is found", () => {
    const { policies } = askModels({ policies: wrongPolicies.map(([, text]) => text) });
    wrongPolicies.forEach(([what, , message], at) => expect(policies[at]?.join("; "), what).toMatch(message));
    expect(
      askModels({ policies: [policy("inline", statement, { ...statement, Action: "ec2:Describe*" })] }).policies,
    ).toEqual([[]]);
  });

  test("one request or answer is checked by its names in botocore", () => {
    validateRequest("autoscaling", "DescribeScalingActivities", { AutoScalingGroupName: "eks-gpu-1", MaxRecords: 20 });
    expect(() => validateRequest("ec2", "DescribeVolumes", { Volumes: [] })).toThrow(
      /ec2:DescribeVolumes[^]*Volumes is unknown/,
    );
    validateAnswer("eks", "DescribeCluster", { cluster: { name: "myeks", createdAt: new Date() }, $metadata: {} });
    const answer = { cluster: { name: "myeks", status: "READY" } };
    expect(() => validateAnswer("eks", "DescribeCluster", answer)).toThrow(/'READY' is not one of CREATING/);
  });
});
