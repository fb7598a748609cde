import { describe, expect, test } from "vitest";
import * as clusters from "../../support/clusters";
import { changed, conclusion, ids, pluginPod, reportOn } from "../../support/clusters";
import { conditions, daemonSet, gpuNode, minute, node, pod } from "../../support/objects";
import { Wording } from "../../support/wording";

const wording = new Wording();
const plugin = "nvidia-device-plugin-daemonset";
const none = { gpus: "0", capacity: "1" } as const;

/** The healthy cluster with ip-gpu-b in a state, and without the plugin there. */
function inState(labels: Record<string, string>, fields: Parameters<typeof gpuNode>[1] = none) {
  return changed({ "ip-gpu-b": gpuNode("ip-gpu-b", { ...fields, labels }), [`${plugin}-b`]: null });
}

/** States of mig-parted, k8s-operator-libs, vgpu-device-manager and k8s-cc-manager. */
describe("a component of the operator has not done its work on a node", () => {
  const mig = "nvidia.com/mig.config.state";
  const upgrade = "nvidia.com/gpu-driver-upgrade-state";
  test.for([
    [mig, "pending", "mig-config-pending"],
    [mig, "rebooting", "mig-config-pending"],
    [mig, "failed", "mig-config-failed"],
    ["nvidia.com/vgpu.config.state", "pending", "operand-config-pending"],
    ["nvidia.com/vgpu.config.state", "failed", "operand-config-failed"],
    ["nvidia.com/cc.mode.state", "failed", "operand-config-failed"],
    [upgrade, "upgrade-failed", "driver-upgrade-failed"],
    ...(["cordon-required", "wait-for-jobs-required", "pod-deletion-required", "drain-required"] as const).map(
      (state) => [upgrade, state, "driver-upgrade-pending"] as const,
    ),
    ...(["node-maintenance-required", "post-maintenance-required", "pod-restart-required"] as const).map(
      (state) => [upgrade, state, "driver-upgrade-pending"] as const,
    ),
    ...(["upgrade-required", "validation-required", "uncordon-required"] as const).map(
      (state) => [upgrade, state, "driver-upgrade-pending"] as const,
    ),
    ["nvidia.com/gpu.deploy.device-plugin", "paused-for-driver-upgrade", "operand-paused"],
    ["nvidia.com/gpu.deploy.driver", "false", "operand-paused"],
    ["nvidia.com/gpu.deploy.operands", "false", "operand-paused"],
    ["nvidia.com/gpu.workload.config", "vm-passthrough", "operand-paused"],
  ] as const)("%s=%s: %s", ([label, state, id]) => {
    const items = [...inState({ [label]: state }), pod("holder", { node: "ip-gpu-b", gpus: 1, owner: ["Job", "j"] })];
    const report = reportOn(items);
    expect(ids(report).causes).toEqual([id]);
    expect(ids(report).consequences).toContain("gpu-allocatable-zero");
    const found = conclusion(report, id);
    expect(found.evidence.map(({ field, value }) => [field, value])).toContainEqual([
      `metadata.labels[${label}]`,
      state,
    ]);
    wording.add(found);
  });

  test("a change of MIG that has not begun counts if a pod waits for a MIG device", () => {
    const items = changed({ "ip-gpu-b": gpuNode("ip-gpu-b", { labels: { [mig]: "pending" } }) });
    const scheduler = "0/4 nodes are available: 4 Insufficient nvidia.com/mig-1g.5gb.";
    const resources = { limits: { "nvidia.com/mig-1g.5gb": "1" } };
    const waiting = pod("p", { scheduler, spec: { containers: [{ name: "main", resources }] } });
    expect(ids(reportOn(items)).notices).toEqual(["mig-config-pending"]);
    expect(ids(reportOn([...items, waiting])).causes).toContain("mig-config-pending");
  });

  test("a paused plugin is a consequence of the state that paused it", () => {
    const labels = { "nvidia.com/gpu.deploy.device-plugin": "paused-for-mig-change", [mig]: "pending" };
    const report = reportOn(inState(labels));
    expect(ids(report).causes).toEqual(["mig-config-pending"]);
    expect(report.conclusions.map(({ id }) => id)).not.toContain("operand-paused");
  });

  test("a cordoned node during an upgrade; a node that waits for its turn is a notice", () => {
    const cordoned = inState({ [upgrade]: "drain-required" }, { unschedulable: true });
    expect(ids(reportOn(cordoned)).causes).toContain("driver-upgrade-pending");
    expect(conclusion(reportOn(cordoned), "node-cordoned").because).toBe("driver-upgrade-pending");
    const waits = changed({ "ip-gpu-b": gpuNode("ip-gpu-b", { labels: { [upgrade]: "upgrade-required" } }) });
    expect(ids(reportOn(waits))).toEqual({ causes: [], consequences: [], notices: ["driver-upgrade-pending"] });
  });

  test.for([
    [mig, "success"],
    [upgrade, "upgrade-done"],
    [upgrade, ""],
    ["nvidia.com/cc.mode.state", "off"],
    ["nvidia.com/gpu.workload.config", "container"],
  ] as const)("%s=%s is no fault", ([label, state]) => {
    const items = changed({ "ip-gpu-b": gpuNode("ip-gpu-b", { labels: { [label]: state } }) });
    expect(ids(reportOn(items))).toEqual({ causes: [], consequences: [], notices: [] });
  });
});

