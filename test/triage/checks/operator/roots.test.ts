import { describe, expect, test } from "vitest";
import * as clusters from "../../support/clusters";
import { changed, conclusion, ids, pluginPod, reportOn } from "../../support/clusters";
import { clusterPolicy, daemonSet, deployment, event, gpuNode, gpuToleration, hour, pod } from "../../support/objects";
import { Wording } from "../../support/wording";

const wording = new Wording();

const plugin = "nvidia-device-plugin-daemonset";
const notReady = clusterPolicy(
  {},
  { state: "notReady", conditions: [{ type: "Error", status: "True", reason: "OperandNotReady", message: "m" }] },
);

describe("the operator's validation pod gets no GPU", () => {
  const rejection =
    "Pod was rejected: Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. Requested: 1, Available: 0, which is unexpected";
  const validator = (app: string, status: Record<string, unknown>, fields: Record<string, unknown> = {}) => {
    const labels = { app };
    const raw = pod(`${app}-x`, { namespace: "gpu-operator", gpus: 1, labels, statuses: [], ...fields });
    return { ...raw, status: { ...(raw["status"] as object), ...status } };
  };
  const daemon = pod("nvidia-operator-validator-a", {
    ...{ namespace: "gpu-operator", node: "ip-gpu-a", phase: "Pending", age: hour },
    owner: ["DaemonSet", "nvidia-operator-validator"],
  });
  const rejected = { phase: "Failed", reason: "UnexpectedAdmissionError", message: rejection };
  const scheduler = "0/4 nodes are available: 4 Insufficient nvidia.com/gpu.";

  test.for([
    ["rejected by the kubelet", validator("nvidia-device-plugin-validator", rejected, { node: "ip-gpu-a" }), "plugin"],
    ["rejected, of CUDA", validator("nvidia-cuda-validator", rejected, { node: "ip-gpu-a" }), "cuda"],
    ["without a node", validator("nvidia-cuda-validator", {}, { scheduler }), "cuda"],
  ] as const)("%s: names the pod that holds it", ([, item, component]) => {
    const items = changed({ "cluster-policy": notReady, "ip-gpu-b": null, [`${plugin}-b`]: null });
    const report = reportOn([...items, daemon, item]);
    expect(ids(report).causes).toEqual(["operator-validator-rejected"]);
    expect(ids(report).consequences).toEqual(["cluster-policy-not-ready"]);
    const found = conclusion(report, "operator-validator-rejected");
    expect(found.what).toContain("gpu-lab/trainer holds");
    expect(found.next[0]?.command).toBe("kubectl get pods -A -o wide --field-selector spec.nodeName=ip-gpu-a");
    expect(found.next[1]?.command).toContain(
      `{"validator":{"${component}":{"env":[{"name":"WITH_WORKLOAD","value":"false"}]}}}`,
    );
    wording.add(found);
  });

  test("possible if the node has a free GPU by now", () => {
    const item = validator("nvidia-cuda-validator", rejected, { node: "ip-gpu-a" });
    const four = changed({ "cluster-policy": notReady, "ip-gpu-a": gpuNode("ip-gpu-a", { gpus: "4" }) });
    expect(conclusion(reportOn([...four, item]), "operator-validator-rejected").confidence).toBe("possible");
  });

  test("a notice once the policy is ready; nothing if no pod holds a GPU", () => {
    const item = validator("nvidia-device-plugin-validator", rejected, { node: "ip-gpu-a" });
    expect(ids(reportOn([...clusters.healthy, item]))).toMatchObject({
      causes: [],
      notices: ["operator-validator-rejected"],
    });
    expect(ids(reportOn([...changed({ trainer: null }), item])).causes).toEqual([]);
  });
});

test.for([
  ["kube-system", "nvidia-device-plugin"],
  ["gpu-operator", "nvdp-nvidia-device-plugin"],
] as const)("the age of a plugin of another chart says nothing: %s/%s", ([namespace, name]) => {
  const second = daemonSet(name, { namespace, age: 60, spec: { nodeSelector: { team: "a" } } });
  expect(reportOn([...clusters.healthy, second]).conclusions).toEqual([]);
});

