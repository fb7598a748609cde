import { describe, expect, test } from "vitest";
import { triage } from "../../triage/triage";
import { checkedStatements, contradictions } from "./support/certain";
import * as clusters from "./support/clusters";
import { changed, conclusion, dumpOf, reportOn } from "./support/clusters";
import { ago, conditions, gpuNode, hour, minute, node, pod } from "./support/objects";

const plugin = "nvidia-device-plugin-daemonset";
const withoutPlugin = { [plugin]: null, [`${plugin}-a`]: null, [`${plugin}-b`]: null };
const noOperator = {
  ...{ "gpu-operator": null, "cluster-policy": null, ...withoutPlugin },
  ...{ "gpu-feature-discovery": null, "nvidia-dcgm-exporter": null, "nvidia-operator-validator": null },
};
const refused = (reasons: string, fields: Parameters<typeof pod>[1] = {}) =>
  pod("p", { scheduler: `0/4 nodes are available: ${reasons}.`, ...fields });

/** `reportOn` fails if a certain conclusion states what is not in the dump. */
describe("what a certain conclusion states is in the dump, although the cluster has changed since", () => {
  test.for([
    [
      "a node still advertises GPUs without the DaemonSet",
      changed({ ...withoutPlugin, "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: "0" }) }),
      ["device-plugin-missing", "certain", "so 1 GPU node cannot advertise GPUs"],
    ],
    [
      "a node advertises GPUs through a plugin of its image",
      changed({ ...noOperator, "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: null }) }),
      ["gpu-operator-not-installed", "certain", "1 GPU node advertises no GPUs"],
    ],
    [
      "a GPU has become free since the scheduler tried",
      [...clusters.healthy, refused("4 Insufficient nvidia.com/gpu", { gpus: 1 })],
      ["insufficient-gpu", "likely", "enough free GPUs now"],
    ],
    [
      "one GPU of the two that the pod needs is free",
      [
        ...changed({
          ...{ "ip-gpu-a": gpuNode("ip-gpu-a", { type: "g5.12xlarge", gpus: "4" }), "ip-gpu-b": null, trainer: null },
          [`${plugin}-b`]: null,
        }),
        pod("three", { node: "ip-gpu-a", gpus: 3 }),
        refused("3 Insufficient nvidia.com/gpu", { gpus: 2 }),
      ],
      ["gpus-in-use", "certain", "No node has 2 free nvidia.com/gpu"],
    ],
    [
      "the nodes have enough CPU by now",
      [...clusters.healthy, refused("4 Insufficient cpu")],
      ["insufficient-resource", "likely", "too little cpu"],
    ],
    [
      "the nodes have too little CPU",
      [
        ...clusters.healthy,
        refused("4 Insufficient cpu", { spec: { containers: [{ name: "m", resources: { requests: { cpu: "8" } } }] } }),
      ],
      ["insufficient-resource", "certain", "too little cpu"],
    ],
    [
      "the claim is bound by now",
      [
        ...clusters.healthy,
        {
          ...{ kind: "PersistentVolumeClaim", metadata: { name: "data", namespace: "gpu-lab" }, spec: {} },
          status: { phase: "Bound" },
        },
        refused("pod has unbound immediate PersistentVolumeClaims", {
          spec: { containers: [], volumes: [{ name: "d", persistentVolumeClaim: { claimName: "data" } }] },
        }),
      ],
      ["unbound-volume-claim", "likely", "unbound immediate"],
    ],
    [
      "the kubelet keeps the capacity of unhealthy GPUs",
      changed({ [`${plugin}-b`]: null, "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: "0", capacity: "1" }) }),
      ["gpu-allocatable-zero", "certain", "although its capacity is above 0"],
    ],
    [
      "a node that is not Ready has a free GPU",
      [
        ...changed({
          "ip-gpu-b": gpuNode("ip-gpu-b", { conditions: conditions({ Ready: { status: "False", reason: "x" } }) }),
        }),
        refused("4 Insufficient nvidia.com/gpu", { gpus: 1 }),
      ],
      ["gpus-in-use", "certain", "Every nvidia.com/gpu"],
    ],
  ] as const)("%s", ([, items, [id, confidence, text]]) => {
    const found = conclusion(reportOn([...items]), id);
    expect(found.confidence).toBe(confidence);
    expect(found.what).toContain(text);
  });
});

describe("the check finds a contradiction", () => {
  const { pluginOff, brokenGpu, rollout, healthy, atRest } = clusters;
  const lostGpu = brokenGpu.map((item) =>
    item["kind"] === "Node" && isNamed(item, "ip-gpu-b")
      ? { ...item, status: { ...(item["status"] as object), allocatable: { "nvidia.com/gpu": "0" } } }
      : item,
  );
  const image = pod("p", {
    ...{ node: "ip-gpu-b", phase: "Pending", gpus: 1 },
    statuses: [{ name: "main", restartCount: 0, state: { waiting: { reason: "ImagePullBackOff", message: "x" } } }],
  });
  test.for([
    ["device-plugin-disabled", pluginOff, healthy],
    ["device-plugin-missing", pluginOff, [...pluginOff, clusters.operator.plugin]],
    ["gpu-allocatable-zero", pluginOff, [...pluginOff, gpuNode("ip-gpu-a")]],
    ["insufficient-gpu", pluginOff, [...pluginOff, gpuNode("ip-gpu-a")]],
    ["accelerated-hardware-not-ready", lostGpu, healthy],
    ["no-gpu-nodes", [...atRest, clusters.waiting], [...atRest, gpuNode("ip-gpu-a")]],
    ["rollout-deadlock", rollout, healthy],
    ["image-pull", [...healthy, image], [...healthy, pod("p", { node: "ip-gpu-b", gpus: 1 })]],
    [
      "node-not-ready",
      [...healthy, node("x", { age: hour, conditions: conditions({ Ready: { status: "Unknown" } }) })],
      [...healthy, node("x")],
    ],
    ["quota-exceeded", [...healthy, replicas(0)], [...healthy, replicas(1)]],
  ] as const)("%s", ([id, before, after]) => {
    const report = triage(dumpOf([...before]));
    expect(contradictions(report, dumpOf([...before]))).toEqual([]);
    expect(contradictions(report, dumpOf([...after])).join("\n")).toContain(`${id}: `);
  });

  test("most conclusions that can be certain have a statement of their own", () => {
    expect(checkedStatements.length).toBeGreaterThan(40);
  });
});

function isNamed(item: Record<string, unknown>, name: string): boolean {
  return (item["metadata"] as { name: string }).name === name;
}

function replicas(count: number) {
  const message = 'pods "x" is forbidden: exceeded quota: q, requested: requests.nvidia.com/gpu=1';
  const failure = {
    type: "ReplicaFailure",
    status: "True",
    reason: "FailedCreate",
    message,
    lastTransitionTime: ago(minute),
  };
  return {
    ...{ kind: "ReplicaSet", metadata: { name: "r", namespace: "gpu-lab" }, spec: { replicas: 1 } },
    status: { replicas: count, conditions: [failure] },
  };
}