describe("a device plugin that is no DaemonSet", () => {
  const withImage = (item: Record<string, unknown>, osImage: string) => ({
    ...item,
    status: { ...(item["status"] as object), nodeInfo: { osImage } },
  });
  const auto = { "eks.amazonaws.com/compute-type": "auto", "karpenter.sh/nodepool": "gpu" };
  const bottlerocket = "Bottlerocket OS 1.49.0 (aws-k8s-1.35-nvidia)";
  const silent = { gpus: null } as const;

  test.for([
    ["Bottlerocket", bottlerocket, {}, "likely", /enter-admin-container.*nvidia-k8s-device-plugin/],
    ["EKS Auto Mode", "Bottlerocket (EKS Auto, Standard) 2026.8.1", auto, "likely", /^kubectl debug node\/b /],
    ["a variant without NVIDIA", "Bottlerocket OS 1.49.0 (aws-k8s-1.35)", {}, "certain", /^kubectl get nodes/],
  ] as const)("%s", ([, osImage, labels, confidence, command]) => {
    const nodes = [
      withImage(gpuNode("a", { labels }), osImage),
      withImage(gpuNode("b", { labels, ...silent }), osImage),
    ];
    const report = reportOn([...clusters.systemNodes, ...nodes]);
    expect(ids(report)).toEqual({
      causes: ["host-plugin-without-gpus"],
      consequences: ["gpu-allocatable-missing"],
      notices: [],
    });
    const found = conclusion(report, "host-plugin-without-gpus");
    expect(found).toMatchObject({ confidence, nodes: ["b"] });
    expect(found.next[0]?.command).toMatch(command);
    wording.add(found);
    const healthy = [withImage(gpuNode("a", { labels }), osImage)];
    expect(ids(reportOn([...clusters.systemNodes, ...healthy])).causes).toEqual([]);
  });

  test("beside nodes of the operator, whose DaemonSets it does not need", () => {
    const items = [...clusters.healthy, withImage(gpuNode("auto", { labels: { ...auto } }), "x")];
    expect(ids(reportOn(items))).toEqual({ causes: [], consequences: [], notices: [] });
  });

  test("a plugin of a DaemonSet on the same node is a second one", () => {
    const items = changed({ "ip-gpu-b": withImage(gpuNode("ip-gpu-b"), bottlerocket) });
    const report = reportOn(items);
    expect(ids(report).causes).toEqual(["two-device-plugins"]);
    expect(conclusion(report, "two-device-plugins").what).toContain("Bottlerocket runs one as a service of the host");
    expect(conclusion(report, "two-device-plugins").nodes).toEqual(["ip-gpu-b"]);
  });

  test("a node of Karpenter has no Auto Scaling group to start another one", () => {
    const unready = conditions({ Ready: { status: "False", reason: "KubeletNotReady" } });
    const sick = (labels: Record<string, string>) => node("ip-x", { conditions: unready, labels });
    const journal = ["containerd: failed to load TOML: /etc/containerd/config.toml"];
    const commandsOn = (labels: Record<string, string>) =>
      conclusion(reportOn([...clusters.healthy, sick(labels)], { journal }), "containerd-config-broken")
        .next.map(({ command }) => command)
        .join("\n");
    expect(commandsOn({ "karpenter.sh/nodepool": "gpu" })).toContain("kubectl delete node ip-x");
    expect(commandsOn({ "karpenter.sh/nodepool": "gpu" })).not.toContain("aws autoscaling");
    expect(commandsOn({})).toContain("aws autoscaling terminate-instance");
  });
});

