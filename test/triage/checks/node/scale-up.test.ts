import { describe, expect, test } from "vitest";
import * as clusters from "../../support/clusters";
import { changed, conclusion, ids, reportOn } from "../../support/clusters";
import { apiServer } from "../../support/api-server";
import { causes, labelled, triage } from "../../support/live";
import { ago, conditions, event, gpuNode, hour, minute, node, pod } from "../../support/objects";
import { Wording } from "../../support/wording";
import messages from "../../../cluster/messages-1.35.json";

const wording = new Wording();

const group = "eks-gpu-0ec52f6e-1b7d-2b21-bf0d-0123456789ab";
const noGpus = [...clusters.systemNodes, clusters.operator.deployment];
const waits = [clusters.waiting, clusters.refusal];
const context = "arn:aws:eks:ap-northeast-2:111122223333:cluster/gpu-lab";

const ofPod = (reason: string, message: string, seconds: number, name = "gpu-probe") =>
  event(["Pod", name], reason, message, { type: "Normal", lastTimestamp: ago(seconds) });
const triggered = (seconds: number) =>
  ofPod("TriggeredScaleUp", `pod triggered scale-up: [{${group} 0->1 (max: 2)}]`, seconds);
const ofAutoscaler = (reason: string, message: string, seconds = 2 * minute) => {
  const about = { kind: "ConfigMap", namespace: "kube-system", name: "cluster-autoscaler-status" };
  const metadata = { name: `autoscaler.${reason}`, namespace: "kube-system" };
  return event(["ConfigMap", about.name], reason, message, {
    metadata,
    involvedObject: about,
    lastTimestamp: ago(seconds),
  });
};
const ofClaim = (reason: string, message: string) => {
  const about = { kind: "NodeClaim", name: "gpu-4667w" };
  const metadata = { name: "claim.event", namespace: "default" };
  return event(["NodeClaim", about.name], reason, message, { metadata, involvedObject: about });
};

const timedOut = ofAutoscaler(
  "ScaleUpTimedOut",
  `Nodes added to group ${group} failed to register within 15m5.500491908s`,
);
const noQuota = ofAutoscaler(
  "FailedToScaleUpGroup",
  `Scale-up failed for group ${group}: VcpuLimitExceeded: You have requested more vCPU capacity than your current vCPU limit of 0 allows for the instance bucket that the specified instance type belongs to.`,
);
const backoff = ofPod("NotTriggerScaleUp", "pod didn't trigger scale-up: 1 in backoff after failed scale-up", minute);
const noCapacity = ofClaim(
  "InsufficientCapacityError",
  "NodeClaim gpu-4667w event: creating instance, insufficient capacity, with fleet error(s), InsufficientInstanceCapacity: We currently do not have sufficient g5.xlarge capacity in the Availability Zone you requested (ap-northeast-2a).",
);

const activities =
  /^aws autoscaling describe-scaling-activities --auto-scaling-group-name eks-gpu-0ec52f6e\S+ --max-items 5 /;
const anyActivities = /^aws autoscaling describe-scaling-activities --max-items 5 /;
const claims = /^kubectl get events -A --field-selector involvedObject\.kind=NodeClaim/;

/** No command of the report starts another scale-up. */
function commandsOf(report: ReturnType<typeof reportOn>): string[] {
  const commands = report.conclusions.flatMap(({ next }) => next.map(({ command }) => command));
  expect(commands.filter((command) => /gpu up|update-nodegroup-config|set-desired/.test(command))).toEqual([]);
  return commands;
}

