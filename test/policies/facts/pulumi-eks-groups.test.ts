import { describe, expect, test } from "vitest";
import type { AnalyzedResource } from "../../../policies/engine/judge";
import { gpuDesiredZero } from "../../../policies/rules/cost/gpu-desired-zero";
import { gpuVcpuQuota } from "../../../policies/rules/cost/gpu-vcpu-quota";
import { gpuNodeDisk } from "../../../policies/rules/machines/gpu-node-disk";
import { gpuUserdataDrift } from "../../../policies/rules/machines/gpu-userdata-drift";
import { gpuAmiFamily } from "../../../policies/rules/nodes/gpu-ami-family";
import { gpuSingleAz } from "../../../policies/rules/nodes/gpu-single-az";
import { nodegroupScalingOrder } from "../../../policies/rules/scaling/nodegroup-scaling-order";
import { resource, unknown, urnOf, verdicts } from "../support/verdicts";

const groupV1 = "eks:index:NodeGroup";
const cluster = "eks:index:Cluster";

const gpu = { instanceType: "g5.xlarge", gpu: true, minSize: 0, desiredCapacity: 0, maxSize: 2 };
const misordered = { ...gpu, maxSize: 1, desiredCapacity: 2 };

/** What every rule on node groups says of one resource. */
function said(type: string, properties: Record<string, unknown>): string[] {
  const rules = [nodegroupScalingOrder, gpuDesiredZero, gpuVcpuQuota, gpuAmiFamily, gpuSingleAz, gpuNodeDisk];
  return rules.flatMap((rule) => verdicts(rule, [resource(type, properties)]));
}

test.for([groupV1, cluster])("the arguments of %s are judged in a plan", (type) => {
  expect(said(type, { ...gpu, nodeRootVolumeSize: 100 })).toEqual([]);
  expect(said(type, misordered)).toEqual(["fail maxSize", "fail desiredCapacity", "fail nodeRootVolumeSize"]);
  expect(said(type, { ...gpu, maxSize: 3, nodeRootVolumeSize: 100 })).toEqual(["fail maxSize"]);
  // Without sizes @pulumi/eks starts two nodes.
  expect(said(type, { instanceType: "g5.xlarge", nodeRootVolumeSize: 100 })).toEqual([
    "fail minSize",
    "fail desiredCapacity",
  ]);
  expect(said(type, { ...gpu, nodeRootVolumeSize: 100, nodeSubnetIds: ["a", "b"] })).toEqual(["fail nodeSubnetIds"]);
  expect(said(type, { ...gpu, nodeRootVolumeSize: 100, amiType: "AL2023_x86_64_STANDARD" })).toEqual(["fail amiType"]);
  expect(said(type, { ...gpu, nodeRootVolumeSize: 100, maxSize: unknown })).toEqual([
    "unknown maxSize",
    "unknown maxSize",
  ]);
  expect(said(type, { ...misordered, instanceType: "t3.medium", gpu: false })).toEqual(["fail maxSize"]);
});

describe("the default group of a cluster", () => {
  test("is in the private subnets of the cluster", () => {
    const spread = { ...gpu, nodeRootVolumeSize: 100, privateSubnetIds: ["a", "b"] };
    expect(said(cluster, spread)).toEqual(["fail privateSubnetIds"]);
    expect(said(cluster, { ...spread, nodeSubnetIds: ["a"] })).toEqual([]);
  });

  test.for([
    ["disabled", { skipDefaultNodeGroup: true }, []],
    ["with Fargate", { fargate: true }, []],
    ["with settings of Fargate", { fargate: { selectors: [] } }, []],
    ["with EKS Auto Mode", { autoMode: { enabled: true } }, []],
    ["no Fargate", { fargate: false, skipDefaultNodeGroup: false, autoMode: { enabled: false } }, ["fail maxSize"]],
    ["known only after the update", { skipDefaultNodeGroup: unknown }, ["unknown skipDefaultNodeGroup"]],
  ] as const)("%s", ([, more, expected]) => {
    expect(verdicts(nodegroupScalingOrder, [resource(cluster, { ...misordered, ...more })])).toEqual(expected);
  });

  test("in nodeGroupOptions", () => {
    const inOptions = resource(cluster, { version: "1.35", nodeGroupOptions: misordered });
    expect(verdicts(nodegroupScalingOrder, [inOptions])).toEqual(["fail nodeGroupOptions.maxSize"]);
    expect(verdicts(gpuDesiredZero, [inOptions])).toEqual(["fail nodeGroupOptions.desiredCapacity"]);
    expect(verdicts(gpuDesiredZero, [resource(cluster, { nodeGroupOptions: unknown })])).toEqual([
      "unknown nodeGroupOptions",
    ]);
  });

  test("in a preview, which has the Auto Scaling group of the cluster instead", () => {
    const template = resource(
      "aws:ec2/launchTemplate:LaunchTemplate",
      { instanceType: "g5.xlarge", blockDeviceMappings: [{ ebs: { volumeSize: 100 } }] },
      { name: "shop-launchTemplate", urn: urnOf(`${cluster}$aws:ec2/launchTemplate:LaunchTemplate`, "shop-lt") },
    );
    const group = resource(
      "aws:autoscaling/group:Group",
      { minSize: 1, maxSize: 2, desiredCapacity: 2, launchTemplate: { name: "lt", version: "1" } },
      {
        name: "shop",
        urn: urnOf(`${cluster}$aws:autoscaling/group:Group`, "shop"),
        propertyDependencies: { launchTemplate: [template.urn] },
      },
    );
    const stack = [resource(cluster, {}, { name: "shop" }), template, group];
    expect(verdicts(gpuDesiredZero, stack)).toEqual(["fail minSize", "fail desiredCapacity"]);
    // An SDK that passes the arguments of the component reports them there, once.
    const passed = [resource(cluster, { ...gpu, minSize: 1, desiredCapacity: 2 }, { name: "shop" }), template, group];
    expect(verdicts(gpuDesiredZero, passed)).toEqual(["fail minSize", "fail desiredCapacity"]);
  });
});

