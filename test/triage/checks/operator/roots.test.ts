import { describe, expect, test } from "vitest";
import * as clusters from "../../support/clusters";
import { changed, conclusion, ids, pluginPod, reportOn } from "../../support/clusters";
import { clusterPolicy, daemonSet, gpuNode, gpuToleration, hour, pod } from "../../support/objects";
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