describe("an autoscaler tried to add a GPU node", () => {
  test.for([
    ["a scale-up of long ago", [triggered(20 * minute)], activities, "AWS does"],
    ["a timeout", [triggered(20 * minute), timedOut], activities, "did not become a node"],
    ["a quota", [noQuota, backoff], activities, "vCPU quota"],
    ["a group in backoff", [backoff], anyActivities, "AWS does"],
    ["Karpenter without capacity", [noCapacity], claims, "EC2 has no capacity"],
    [
      "Karpenter, nominated long ago",
      [ofPod("Nominated", "Pod should schedule on: nodeclaim/gpu-4667w", hour)],
      claims,
      "",
    ],
  ] as const)("%s", ([, events, command, text]) => {
    const report = reportOn([...noGpus, ...waits, ...events], { context });
    expect(ids(report)).toEqual({
      causes: ["scale-up-failed"],
      consequences: ["insufficient-gpu", "no-gpu-nodes"],
      notices: [],
    });
    const found = conclusion(report, "scale-up-failed");
    expect(found.next[0]?.command).toMatch(command);
    expect(found.what).toContain(text);
    commandsOf(report);
    wording.add(found);
  });

  test("the second command shows the health of the managed node group", () => {
    const report = reportOn([...noGpus, ...waits, timedOut], { context });
    expect(conclusion(report, "scale-up-failed").next[1]?.command).toBe(
      "aws eks describe-nodegroup --cluster-name gpu-lab --nodegroup-name gpu --query nodegroup.health",
    );
  });

  test("a NodeClaim that does not become a node", () => {
    const claim = (conditionsOf: Record<string, unknown>[], requests = { "nvidia.com/gpu": "1" }) => ({
      ...{ kind: "NodeClaim", metadata: { name: "gpu-4667w", creationTimestamp: ago(20 * minute) } },
      ...{ spec: { resources: { requests } }, status: { conditions: conditionsOf } },
    });
    const launched = { type: "Launched", status: "True", reason: "Launched" };
    const missing = {
      type: "Registered",
      status: "Unknown",
      reason: "NodeNotFound",
      message: "Node not registered with cluster",
    };
    const failed = {
      type: "Launched",
      status: "Unknown",
      reason: "LaunchFailed",
      message: "creating instance, UnauthorizedOperation",
    };
    for (const [list, text] of [
      [[launched, missing], "did not become a node"],
      [[failed], "lacks a permission"],
    ] as const) {
      const report = reportOn([...noGpus, ...waits, claim([...list])]);
      expect(ids(report).causes).toEqual(["scale-up-failed"]);
      expect(conclusion(report, "scale-up-failed").what).toContain(text);
      expect(conclusion(report, "scale-up-failed").next[0]?.command).toBe("kubectl describe nodeclaims gpu-4667w");
      wording.add(conclusion(report, "scale-up-failed"));
    }
    const other = claim([failed], { cpu: "1" } as never);
    expect(ids(reportOn([...noGpus, ...waits, other])).causes).toEqual(["no-gpu-nodes"]);
  });

  test("a scale-up that is under way: wait", () => {
    const report = reportOn([...noGpus, ...waits, triggered(2 * minute)], { context });
    expect(ids(report).causes).toEqual(["no-gpu-nodes"]);
    const found = conclusion(report, "no-gpu-nodes");
    expect(found.what).toContain("2m ago");
    expect(found.next[0]?.command).toMatch(activities);
    commandsOf(report);
    wording.add(found);
  });

  test("all GPUs are in use, and no other node comes", () => {
    const items = changed({ "ip-gpu-b": null, "nvidia-device-plugin-daemonset-b": null });
    const report = reportOn([...items, ...waits, noQuota]);
    expect(ids(report)).toMatchObject({
      causes: ["scale-up-failed"],
      consequences: ["insufficient-gpu", "gpus-in-use"],
    });
    commandsOf(report);
  });

  test("a node that joined since, and a group of other pods, do not count", () => {
    const joined = changed({ "ip-gpu-b": gpuNode("ip-gpu-b", { age: minute, gpus: "1" }) });
    const taken = pod("notebook", { node: "ip-gpu-b", gpus: 1 });
    expect(ids(reportOn([...joined, taken, ...waits, timedOut])).causes).toEqual(["gpus-in-use"]);
    const web = pod("web", { scheduler: "0/2 nodes are available: 2 Insufficient cpu." });
    const ofWeb = ofPod("TriggeredScaleUp", `pod triggered scale-up: [{${group} 0->1 (max: 2)}]`, hour, "web");
    expect(ids(reportOn([...noGpus, ...waits, web, ofWeb, timedOut])).causes).toContain("no-gpu-nodes");
  });
});