describe("two device plugins", () => {
  const own = (name: string, namespace: string, image = "nvcr.io/nvidia/k8s-device-plugin:v0.19.0") => [
    daemonSet(name, { namespace, spec: { containers: [{ name: "p", image }] } }),
    ...["a", "b"].map((one) =>
      pod(`${name}-${one}2`, { namespace, node: `ip-gpu-${one}`, owner: ["DaemonSet", name] as const }),
    ),
  ];
  test.for([
    ["of the same name in two namespaces", own(plugin, "kube-system")],
    ["of a chart", own("nvdp-nvidia-device-plugin", "nvidia-device-plugin", "x")],
    ["of another name, by its image", own("gpu-plugin", "infra")],
  ] as const)("%s, both ready", ([, items]) => {
    const report = reportOn([...clusters.healthy, ...items]);
    expect(ids(report).causes).toEqual(["two-device-plugins"]);
    expect(conclusion(report, "two-device-plugins")).toMatchObject({
      confidence: "certain",
      nodes: ["ip-gpu-a", "ip-gpu-b"],
    });
  });

  test.for([
    ["GPU feature discovery of the same image", own("nvdp-gpu-feature-discovery", "kube-system")],
    ["the MPS daemon of the same image", own("nvdp-nvidia-device-plugin-mps-control-daemon", "kube-system")],
  ] as const)("%s is none", ([, items]) => {
    expect(ids(reportOn([...clusters.healthy, ...items])).causes).toEqual([]);
  });
});

/** Advice that depends on the operating system of the node. */
describe("the operator's driver container", () => {
  const driver = (tag: string, waiting: object, osImage: string) => [
    ...changed({
      "ip-gpu-b": { ...gpuNode("ip-gpu-b", { gpus: null }), ...withOs(osImage) },
      [`${plugin}-b`]: pluginPod("ip-gpu-b", { phase: "Pending", statuses: [] }),
    }),
    pod("nvidia-driver-daemonset-b", {
      ...{ namespace: "gpu-operator", node: "ip-gpu-b", owner: ["DaemonSet", "nvidia-driver-daemonset"] as const },
      ...{ phase: "Pending", age: 30 * minute },
      spec: { containers: [{ name: "nvidia-driver-ctr", image: `nvcr.io/nvidia/driver:${tag}` }] },
      statuses: [{ name: "nvidia-driver-ctr", ready: false, restartCount: 5, state: { waiting } }],
    }),
  ];
  const withOs = (osImage: string) => {
    const raw = gpuNode("ip-gpu-b", { gpus: null });
    return { status: { ...(raw["status"] as object), nodeInfo: { osImage } } };
  };
  const gone = { reason: "ErrImagePull", message: "failed to resolve reference: not found" };
  const loop = { reason: "CrashLoopBackOff", message: "back-off 5m0s" };
  test.for([
    ["580.105.08-amzn2023", gone, "Amazon Linux 2023.9", "certain", "driver-image-missing", "kubectl patch"],
    ["580.105.08-bottlerocket1.49", gone, "", "certain", "driver-image-missing", "kubectl patch"],
    ["580.105.08-ubuntu24.04", loop, "Amazon Linux 2", "likely", "driver-image-missing", "kubectl patch"],
    ["999.1.2-ubuntu24.04", gone, "Ubuntu 24.04.1 LTS", "likely", "driver-image-missing", "kubectl get"],
    ["580.105.08-ubuntu24.04", loop, "Ubuntu 24.04.1 LTS", "certain", "operator-pod-crash-loop", "kubectl logs"],
  ] as const)("%s, %j on %s", ([tag, waiting, osImage, confidence, id, command]) => {
    const report = reportOn(driver(tag, waiting, osImage));
    expect(ids(report).causes).toContain(id);
    const found = conclusion(report, id);
    expect(found.confidence).toBe(confidence);
    expect(found.next[0]?.command).toContain(command);
    wording.add(found);
  });
});

test("wording", () => expect(String(wording)).toMatchSnapshot());
