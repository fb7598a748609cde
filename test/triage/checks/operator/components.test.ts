import { describe, expect, test } from "vitest";
import * as clusters from "../../support/clusters";
import { changed, conclusion, ids, reportOn } from "../../support/clusters";
import { daemonSet, deployment, event, gpuNode, hour, pod } from "../../support/objects";

const plugin = "nvidia-device-plugin-daemonset";
const crashed = (reason = "Error", exitCode = 1) => [
  {
    ...{ name: "main", ready: false, restartCount: 6, state: { waiting: { reason: "CrashLoopBackOff" } } },
    lastState: { terminated: { exitCode, reason } },
  },
];
const noOperator = {
  ...{ "gpu-operator": null, "cluster-policy": null, [plugin]: null, [`${plugin}-a`]: null, [`${plugin}-b`]: null },
  ...{ "gpu-feature-discovery": null, "nvidia-dcgm-exporter": null, "nvidia-operator-validator": null },
};

/** Components that charts of their own install, in namespaces of their own. */
describe("a component outside the operator's namespace keeps exiting", () => {
  test.for([
    ["kube-system", "nvidia-device-plugin-daemonset", "DaemonSet"],
    ["monitoring", "dcgm-exporter", "DaemonSet"],
    ["node-feature-discovery", "node-feature-discovery-worker", "DaemonSet"],
    ["nfd", "nfd-master-7d9c5b6f4", "ReplicaSet"],
    ["nvidia-device-plugin", "nvdp-nvidia-device-plugin-gpu-feature-discovery", "DaemonSet"],
    ["kube-system", "aws-efa-k8s-device-plugin", "DaemonSet"],
    ["kube-system", "neuron-device-plugin", "DaemonSet"],
    ["hami-system", "hami-scheduler-6d8b9c7f5", "ReplicaSet"],
    ["kai-scheduler", "binder-6d8b9c7f5", "ReplicaSet"],
    ["kueue-system", "kueue-controller-manager-6d8b9c7f5", "ReplicaSet"],
    ["volcano-system", "volcano-scheduler-6d8b9c7f5", "ReplicaSet"],
    ["gpu-operator", "gpu-operator-node-feature-discovery-gc-64c5d8b9", "ReplicaSet"],
  ] as const)("%s/%s", ([namespace, owner, kind]) => {
    const p = pod(`${owner}-x1y2z`, {
      namespace,
      node: "ip-gpu-b",
      owner: [kind, owner],
      statuses: crashed(),
      age: hour,
    });
    const report = reportOn([...clusters.healthy, p]);
    expect(ids(report).causes).toEqual(["operator-pod-crash-loop"]);
  });

  test("a workload whose name contains nvidia is a workload", () => {
    const p = pod("nvidia-triton-0", {
      node: "ip-gpu-b",
      gpus: 1,
      statuses: crashed(),
      age: hour,
      owner: ["ReplicaSet", "nvidia-triton"],
    });
    expect(ids(reportOn([...changed({}), p])).causes).toEqual(["crash-loop"]);
  });

  test("the plugin of a chart: its error explains the node", () => {
    const name = "nvdp-nvidia-device-plugin";
    const namespace = "nvidia-device-plugin";
    const items = [
      ...changed({ ...noOperator, "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: null }) }),
      daemonSet(name, { namespace, ready: 1 }),
      pod(`${name}-b`, { namespace, node: "ip-gpu-b", owner: ["DaemonSet", name], statuses: crashed(), age: hour }),
      pod(`${name}-a`, { namespace, node: "ip-gpu-a", owner: ["DaemonSet", name] }),
    ];
    const lines = ["Error: unable to validate flags: invalid --mig-strategy option x: unknown MIG strategy: x"];
    const report = reportOn(items, { logs: [{ namespace, pod: `${name}-b`, lines }] });
    expect(ids(report).causes).toEqual(["mig-strategy-mismatch"]);
    expect(ids(report).consequences).toEqual(
      expect.arrayContaining(["gpu-allocatable-missing", "operator-pod-crash-loop", "device-plugin-below-gpu-nodes"]),
    );
  });
});

describe("an operator that runs out of memory comes before a guess", () => {
  const operatorPod = pod("gpu-operator-6d8b9c7f5-abcde", {
    ...{ namespace: "gpu-operator", node: "ip-sys-1", owner: ["ReplicaSet", "gpu-operator-6d8b9c7f5"] as const },
    ...{ labels: { app: "gpu-operator" }, statuses: crashed("OOMKilled", 137), age: hour },
  });
  test.for([
    ["not ready", { status: { replicas: 1, readyReplicas: 0 } }, "gpu-operator-not-ready"],
    ["ready at the moment", {}, "operator-pod-crash-loop"],
  ] as const)("%s", ([, fields, id]) => {
    const fresh = gpuNode("ip-gpu-c", {
      gpus: null,
      age: 20 * 60,
      labels: { "nvidia.com/gpu.deploy.device-plugin": "" },
    });
    const items = [
      ...changed({ "gpu-operator": { ...deployment("gpu-operator", { namespace: "gpu-operator" }), ...fields } }),
      ...[operatorPod, fresh],
    ];
    const report = reportOn(items);
    expect(ids(report).causes[0]).toBe(id);
    expect(ids(report).consequences).toEqual(expect.arrayContaining(["gpu-label-missing", "gpu-zero-on-new-nodes"]));
    expect(JSON.stringify(conclusion(report, id))).toContain("OOMKilled");
  });
});

/** Messages of the DaemonSet controller and of admission plugins. */
describe("the pods of a DaemonSet of the operator are rejected", () => {
  test.for([
    ["exceeded quota: gpu-operator-quota, requested: pods=1, used: pods=10, limited: pods=10", "quota-exceeded"],
    ["insufficient quota to match these scopes: [{PriorityClass In [system-node-critical]}]", "quota-exceeded"],
    ['pods "x-" is forbidden: violates PodSecurity "baseline:latest": hostPath volumes', "pod-security-violation"],
    ['failed calling webhook "mutate.istio.io": context deadline exceeded', "pods-not-created"],
    [
      'pods "x-" is forbidden: error looking up service account gpu-operator/nvidia-device-plugin: serviceaccount "nvidia-device-plugin" not found',
      "pods-not-created",
    ],
  ] as const)("%s", ([message, id]) => {
    for (const name of [plugin, "nvidia-container-toolkit-daemonset"]) {
      const involvedObject = { kind: "DaemonSet", name, namespace: "gpu-operator" };
      const set = {
        ...daemonSet(name),
        status: { desiredNumberScheduled: 2, currentNumberScheduled: 0, numberReady: 0 },
      };
      const items = [
        ...changed({
          ...{ [plugin]: null, [`${plugin}-a`]: null, [`${plugin}-b`]: null },
          "ip-gpu-a": gpuNode("ip-gpu-a", { gpus: null }),
          "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: null }),
        }),
        ...[set, event(["DaemonSet", name], "FailedCreate", `Error creating: ${message}`, { involvedObject })],
      ];
      const report = reportOn(items);
      expect(ids(report).causes).toEqual([id]);
      expect(ids(report).consequences).toContain("gpu-allocatable-missing");
      expect(conclusion(report, id).confidence).toBe("certain");
    }
  });
});