describe("a failure is that of the group for the pod", () => {
  const other = "eks-web-0ec52f6e-1b7d-2b21-bf0d-0123456789ac";
  const ofOther = { ...noQuota, message: noQuota["message"]?.toString().replace(group, other) };

  test("another group failed while a scale-up for the pod is under way", () => {
    expect(ids(reportOn([...noGpus, ...waits, triggered(2 * minute), ofOther])).causes).toEqual(["no-gpu-nodes"]);
    const report = reportOn([...noGpus, ...waits, triggered(20 * minute), ofOther]);
    expect(conclusion(report, "scale-up-failed")).toMatchObject({ subject: `group ${group}`, confidence: "likely" });
  });

  test("an old failure does not count during a new attempt", () => {
    const old = { ...noQuota, lastTimestamp: ago(hour) };
    expect(ids(reportOn([...noGpus, ...waits, triggered(minute), old])).causes).toEqual(["no-gpu-nodes"]);
    expect(ids(reportOn([...noGpus, ...waits, triggered(hour), noQuota])).causes).toEqual(["scale-up-failed"]);
  });

  test("events of an autoscaler alone do not make it certain", () => {
    const confidence = (...items: Record<string, unknown>[]) =>
      conclusion(reportOn([...noGpus, ...waits, ...items]), "scale-up-failed").confidence;
    expect(confidence(noQuota)).toBe("likely");
    expect(confidence(noQuota, backoff)).toBe("likely");
    expect(confidence(timedOut, triggered(20 * minute))).toBe("likely");
    expect(confidence(noCapacity)).toBe("likely");
  });

  test("a group in backoff: what the message says about other groups is not the cause", () => {
    for (const rest of ["2 node(s) didn't match Pod's node affinity/selector", "1 max node group size reached"]) {
      const report = reportOn([
        ...[...noGpus, ...waits],
        ofPod("NotTriggerScaleUp", `pod didn't trigger scale-up: ${rest}, 1 in backoff after failed scale-up`, minute),
      ]);
      expect(conclusion(report, "scale-up-failed").what).toContain("AWS does");
    }
  });

  test("a NodeClass that is not ready", () => {
    const event = ofClaim("NodeClassNotReady", 'NodeClaim gpu-4667w event: NodeClass "gpu" is not ready');
    const found = conclusion(reportOn([...noGpus, ...waits, event]), "scale-up-failed");
    const commands = found.next.map(({ command }) => command);
    expect(commands).toContain("kubectl describe ec2nodeclasses");
    expect(commands).toContain("kubectl describe nodeclasses.eks.amazonaws.com");
    expect(found.what).toContain("NodeClass is not ready");
  });
});