describe("roots come before their consequences", () => {
  const killed = [
    {
      ...{
        name: "gpu-operator",
        ready: true,
        restartCount: 12,
        state: { running: { startedAt: "2026-11-21T09:59:30Z" } },
      },
      lastState: {
        terminated: {
          reason: "OOMKilled",
          exitCode: 137,
          startedAt: "2026-11-21T09:58:30Z",
          finishedAt: "2026-11-21T09:59:00Z",
        },
      },
    },
  ];

  test("an operator that runs out of memory and is ready for a moment", () => {
    const own = pod("gpu-operator-1", {
      ...{ namespace: "gpu-operator", node: "ip-sys-1", owner: ["ReplicaSet", "gpu-operator-x"] as const },
      ...{ labels: { app: "gpu-operator" }, statuses: killed, age: hour },
    });
    const items = changed({
      ...{ [plugin]: null, [`${plugin}-a`]: null, [`${plugin}-b`]: null, "cluster-policy": notReady },
      ...{ "ip-gpu-a": gpuNode("ip-gpu-a", { gpus: null }), "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: null }) },
    });
    const report = reportOn([...items, own]);
    expect(ids(report)).toEqual({
      causes: ["operator-pod-crash-loop"],
      consequences: ["gpu-allocatable-missing", "device-plugin-missing", "cluster-policy-not-ready"],
      notices: [],
    });
    expect(conclusion(report, "operator-pod-crash-loop").next[0]?.command).toContain("{.spec.containers[*].resources}");
  });

  const loop = (name: string) => ({
    ...{ name, ready: false, restartCount: 11, state: { waiting: { reason: "CrashLoopBackOff" } } },
    lastState: { terminated: { exitCode: 1, reason: "Error" } },
  });
  const validator = (name: string, container: string) => {
    const owner = ["DaemonSet", "nvidia-operator-validator"] as const;
    const raw = pod(name, { namespace: "gpu-operator", node: "ip-gpu-b", phase: "Pending", owner, statuses: [] });
    return { ...raw, status: { ...(raw["status"] as object), initContainerStatuses: [loop(container)] } };
  };

  // NVIDIA/gpu-operator#486
  test("the validator of a node whose device plugin is disabled", () => {
    const report = reportOn([...clusters.pluginOff, validator("nvidia-operator-validator-b", "plugin-validation")]);
    expect(ids(report).causes).toEqual(["device-plugin-disabled"]);
    expect(ids(report).consequences).toContain("operator-validation-failed");
    wording.add(conclusion(report, "operator-validation-failed"));
  });

  // NVIDIA/gpu-operator#1043
  test("the validators of a node on which CUDA cannot start", () => {
    const lines = ["Failed to allocate device vector A (error code system not yet initialized)!"];
    const cuda = { namespace: "gpu-operator", pod: "nvidia-cuda-validator-b", container: "cuda-validation", lines };
    const items = [
      ...changed({ "cluster-policy": notReady }),
      validator("nvidia-operator-validator-b", "cuda-validation"),
      validator("nvidia-cuda-validator-b", "cuda-validation"),
    ];
    expect(ids(reportOn(items, { logs: [cuda] }))).toMatchObject({
      causes: ["fabric-manager-not-running"],
      consequences: ["operator-validation-failed", "cluster-policy-not-ready"],
    });
    expect(ids(reportOn(items)).causes).toEqual(["operator-validation-failed"]);
  });

  const down = deployment("gpu-operator", { namespace: "gpu-operator", ready: 0 });
  const operatorPod = (statuses: readonly Record<string, unknown>[], fields: Record<string, unknown> = {}) =>
    pod("gpu-operator-6c74d6fcf-x8k2p", {
      ...{ namespace: "gpu-operator", node: "ip-sys-1", owner: ["ReplicaSet", "gpu-operator-6c74d6fcf"] as const },
      ...{ labels: { app: "gpu-operator" }, statuses, age: hour, ...fields },
    });

  // NVIDIA/gpu-operator#1020
  test("the image of the operator itself", () => {
    const message =
      'Failed to pull image "nvcr.io/nvidia/gpu-operator:v24.6.2": unexpected status from HEAD request to https://nvcr.io/v2/nvidia/gpu-operator/manifests/v24.6.2: 403 Forbidden';
    const statuses = [
      { name: "main", ready: false, restartCount: 0, state: { waiting: { reason: "ImagePullBackOff" } } },
    ];
    const involvedObject = { kind: "Pod", name: "gpu-operator-6c74d6fcf-x8k2p", namespace: "gpu-operator" };
    const report = reportOn([
      ...changed({ "gpu-operator": down, "cluster-policy": notReady }),
      operatorPod(statuses, { phase: "Pending" }),
      event(["Pod", "x"], "Failed", message, { involvedObject }),
    ]);
    expect(ids(report).causes).toEqual(["image-pull"]);
    expect(ids(report).consequences).toEqual(["gpu-operator-not-ready", "cluster-policy-not-ready"]);
    expect(conclusion(report, "image-pull").what).toContain("denies access");
  });

  test("an operator that gets no node, and a DaemonSet's pod that does not fit its node", () => {
    const scheduler = "0/4 nodes are available: 4 Insufficient memory.";
    const own = ["ReplicaSet", "gpu-operator-6c74d6fcf"] as const;
    const pending = pod("gpu-operator-6c74d6fcf-x8k2p", {
      namespace: "gpu-operator",
      owner: own,
      scheduler,
      age: hour,
    });
    const report = reportOn([...changed({ "gpu-operator": down }), pending]);
    expect(ids(report)).toMatchObject({ causes: ["insufficient-resource"], consequences: ["gpu-operator-not-ready"] });
    const owner = ["DaemonSet", "nvidia-dcgm-exporter"] as const;
    const exporter = pod("nvidia-dcgm-exporter-b", { namespace: "gpu-operator", owner, scheduler, age: hour });
    expect(ids(reportOn([...clusters.healthy, exporter])).causes).toEqual(["insufficient-resource"]);
  });

  test("a toolkit whose image cannot be pulled keeps the plugin and the validator waiting", () => {
    const toolkit = "nvidia-container-toolkit-daemonset";
    const statuses = [{ name: "main", ready: false, restartCount: 0, state: { waiting: { reason: "ErrImagePull" } } }];
    const fields = { namespace: "gpu-operator", node: "ip-gpu-b", phase: "Pending", age: hour } as const;
    const init = { name: "toolkit-validation", ready: false, restartCount: 0, state: { running: {} } };
    const raw = pluginPod("ip-gpu-b", { phase: "Pending", statuses: [] });
    const waiting = { ...raw, status: { ...(raw["status"] as object), initContainerStatuses: [init] } };
    const items = changed({
      ...{ "cluster-policy": notReady, "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: null }), [`${plugin}-b`]: waiting },
      [plugin]: { ...clusters.operator.plugin, status: { desiredNumberScheduled: 2, numberReady: 1 } },
    });
    const report = reportOn([
      ...items,
      daemonSet(toolkit, { ready: 1 }),
      pod(`${toolkit}-b`, { ...fields, owner: ["DaemonSet", toolkit], statuses }),
      validator("nvidia-operator-validator-b", "toolkit-validation"),
    ]);
    expect(ids(report).causes).toEqual(["image-pull"]);
    expect(ids(report).consequences).toEqual(
      expect.arrayContaining(["device-plugin-below-gpu-nodes", "operator-validation-failed"]),
    );
  });

  test.for([
    // NVIDIA/gpu-operator#772
    ["E0615 leaderelection.go:285] failed to renew lease gpu-operator/53822513.nvidia.com", "api-not-reachable"],
    ['no matches for kind "ClusterPolicy" in version "nvidia.com/v1"', "api-access-denied"],
    ["the last line of an operator that says nothing known", "gpu-operator-not-ready"],
  ] as const)("the log of an operator that keeps exiting: %s", ([line, id]) => {
    const logs = [{ namespace: "gpu-operator", pod: "gpu-operator-6c74d6fcf-x8k2p", lines: [line] }];
    const report = reportOn([...changed({ "gpu-operator": down }), operatorPod([loop("main")])], { logs });
    expect(ids(report).causes).toEqual([id]);
    expect(conclusion(report, "gpu-operator-not-ready").evidence.map(({ value }) => value)).toContain(line);
  });

  // NVIDIA/k8s-device-plugin#2038
  test("a lost GPU, of which the device plugin and the rejected pods report", () => {
    const message =
      "Pod was rejected: Allocate failed due to device plugin GetPreferredAllocation rpc failed with err: rpc error: code = Unknown desc = error getting list of preferred allocation devices: unable to get device link information: GPU is lost, which is unexpected";
    const raw = pod("serve", { node: "ip-gpu-b", gpus: 1, phase: "Failed", statuses: [] });
    const rejected = { ...raw, status: { ...(raw["status"] as object), reason: "UnexpectedAdmissionError", message } };
    const lines = ["health.go:206] XidCriticalError: Xid=79 on Device=GPU-3f1e2a77; marking device as unhealthy."];
    const items = [...changed({ "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: "7", capacity: "8" }) }), rejected];
    const report = reportOn(items, { logs: [{ namespace: "gpu-operator", pod: `${plugin}-b`, lines }] });
    expect(report.conclusions.map(({ id, subject }) => `${id}: ${subject}`)).toEqual([
      "gpu-xid-error: node ip-gpu-b",
      "admission-rejected: pod gpu-lab/serve",
      "gpu-allocatable-low: node ip-gpu-b",
    ]);
  });

  test("a MIG configuration that failed", () => {
    const labels = {
      ...{ "nvidia.com/mig.config": "all-1g.5gb", "nvidia.com/mig.config.state": "failed" },
      "nvidia.com/gpu.deploy.device-plugin": "paused-for-mig-change",
    };
    const items = changed({
      [plugin]: { ...clusters.operator.plugin, status: { desiredNumberScheduled: 1, numberReady: 1 } },
      [`${plugin}-b`]: null,
      "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: "0", type: "p4d.24xlarge", labels }),
    });
    const report = reportOn(items);
    expect(ids(report)).toEqual({
      causes: ["mig-config-failed"],
      consequences: ["gpu-allocatable-zero", "gpu-label-missing", "device-plugin-below-gpu-nodes"],
      notices: [],
    });
    const found = conclusion(report, "mig-config-failed");
    expect(found.next[0]?.command).toBe("kubectl -n gpu-operator logs -l app=nvidia-mig-manager --tail=60 --prefix");
    wording.add(found);
    const resources = { limits: { "nvidia.com/mig-1g.5gb": "1" } };
    const waits = pod("p", {
      spec: { containers: [{ name: "main", resources }] },
      tolerations: [gpuToleration],
      scheduler: "0/4 nodes are available: 4 Insufficient nvidia.com/mig-1g.5gb.",
    });
    expect(ids(reportOn([...items, waits])).causes).toEqual(["mig-config-failed"]);
    const success = { ...labels, "nvidia.com/mig.config.state": "success" };
    expect(ids(reportOn(changed({ "ip-gpu-b": gpuNode("ip-gpu-b", { labels: success }) }))).causes).toEqual([]);
  });

  test("two device plugins on the same nodes", () => {
    const second = daemonSet("nvidia-device-plugin", { namespace: "kube-system", desired: 2 });
    const pods = ["ip-gpu-a", "ip-gpu-b"].map((name) =>
      pluginPod(name, { namespace: "kube-system", owner: ["DaemonSet", "nvidia-device-plugin"], labels: {} }),
    );
    const report = reportOn([...clusters.healthy, second, ...pods]);
    expect(ids(report)).toEqual({ causes: ["two-device-plugins"], consequences: [], notices: [] });
    const found = conclusion(report, "two-device-plugins");
    expect(found).toMatchObject({ confidence: "certain", nodes: ["ip-gpu-a", "ip-gpu-b"] });
    wording.add(found);
    expect(conclusion(reportOn([...clusters.healthy, second]), "two-device-plugins").confidence).toBe("possible");
    const onOtherNodes = [{ tolerations: [] }, { nodeSelector: { team: "a" } }].map((spec) =>
      daemonSet("nvidia-device-plugin", { namespace: "kube-system", spec }),
    );
    for (const one of onOtherNodes) expect(ids(reportOn([...clusters.healthy, one])).causes).toEqual([]);
    const withoutPods = [...clusters.healthy.filter(({ kind }) => kind !== "Pod"), second];
    const read = ["nodes", "daemonsets", "deployments", "clusterpolicies"];
    expect(conclusion(reportOn(withoutPods, { read }), "two-device-plugins").confidence).toBe("possible");
  });
});

test("wording", () => expect(String(wording)).toMatchSnapshot());
