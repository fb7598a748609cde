import { Provider } from "@pulumi/kubernetes/provider";
import { describe, expect, test } from "vitest";
import { GangQueue, gangQueueProblems, type GangQueueArgs } from "../../../../components";
import { valuesAt } from "../../../../components/core/reader/paths";
import { kueueChart } from "../../../../components/core/versions";
import { byName, ofType, only, plan, reaches } from "../../../support/plan";
import { testProblems } from "../../../support/problems";

const given: GangQueueArgs = { gpuQuota: 2, namespaces: ["research", "gpu-lab"] };
const made = (args: Partial<GangQueueArgs> = {}) =>
  plan(() => {
    new GangQueue("gpu", { ...given, ...args }, { provider: new Provider("cluster", { kubeconfig: "{}" }) });
  });
const releaseOf = async (args: Partial<GangQueueArgs> = {}) =>
  only(await made(args), "kubernetes:helm.sh/v3:Release").inputs;
const configurationOf = async (args: Partial<GangQueueArgs> = {}) => {
  const [text] = valuesAt(await releaseOf(args), "values.managerConfig.controllerManagerConfigYaml");
  return JSON.parse(String(text)) as unknown;
};

test("the pinned chart runs the image of its version, in a namespace that accepts no privileged pod", async () => {
  expect(await releaseOf({ controllerNodeSelector: { tier: "primary" } })).toMatchObject({
    name: "kueue",
    chart: "oci://registry.k8s.io/kueue/charts/kueue",
    version: kueueChart.version,
    values: {
      controllerManager: {
        manager: { image: { repository: "registry.k8s.io/kueue/kueue", tag: `v${kueueChart.version}` } },
        nodeSelector: { tier: "primary" },
      },
    },
  });
  expect((await releaseOf({ chartVersion: "0.20.1" }))["values"]).toMatchObject({
    controllerManager: { manager: { image: { tag: "v0.20.1" } } },
  });
  expect(only(await made(), "kubernetes:core/v1:Namespace").inputs).toMatchObject({
    metadata: { labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
  });
});

test("Kueue manages the given namespaces only, and frees the quota of a run whose pods do not get ready", async () => {
  expect(await configurationOf({ podsReadyTimeoutSeconds: 60 })).toMatchObject({
    manageJobsWithoutQueueName: false,
    managedJobsNamespaceSelector: {
      matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values: ["research", "gpu-lab"] }],
    },
    waitForPodsReady: { timeout: "60s", blockAdmission: true },
  });
});

test("each namespace has a queue, which ends before the quota, and the quota before Kueue", async () => {
  const recording = await made();
  const queues = ofType(recording, "kubernetes:kueue.x-k8s.io/v1beta2:LocalQueue");
  expect(queues.map(({ inputs }) => [inputs["metadata"], inputs["spec"]])).toEqual([
    [{ name: "gpu", namespace: "research" }, { clusterQueue: "gpu" }],
    [{ name: "gpu", namespace: "gpu-lab" }, { clusterQueue: "gpu" }],
  ]);
  const release = only(recording, "kubernetes:helm.sh/v3:Release");
  const order = [queues[0], byName(recording, "gpu-queue"), byName(recording, "gpu-flavor"), release];
  const urns = order.map((one) => one?.urn ?? "");
  for (const [index, urn] of urns.entries()) {
    for (const later of urns.slice(index)) expect(reaches(recording, urn, later)).toBe(true);
  }
});

describe("wrong arguments", () => {
  testProblems(
    (args: object) => gangQueueProblems({ ...given, ...args }),
    [
      [{ gpuQuota: 0 }, "out-of-range gpuQuota"],
      [{ namespaces: [] }, "missing namespaces"],
      [{ namespaces: ["a", "kube-system", "a"] }, "conflict namespaces[2]"],
      [{ namespaces: ["kube-system"] }, "not-allowed namespaces[0]"],
      [{ namespaces: ["jobs"], namespace: "jobs" }, "not-allowed namespaces[0]"],
      [{ queueName: "default" }, "not-allowed queueName"],
      [{ chartVersion: "0.18.6" }, "version chartVersion"],
      [{ chartVersion: "~0.19.0" }, "version chartVersion"],
      [{ podsReadyTimeoutSeconds: 5 }, "out-of-range podsReadyTimeoutSeconds"],
      [{ repository: "http://registry.example.com" }, "not-allowed repository"],
    ],
  );
});