describe("a NodeGroup in a preview, which has a CloudFormation stack and a launch configuration", () => {
  /** As nodejs/eks/nodes/nodegroup.ts of @pulumi/eks 4.3.0 writes it. */
  const body = ({ min = 0, desired = 0, max = 2, subnets = ["subnet-0"] } = {}) => `
                AWSTemplateFormatVersion: '2010-09-09'
                Outputs:
                    NodeGroup:
                        Value: !Ref NodeGroup
                Resources:
                    NodeGroup:
                        Type: AWS::AutoScaling::AutoScalingGroup
                        Properties:
                          DesiredCapacity: ${desired}
                          LaunchConfigurationName: gpu-nodeLaunchConfiguration-1a2b3c
                          MinSize: ${min}
                          MaxSize: ${max}
                          VPCZoneIdentifier: ${JSON.stringify(subnets)}
                          Tags:
                          
                          - Key: Name
                            Value: shop-worker
                            PropagateAtLaunch: 'true'
                        UpdatePolicy:
                          AutoScalingRollingUpdate:
                            MinInstancesInService: '1'
                            MaxBatchSize: '1'
                `;
  const inGroup = (type: string) => urnOf(`${groupV1}$${type}`, "gpu-nodes");
  const configuration = (more: object = {}) =>
    resource(
      "aws:ec2/launchConfiguration:LaunchConfiguration",
      { instanceType: "g5.xlarge", imageId: "ami-0", rootBlockDevice: { volumeSize: 100 }, ...more },
      { name: "gpu-nodeLaunchConfiguration", urn: inGroup("aws:ec2/launchConfiguration:LaunchConfiguration") },
    );
  const stackOf = (templateBody: unknown, launch: AnalyzedResource = configuration(), inside = true) => [
    resource(groupV1, {}, { name: "gpu" }),
    launch,
    resource(
      "aws:cloudformation/stack:Stack",
      { name: "gpu-1a2b3c", templateBody },
      {
        name: "gpu-nodes",
        ...(inside && { urn: inGroup("aws:cloudformation/stack:Stack") }),
        propertyDependencies: { templateBody: [launch.urn] },
      },
    ),
  ];

  test.for([
    ["at rest", stackOf(body()), []],
    ["a desired size", stackOf(body({ desired: 2 })), ["fail templateBody.DesiredCapacity"]],
    [
      "a minimum",
      stackOf(body({ min: 1, desired: 1 })),
      ["fail templateBody.MinSize", "fail templateBody.DesiredCapacity"],
    ],
    ["another machine", stackOf(body({ desired: 2 }), configuration({ instanceType: "t3.medium" })), []],
    ["an unknown template", stackOf(unknown), ["unknown templateBody"]],
    ["no machine", stackOf(body({ desired: 2 }), configuration({ instanceType: unknown })), ["unknown instanceType"]],
    ["a CloudFormation stack of another kind", stackOf(body({ desired: 2 }), configuration(), false), []],
    ["no template", stackOf("{"), []],
  ] as const)("size: %s", ([, stack, expected]) => {
    expect(verdicts(gpuDesiredZero, stack)).toEqual(expected);
  });

  test("other rules", () => {
    expect(verdicts(nodegroupScalingOrder, stackOf(body({ desired: 3 })))).toEqual(["fail templateBody.MaxSize"]);
    expect(verdicts(gpuVcpuQuota, stackOf(body({ max: 3 })))).toEqual(["fail templateBody.MaxSize"]);
    expect(verdicts(gpuVcpuQuota, stackOf(body(), configuration({ spotPrice: "1" })))).toEqual([
      "fail templateBody.MaxSize",
    ]);
    expect(verdicts(gpuSingleAz, stackOf(body({ subnets: ["a", "b"] })))).toEqual([
      "fail templateBody.VPCZoneIdentifier",
    ]);
    const small = configuration({ rootBlockDevice: { volumeSize: 20 } });
    expect(verdicts(gpuNodeDisk, stackOf(body(), small))).toEqual(["fail rootBlockDevice.volumeSize"]);
    const updating = configuration({ userData: "#!/bin/bash\ndnf upgrade -y --releasever=latest\n" });
    expect(verdicts(gpuUserdataDrift, stackOf(body(), updating))).toEqual(["fail userData"]);
  });
});
