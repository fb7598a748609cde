import { describe, expect, test } from "vitest";
import type { CustomResourceOptions } from "@pulumi/pulumi";
import { GpuEnvironment, gpuEnvironmentProblems, type GpuEnvironmentTransform } from "../../../components";
import { plan } from "../../support/plan";

const publicAccessCidrs = ["198.51.100.7/32"];
const existing = {
  vpcId: "vpc-0123456789abcdef0",
  cidrBlock: "10.0.0.0/16",
  zones: ["ap-northeast-2a", "ap-northeast-2c"],
  publicSubnetIds: [],
  privateSubnetIds: ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
};
const told = (transform: unknown, more: object = {}) =>
  gpuEnvironmentProblems({ publicAccessCidrs, ...more, transform: transform as GpuEnvironmentTransform }).map(
    ({ path, code, fix }) => `${path} (${code}) -> ${fix}`,
  );

test.for([
  [{ node: {} }, ["transform.node (unknown-key) -> choose among network, cluster"]],
  [
    { gpuNodes: { nodegroup: {} } },
    ["transform.gpuNodes.nodegroup (unknown-key) -> did you mean transform.gpuNodes.nodeGroup?"],
  ],
  [
    { systemNodes: { autoscalingTag: {} } },
    ["transform.systemNodes.autoscalingTag (unknown-key) -> choose among role"],
  ],
  [
    { network: { vpc: 5, subnet: {} } },
    ["transform.network.subnet (unknown-key)", "transform.network.vpc (wrong-type)"],
  ],
  [{ cluster: { key: {} } }, ["transform.cluster.key (unknown-key) -> choose among cluster, role"]],
  [{ firewall: { rule: {} } }, ["transform.firewall.rule (unknown-key) -> choose among nodeSecurityGroup"]],
  [{ addons: { coredns: {} } }, ["transform.addons.coredns (unknown-key) -> choose among addon"]],
  [{ gpuOperator: { values: {} } }, ["transform.gpuOperator.values (unknown-key) -> choose among namespace, release"]],
  [{ nodeMonitoring: () => undefined }, ["transform.nodeMonitoring (wrong-type) -> set the keys of transform.nodeMon"]],
  [{ controllers: { metrics: {} } }, ["transform.controllers.metrics (unknown-key) -> choose among loadBalancer"]],
  [
    { controllers: { clusterAutoscaler: { chart: {} } } },
    ["transform.controllers.clusterAutoscaler.chart (unknown-key)"],
  ],
  [
    { controllers: { loadBalancerController: { rol: {} } } },
    ["transform.controllers.loadBalancerController.rol (unkn"],
  ],
  [{ controllers: { externalDns: { release: {} } } }, ["transform.controllers.externalDns.release (unknown-key)"]],
] as [object, string[]][])("%j is refused where it stands", ([transform, expected]) => {
  const lines = told(transform);
  expect(lines).toHaveLength(expected.length);
  for (const [index, line] of lines.entries()) expect(line).toContain(expected[index]);
});

test("a network that is there has nothing to adjust", () => {
  expect(told({ network: { vpc: {} } }, { network: { existing } })).toEqual([
    "transform.network (conflict) -> remove one of the two",
  ]);
  expect(told({ cluster: {} }, { network: { existing } })).toEqual([]);
});

test("a transform inside a section is told where it belongs, once", () => {
  expect(told(undefined, { gpuNodes: { transform: { nodegroup: 5 } } })).toEqual([
    "gpuNodes.transform (unknown-key) -> set transform.gpuNodes",
  ]);
  expect(told(undefined, { gpuHealth: { transform: {} } })).toEqual([
    "gpuHealth.transform (unknown-key) -> set transform.nodeMonitoring",
  ]);
});

describe("each part gets its own", () => {
  /** Every resource that a function of the transform saw, by the key that it stood under. */
  const seen: Record<string, string[]> = {};
  const note = (path: string) => (_: object, opts: CustomResourceOptions, name: string) => {
    (seen[path] ??= []).push(name);
    opts.protect = true;
  };
  const transform: GpuEnvironmentTransform = {
    network: { vpc: note("network") },
    cluster: { role: note("cluster") },
    firewall: { nodeSecurityGroup: note("firewall") },
    addons: { addon: note("addons") },
    systemNodes: { nodeGroup: note("systemNodes") },
    gpuNodes: {
      nodeGroup: note("gpuNodes"),
      autoscalingTag: { tag: { key: "k", value: "v", propagateAtLaunch: true } },
    },
    gpuOperator: { release: note("gpuOperator") },
    nodeMonitoring: { addon: note("nodeMonitoring") },
    controllers: {
      loadBalancerController: { release: note("loadBalancerController"), role: note("loadBalancerController") },
      clusterAutoscaler: { release: note("clusterAutoscaler"), role: note("clusterAutoscaler") },
      externalDns: { role: note("externalDns") },
    },
  };
  const run = () =>
    plan(() => {
      new GpuEnvironment("lab", {
        publicAccessCidrs,
        transform,
        gpuOperator: { enabled: true },
        controllers: { loadBalancerController: { install: true }, clusterAutoscaler: { install: true } },
      });
    });

  test("and no argument of a component holds a transform: functions cannot be serialised", async () => {
    const recording = await run();
    expect(seen).toEqual({
      network: ["lab-vpc"],
      cluster: ["lab-cluster-role"],
      firewall: ["lab-firewall"],
      addons: [
        ...["vpc-cni", "kube-proxy", "eks-pod-identity-agent"].map((addon) => `lab-base-addons-${addon}`),
        ...["coredns", "metrics-server", "external-dns", "cert-manager"].map((addon) => `lab-addons-${addon}`),
      ],
      systemNodes: ["lab-system"],
      gpuNodes: ["lab-gpu"],
      gpuOperator: ["lab-gpu-operator"],
      nodeMonitoring: ["lab-node-monitoring"],
      loadBalancerController: ["lab-load-balancer-controller", "lab-load-balancer-controller-release"],
      clusterAutoscaler: ["lab-autoscaler", "lab-autoscaler-release"],
      externalDns: ["lab-external-dns"],
    });
    expect(recording.resources.filter(({ options }) => options.protect)).toHaveLength(
      Object.values(seen).flat().length,
    );
    const tags = recording.resources.filter(({ type }) => type === "aws:autoscaling/tag:Tag");
    expect(new Set(tags.map(({ inputs }) => JSON.stringify(inputs["tag"]))).size).toBe(1);
    const components = recording.resources.filter(({ type }) => type.startsWith("eks-gpu-lab:index:"));
    expect(components.length).toBeGreaterThan(10);
    for (const { inputs } of components) expect(inputs).not.toHaveProperty("transform");
  });
});
