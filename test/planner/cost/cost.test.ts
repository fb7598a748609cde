import * as aws from "@pulumi/aws/ec2";
import * as awsEks from "@pulumi/aws/eks";
import * as kms from "@pulumi/aws/kms";
import * as logs from "@pulumi/aws/cloudwatch";
import { Provider } from "@pulumi/aws/provider";
import { Cluster } from "@pulumi/eks/cluster";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test, vi } from "vitest";
import { costNotes } from "../../../components/cost/cost-notes";
import { environmentCost } from "../../../components/cost/environment-cost";
import { price as listPrice, priceTableDate } from "../../../components/cost/prices";
import { planCost, type CostReport } from "../../../planner/cost/cost";
import type { RecordedResource, Recording } from "../../../planner/record/record";
import { unknownSentinel as unknown } from "../../../components/core/wire";
import { plan } from "../../support/plan";

vi.mock("../../../components/cost/price-table.json", () => import("../../fixtures/price-table.json"));

const seoul = "ap-northeast-2";
const alarm = "aws:cloudwatch/metricAlarm:MetricAlarm";
const now = new Date("2026-11-21");
const price = (recording: Recording, region = seoul) => planCost(recording, region, { now });

type Given = Pick<RecordedResource, "type"> & Partial<RecordedResource>;

/** A recording of resources that are named by their place: r0, r1, … */
function recordingOf(...given: Given[]): Recording {
  const resources = given.map((resource, place): RecordedResource => {
    const name = resource.name ?? `r${place}`;
    return {
      urn: `urn:pulumi:test::p::${resource.type}::${name}`,
      name,
      custom: true,
      remote: false,
      inputs: {},
      secretPaths: [],
      dependencies: [],
      propertyDependencies: {},
      options: { ignoreChanges: [], protect: false, deleteBeforeReplace: false, retainOnDelete: false },
      ...resource,
    };
  });
  return { project: "p", stack: "test", resources, outputs: {}, secretOutputs: [], diagnostics: [] };
}

const summaryOf = ({ atRest }: CostReport) =>
  atRest.lines.map(({ item, quantity, usdPerHour, note }) => [
    item,
    quantity,
    usdPerHour === undefined ? "unknown" : Number(usdPerHour.toFixed(6)),
    ...(note === undefined ? [] : [note]),
  ]);
const linesOf = (...given: Given[]) => summaryOf(price(recordingOf(...given)));
const urnOf = (type: string, name: string) => `urn:pulumi:test::p::${type}::${name}`;

const launchTemplate = "aws:ec2/launchTemplate:LaunchTemplate";
const nodeGroup = "aws:eks/nodeGroup:NodeGroup";
const subnet = "aws:ec2/subnet:Subnet";
const { noPrice: notPriced, assumedGp3: gp3 } = costNotes;
const leftSupport = costNotes.supportEnded("1.33", "standard", "2026-07-29");

/** The billed parts of the gpu-lab stack, without the components of this library. */
function smallLab(gpuDesired: number) {
  const group = (name: string, instanceType: string, desiredSize: number, maxSize: number, volumeSize: number) => {
    const template = new aws.LaunchTemplate(name, {
      blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize, volumeType: "gp3", encrypted: "true" } }],
    });
    new awsEks.NodeGroup(name, {
      clusterName: "myeks",
      nodeRoleArn: "arn:aws:iam::123456789012:role/node",
      subnetIds: ["subnet-1"],
      amiType: instanceType.startsWith("g") ? "AL2023_x86_64_NVIDIA" : "AL2023_x86_64_STANDARD",
      instanceTypes: [instanceType],
      scalingConfig: { desiredSize, minSize: 0, maxSize },
      launchTemplate: { id: template.id, version: pulumi.interpolate`${template.latestVersion}` },
    });
  };
  return () => {
    const address = new aws.Eip("nat");
    new aws.NatGateway("nat", { subnetId: "subnet-1", allocationId: address.id });
    const key = new kms.Key("secrets");
    new kms.Alias("secrets", { targetKeyId: key.id });
    new logs.LogGroup("control-plane", { retentionInDays: 7 });
    new Cluster("cluster", {
      name: "myeks",
      version: "1.35",
      skipDefaultNodeGroup: true,
      encryptionConfigKeyArn: key.arn,
      upgradePolicy: { supportType: "STANDARD" },
    });
    group("system", "t3.medium", 2, 4, 30);
    group("gpu", "g5.xlarge", gpuDesired, 2, 100);
  };
}

