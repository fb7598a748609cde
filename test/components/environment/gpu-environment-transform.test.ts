import { expect, test } from "vitest";
import type { CustomResourceOptions } from "@pulumi/pulumi";
import { GpuEnvironment, type GpuEnvironmentTransform } from "../../../components";
import { plan } from "../../support/plan";

const publicAccessCidrs = ["198.51.100.7/32"];

test("each part gets its own transform, and no component registers one: functions cannot be serialized", async () => {
  /** The resources that each function of the transform was called for, by the function's key. */
  const called: Record<string, string[]> = {};
  const note = (path: string) => (_: object, opts: CustomResourceOptions, name: string) => {
    (called[path] ??= []).push(name);
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
  const recording = await plan(() => {
    new GpuEnvironment("lab", {
      publicAccessCidrs,
      transform,
      gpuOperator: { enabled: true },
      controllers: { loadBalancerController: { install: true }, clusterAutoscaler: { install: true } },
    });
  });
  expect(called).toEqual({
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
    Object.values(called).flat().length,
  );
  const tags = recording.resources.filter(({ type }) => type === "aws:autoscaling/tag:Tag");
  expect(new Set(tags.map(({ inputs }) => JSON.stringify(inputs["tag"]))).size).toBe(1);
  const components = recording.resources.filter(({ type }) => type.startsWith("eks-gpu-lab:index:"));
  expect(components.length).toBeGreaterThan(10);
  for (const { inputs } of components) expect(inputs).not.toHaveProperty("transform");
});
