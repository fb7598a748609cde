import { expect, test } from "vitest";
import { GpuEnvironment, type GpuEnvironmentArgs } from "../../../components";
import { environmentSettings } from "../../../components/environment/gpu-environment-plan";
import { supportedKubernetesVersions } from "../../../components/cluster/kubernetes-versions";
import { amiReleases, clusterAutoscalerChart, kubernetesVersion } from "../../../components/core/versions";
import type { Recording } from "../../../planner/record/record";
import { only, plan } from "../../support/plan";

const publicAccessCidrs = ["198.51.100.7/32"];
const existingNetwork = {
  vpcId: "vpc-0123456789abcdef0",
  cidrBlock: "10.0.0.0/16",
  zones: ["ap-northeast-2a", "ap-northeast-2c"],
  publicSubnetIds: [],
  privateSubnetIds: ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
};
const releaseVersion = amiReleases[kubernetesVersion];
const gpuTaint = { key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" };
const otherVersion = supportedKubernetesVersions.find((version) => version < kubernetesVersion) ?? "";
const more: Partial<GpuEnvironmentArgs> = {
  clusterName: "research",
  kubernetesVersion: otherVersion,
  network: { cidr: "10.0.0.0/16", natGateways: "perAz", flowLogs: true },
  systemNodes: { releaseVersion: `${otherVersion}.1-20260930`, labels: { team: "a" }, maxSize: 6 },
  gpuNodes: {
    instanceType: "g6.xlarge",
    releaseVersion: `${otherVersion}.1-20260930`,
    labels: { team: "a" },
    taints: [{ key: "team", value: "a", effect: "NO_EXECUTE" }],
    azIndex: 1,
  },
  gpuOperator: { enabled: true },
  controllers: {
    loadBalancerController: { install: true },
    clusterAutoscaler: { install: true, imageTag: `v${otherVersion}.3` },
    externalDns: { hostedZoneIds: ["Z0123456789"] },
  },
  controlPlaneLogs: ["audit"],
  logRetentionDays: 30,
  secretsKey: "none",
  deletionProtection: true,
};

type Inputs = Readonly<Record<string, unknown>>;

function environment(args: Partial<GpuEnvironmentArgs> = {}): Promise<Recording> {
  return plan(() => void new GpuEnvironment("lab", { publicAccessCidrs, ...args }));
}

/** The arguments of a component, as policies see them. */
function inputsOf(recording: Recording, component: string): Inputs {
  return only(recording, `eks-gpu-lab:index:${component}`).inputs;
}

test.for([
  ["the base environment", { gpuOperator: { enabled: true } }],
  ["another", more],
  ["one and its autoscaler", { gpuOperator: { enabled: true }, controllers: { clusterAutoscaler: { install: true } } }],
] as [string, Partial<GpuEnvironmentArgs>][])("%s: policies see the arguments of its parts", async ([, args]) => {
  const recording = await environment(args);
  const own = inputsOf(recording, "GpuEnvironment") as Record<string, Inputs>;
  const { azIndex, provisioner, ...gpuNodes } = own["gpuNodes"] as Inputs;
  const { enabled, ...gpuOperator } = own["gpuOperator"] as Inputs;
  const clusterKeys = ["clusterName", "kubernetesVersion", "publicAccessCidrs", "admins", "controlPlaneLogs"];
  clusterKeys.push("logRetentionDays", "secretsKey", "deletionProtection", "tags");
  const controllers = own["controllers"] as Record<string, Inputs>;
  const expected: [string, Inputs][] = [
    ["Vpc", own["network"] as Inputs],
    ["EksCluster", Object.fromEntries(clusterKeys.map((key) => [key, own[key]]))],
    ["NodeFirewall", { nccl: own["nccl"] }],
    ["SystemNodeGroup", own["systemNodes"] as Inputs],
    ["GpuNodeGroup", gpuNodes],
    ["GpuOperator", gpuOperator],
    ["LoadBalancerController", controllers["loadBalancerController"] as Inputs],
    ["ClusterAutoscaler", controllers["clusterAutoscaler"] as Inputs],
    ["ExternalDnsIdentity", controllers["externalDns"] as Inputs],
  ];
  for (const [component, values] of expected) {
    const part = inputsOf(recording, component);
    for (const [key, value] of Object.entries(values)) {
      expect(value, `${component} ${key}`).toBeDefined();
      expect([component, key, part[key]]).toEqual([component, key, value]);
    }
  }
  // The environment's own arguments have every choice that the node groups and the VPC make.
  const wiring = ["clusterName", "kubernetesVersion", "securityGroupIds", "tags", "physicalName", "nameTag"];
  for (const [component, values] of [
    ["Vpc", own["network"] as Inputs],
    ["SystemNodeGroup", own["systemNodes"] as Inputs],
    ["GpuNodeGroup", gpuNodes],
  ] as const) {
    const decided = Object.keys(inputsOf(recording, component)).filter((key) => !/^subnetIds?$/.test(key));
    expect(decided.filter((key) => !wiring.includes(key)).sort()).toEqual(Object.keys(values).sort());
  }
});

test("a rule on the environment sees tainted GPU nodes, pinned releases and the defaults", async () => {
  expect(inputsOf(await environment(), "GpuEnvironment")).toMatchObject({
    network: { cidr: "192.168.0.0/16", natGateways: "single", interfaceEndpoints: false, flowLogs: false },
    systemNodes: { releaseVersion, labels: { tier: "primary" } },
    gpuNodes: {
      releaseVersion,
      labels: { tier: "gpu", "nvidia.com/gpu": "true", "k8s.amazonaws.com/accelerator": "nvidia-a10g" },
      taints: [gpuTaint],
    },
    controllers: {
      loadBalancerController: { install: false },
      clusterAutoscaler: { install: false, imageTag: clusterAutoscalerChart.imageTags[kubernetesVersion] },
      externalDns: { hostedZoneIds: [] },
    },
    controlPlaneLogs: ["api", "audit", "scheduler"],
    logRetentionDays: 7,
    secretsKey: "own",
    deletionProtection: false,
    addons: {},
  });
});

test("an existing network is passed on unchanged", () => {
  const { network } = environmentSettings({ publicAccessCidrs, network: { existing: existingNetwork } });
  expect(network).toEqual({ existing: existingNetwork });
  expect(network.existing).toBe(existingNetwork);
});

test("as many taints as EKS takes reach the node group, the group's own among them", async () => {
  const taints = [...Array(49).keys()].map((n) => ({ key: `t${n}`, effect: "NO_SCHEDULE" as const }));
  const group = inputsOf(await environment({ gpuNodes: { taints } }), "GpuNodeGroup");
  expect(group["taints"]).toEqual([gpuTaint, ...taints]);
});

test("the image's tag reaches the release, in an environment without further admins", async () => {
  const imageTag = `v${kubernetesVersion}.0`;
  const recording = await environment({ controllers: { clusterAutoscaler: { install: true, imageTag } } });
  const release = only(recording, "kubernetes:helm.sh/v3:Release");
  expect(release.inputs["values"]).toMatchObject({ image: { tag: imageTag } });
});