describe("an autoscaler does not try", () => {
  const karpenter =
    'Failed to schedule pod, incompatible with nodepool "default", daemonset overhead={"cpu":"150m"}, no instance type satisfied resources {"cpu":"1","nvidia.com/gpu":"1"} and requirements karpenter.sh/nodepool In [default]';

  /** What Karpenter v1.14.0 says, recorded by the cluster tests. */
  const recorded = {
    taint: messages["karpenter taint"].replace("FailedScheduling: ", ""),
    zone: messages["karpenter zone"].replace("FailedScheduling: ", ""),
    type: messages["karpenter type"].replace("FailedScheduling: ", ""),
    otherZone: messages["no-node-comes zone"].replace("FailedScheduling: ", ""),
    shares: messages["no-node-comes timeSlicing"].replace("FailedScheduling: ", ""),
    claim: messages["no-node-comes resourceClaim"].replace("FailedScheduling: ", ""),
  };

  test.for([
    [
      "pod didn't trigger scale-up: 12 node(s) didn't match Pod's node affinity/selector, 3 max node group size reached",
      "The limit of",
      "describe-auto-scaling-groups",
    ],
    [
      "pod didn't trigger scale-up (it wouldn't fit if a new node is added): 1 max limit reached",
      "The limit of",
      "describe-auto-scaling-groups",
    ],
    ["pod didn't trigger scale-up: 1 Insufficient nvidia.com/gpu", "needs tags", "describe-auto-scaling-groups"],
    [karpenter, "the instance types of the NodePool are too small", "kubectl describe nodepools", "nodepool-too-small"],
    [recorded.taint, "does not tolerate a taint of the NodePool", "kubectl describe nodepools", "nodepool-taint"],
    [recorded.zone, "has no instance type with the labels", "kubectl describe nodepools", "nodepool-labels"],
    [
      recorded.type,
      "the instance types of the NodePool are too small",
      "kubectl describe nodepools",
      "nodepool-too-small",
    ],
    [recorded.otherZone, "has no instance type with the labels", "kubectl describe nodepools", "nodepool-labels"],
    [recorded.shares, "requests shares or partitions of a GPU", "kubectl describe nodepools", "nodepool-shares"],
    [recorded.claim, "has a ResourceClaim (DRA)", "kubectl describe nodepools", "nodepool-claim"],
    [`${recorded.zone}; ${recorded.taint.replace(/^.*?, /, "")}`, "its taint, or its nodes lack", "nodepools"],
    [
      "Failed to schedule pod, all available instance types exceed limits for nodepool (NodePool=gpu)",
      "its NodePool has reached its limit",
      "kubectl describe nodepools",
      "nodepool-limit",
    ],
  ] as const)("%s", ([message, text, command, id = "scale-up-refused"]) => {
    const reason = message.startsWith("Failed") ? "FailedScheduling" : "NotTriggerScaleUp";
    const said = { ...ofPod(reason, message, minute), metadata: { name: "autoscaler", namespace: "gpu-lab" } };
    const report = reportOn([...noGpus, ...waits, said]);
    expect(ids(report)).toEqual({
      causes: [id],
      consequences: ["insufficient-gpu", "no-gpu-nodes"],
      notices: [],
    });
    const found = conclusion(report, id);
    expect(found.what).toContain(text);
    expect(found.next.at(-1)?.command).toContain(command);
    expect(conclusion(report, "insufficient-gpu").evidence[0]?.value).toMatch(/^0\/4 nodes/);
    if (id !== "nodepool-limit") commandsOf(report);
    wording.add(found);
  });

  test("a NodePool at its limit: after a lease, the limit is 0 until a session starts", () => {
    const message = messages["karpenter limit"].replace("FailedScheduling: ", "");
    const { next } = conclusion(
      reportOn([...noGpus, ...waits, ofPod("FailedScheduling", message, minute)]),
      "nodepool-limit",
    );
    const [, restore] = next;
    expect(restore).toMatchObject({ command: "npx eks-gpu-lab gpu up", changes: true });
    expect(restore?.why).toMatch(/limit of 0 GPUs means that the lease/);
  });

  test("a pod that fits no GPU node of the cluster keeps its own reason", () => {
    const scheduler = "0/4 nodes are available: 4 node(s) didn't match Pod's node affinity/selector.";
    const p = pod("p", { gpus: 1, scheduler, spec: { nodeSelector: { zone: "x" } } });
    const said = ofPod(
      "NotTriggerScaleUp",
      "pod didn't trigger scale-up: 1 node(s) didn't match Pod's node affinity/selector",
      minute,
      "p",
    );
    expect(ids(reportOn([...clusters.healthy, p, said])).causes).toContain("node-selector-mismatch");
  });
});

