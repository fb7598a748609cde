import { expect, test } from "vitest";
import { GpuEnvironment, type GpuEnvironmentArgs } from "../../../components";
import { settingsOf } from "../../../components/environment/gpu-environment-plan";
import { preflightRequest } from "../../../components/preflight/preflight-request";
import type { Recording } from "../../../planner/record/record";
import { only, plan } from "../../support/plan";

const publicAccessCidrs = ["198.51.100.7/32"];
const gpuTaint = { key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" };
const more: Partial<GpuEnvironmentArgs> = {
  clusterName: "research",
  kubernetesVersion: "1.34",
  network: { cidr: "10.0.0.0/16", natGateways: "perAz", flowLogs: true },
  systemNodes: { releaseVersion: "1.34.1-20260930", labels: { team: "a" }, maxSize: 6 },
  gpuNodes: {
    instanceType: "g6.xlarge",
    releaseVersion: "1.34.1-20260930",
    labels: { team: "a" },
    taints: [{ key: "team", value: "a", effect: "NO_EXECUTE" }],
    azIndex: 1,
  },
  gpuOperator: { enabled: true },
  controllers: {
    loadBalancerController: { install: true },
    clusterAutoscaler: { install: true, imageTag: "v1.34.3" },
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
  [
    "one with its autoscaler",
    { gpuOperator: { enabled: true }, controllers: { clusterAutoscaler: { install: true } } },
  ],
] as [string, Partial<GpuEnvironmentArgs>][])("%s tells policies what its parts are told", async ([, args]) => {
  const recording = await environment(args);
  const own = inputsOf(recording, "GpuEnvironment") as Record<string, Inputs>;
  const { azIndex, ...gpuNodes } = own["gpuNodes"] as Inputs;
  const { enabled, ...gpuOperator } = own["gpuOperator"] as Inputs;
  const clusterKeys = ["clusterName", "kubernetesVersion", "publicAccessCidrs", "admins", "controlPlaneLogs"];
  clusterKeys.push("logRetentionDays", "secretsKey", "deletionProtection", "tags");
  const controllers = own["controllers"] as Record<string, Inputs>;
  const told: [string, Inputs][] = [
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
  for (const [component, values] of told) {
    const part = inputsOf(recording, component);
    for (const [key, value] of Object.entries(values)) {
      expect(value, `${component} ${key}`).toBeDefined();
      expect([component, key, part[key]]).toEqual([component, key, value]);
    }
  }
  // And nothing that the node groups and the VPC make of their settings is kept from them.
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
    systemNodes: { releaseVersion: "1.35.8-20260930", labels: { tier: "primary" } },
    gpuNodes: {
      releaseVersion: "1.35.8-20260930",
      labels: { tier: "gpu", "nvidia.com/gpu": "true", "k8s.amazonaws.com/accelerator": "nvidia-a10g" },
      taints: [gpuTaint],
    },
    controllers: {
      loadBalancerController: { install: false },
      clusterAutoscaler: { install: false, imageTag: "v1.35.2" },
      externalDns: { hostedZoneIds: [] },
    },
    controlPlaneLogs: ["api", "audit", "scheduler"],
    logRetentionDays: 7,
    secretsKey: "own",
    deletionProtection: false,
    addons: {},
  });
});

test("a network that is there is told as it is", () => {
  const existing = { vpcId: "v", cidrBlock: "10.0.0.0/16", zones: [], publicSubnetIds: [], privateSubnetIds: [] };
  expect(settingsOf({ publicAccessCidrs, network: { existing } }).network).toEqual({ existing });
});

test("as many taints as EKS takes reach the node group, the group's own among them", async () => {
  const taints = [...Array(49).keys()].map((n) => ({ key: `t${n}`, effect: "NO_SCHEDULE" as const }));
  const group = inputsOf(await environment({ gpuNodes: { taints } }), "GpuNodeGroup");
  expect(group["taints"]).toEqual([gpuTaint, ...taints]);
});

test.for([{ taints: "x" }, { taints: [null, 5] }, { labels: 5 }, { releaseVersion: 5 }])(
  "what is asked of AWS can be told of GPU nodes with %j, which their check reports",
  (gpuNodes) => {
    const args = { publicAccessCidrs, gpuNodes } as unknown as GpuEnvironmentArgs;
    expect(preflightRequest(args)).toMatchObject({ instanceType: "g5.xlarge" });
  },
);
