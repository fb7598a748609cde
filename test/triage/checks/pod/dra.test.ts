import { describe, expect, test } from "vitest";
import { changed, conclusion, ids, operator, reportOn, systemNodes } from "../../support/clusters";
import { clusterPolicy, daemonSet, event, gpuNode, hour, node, pod } from "../../support/objects";

const driver = "nvidia-dra-driver-gpu-kubelet-plugin";
const namespace = "nvidia-dra-driver-gpu";
const [gpus, domains] = ["gpus", "compute-domains"].map((name) => ({ name, env: [] }));
const selector = { nodeSelector: { "nvidia.com/gpu.present": "true" } };
const driverSet = daemonSet(driver, { namespace, desired: 1, spec: { ...selector, containers: [domains, gpus] } });
const driverPod = (fields: Record<string, unknown> = {}) =>
  pod(`${driver}-x7k2p`, { namespace, node: "ip-gpu-a", owner: ["DaemonSet", driver], age: hour, ...fields });
const controller = pod("nvidia-dra-driver-gpu-controller-5f7d9-abcde", {
  ...{ namespace, node: "ip-sys-1", owner: ["ReplicaSet", "nvidia-dra-driver-gpu-controller-5f7d9"] as const },
});

/** A claim of the pod, and nothing in its limits. */
const claims = (name: string, fields: Record<string, unknown>) => {
  const raw = pod(name, { age: hour, ...fields });
  const resourceClaims = [{ name: "gpu", resourceClaimTemplateName: "single-gpu" }];
  return { ...raw, spec: { ...(raw["spec"] as object), resourceClaims } };
};
const blank = gpuNode("ip-gpu-a", { gpus: null, age: hour });
const cluster = [...systemNodes, blank, driverSet, controller];
const allocate = "0/3 nodes are available: 3 cannot allocate all claims.";
const waits = claims("trainer-0", { scheduler: allocate });

describe("GPUs that a DRA driver offers need no device plugin", () => {
  test.for<readonly [name: string, items: readonly Record<string, unknown>[]]>([
    ["without the operator", [...cluster, driverPod()]],
    ["after a device plugin", [...systemNodes, gpuNode("ip-gpu-a", { gpus: "0" }), driverSet, controller, driverPod()]],
    [
      "with the operator",
      [...cluster, driverPod(), operator.deployment, clusterPolicy({ devicePlugin: { enabled: false } })],
    ],
  ])("%s", ([, items]) => {
    expect(reportOn([...items, claims("trainer-0", { node: "ip-gpu-a" })]).conclusions).toEqual([]);
  });

  test("a policy that disables the plugin is right for nodes that run it on the host", () => {
    const auto = { "eks.amazonaws.com/compute-type": "auto" };
    const policy = clusterPolicy({ devicePlugin: { enabled: false } });
    const items = [node("ip-auto", { type: "g6.xlarge", gpus: "1", labels: auto }), operator.deployment, policy];
    expect(reportOn(items).conclusions).toEqual([]);
  });

  test("the driver of compute domains alone replaces no plugin", () => {
    const set = daemonSet(driver, { namespace, desired: 1, spec: { ...selector, containers: [domains] } });
    const report = reportOn([...systemNodes, blank, set, driverPod()]);
    expect(ids(report)).toMatchObject({
      causes: ["gpu-operator-not-installed"],
      consequences: ["gpu-allocatable-missing", "device-plugin-missing"],
    });
  });

  test("a node with both counts its GPUs", () => {
    const report = reportOn([...changed({ "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: "0" }) }), driverSet]);
    expect(ids(report).consequences).toContain("gpu-allocatable-zero");
  });
});

// kubernetes-sigs/dra-driver-nvidia-gpu#1008
const driverless =
  "Check failed. Has the NVIDIA GPU driver been set up? It is expected to be installed under NVIDIA_DRIVER_ROOT (currently set to '/run/nvidia/driver') in the host filesystem.";
const init = { name: "init-container", ready: false, restartCount: 0, state: { running: {} } };
const starting = (() => {
  const raw = driverPod({ phase: "Pending", statuses: [] });
  return { ...raw, status: { ...(raw["status"] as object), initContainerStatuses: [init] } };
})();
const crashed = [
  {
    ...{ name: "gpus", ready: false, restartCount: 6, state: { waiting: { reason: "CrashLoopBackOff" } } },
    lastState: { terminated: { exitCode: 1, reason: "Error" } },
  },
];

describe("why a pod waits for its claim", () => {
  test("the driver finds no NVIDIA driver: one message is likely, and no lack of nvidia.com/gpu confirms it", () => {
    const logs = [{ namespace, pod: `${driver}-x7k2p`, container: "init-container", lines: [driverless] }];
    const report = reportOn([...cluster, starting, waits], { logs });
    expect(ids(report)).toMatchObject({ causes: ["gpu-driver-missing"], consequences: ["resource-claim"] });
    expect(conclusion(report, "gpu-driver-missing")).toMatchObject({ confidence: "likely", nodes: ["ip-gpu-a"] });
  });

  test("the driver keeps exiting", () => {
    const report = reportOn([...cluster, driverPod({ statuses: crashed }), waits]);
    expect(ids(report)).toMatchObject({ causes: ["operator-pod-crash-loop"], consequences: ["resource-claim"] });
  });

  test.for([
    // kubernetes-sigs/dra-driver-nvidia-gpu#814
    "Failed to prepare dynamic resources: prepare dynamic resources: DRA driver compute-domain.nvidia.com is not registered",
    "Failed to prepare dynamic resources: prepare dynamic resources: plugin name gpu.nvidia.com not found in the list of registered DRA plugins",
  ])("%s", (message) => {
    const placed = claims("worker-0", { node: "ip-gpu-a", phase: "Pending", statuses: [] });
    const failed = event(["Pod", "worker-0"], "FailedPrepareDynamicResources", message);
    const report = reportOn([...cluster, placed, failed]);
    expect(ids(report).causes).toEqual(["resource-claim"]);
    const found = conclusion(report, "resource-claim");
    expect(found.what).toContain("does not know the DRA driver");
    // The controller of the driver runs elsewhere.
    expect(found.evidence.map(({ object, value }) => [object, value])).toContainEqual([
      "node/ip-gpu-a",
      "none in the data",
    ]);
  });
});
