import { describe, expect, test } from "vitest";
import * as clusters from "../../support/clusters";
import { changed, conclusion, ids, reportOn } from "../../support/clusters";
import { gpuNode, pod } from "../../support/objects";
import { Wording } from "../../support/wording";

const wording = new Wording();

/** What triage says only if nothing but a past shortage kept the pod off a node. */
const freeNow = "has enough free GPUs now";
const subject = { kind: "pod", name: "p", namespace: "gpu-lab" };

/** What triage says of a pod for one GPU, where both GPU nodes are well and the second one has a GPU to give. */
function refusedBy(reasons: string, fields: Parameters<typeof pod>[1] = {}, items = clusters.healthy) {
  const scheduler = `0/4 nodes are available: ${reasons}. preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.`;
  return reportOn([...items, pod("p", { gpus: 1, scheduler, ...fields })], { subject });
}

describe("if a GPU node has free GPUs, its own reason is the conclusion", () => {
  const volumes = { spec: { containers: gpuContainers(), volumes: [claim("data")] } };

  test.for([
    ["1 Insufficient cpu", "insufficient-resource", "cpu"],
    ["1 Insufficient memory", "insufficient-resource", "memory"],
    ["1 Insufficient vpc.amazonaws.com/efa", "resource-not-offered", "vpc.amazonaws.com/efa"],
    ["1 node(s) didn't match PersistentVolume's node affinity", "unbound-volume-claim", "PersistentVolume's"],
    ["1 node(s) didn't find available persistent volumes to bind", "unbound-volume-claim", "persistent volumes"],
    ["1 node(s) didn't match pod topology spread constraints", "topology-spread", ""],
    [
      "1 node(s) didn't match pod anti-affinity rules",
      "not-schedulable",
      "1 node(s) didn't match pod anti-affinity rules",
    ],
    ["1 node(s) didn't match pod affinity rules", "not-schedulable", "1 node(s) didn't match pod affinity rules"],
    ["1 node(s) didn't have free ports for the requested pod ports", "not-schedulable", "free ports"],
    ["1 Too many pods", "not-schedulable", "1 Too many pods"],
    ["1 node(s) were on strike", "not-schedulable", "1 node(s) were on strike"],
  ] as const)("%s, 3 Insufficient nvidia.com/gpu", ([reason, id, text]) => {
    const report = refusedBy(`${reason}, 3 Insufficient nvidia.com/gpu`, volumes);
    expect(ids(report)).toEqual({ causes: [id], consequences: [], notices: [] });
    expect(conclusion(report, id).what).toContain(text);
    wording.add(conclusion(report, id));
    expect(JSON.stringify(report)).not.toContain(freeNow);
  });

  test("reports a reason without a conclusion of its own next to the others", () => {
    const report = refusedBy("1 Too many pods, 1 Insufficient cpu, 2 Insufficient nvidia.com/gpu");
    expect(ids(report).causes).toEqual(["insufficient-resource", "not-schedulable"]);
    expect(conclusion(report, "not-schedulable")).toMatchObject({ confidence: "likely", nodes: ["ip-gpu-b"] });
  });

  test.for([
    ["1 node(s) were unschedulable", { "ip-gpu-a": gpuNode("ip-gpu-a", { unschedulable: true }) }],
    ["1 node(s) had untolerated taint {a: b}", { "ip-gpu-a": gpuNode("ip-gpu-a", { taints: [taint()] }) }],
    ["1 node(s) didn't match Pod's node affinity/selector", {}],
  ] as const)(
    "%s is of another node than the one with room: that one was short, and has room now",
    ([reason, nodes]) => {
      const report = refusedBy(`${reason}, 3 Insufficient nvidia.com/gpu`, {}, changed(nodes));
      expect(conclusion(report, "insufficient-gpu").what).toContain(freeNow);
    },
  );
});

describe("without free GPUs, the shortage is the conclusion", () => {
  const full = changed({ "ip-gpu-b": null, "nvidia-device-plugin-daemonset-b": null });

  test.for(["2 Insufficient cpu", "1 Too many pods", "1 Insufficient cpu, 2 Too many pods"])("%s", (reason) => {
    const scheduler = `0/3 nodes are available: ${reason}, 3 Insufficient nvidia.com/gpu.`;
    expect(ids(refusedBy("", { scheduler }, full))).toEqual({
      causes: ["gpus-in-use"],
      consequences: ["insufficient-gpu"],
      notices: [],
    });
  });

  test("a reason for a node whose GPU has been allocated since", () => {
    const report = refusedBy("1 node(s) didn't match pod anti-affinity rules, 3 Insufficient nvidia.com/gpu", {}, full);
    expect(ids(report).causes).toEqual(["gpus-in-use"]);
  });

  test("every GPU node is cordoned", () => {
    const cordoned = changed({
      "ip-gpu-a": gpuNode("ip-gpu-a", { unschedulable: true }),
      "ip-gpu-b": gpuNode("ip-gpu-b", { unschedulable: true }),
    });
    const report = refusedBy("2 node(s) were unschedulable, 2 Insufficient nvidia.com/gpu", {}, cordoned);
    expect(ids(report)).toMatchObject({ causes: ["node-cordoned"], consequences: ["insufficient-gpu"] });
    wording.add(conclusion(report, "insufficient-gpu"));
    expect(conclusion(report, "insufficient-gpu").what).toContain("ip-gpu-a (cordoned), ip-gpu-b (cordoned)");
  });
});

describe("GPUs as another resource", () => {
  const offering = (name: string, resource: string) => {
    const raw = gpuNode(name, { gpus: "0" });
    const status = raw["status"] as { allocatable: Record<string, string> };
    return { ...raw, status: { ...status, allocatable: { ...status.allocatable, [resource]: "7" } } };
  };

  test.for(["nvidia.com/mig-1g.5gb", "nvidia.com/gpu.shared"])("%s is what the nodes offer: ask for it", (resource) => {
    const nodes = { "ip-gpu-a": offering("ip-gpu-a", resource), "ip-gpu-b": offering("ip-gpu-b", resource) };
    const report = refusedBy("4 Insufficient nvidia.com/gpu", {}, changed({ ...nodes, trainer: null }));
    expect(ids(report).causes).toEqual(["insufficient-gpu"]);
    wording.add(conclusion(report, "insufficient-gpu"));
    expect(conclusion(report, "insufficient-gpu").what).toContain(resource);
  });

  test("a partition that no node has, while nodes advertise whole GPUs", () => {
    const containers = [{ name: "m", resources: { limits: { "nvidia.com/mig-1g.5gb": "1" } } }];
    const report = refusedBy("4 Insufficient nvidia.com/mig-1g.5gb", { spec: { containers } });
    wording.add(conclusion(report, "insufficient-gpu"));
    expect(conclusion(report, "insufficient-gpu").what).toMatch(/nvidia\.com\/gpu\b/);
  });
});

function gpuContainers() {
  return [{ name: "main", resources: { limits: { "nvidia.com/gpu": "1" } } }];
}

function claim(claimName: string) {
  return { name: claimName, persistentVolumeClaim: { claimName } };
}

function taint() {
  return { key: "a", value: "b", effect: "NoSchedule" };
}

test("wording", () => expect(String(wording)).toMatchSnapshot());