describe("a small lab", () => {
  const sizes = {
    region: seoul,
    kubernetesVersion: "1.35",
    supportType: "STANDARD",
    natGateways: 1,
    publicIpv4: 1,
    systemNodes: { instanceType: "t3.medium", desiredSize: 2, diskSizeGiB: 30 },
    gpuNodes: { instanceType: "g5.xlarge", desiredSize: 0, diskSizeGiB: 100, capacityType: "ON_DEMAND" },
    secretsKey: "own",
    interfaceEndpoints: 0,
    now,
  } as const;

  test.for([0, 2])("with %i GPU nodes the plan and the component agree line by line", async (desiredSize) => {
    const report = price(await plan(smallLab(desiredSize)));
    const component = environmentCost({ ...sizes, gpuNodes: { ...sizes.gpuNodes, desiredSize } });
    expect(report.atRest).toEqual(component.atRest);
    expect(report.gpuGroups[0]?.lines).toEqual(component.perGpuNodeHour.lines);
    expect(report.usageBased).toEqual(component.usageBased);
  });

  test("at rest, a GPU node and a session cost what a computation by hand gives", async () => {
    const report = price(await plan(smallLab(0)));
    expect(report.atRest.usdPerHour).toBeCloseTo(0.27686575342, 10);
    expect(report.atRest.complete).toBe(true);
    expect(report.gpuGroups).toMatchObject([{ name: "gpu", instanceType: "g5.xlarge", maxSize: 2 }]);
    expect(report.gpuGroups[0]?.usdPerNodeHour).toBeCloseTo(1.24949315068, 10);
    expect(report.gpuGroups[0]?.usdPerHourAtMax).toBeCloseTo(2.49898630137, 10);
    expect(report.sessionHour).toMatchObject({ usd: expect.closeTo(2.77585205479, 10) as number, complete: true });
    expect(report.sessionHour.lines).toContainEqual(
      expect.objectContaining({ item: "g5.xlarge, on demand", quantity: 2 }),
    );
  });

  test("a running GPU node is in the session once", async () => {
    const [resting, running] = [price(await plan(smallLab(0))), price(await plan(smallLab(1)))];
    expect(running.atRest.usdPerHour).toBeCloseTo(0.27686575342 + 1.24949315068, 10);
    expect(running.sessionHour.usd).toBeCloseTo(resting.sessionHour.usd, 10);
  });

  test("the prices have sources and a date, and the report is plain JSON", async () => {
    const report = price(await plan(smallLab(0)));
    const { source, date } = listPrice(seoul, "g5.xlarge") ?? {};
    expect(report.pricesAsOf <= String(date)).toBe(true);
    expect(report.sources).toContain(`${source}, ${date}`);
    expect(report.priceTable.date).toBe(priceTableDate);
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  test("without a price table for the region the totals are lower bounds", async () => {
    const report = price(await plan(smallLab(0)), "cn-north-1");
    expect(report.atRest).toMatchObject({ usdPerHour: 0, complete: false });
    expect(report.gpuGroups).toMatchObject([{ usdPerNodeHour: undefined, usdPerHourAtMax: undefined }]);
    expect(report.sessionHour).toMatchObject({ usd: 0, complete: false });
    expect(report).toMatchObject({ pricesAsOf: priceTableDate, sources: [] });
  });
});

test("what is in a region that is known only after the update has no price", () => {
  const provider = "pulumi:providers:aws";
  const later = { type: provider, name: "later", inputs: { region: unknown } };
  const gateway = { type: "aws:ec2/natGateway:NatGateway" };
  const machine = { type: "aws:ec2/instance:Instance", inputs: { instanceType: "g5.xlarge" } };
  const reference = { provider: `${urnOf(provider, "later")}::${unknown}` };
  const note = costNotes.noPriceIn("a region that is known only after the update");
  for (const given of [
    [later, { ...gateway, ...reference }, { ...machine, ...reference }],
    [
      later,
      { ...gateway, inputs: { region: unknown } },
      { ...machine, inputs: { ...machine.inputs, region: unknown } },
    ],
  ])
    expect(linesOf(...given).filter(([item]) => !String(item).startsWith("EBS"))).toEqual([
      ["NAT gateway", 1, "unknown", note],
      ["g5.xlarge, on demand", 1, "unknown", note],
    ]);
  expect(linesOf({ type: provider }, gateway)[0]?.[2]).toBeGreaterThan(0);
});

test("a resource is priced in its own region, in its provider's, or in the stack's", async () => {
  const report = price(
    await plan(() => {
      const tokyo = new Provider("tokyo", { region: "ap-northeast-1" });
      new aws.NatGateway("here", { subnetId: "subnet-1" });
      new aws.NatGateway("there", { subnetId: "subnet-2" }, { provider: tokyo });
      new aws.NatGateway("elsewhere", { subnetId: "subnet-3", region: "us-east-1" }, { provider: tokyo });
    }),
  );
  expect(report.region).toBe(seoul);
  expect(summaryOf(report)).toEqual([
    ["NAT gateway", 1, 0.062],
    ["NAT gateway", 1, 0.059],
    ["NAT gateway", 1, 0.045],
  ]);
});

describe("clusters", () => {
  const cluster = (inputs: object, type = "aws:eks/cluster:Cluster") => ({ type, inputs: { ...inputs } });
  test.for([
    ["in standard support", { version: "1.35" }, [["EKS control plane", 1, 0.1]]],
    [
      "in extended support",
      { version: "1.33" },
      [
        ["EKS extended support surcharge", 1, 0.5, leftSupport],
        ["EKS control plane", 1, 0.1],
      ],
    ],
    [
      "with upgrade policy STANDARD",
      { version: "1.33", upgradePolicy: { supportType: "STANDARD" } },
      [["EKS control plane", 1, 0.1, `${leftSupport}; ${costNotes.automaticUpgrade}`]],
    ],
    ["with an unknown version", { version: unknown }, [["EKS control plane", 1, 0.1, costNotes.defaultVersion]]],
    [
      "with Auto Mode and a larger control plane",
      { version: "1.35", computeConfig: { enabled: true }, controlPlaneScalingConfig: { tier: "tier-xl" } },
      [
        ["EKS control plane", 1, 0.1],
        ["EKS Auto Mode nodes r0", 1, "unknown", notPriced],
        ["control plane tier tier-xl r0", 1, "unknown", notPriced],
      ],
    ],
  ] as const)("%s", ([, inputs, lines]) => expect(linesOf(cluster(inputs))).toEqual(lines));

  test("the default nodes of the @pulumi/eks cluster are not forgotten", () => {
    const given = cluster({ version: "1.35", nodeGroupOptions: { nodeRootVolumeType: "gp3" } }, "eks:index:Cluster");
    expect(linesOf(given)).toEqual([
      ["t3.medium, on demand", 2, 0.104],
      ["EKS control plane", 1, 0.1],
      ["EBS gp3 storage", 40, 0.004997],
    ]);
  });

  test.for([
    ["skipDefaultNodeGroup", { skipDefaultNodeGroup: true }],
    ["fargate", { fargate: { selectors: [] } }],
    ["Auto Mode", { autoMode: { enabled: true } }],
  ] as const)("%s leaves them out", ([, inputs]) => {
    const lines = linesOf(cluster({ version: "1.35", ...inputs }, "eks:index:Cluster"));
    expect(lines.map(([item]) => item)).not.toContain("t3.medium, on demand");
  });

  test("logs and Fargate cost by use", () => {
    const given = cluster({ version: "1.35", enabledClusterLogTypes: ["api"], fargate: true }, "eks:index:Cluster");
    const usage = price(recordingOf(given)).usageBased.map(({ item, usdPerUnit }) => [item, usdPerUnit]);
    expect(usage).toEqual([
      ["CloudWatch Logs ingest", 0.76],
      ["Fargate", undefined],
    ]);
  });
});

describe("node groups", () => {
  const scalingConfig = { desiredSize: 1, minSize: 1, maxSize: 3 };
  const group = (inputs: object, template?: object): Given[] => [
    {
      type: nodeGroup,
      inputs: { scalingConfig, ...(template && { launchTemplate: { id: unknown, version: "1" } }), ...inputs },
      propertyDependencies: { launchTemplate: [urnOf(nodeGroup, "other"), urnOf(launchTemplate, "r1")] },
    },
    ...(template ? [{ type: launchTemplate, inputs: { ...template } }] : []),
  ];
  const g5 = ["g5.xlarge, on demand", 1, 1.237];

  test.for([
    [
      "no launch template: diskSize",
      group({ instanceTypes: ["g5.xlarge"], diskSize: 50 }),
      [g5, ["EBS gp3 storage", 50, 0.006247, gp3]],
    ],
    [
      "no type: t3.medium",
      group({}),
      [
        ["t3.medium, on demand", 1, 0.052],
        ["EBS gp3 storage", 20, 0.002499, gp3],
      ],
    ],
    [
      "a mapping for another device leaves the root at 20 GiB",
      group(
        { instanceTypes: ["g5.xlarge"] },
        { blockDeviceMappings: [{ deviceName: "/dev/sda1", ebs: { volumeSize: 30, volumeType: "gp3" } }] },
      ),
      [g5, ["EBS gp3 storage", 30, 0.003748], ["EBS gp3 storage", 20, 0.002499, gp3]],
    ],
    [
      "with an AMI of another family the first mapping is the root",
      group(
        { instanceTypes: ["g5.xlarge"], amiType: "CUSTOM" },
        { blockDeviceMappings: [{ deviceName: "/dev/sda1", ebs: { volumeSize: "30", volumeType: "gp3" } }] },
      ),
      [g5, ["EBS gp3 storage", 30, 0.003748]],
    ],
    [
      "a launch template that the program does not make",
      group({ launchTemplate: { name: "golden", version: "3" } }),
      [
        ["EBS gp3 storage", undefined, "unknown", `${gp3}; ${costNotes.unknownVolumeSize}`],
        ["instances of r0", 1, "unknown", costNotes.unknownInstanceType],
      ],
    ],
    [
      "several types: the dearest stands for them",
      group({ instanceTypes: ["g4dn.xlarge", "g5.xlarge", "t3.medium"], capacityType: "SPOT", diskSize: 20 }),
      [
        [
          "g5.xlarge, spot, at most",
          1,
          1.237,
          `${costNotes.instanceChoice(["g4dn.xlarge", "g5.xlarge", "t3.medium"])}; ${costNotes.spot}`,
        ],
        ["EBS gp3 storage", 20, 0.002499, gp3],
      ],
    ],
    [
      "several types, one without a price",
      group({ instanceTypes: ["g5.xlarge", "g7.2xlarge"] }),
      [
        ["EBS gp3 storage", 20, 0.002499, gp3],
        [
          "g7.2xlarge, on demand",
          1,
          "unknown",
          `${costNotes.instanceChoice(["g5.xlarge", "g7.2xlarge"])}; ${costNotes.noPriceIn(seoul)}`,
        ],
      ],
    ],
    [
      "spot by the launch template",
      group({ instanceTypes: ["g5.xlarge"] }, { instanceMarketOptions: { marketType: "spot" } }),
      [
        ["g5.xlarge, spot, at most", 1, 1.237, costNotes.spot],
        ["EBS gp3 storage", 20, 0.002499, gp3],
      ],
    ],
    [
      "a capacity block",
      group({ instanceTypes: ["p5.48xlarge"], capacityType: "CAPACITY_BLOCK" }),
      [
        ["EBS gp3 storage", 20, 0.002499, gp3],
        ["p5.48xlarge, capacity block", 1, "unknown", costNotes.capacityBlock],
      ],
    ],
    ["no node", group({ instanceTypes: ["g7.2xlarge"], scalingConfig: { desiredSize: 0, maxSize: 2 } }), []],
  ] as const)("%s", ([, given, lines]) => expect(linesOf(...given)).toEqual(lines));

  test("nodes in a public subnet have public addresses, unless the launch template disables them", () => {
    const inPublic = (template: object) =>
      linesOf(
        {
          type: nodeGroup,
          inputs: { scalingConfig: { desiredSize: 3 }, launchTemplate: { id: unknown } },
          propertyDependencies: {
            subnetIds: [urnOf(subnet, "r2")],
            launchTemplate: [urnOf(launchTemplate, "r1")],
          },
        },
        { type: launchTemplate, inputs: { ...template } },
        { type: subnet, inputs: { mapPublicIpOnLaunch: true } },
      ).filter(([item]) => item === "public IPv4 address");
    expect(inPublic({})).toEqual([["public IPv4 address", 3, 0.015]]);
    expect(inPublic({ networkInterfaces: [{ associatePublicIpAddress: "false" }] })).toEqual([]);
    expect(inPublic({ networkInterfaces: [{ associatePublicIpAddress: "true" }] })).toHaveLength(1);
  });

  test("the groups of @pulumi/eks have that package's defaults", () => {
    expect(linesOf({ type: "eks:index:ManagedNodeGroup", remote: true, custom: false })).toEqual([
      ["t3.medium, on demand", 2, 0.104],
      ["EBS gp3 storage", 40, 0.004997, gp3],
    ]);
    for (const type of ["eks:index:NodeGroup", "eks:index:NodeGroupV2"]) {
      const inputs = { instanceType: "g5.xlarge", spotPrice: "1", nodeAssociatePublicIpAddress: true };
      expect(linesOf({ type, remote: true, custom: false, inputs })).toEqual([
        ["g5.xlarge, spot, at most", 2, 2.474, costNotes.spot],
        ["public IPv4 address", 2, 0.01],
        ["EBS gp2 storage", 40, 0.006247],
      ]);
      const late = linesOf({ type, remote: true, custom: false, inputs: { instanceType: unknown } });
      expect(late.map(([item]) => item)).toContain("instances of r0");
    }
  });
});

describe("node groups of other packages and of controllers", () => {
  const sizes = { minSize: 1, maxSize: 4 };
  const own = { instanceTypes: ["g5.xlarge"], scalingConfig: { desiredSize: 3, ...sizes } };
  test.for([
    ["aws-native:eks:Nodegroup", own, 3],
    ["kubernetes:eks.services.k8s.aws/v1alpha1:Nodegroup", { spec: own }, 3],
    [
      "kubernetes:eks.aws.upbound.io/v1beta2:NodeGroup",
      { spec: { forProvider: { region: "us-east-1", ...own } } },
      3,
      "us-east-1",
    ],
    ["kubernetes:eks.services.k8s.aws/v1alpha1:Nodegroup", { spec: { ...own, scalingConfig: unknown } }, undefined],
  ] as const)("%s", ([type, inputs, nodes, region = seoul]) => {
    const report = price(recordingOf({ type, inputs }));
    const line = report.atRest.lines.find(({ item }) => item.startsWith("g5.xlarge"));
    expect(line).toMatchObject({ item: "g5.xlarge, on demand", quantity: nodes });
    expect(line?.usdPerUnit).toBe(listPrice(region, "g5.xlarge")?.usd);
    expect(report.gpuGroups).toMatchObject([{ name: "r0", maxSize: nodes === undefined ? undefined : 4 }]);
  });
});

describe("Auto Scaling groups", () => {
  const group = "aws:autoscaling/group:Group";
  const using = (inputs: object, by: string, template: object): Given[] => [
    { type: group, inputs: { ...inputs }, propertyDependencies: { [by]: [urnOf(launchTemplate, "r1")] } },
    { type: launchTemplate, inputs: { ...template } },
  ];
  const disk = { blockDeviceMappings: [{ deviceName: "/dev/sda1", ebs: { volumeSize: 40, volumeType: "gp3" } }] };
  test.for([
    [
      "type and disk from the launch template, size by default the minimum",
      using({ minSize: 1, maxSize: 2, launchTemplate: { id: unknown } }, "launchTemplate", {
        instanceType: "g5.xlarge",
        ...disk,
      }),
      [
        ["g5.xlarge, on demand", 1, 1.237],
        ["EBS gp3 storage", 40, 0.004997],
      ],
    ],
    [
      "a mixed instances policy",
      using(
        {
          desiredCapacity: 2,
          mixedInstancesPolicy: {
            launchTemplate: { overrides: [{ instanceType: "g5.xlarge" }, { instanceType: "g4dn.xlarge" }] },
          },
        },
        "mixedInstancesPolicy",
        disk,
      ),
      [
        ["g5.xlarge, on demand", 2, 2.474, costNotes.instanceChoice(["g5.xlarge", "g4dn.xlarge"])],
        ["EBS gp3 storage", 80, 0.009995],
      ],
    ],
  ] as const)("%s", ([, given, lines]) => expect(linesOf(...given)).toEqual(lines));
});

describe("other resources", () => {
  const instance = "aws:ec2/instance:Instance";
  test.for([
    [
      "a regional NAT gateway",
      { type: "aws:ec2/natGateway:NatGateway", inputs: { availabilityMode: "regional" } },
      [["NAT gateway", undefined, "unknown", costNotes.unknownQuantity]],
    ],
    ["an address", { type: "aws:ec2/eip:Eip" }, [["public IPv4 address", 1, 0.005]]],
    ["a key", { type: "aws:kms/key:Key" }, [["KMS key", 1, 0.00137]]],
    ["an alarm", { type: alarm, inputs: { metricName: "m", period: 300 } }, [["CloudWatch alarm", 1, 0.000137]]],
    [
      "an alarm of high resolution",
      { type: alarm, inputs: { metricName: "m", period: 10 } },
      [["CloudWatch alarm r0", 1, "unknown", notPriced]],
    ],
    [
      "an alarm on several metrics",
      { type: alarm, inputs: { metricQueries: [{ id: "a" }, { id: "b" }] } },
      [["CloudWatch alarm r0", 1, "unknown", notPriced]],
    ],
    ["a replica of a key", { type: "aws:kms/replicaKey:ReplicaKey" }, [["KMS key", 1, 0.00137]]],
    ["an imported key", { type: "aws:kms/externalKey:ExternalKey" }, [["KMS key", 1, 0.00137]]],
    ["a gateway endpoint", { type: "aws:ec2/vpcEndpoint:VpcEndpoint", inputs: { serviceName: "s3" } }, []],
    [
      "an interface endpoint in three zones",
      {
        type: "aws:ec2/vpcEndpoint:VpcEndpoint",
        inputs: { vpcEndpointType: "Interface", subnetIds: [unknown, unknown, unknown] },
      },
      [["interface endpoint, per zone", 3, 0.039]],
    ],
    [
      "an interface endpoint in subnets not known yet",
      { type: "aws:ec2/vpcEndpoint:VpcEndpoint", inputs: { vpcEndpointType: "Interface", subnetIds: unknown } },
      [["interface endpoint, per zone", undefined, "unknown", costNotes.unknownQuantity]],
    ],
    [
      "another endpoint",
      { type: "aws:ec2/vpcEndpoint:VpcEndpoint", inputs: { vpcEndpointType: "Resource" } },
      [["Resource endpoint r0", 1, "unknown", notPriced]],
    ],
    [
      "an endpoint of unknown kind",
      { type: "aws:ec2/vpcEndpoint:VpcEndpoint", inputs: { vpcEndpointType: unknown } },
      [["unknown kind of endpoint r0", 1, "unknown", notPriced]],
    ],
    [
      "a volume",
      { type: "aws:ebs/volume:Volume", inputs: { size: 100, type: "gp3" } },
      [["EBS gp3 storage", 100, 0.012493]],
    ],
    [
      "a capacity reservation",
      {
        type: "aws:ec2/capacityReservation:CapacityReservation",
        inputs: { instanceType: "g5.xlarge", instanceCount: 2 },
      },
      [["g5.xlarge, on demand", 2, 2.474, costNotes.reservation]],
    ],
    [
      "a capacity reservation of unknown type",
      { type: "aws:ec2/capacityReservation:CapacityReservation", inputs: { instanceType: unknown } },
      [["instances of r0", undefined, "unknown", costNotes.unknownInstanceType]],
    ],
    [
      "an instance",
      {
        type: instance,
        inputs: {
          instanceType: "g5.xlarge",
          rootBlockDevice: { volumeSize: 50, volumeType: "gp3" },
          ebsBlockDevices: [{ volumeSize: 10, volumeType: "gp3" }],
          associatePublicIpAddress: true,
        },
      },
      [
        ["g5.xlarge, on demand", 1, 1.237],
        ["EBS gp3 storage", 60, 0.007496],
        ["public IPv4 address", 1, 0.005],
      ],
    ],
    [
      "a spot instance with the AMI's own disk",
      { type: instance, inputs: { instanceType: "g5.xlarge", instanceMarketOptions: { marketType: "spot" } } },
      [
        ["g5.xlarge, spot, at most", 1, 1.237, costNotes.spot],
        ["EBS gp3 storage", undefined, "unknown", `${gp3}; ${costNotes.unknownVolumeSize}`],
      ],
    ],
    [
      "an instance of unknown type",
      { type: instance, inputs: { rootBlockDevice: { volumeSize: 50, volumeType: "gp3" } } },
      [
        ["EBS gp3 storage", 50, 0.006247],
        ["instances of r0", 1, "unknown", costNotes.unknownInstanceType],
      ],
    ],
    [
      "a public load balancer",
      { type: "aws:lb/loadBalancer:LoadBalancer", inputs: { subnets: ["a", "b"] } },
      [
        ["public IPv4 address", 2, 0.01],
        ["application load balancer", 1, "unknown", `${costNotes.loadBalancerTraffic}; ${costNotes.noPriceIn(seoul)}`],
      ],
    ],
    [
      "an internal load balancer",
      { type: "aws:alb/loadBalancer:LoadBalancer", inputs: { internal: true, subnets: ["a"] } },
      [["application load balancer", 1, "unknown", `${costNotes.loadBalancerTraffic}; ${costNotes.noPriceIn(seoul)}`]],
    ],
    [
      "a load balancer with addresses of its own",
      {
        type: "aws:lb/loadBalancer:LoadBalancer",
        inputs: { subnetMappings: [{ subnetId: "a", allocationId: unknown }] },
      },
      [["application load balancer", 1, "unknown", `${costNotes.loadBalancerTraffic}; ${costNotes.noPriceIn(seoul)}`]],
    ],
    [
      "a Service with a load balancer",
      { type: "kubernetes:core/v1:Service", inputs: { spec: { type: "LoadBalancer" } } },
      [["load balancer of the Service r0", 1, "unknown", notPriced]],
    ],
    ["a Service without", { type: "kubernetes:core/v1:Service", inputs: { spec: { type: "ClusterIP" } } }, []],
    [
      "a claim",
      { type: "kubernetes:core/v1:PersistentVolumeClaim" },
      [["volume of the PersistentVolumeClaim r0", 1, "unknown", notPriced]],
    ],
    ...["kubernetes:helm.sh/v3:Release", "kubernetes:helm.sh/v3:Chart", "argoproj.io/v1alpha1:Application"].map(
      (type) =>
        [
          `what ${type} creates`,
          { type, custom: !type.endsWith("Chart"), unseen: [{ why: "late", fix: "wait" }] },
          [[`${type} r0`, 1, "unknown", costNotes.unseen]],
        ] as const,
    ),
    ...[
      "kubernetes:eks.services.k8s.aws/v1alpha1:Cluster",
      "kubernetes:ec2.aws.upbound.io/v1beta1:EIP",
      "kubernetes:ec2.aws.m.upbound.io/v1beta1:NATGateway",
      "kubernetes:controlplane.cluster.x-k8s.io/v1beta2:AWSManagedControlPlane",
    ].map(
      (type) =>
        [`what a controller creates for ${type}`, { type }, [[`${type} r0`, 1, "unknown", costNotes.unseen]]] as const,
    ),
    ...["iam.aws.upbound.io/v1beta1:Role", "cluster.x-k8s.io/v1beta1:MachinePool", "batch/v1:Job"].map(
      (type) => [`the custom resource ${type}`, { type: `kubernetes:${type}` }, []] as const,
    ),
    ["a component, all parts seen", { type: "kubernetes:yaml/v2:ConfigFile", remote: true, custom: false }, []],
    ["a free @pulumi/eks component", { type: "eks:index:NodeGroupSecurityGroup", remote: true, custom: false }, []],
    ["a component of the program", { type: "eks-gpu-lab:index:GpuEnvironment", custom: false }, []],
  ] as const)("%s", ([, given, lines]) => expect(linesOf(given as Given)).toEqual(lines));

  test("an instance in a public subnet has a public address", () => {
    const lines = linesOf(
      {
        type: instance,
        inputs: { instanceType: "g5.xlarge" },
        propertyDependencies: { subnetId: [urnOf(subnet, "r1")] },
      },
      { type: subnet, inputs: { mapPublicIpOnLaunch: true } },
    );
    expect(lines).toContainEqual(["public IPv4 address", 1, 0.005]);
  });

  test.for([
    "aws:ec2/vpc:Vpc",
    "aws:ec2/subnet:Subnet",
    "aws:ec2/internetGateway:InternetGateway",
    "aws:ec2/routeTableAssociation:RouteTableAssociation",
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup",
    "aws:ec2/launchTemplate:LaunchTemplate",
    "aws:ec2/flowLog:FlowLog",
    "aws:ec2/vpcEndpointRouteTableAssociation:VpcEndpointRouteTableAssociation",
    "aws:ec2/placementGroup:PlacementGroup",
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
    "aws:iam/role:Role",
    "aws:eks/addon:Addon",
    "aws:eks/accessEntry:AccessEntry",
    "aws:eks/podIdentityAssociation:PodIdentityAssociation",
    "aws:autoscaling/tag:Tag",
    "aws:kms/alias:Alias",
    "aws:cloudwatch/logGroup:LogGroup",
    "aws:scheduler/schedule:Schedule",
    "aws:scheduler/scheduleGroup:ScheduleGroup",
    "aws:sqs/queue:Queue",
    "aws:sqs/queuePolicy:QueuePolicy",
    "aws:budgets/budget:Budget",
    "aws-native:iam:Role",
    "pulumi:providers:aws",
    "kubernetes:helm.sh/v3:Release",
    "random:index/randomId:RandomId",
  ])("%s costs nothing by the hour", (type) => {
    expect(price(recordingOf({ type })).atRest).toEqual({ lines: [], usdPerHour: 0, usdPerMonth: 0, complete: true });
  });

  test.for([
    "aws:ec2/vpnConnection:VpnConnection",
    "aws:ec2transitgateway/transitGateway:TransitGateway",
    "aws:vpc/routeServer:RouteServer",
    "aws:eks/capability:Capability",
    "aws:route53/zone:Zone",
    "aws:fsx/lustreFileSystem:LustreFileSystem",
    "aws:rds/instance:Instance",
    "aws-native:rds:DBInstance",
  ])("%s may cost, and is not dropped", (type) => {
    expect(linesOf({ type })).toEqual([[`${type} r0`, 1, "unknown", notPriced]]);
  });

  test.for([
    [
      "aws:eks/cluster:Cluster",
      "aws-native:eks:Cluster",
      { version: "1.33", upgradePolicy: { supportType: "EXTENDED" } },
    ],
    ["aws:ec2/natGateway:NatGateway", "aws-native:ec2:NatGateway", {}],
    ["aws:ec2/eip:Eip", "aws-native:ec2:Eip", {}],
    [
      "aws:ec2/vpcEndpoint:VpcEndpoint",
      "aws-native:ec2:VpcEndpoint",
      { vpcEndpointType: "Interface", subnetIds: ["a"] },
    ],
    ["aws:kms/key:Key", "aws-native:kms:Key", {}],
    ["aws:kms/replicaKey:ReplicaKey", "aws-native:kms:ReplicaKey", {}],
    [alarm, "aws-native:cloudwatch:Alarm", { period: 60 }],
    ["aws:cloudwatch/logGroup:LogGroup", "aws-native:logs:LogGroup", {}],
    ["aws:ebs/volume:Volume", "aws-native:ec2:Volume", { size: 10, type: "io2", volumeType: "io2", iops: 500 }],
  ] as const)("%s and %s cost the same", ([type, native, inputs]) => {
    const [report, other] = [price(recordingOf({ type, inputs })), price(recordingOf({ type: native, inputs }))];
    expect(other).toEqual(report);
    expect(report.atRest.usdPerHour + report.usageBased.length).toBeGreaterThan(0);
  });

  test("an alarm of aws-native on several metrics has another price", () => {
    const metrics = [{ id: "a" }, { id: "b" }];
    expect(linesOf({ type: "aws-native:cloudwatch:Alarm", inputs: { metrics } })[0]?.[2]).toBe("unknown");
  });

  const machine = { instanceType: "m6i.large" };

  test.for([
    ["dedicated instances", { type: "aws:ec2/instance:Instance", inputs: { ...machine, tenancy: "dedicated" } }],
    ["dedicated instances", { type: "aws:ec2/instance:Instance", inputs: { ...machine, tenancy: "host" } }],
    [
      "Windows instances",
      { type: nodeGroup, inputs: { amiType: "WINDOWS_CORE_2022_x86_64", scalingConfig: { desiredSize: 1 } } },
    ],
  ] as const)("%s have no price of the table", ([what, given]) => {
    expect(linesOf(given)).toContainEqual([`${what} of r0`, 1, "unknown", notPriced]);
  });

  test("what costs by use is listed once, without an amount", () => {
    const report = price(
      recordingOf(
        { type: "aws:ec2/natGateway:NatGateway" },
        { type: "aws:ec2/natGateway:NatGateway" },
        { type: "aws:cloudwatch/logGroup:LogGroup" },
        { type: "aws:ec2/vpcEndpoint:VpcEndpoint", inputs: { vpcEndpointType: "Interface", subnetIds: [] } },
        { type: "aws:ec2/vpcEndpoint:VpcEndpoint" },
        { type: "aws:s3/bucket:Bucket" },
        { type: "aws:scheduler/schedule:Schedule" },
        { type: "aws:scheduler/scheduleGroup:ScheduleGroup" },
        { type: "aws:sqs/queue:Queue" },
        { type: "aws:sqs/queuePolicy:QueuePolicy" },
        { type: "aws:cloudwatch/metricAlarm:MetricAlarm" },
        { type: "aws:iam/role:Role" },
      ),
    );
    expect(report.usageBased.map(({ item, unit, usdPerUnit }) => [item, unit, usdPerUnit])).toEqual([
      ["CloudWatch Logs ingest", "GB", 0.76],
      ["EventBridge Scheduler", "use", undefined],
      ["NAT gateway data", "GB", 0.059],
      ["S3", "use", undefined],
      ["SQS", "use", undefined],
      ["interface endpoint data", "GB", 0.01],
    ]);
    expect(report.usageBased.flatMap(({ item, note }) => (note?.startsWith("free ") ? [[item, note]] : []))).toEqual([
      ["EventBridge Scheduler", costNotes.freeTier("14 million calls")],
      ["SQS", costNotes.freeTier("1 million requests")],
    ]);
  });
});

describe("GPU groups", () => {
  const group = (name: string, type: string, max: unknown, desired: unknown = 0): Given => ({
    type: nodeGroup,
    name,
    inputs: { instanceTypes: [type], diskSize: 100, scalingConfig: { desiredSize: desired, maxSize: max } },
  });

  test("are those whose type the catalog lists with a GPU, or whose family is a GPU one", () => {
    const groups = [
      group("a10g", "g5.xlarge", 2),
      group("part", "g6f.large", 1),
      group("new", "p9.48xlarge", 1),
      group("cpu", "m7i.large", 4),
      group("arm", "m8g.large", 4),
    ];
    expect(price(recordingOf(...groups)).gpuGroups.map(({ name }) => name)).toEqual(["a10g", "new", "part"]);
  });

  test("a type without a price has no amount, and makes the session a lower bound", () => {
    const report = price(recordingOf(group("gpu", "g7.2xlarge", 2)));
    expect(report.gpuGroups).toMatchObject([
      { instanceType: "g7.2xlarge", maxSize: 2, usdPerNodeHour: undefined, usdPerHourAtMax: undefined },
    ]);
    expect(report.atRest.complete).toBe(true);
    expect(report.sessionHour.complete).toBe(false);
  });

  test("a maximum that is not known yet leaves the price of one node", () => {
    const report = price(recordingOf(group("gpu", "g5.xlarge", unknown)));
    expect(report.gpuGroups[0]?.usdPerNodeHour).toBeCloseTo(1.249493, 6);
    expect(report.gpuGroups[0]).toMatchObject({ maxSize: undefined, usdPerHourAtMax: undefined });
    expect(report.sessionHour).toMatchObject({ usd: 0, complete: false });
  });
});

test("an empty program costs nothing", () => {
  expect(planCost(recordingOf(), seoul)).toEqual({
    region: seoul,
    atRest: { lines: [], usdPerHour: 0, usdPerMonth: 0, complete: true },
    gpuGroups: [],
    sessionHour: { usd: 0, complete: true, lines: [] },
    usageBased: [],
    pricesAsOf: priceTableDate,
    priceTable: { date: priceTableDate },
    sources: [],
  });
});

test.for([
  ["aws:lb/loadBalancer:LoadBalancer", { loadBalancerType: "gateway" }, "gateway load balancer", 0.0147],
  ["aws:alb/loadBalancer:LoadBalancer", { internal: true }, "application load balancer", 0.02646],
  ["aws:elb/loadBalancer:LoadBalancer", { internal: true }, "classic load balancer", 0.0294],
] as const)("%s of %j has the hourly price of its type", ([type, inputs, item, usdPerHour]) => {
  expect(price(recordingOf({ type, inputs }), "eu-west-2").atRest.lines).toMatchObject([{ item, usdPerHour }]);
});

test("a report warns when a price that it uses is more than 180 days old", () => {
  const priceTableOf = (...given: Given[]) => planCost(recordingOf(...given), seoul, { now }).priceTable;
  expect(priceTableOf()).toEqual({ date: priceTableDate });
  expect(priceTableOf({ type: "aws:ec2/eip:Eip" })).toEqual({ date: priceTableDate });
  const gpu = { type: nodeGroup, inputs: { instanceTypes: ["g5.xlarge"], scalingConfig: { desiredSize: 0 } } };
  expect(priceTableOf(gpu).warning).toContain(" prices from 2025-04-04, more than 180 days ago");
});

describe("GPUs outside node groups", () => {
  const fleet = "aws:ec2/fleet:Fleet";
  const target = { defaultTargetCapacityType: "on-demand", totalTargetCapacity: 2 };
  const configs = [{ overrides: [{ instanceType: "g5.xlarge" }] }];
  const onDemand = "g5.xlarge, on demand";

  test("a fleet", () => {
    const of = (inputs: Record<string, unknown>) =>
      linesOf({
        type: fleet,
        inputs: { targetCapacitySpecification: target, launchTemplateConfigs: configs, ...inputs },
      });
    expect(of({})[0]).toEqual([onDemand, 2, 2.474]);
    const spot = { ...target, defaultTargetCapacityType: "spot" };
    expect(of({ targetCapacitySpecification: spot })[0]).toEqual([
      "g5.xlarge, spot, at most",
      2,
      2.474,
      costNotes.spot,
    ]);
    const weighted = [{ overrides: [{ instanceType: "g5.xlarge", weightedCapacity: 4 }] }];
    expect(of({ launchTemplateConfigs: weighted })).toContainEqual([
      onDemand,
      undefined,
      "unknown",
      costNotes.unknownQuantity,
    ]);
    expect(of({ targetCapacitySpecification: { ...target, totalTargetCapacity: 0 } })).toEqual([]);
    const report = price(
      recordingOf({ type: fleet, inputs: { targetCapacitySpecification: target, launchTemplateConfigs: configs } }),
    );
    expect(report.gpuGroups).toMatchObject([{ instanceType: "g5.xlarge", maxSize: 2 }]);
  });

  test.for([
    ["of any type", 2, {}, ["instances of r0", 2, "unknown", costNotes.unknownInstanceType]],
    ["no nodes", 0, { "node.kubernetes.io/instance-type": ["g5.xlarge"] }, undefined],
    ["as many as the pods need", undefined, { "node.kubernetes.io/instance-type": ["g5.xlarge"] }, undefined],
  ] as const)("a NodePool of Karpenter with %s", ([, replicas, required, first]) => {
    const requirements = Object.entries(required).map(([key, values]) => ({ key, operator: "In", values }));
    const inputs = { spec: { replicas, template: { spec: { requirements } } } };
    expect(
      linesOf({ type: "kubernetes:karpenter.sh/v1:NodePool", inputs }).find(
        ([item]) => !String(item).startsWith("EBS"),
      ),
    ).toEqual(first);
  });

  test("a schedule", () => {
    const group = "aws:autoscaling/group:Group";
    const overrides = [{ instanceType: "g5.xlarge" }];
    const of = (schedule: Record<string, unknown>, behind: readonly string[] = [urnOf(group, "r0")]) =>
      price(
        recordingOf(
          {
            type: group,
            inputs: { name: "gpu", minSize: 0, maxSize: 2, mixedInstancesPolicy: { launchTemplate: { overrides } } },
          },
          {
            type: "aws:autoscaling/schedule:Schedule",
            inputs: schedule,
            propertyDependencies: { autoscalingGroupName: behind },
          },
        ),
      ).usageBased.map(({ item, unit, usdPerUnit, note }) => [item, unit, usdPerUnit, note]);
    const line = (nodes?: number) => [
      `${onDemand}, by schedule`,
      "instance-hour",
      1.237,
      costNotes.schedule("r1", nodes),
    ];
    expect(of({ desiredCapacity: 2 })).toEqual([line(2)]);
    expect(of({ autoscalingGroupName: "gpu", desiredCapacity: 1 }, [])).toEqual([line(1)]);
    expect(of({ desiredCapacity: unknown })).toEqual([line()]);
    expect(of({ desiredCapacity: 0, minSize: -1 })).toEqual([]);
    expect(of({ autoscalingGroupName: "web", desiredCapacity: 1 }, [])).toEqual([
      ["nodes of schedule r1", "instance-hour", undefined, costNotes.schedule("r1", 1)],
    ]);
  });
});
