import { describe, expect, test } from "vitest";
import { canSchedule, type Node, type PodRequirements } from "../../../../../simulation/aws/eks/nodes/nodes";
import { scaleNodeGroup } from "../../../../../simulation/aws/eks/nodes/instances";
import { types } from "../../../../../simulation/aws/types";
import type { SimulatedCloud } from "../../../../../simulation/cloud/simulated-cloud";
import { clusterForNodes, gpuInputs, makeGroup } from "../foundation";

const sizesIn = (cloud: SimulatedCloud) => cloud.find(types.nodeGroup)[0]?.inputs["scalingConfig"];

describe("scaling out of band", () => {
  test("launches and terminates nodes, and changes the group", async () => {
    const cloud = await clusterForNodes();
    await makeGroup(cloud, gpuInputs);
    expect(scaleNodeGroup(cloud, "gpu", 2)).toEqual({ nodes: 2, issue: undefined });
    expect(sizesIn(cloud)).toEqual({ desiredSize: 2, minSize: 0, maxSize: 4 });
    expect(cloud.find(types.instance)).toHaveLength(2);
    expect(scaleNodeGroup(cloud, "gpu", 0)).toEqual({ nodes: 0, issue: undefined });
    expect(cloud.find(types.instance)).toEqual([]);
  });

  test("survives updates of other inputs, and is reverted by an update of the sizes", async () => {
    const cloud = await clusterForNodes();
    await makeGroup(cloud, gpuInputs);
    scaleNodeGroup(cloud, "gpu", 2);
    await cloud.update(types.nodeGroup, "lab:gpu", { ...gpuInputs, labels: { a: "b" } }, {}, gpuInputs);
    expect(cloud.find(types.instance)).toHaveLength(2);
    const scalingConfig = { desiredSize: 0, minSize: 0, maxSize: 3 };
    await cloud.update(types.nodeGroup, "lab:gpu", { ...gpuInputs, scalingConfig }, {}, gpuInputs);
    expect(cloud.find(types.instance)).toEqual([]);
    expect(sizesIn(cloud)).toEqual(scalingConfig);
  });

  test("beyond the quota degrades the group", async () => {
    const cloud = await clusterForNodes();
    await makeGroup(cloud, gpuInputs);
    const { nodes, issue } = scaleNodeGroup(cloud, "gpu", 3);
    expect(nodes).toBe(2);
    expect(issue).toContain("AsgInstanceLaunchFailures: Could not launch On-Demand Instances. VcpuLimitExceeded");
    expect(cloud.find(types.nodeGroup)[0]?.computed["status"]).toBe("DEGRADED");
    scaleNodeGroup(cloud, "gpu", 1);
    expect(cloud.find(types.nodeGroup)[0]?.computed["status"]).toBe("ACTIVE");
  });

  test("is rejected outside of the group's minimum and maximum", async () => {
    const cloud = await clusterForNodes();
    await makeGroup(cloud, gpuInputs);
    expect(() => scaleNodeGroup(cloud, "gpu", 5)).toThrow(
      "InvalidParameterException: desired capacity 5 can't be greater than max size 4",
    );
    expect(() => scaleNodeGroup(cloud, "other", 1)).toThrow("Node group other does not exist");
  });

  test("replaces a lost node", async () => {
    const cloud = await clusterForNodes();
    await makeGroup(cloud, gpuInputs);
    scaleNodeGroup(cloud, "gpu", 2);
    const [first, second] = cloud.find(types.instance).map(({ id }) => id);
    cloud.remove(types.instance, String(first));
    scaleNodeGroup(cloud, "gpu", 2);
    expect(cloud.find(types.instance).map(({ id }) => id)).toHaveLength(2);
    expect(cloud.get(types.instance, String(second))).toBeDefined();
  });
});

const node: Node = { name: "i-1", labels: { tier: "primary" }, taints: [], gpus: 0, ready: true };
const tainted: Node = {
  name: "i-2",
  labels: { tier: "gpu" },
  taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NoSchedule" }],
  gpus: 1,
  ready: true,
};

test.for<[string, Node[], PodRequirements, boolean]>([
  ["no node", [], {}, false],
  ["a node", [node], {}, true],
  ["a node that is not ready", [{ ...node, ready: false }], {}, false],
  ["a tainted node", [tainted], {}, false],
  ["a preference against", [{ ...tainted, taints: [{ key: "a", value: "", effect: "PreferNoSchedule" }] }], {}, true],
  ["a toleration of the key", [tainted], { tolerations: [{ key: "nvidia.com/gpu", operator: "Exists" }] }, true],
  ["a toleration of all", [tainted], { tolerations: [{ operator: "Exists" }] }, true],
  ["a toleration of the value", [tainted], { tolerations: [{ key: "nvidia.com/gpu", value: "true" }] }, true],
  ["a toleration of another value", [tainted], { tolerations: [{ key: "nvidia.com/gpu", value: "no" }] }, false],
  ["a toleration of another key", [tainted], { tolerations: [{ key: "a", operator: "Exists" }] }, false],
  ["a toleration of the effect", [tainted], { tolerations: [{ operator: "Exists", effect: "NoSchedule" }] }, true],
  ["a toleration of another effect", [tainted], { tolerations: [{ operator: "Exists", effect: "NoExecute" }] }, false],
  ["a selector that fits", [node], { nodeSelector: { tier: "primary" } }, true],
  ["a selector that does not", [node], { nodeSelector: { tier: "gpu" } }, false],
  ["a GPU that is not there", [node], { gpus: 1 }, false],
  ["a GPU that is", [tainted], { gpus: 1, tolerations: [{ operator: "Exists" }] }, true],
  ["more GPUs than a node has", [tainted], { gpus: 2, tolerations: [{ operator: "Exists" }] }, false],
  ["tolerations that are none", [node], { tolerations: "all", nodeSelector: 1 }, true],
])("a pod and %s", ([, nodes, needs, fits]) => {
  expect(canSchedule(nodes, needs)).toBe(fits);
});