describe("one of two GPU nodes is sick, and a pod waits for the GPUs in use on the other", () => {
  const xid = conditions({ AcceleratedHardwareReady: { status: "False", reason: "NvidiaXID79Error" } });
  test.for([
    ["accelerated-hardware-not-ready", { gpus: "0", capacity: "1", conditions: xid }],
    [
      "node-not-ready",
      { gpus: "1", conditions: conditions({ Ready: { status: "Unknown", reason: "NodeStatusUnknown" } }) },
    ],
    ["device-plugin-without-gpus", { gpus: "0" }],
    ["node-cordoned", { unschedulable: true }],
  ] as const)("%s", ([cause, fields]) => {
    const report = reportOn([...changed({ "ip-gpu-b": gpuNode("ip-gpu-b", fields) }), ...waits]);
    expect(ids(report).causes).toEqual([cause]);
    expect(conclusion(report, cause).nodes).toEqual(["ip-gpu-b"]);
    expect(conclusion(report, "gpus-in-use").because).toBe(cause);
  });

  test.for([
    ["scale-up-failed", triggered(20 * minute)],
    ["scale-up-failed", noQuota],
    [
      "scale-up-refused",
      ofPod("NotTriggerScaleUp", "pod didn't trigger scale-up: 1 max node group size reached", minute),
    ],
  ] as const)("also if the autoscaler adds no node in its place: %s", ([id, said]) => {
    const sick = changed({ "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: "0", capacity: "1", conditions: xid }) });
    const report = reportOn([...sick, ...waits, said]);
    expect(ids(report).causes).toEqual(["accelerated-hardware-not-ready"]);
    expect(conclusion(report, id).because).toBe("accelerated-hardware-not-ready");
    const two = pod("two", { gpus: 2, scheduler: clusters.insufficientEverywhere });
    expect(ids(reportOn([...sick, ...waits, two, said])).causes).toContain("accelerated-hardware-not-ready");
  });

  test("node repair cordons a node with a broken kernel", () => {
    const broken = { unschedulable: true, conditions: conditions({ KernelReady: { status: "False", reason: "x" } }) };
    const report = reportOn([...changed({ "ip-gpu-b": gpuNode("ip-gpu-b", broken) }), ...waits]);
    expect(ids(report).causes).toEqual(["kernel-not-ready"]);
  });

  test("one of several GPUs of the only node", () => {
    const eight = { type: "g5.48xlarge", gpus: "7", capacity: "8" };
    const items = changed({
      "ip-gpu-a": gpuNode("ip-gpu-a", eight),
      "ip-gpu-b": null,
      trainer: null,
      "nvidia-device-plugin-daemonset-b": null,
    });
    const seven = pod("seven", { node: "ip-gpu-a", gpus: 7 });
    expect(ids(reportOn([...items, seven, ...waits])).causes).toEqual(["gpu-allocatable-low"]);
  });
});

describe("a live cluster", () => {
  test("reads what autoscalers report about groups only while a pod waits for a GPU", async () => {
    const web = node("ip-web", { labels: { "karpenter.sh/nodepool": "default" } });
    const busy = await apiServer({ items: labelled([...clusters.healthy, web]) });
    await triage(busy);
    expect(busy.requests.filter((one) => /nodeclaims|ScaleUpTimedOut/.test(one))).toEqual([]);
    const api = await apiServer({ items: labelled([...noGpus, web, ...waits, noCapacity]) });
    expect(causes((await triage(api, "--json")).out)).toEqual(["scale-up-failed"]);
    expect(api.requests.filter((one) => /\/nodeclaims\?/.test(one))).toHaveLength(1);
    expect(causes((await triage(api, "pod", "gpu-probe", "--json")).out)).toEqual(["scale-up-failed"]);
  });
});

test("wording", () => expect(String(wording)).toMatchSnapshot());
