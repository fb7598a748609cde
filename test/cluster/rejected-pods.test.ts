import { beforeAll, expect, test } from "vitest";
import type { KubernetesObject } from "./support/client";
import { applyAll, describeCluster, sharedCluster, startNodes } from "./support/cluster";
import { eventually } from "./support/eventually";
import { planner } from "./support/planned";
import { triageLive } from "./support/triage";

type Container = Record<string, unknown>;

const gpu = { resources: { limits: { "nvidia.com/gpu": "1" } } };

function deployment(namespace: string, name: string, container: Container, spec: Container = {}): KubernetesObject {
  const labels = { app: name };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: "main", image: "pause", ...container }], ...spec },
  };
  return {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name, namespace } },
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  };
}

function namespace(name: string, labels: Record<string, string> = {}): KubernetesObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}

const quota: KubernetesObject = {
  ...{ apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "gpu-quota", namespace: "quota" } },
  spec: { hard: { "requests.nvidia.com/gpu": "0" } },
};

/** Of a DeviceClass that no DRA driver has defined. */
function claim(place: string, name: string): KubernetesObject {
  const requests = [{ name: "gpu", exactly: { deviceClassName: "gpu.nvidia.com" } }];
  return {
    ...{ apiVersion: "resource.k8s.io/v1", kind: "ResourceClaim", metadata: { name, namespace: place } },
    spec: { devices: { requests } },
  };
}

describeCluster("pods that the API server rejects, or that no node can take", () => {
  const cluster = sharedCluster();
  const planned = planner();
  const concludes = (place: string, id: string) =>
    eventually(
      `triage of ${place} concludes ${id}`,
      async () => {
        const { conclusions } = await triageLive("admin", "-n", place);
        return conclusions[0] === id ? conclusions : undefined;
      },
      { seconds: 30, seen: () => triageLive("admin", "-n", place) },
    );

  beforeAll(async () => {
    await startNodes(cluster, await planned("device-plugin"), 1);
    const dra = (place: string, one: Record<string, string>) =>
      deployment(place, "dra", {}, { resourceClaims: [{ name: "gpu", ...one }] });
    await applyAll(cluster, [
      ...["quota", "efa", "claims", "classes", "templates", "account"].map((name) => namespace(name)),
      namespace("restricted", { "pod-security.kubernetes.io/enforce": "restricted" }),
      ...[quota, claim("classes", "gpu")],
      deployment("quota", "vllm", gpu),
      deployment("restricted", "vllm", gpu),
      deployment("efa", "train", { resources: { limits: { "vpc.amazonaws.com/efa": "1" } } }),
      dra("claims", { resourceClaimName: "gpu" }),
      dra("classes", { resourceClaimName: "gpu" }),
      dra("templates", { resourceClaimTemplateName: "none" }),
      deployment("account", "web", {}, { serviceAccountName: "runner" }),
    ]);
  });

  test.for([
    ["quota", "quota-exceeded"],
    ["restricted", "pod-security-violation"],
    ["efa", "resource-not-offered"],
    ["claims", "resource-claim"],
    ["classes", "resource-claim"],
    ["templates", "resource-claim"],
    ["account", "pods-not-created"],
  ] as const)("%s: %s", async ([place, id]) => {
    expect((await concludes(place, id))[0]).toBe(id);
  });
});
