import { load } from "js-yaml";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../components/core/problems";
import { SystemNodeGroup, type SystemNodeGroupArgs } from "../../../components/nodes/system-node-group";
import {
  systemNodeGroupProblems,
  type SystemNodeGroupSettings,
} from "../../../components/nodes/system-node-group-schema";
import { amiReleases, kubernetesVersion } from "../../../components/core/versions";
import { unknownSentinel } from "../../../components/core/wire";
import { ofType, only, plan } from "../../support/plan";
import { testProblems } from "../../support/problems";

const wiring = {
  clusterName: "myeks",
  kubernetesVersion,
  subnetIds: ["subnet-a", "subnet-b", "subnet-c"],
  securityGroupIds: ["sg-1"],
} satisfies Partial<SystemNodeGroupArgs>;
const make = (args: Partial<SystemNodeGroupArgs> = {}) =>
  plan(() => void new SystemNodeGroup("system", { ...wiring, ...args }));

const groupType = "aws:eks/nodeGroup:NodeGroup";
const templateType = "aws:ec2/launchTemplate:LaunchTemplate";
const tools = ["tree", "bind-utils", "tcpdump", "nvme-cli", "links", "sysstat", "ipset", "htop"];

describe("by default", () => {
  test("the engine gets every argument with its default", async () => {
    expect(only(await make(), "eks-gpu-lab:index:SystemNodeGroup").inputs).toEqual({
      ...wiring,
      instanceType: "t3.medium",
      desiredSize: 2,
      minSize: 1,
      maxSize: 4,
      owner: "pulumi",
      diskSizeGiB: 30,
      releaseVersion: amiReleases[kubernetesVersion],
      labels: { tier: "primary" },
      maxPods: 50,
      tools,
    });
  });

  test("the node group starts new nodes before it ends old ones, and is untainted", async () => {
    expect(only(await make(), groupType).inputs).toEqual({
      clusterName: "myeks",
      nodeGroupNamePrefix: "myeks-system-",
      nodeRoleArn: unknownSentinel,
      subnetIds: ["subnet-a", "subnet-b", "subnet-c"],
      amiType: "AL2023_x86_64_STANDARD",
      version: kubernetesVersion,
      releaseVersion: amiReleases[kubernetesVersion],
      capacityType: "ON_DEMAND",
      instanceTypes: ["t3.medium"],
      scalingConfig: { desiredSize: 2, minSize: 1, maxSize: 4 },
      updateConfig: { maxUnavailable: 1, updateStrategy: "DEFAULT" },
      labels: { tier: "primary" },
      launchTemplate: { id: unknownSentinel, version: unknownSentinel },
      tags: { Name: "myeks-system" },
    });
  });

  test("the launch template: disk, metadata, pods and tools", async () => {
    const inputs = only(await make(), templateType).inputs;
    expect(inputs).toMatchObject({
      metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 },
      blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize: 30, encrypted: "true" } }],
      vpcSecurityGroupIds: ["sg-1"],
    });
    const text = Buffer.from(inputs["userData"] as string, "base64").toString();
    const config = /application\/node\.eks\.aws\n\n(.*?)\n--/s.exec(text)?.[1] ?? "";
    expect(load(config)).toMatchObject({ kind: "NodeConfig", spec: { kubelet: { config: { maxPods: 50 } } } });
    expect(text).toContain(`dnf install -y --setopt=strict=0 ${tools.join(" ")} ||`);
  });

  test("Pulumi owns the number of nodes, and the group has no autoscaler tags", async () => {
    const recording = await make();
    expect(only(recording, groupType).options.ignoreChanges).toEqual([]);
    expect(ofType(recording, "aws:autoscaling/tag:Tag")).toEqual([]);
  });
});

test("the autoscaler may own the number of nodes", async () => {
  expect(only(await make({ owner: "autoscaler" }), groupType).options.ignoreChanges).toEqual([
    "scalingConfig.desiredSize",
  ]);
});

test("an ARM type gets the ARM AMI, and more labels are added to the group's own", async () => {
  expect(only(await make({ instanceType: "t4g.medium", labels: { team: "a" } }), groupType).inputs).toMatchObject({
    amiType: "AL2023_ARM_64_STANDARD",
    labels: { tier: "primary", team: "a" },
  });
});

test("the fields of the component", async () => {
  let made: SystemNodeGroup | undefined;
  const recording = await plan(() => {
    made = new SystemNodeGroup("system", wiring);
    const { nodeGroupName, autoscalingGroupName, roleArn, releaseVersion, launchTemplateId } = made;
    return { nodeGroupName, autoscalingGroupName, roleArn, releaseVersion, launchTemplateId };
  });
  expect(recording.outputs).toMatchObject({
    nodeGroupName: unknownSentinel,
    releaseVersion: amiReleases[kubernetesVersion],
  });
  expect(made?.instanceType).toMatchObject({ name: "t3.medium", maxPods: 17 });
});

describe("problems", () => {
  const judge = (args: unknown) =>
    systemNodeGroupProblems({ kubernetesVersion, ...(args as SystemNodeGroupSettings) }, "systemNodes");

  test("none of the defaults", () => expect(judge({})).toEqual([]));
  test("none of everything stated well", () => {
    const good = {
      instanceType: "m7g.large",
      desiredSize: 1,
      minSize: 0,
      owner: "autoscaler",
      diskSizeGiB: 20,
      tools: [],
    };
    expect(
      judge({ ...good, labels: { team: "a" }, maxPods: 110, releaseVersion: amiReleases[kubernetesVersion] }),
    ).toEqual([]);
  });

  testProblems(judge, [
    [{ instanceType: "g5.xlarge" }, "not-allowed systemNodes.instanceType"],
    [{ instanceType: "t3.mediun" }, "not-allowed systemNodes.instanceType"],
    [{ desiredSize: 0, minSize: 0 }, "out-of-range systemNodes.desiredSize"],
    [{ maxSize: 1 }, "conflict systemNodes.maxSize"],
    [{ diskSizeGiB: 19 }, "out-of-range systemNodes.diskSizeGiB"],
    [{ labels: { tier: "system" } }, 'conflict systemNodes.labels["tier"]'],
    [{ maxPods: 111 }, "out-of-range systemNodes.maxPods"],
    [{ instanceType: null }, "wrong-type systemNodes.instanceType"],
    [{ tools: ["$(reboot)"] }, "not-allowed systemNodes.tools[0]"],
    [{ releaseVersion: "1.34.2-20260930" }, "version systemNodes.releaseVersion"],
    [{ owner: true }, "not-allowed systemNodes.owner"],
  ]);

  test("anything can be judged", () => {
    const keys = [
      "instanceType",
      "desiredSize",
      "maxSize",
      "labels",
      "tools",
      "releaseVersion",
      "diskSizeGiB",
      "owner",
    ];
    const garbage = fc.record(Object.fromEntries(keys.map((key) => [key, fc.anything()])), { requiredKeys: [] });
    fc.assert(
      fc.property(fc.oneof(garbage, fc.anything()), (args) =>
        Array.isArray(systemNodeGroupProblems(args as SystemNodeGroupSettings)),
      ),
    );
  });

  test("stop the constructor, those of the wiring with them", () => {
    const wrong = () => new SystemNodeGroup("system", { ...wiring, subnetIds: [], diskSizeGiB: 8 });
    expect(wrong).toThrow(InputError);
    expect(wrong).toThrow(/2 problems with SystemNodeGroup "system":/);
  });
});
