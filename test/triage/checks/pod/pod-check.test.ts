import { describe, expect, test } from "vitest";
import { renderJson } from "../../../../triage/report/json";
import { renderText } from "../../../../triage/report/text";
import * as clusters from "../../support/clusters";
import { changed, conclusion, ids, reportOn } from "../../support/clusters";
import { ago, daemonSet, event, gpuNode, gpuTaint, hour, minute, pod } from "../../support/objects";
import messages from "../../../cluster/messages-1.35.json";
import { Wording } from "../../support/wording";

const wording = new Wording();

const tail = " preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.";

function withPod(name: string, fields: Parameters<typeof pod>[1]) {
  return reportOn([...clusters.healthy, pod(name, fields)], { subject: { kind: "pod", name, namespace: "gpu-lab" } });
}

describe("one pod per kind of reason", () => {
  test("too little CPU", () => {
    const report = withPod("p", { scheduler: `0/4 nodes are available: 4 Insufficient cpu.${tail}` });
    expect(ids(report).causes).toEqual(["insufficient-resource"]);
    wording.add(conclusion(report, "insufficient-resource"));
  });

  test("no toleration: the taint comes from the nodes, because newer messages do not name it", () => {
    const report = withPod("p", {
      gpus: 1,
      tolerations: [],
      scheduler: `0/4 nodes are available: 2 Insufficient nvidia.com/gpu, 2 node(s) had untolerated taint(s).${tail}`,
    });
    const found = conclusion(report, "untolerated-taint");
    wording.add(found);
    expect(found.what).toContain("nvidia.com/gpu=true:NoSchedule");
    expect(found.next[0]?.why).toContain("key: nvidia.com/gpu, operator: Exists");
  });

  test.for([
    [[{ key: "team", value: "x", effect: "NoExecute" }], "[{key: team, operator: Exists, effect: NoExecute}]"],
    [
      [gpuTaint, { key: "team", value: "x", effect: "NoExecute" }],
      "[{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}, {key: team, operator: Exists, effect: NoExecute}]",
    ],
  ] as const)("suggests the tolerations of the taints, with their effects: %#", ([taints, advice]) => {
    const nodes = { "ip-gpu-a": gpuNode("ip-gpu-a", { taints }), "ip-gpu-b": gpuNode("ip-gpu-b", { taints }) };
    const scheduler = `0/4 nodes are available: 2 Insufficient nvidia.com/gpu, 2 node(s) had untolerated taint(s).${tail}`;
    const report = reportOn([...clusters.changed(nodes), pod("p", { gpus: 1, tolerations: [], scheduler })]);
    expect(conclusion(report, "untolerated-taint").next[0]?.why).toContain(`tolerations: ${advice}`);
  });

  test.each([
    ["after ten minutes", hour, "certain"],
    ["before", minute, "likely"],
  ])("a start-up taint that Karpenter still waits for, %s", (_, age, confidence) => {
    const taints = [{ key: "example.com/setup", effect: "NoSchedule" }];
    const nodes = { "ip-gpu-a": gpuNode("ip-gpu-a", { taints }), "ip-gpu-b": gpuNode("ip-gpu-b", { taints }) };
    const scheduler = `0/4 nodes are available: 2 node(s) had untolerated taint(s), 2 Insufficient nvidia.com/gpu.${tail}`;
    const waits = pod("p", { gpus: 1, tolerations: [], scheduler });
    const [reason, message] = messages["no-node-comes startupTaint"].split(": ");
    const claim = {
      ...{ apiVersion: "karpenter.sh/v1", kind: "NodeClaim" },
      metadata: { name: "gpu-1", creationTimestamp: ago(age) },
      status: { conditions: [{ type: "Initialized", status: "Unknown", reason, message }] },
    };
    const found = conclusion(reportOn([...clusters.changed(nodes), waits, claim]), "startup-taint-stays");
    expect(found.confidence).toBe(confidence);
    expect(found.what).toContain("still has the start-up taint example.com/setup:NoSchedule");
    expect(found.evidence.at(-1)?.value).toBe(`${reason}: ${message}`);
    const other = { ...claim, status: { conditions: [{ type: "Initialized", status: "True", reason: "x" }] } };
    expect(ids(reportOn([...clusters.changed(nodes), waits, other])).causes).toContain("untolerated-taint");
  });

  test.each([" => rm -rf /", " =!> rm -rf /"])("a taint with the text %s in its key changes no command", (text) => {
    const taints = [{ key: `team${text}`, value: "x", effect: "NoSchedule" }];
    const nodes = { "ip-gpu-a": gpuNode("ip-gpu-a", { taints }), "ip-gpu-b": gpuNode("ip-gpu-b", { taints }) };
    const scheduler = `0/4 nodes are available: 2 Insufficient nvidia.com/gpu, 2 node(s) had untolerated taint(s).${tail}`;
    const report = reportOn([...clusters.changed(nodes), pod("p", { gpus: 1, tolerations: [], scheduler })]);
    const [step] = conclusion(report, "untolerated-taint").next;
    expect(step?.why).toContain(`{key: team${text}, operator: Exists`);
    expect(step?.command).toMatch(/^kubectl get -n \S+ pod\/p -o jsonpath=\S+$/);
    expect(step).not.toHaveProperty("changes");
  });

  test("without the nodes, the suggested toleration has no effect", () => {
    const scheduler = `0/4 nodes are available: 4 node(s) had untolerated taint {team: x}.${tail}`;
    const report = reportOn([pod("p", { gpus: 1, scheduler })], { read: ["pods"] });
    expect(conclusion(report, "untolerated-taint").next[0]?.why).toContain("[{key: team, operator: Exists}]");
  });

  test("a taint on nodes that the pod does not need is not a reason", () => {
    const report = withPod("p", {
      scheduler: `0/4 nodes are available: 2 Insufficient cpu, 2 node(s) had untolerated taint {nvidia.com/gpu: true}.${tail}`,
    });
    expect(ids(report).causes).toEqual(["insufficient-resource"]);
  });

  test("a selector that no GPU node meets", () => {
    const spec = {
      nodeSelector: { "nvidia.com/gpu.product": "NVIDIA-H100" },
      containers: [{ name: "m", resources: { limits: { "nvidia.com/gpu": "1" } } }],
    };
    const report = withPod("p", {
      gpus: 1,
      spec,
      scheduler: `0/4 nodes are available: 4 node(s) didn't match Pod's node affinity/selector.${tail}`,
    });
    wording.add(conclusion(report, "node-selector-mismatch"));
    expect(conclusion(report, "node-selector-mismatch").what).toContain("nvidia.com/gpu.product=NVIDIA-H100");
  });

  test("an unbound claim, with its phase", () => {
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
    const claim = {
      kind: "PersistentVolumeClaim",
      metadata: { name: "data", namespace: "gpu-lab" },
      spec: { storageClassName: "gp3" },
      status: { phase: "Pending" },
    };
    const scheduler = `0/4 nodes are available: pod has unbound immediate PersistentVolumeClaims.${tail}`;
    const report = reportOn([...clusters.healthy, claim, pod("p", { scheduler, spec: { volumes } })]);
    expect(ids(report).causes).toEqual(["unbound-volume-claim"]);
    wording.add(conclusion(report, "unbound-volume-claim"));
    expect(conclusion(report, "unbound-volume-claim").evidence.at(-1)?.value).toBe("Pending, StorageClass gp3");
  });

  test("topology spread", () => {
    const report = withPod("p", {
      scheduler: `0/4 nodes are available: 4 node(s) didn't match pod topology spread constraints.${tail}`,
    });
    wording.add(conclusion(report, "topology-spread"));
    expect(ids(report).causes).toEqual(["topology-spread"]);
  });

  test("an image that cannot be pulled", () => {
    const waiting = { waiting: { reason: "ImagePullBackOff", message: 'Back-off pulling image "nvcr.io/x"' } };
    const report = withPod("p", {
      node: "ip-gpu-a",
      phase: "Pending",
      gpus: 1,
      statuses: [{ name: "main", ready: false, restartCount: 0, state: waiting }],
    });
    expect(ids(report).causes).toEqual(["image-pull"]);
    wording.add(conclusion(report, "image-pull"));
    expect(conclusion(report, "image-pull").what).toContain("nvcr.io/nvidia/cuda:12.4.1-base-ubuntu22.04");
  });

  test.for([
    ["429 Too Many Requests - Server message: toomanyrequests: You have reached your pull rate limit", "rate limit"],
    ["no match for platform in manifest: not found", "CPU architecture"],
    ["unexpected status from HEAD request to https://1.dkr.ecr.us-west-2.amazonaws.com/v2/a: 403 Forbidden", "denies"],
    ['failed to resolve reference "docker.io/a/b:c": docker.io/a/b:c: not found', "no image with this name and tag"],
    ["dial tcp: lookup nvcr.io: i/o timeout", "cannot reach the registry"],
    ["something else", "Check its name"],
  ])("a pull that fails with %s", ([answer, meaning]) => {
    const waiting = { waiting: { reason: "ImagePullBackOff", message: `ErrImagePull: ${answer}` } };
    const statuses = [{ name: "main", ready: false, restartCount: 0, state: waiting }];
    const report = withPod("p", { node: "ip-gpu-a", phase: "Pending", gpus: 1, statuses });
    expect(conclusion(report, "image-pull").what).toContain(meaning);
  });

  test.for([
    ["3/4 tasks in gang unschedulable: pod group is not ready, 1 Pending, 4 minAvailable", "room for all of them"],
    ["queue resource quota insufficient", "keeps the pod Pending: queue resource quota insufficient."],
  ] as const)("the words of another scheduler: %s", ([message, meaning]) => {
    expect(conclusion(withPod("p", { gpus: 1, scheduler: message }), "not-schedulable").what).toContain(meaning);
  });

  test("a pod that claims its GPU (DRA) lacks no limit", () => {
    const spec = { containers: [], resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "one" }] };
    const fields = { tolerations: [{ key: "nvidia.com/gpu", operator: "Exists" }], node: "ip-gpu-a" };
    expect(ids(withPod("p", { ...fields, spec })).causes).toEqual([]);
    expect(ids(withPod("p", fields)).causes).toEqual(["gpu-limit-missing"]);
  });

  test("a GPU pod whose readiness probe fails for longer than a start takes", () => {
    const probe = event(["Pod", "p"], "Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503");
    const server = (age: number, ready = false) =>
      pod("p", {
        ...{ node: "ip-gpu-a", gpus: 1, age },
        statuses: [{ name: "main", ready, restartCount: 0, state: { running: { startedAt: ago(age) } } }],
      });
    const found = (age: number, ready?: boolean) =>
      ids(reportOn([...changed({ trainer: null }), server(age, ready), probe]));
    expect(found(hour).causes).toEqual(["not-ready"]);
    expect(found(minute).causes).toEqual([]);
    expect(found(hour, true).causes).toEqual([]);
  });

  test("shows unknown reasons unchanged", () => {
    const report = withPod("p", { scheduler: `0/4 nodes are available: 4 node(s) were on strike.${tail}` });
    wording.add(conclusion(report, "not-schedulable"));
    expect(conclusion(report, "not-schedulable").what).toContain("4 node(s) were on strike");
  });

  test("more GPUs than any node has", () => {
    const report = withPod("p", {
      gpus: 4,
      scheduler: `0/4 nodes are available: 4 Insufficient nvidia.com/gpu.${tail}`,
    });
    expect(ids(report).causes).toEqual(["insufficient-gpu"]);
    wording.add(conclusion(report, "insufficient-gpu"));
  });

  test("a node has free GPUs now: the scheduler will retry", () => {
    const report = withPod("p", {
      gpus: 1,
      scheduler: `0/4 nodes are available: 4 Insufficient nvidia.com/gpu.${tail}`,
    });
    wording.add(conclusion(report, "insufficient-gpu"));
  });
});

describe("pods without a message of the scheduler", () => {
  test("a scheduling gate", () => {
    const report = withPod("p", { spec: { schedulingGates: [{ name: "example.com/approval" }] } });
    wording.add(conclusion(report, "not-schedulable"));
    expect(conclusion(report, "not-schedulable").what).toContain("example.com/approval");
  });

  test("without any reason the conclusion is only possible", () => {
    const found = conclusion(withPod("p", {}), "not-schedulable");
    wording.add(found);
    expect(found).toMatchObject({ confidence: "possible" });
  });

  test("a pod that was rejected first and runs now is healthy", () => {
    const about = ["Pod", "p"] as const;
    const events = [
      {
        ...clusters.refusal,
        metadata: { name: "e1", namespace: "gpu-lab" },
        involvedObject: { kind: "Pod", name: "p", namespace: "gpu-lab" },
      },
      {
        ...clusters.refusal,
        metadata: { name: "e2", namespace: "gpu-lab" },
        involvedObject: { kind: about[0], name: about[1], namespace: "gpu-lab" },
        reason: "Scheduled",
        message: "Successfully assigned",
        lastTimestamp: ago(5),
      },
    ];
    const report = reportOn([...clusters.healthy, ...events, pod("p", { node: "ip-gpu-b", gpus: 1 })], {
      subject: { kind: "pod", name: "p", namespace: "gpu-lab" },
    });
    expect(ids(report)).toEqual({ causes: [], consequences: [], notices: [] });
    wording.add(report.checks[0]?.lines[0] ?? "");
  });
});

describe("a pod that tolerates the taint but requests no GPU", () => {
  const fields = { node: "ip-gpu-a", tolerations: [{ key: "nvidia.com/gpu", operator: "Exists" }] };

  test("a problem if the user asks about the pod", () => {
    wording.add(conclusion(withPod("p", fields), "gpu-limit-missing"));
    expect(ids(withPod("p", fields)).causes).toEqual(["gpu-limit-missing"]);
  });

  test("a notice in a check of the cluster", () => {
    expect(ids(reportOn([...clusters.healthy, pod("p", fields)]))).toMatchObject({
      causes: [],
      notices: ["gpu-limit-missing"],
    });
  });

  test("the pod of a DaemonSet may tolerate the taint", () => {
    expect(ids(withPod("p", { ...fields, owner: ["DaemonSet", "logs"] })).causes).toEqual([]);
  });
});

test("a container that keeps exiting", () => {
  const statuses = [
    {
      name: "main",
      ready: false,
      restartCount: 7,
      state: { waiting: { reason: "CrashLoopBackOff" } },
      lastState: { terminated: { reason: "OOMKilled", exitCode: 137, finishedAt: ago(minute) } },
    },
  ];
  const report = withPod("p", { node: "ip-gpu-a", gpus: 1, statuses });
  wording.add(conclusion(report, "crash-loop"));
  expect(conclusion(report, "crash-loop").what).toMatch(/OOMKilled.* 7 restarts/);
});

test("groups pods by owner", () => {
  const alike = [1, 2, 3].map((at) =>
    pod(`w-${at}`, { gpus: 1, owner: ["ReplicaSet", "w"], scheduler: clusters.insufficientEverywhere }),
  );
  const report = reportOn([...clusters.pluginOff.slice(0, 7), ...alike]);
  wording.add(report.checks[0]?.lines[0] ?? "");
  expect(report.checks[0]?.lines[0]).toMatch(/^pod gpu-lab\/w-1 and 2 /);
  expect(report.conclusions.filter(({ id }) => id === "insufficient-gpu")).toHaveLength(1);
});

test("groups pods without an owner by their request", () => {
  const alike = [1, 2, 3].map((at) => pod(`w-${at}`, { gpus: 1, scheduler: clusters.insufficientEverywhere }));
  const other = pod("x", { gpus: 4, scheduler: clusters.insufficientEverywhere });
  const report = reportOn([...clusters.healthy, ...alike, other]);
  wording.add(report.checks[0]?.lines[0] ?? "");
  expect(report.checks[0]?.lines[0]).toMatch(/^pod gpu-lab\/w-1 and 2 /);
  expect(report.conclusions.map(({ subject }) => subject)).toEqual(["pod gpu-lab/w-1", "pod gpu-lab/x"]);
  expect(report).not.toHaveProperty("leftOut");
});

test("checks only the first of many groups of pods, and reports it", () => {
  const many = Array.from({ length: 23 }, (_, at) =>
    pod(`w-${at}`, { gpus: 1, owner: ["ReplicaSet", `w-${at}`], scheduler: clusters.insufficientEverywhere }),
  );
  const report = reportOn([...clusters.healthy, ...many]);
  expect(report.leftOut).toEqual(["3 groups of waiting pods"]);
  const text = renderText(report, { colors: false, columns: 100 });
  const line = /\n\n {2}(.*: 3 groups of waiting pods\. .*)\n/.exec(text)?.[1] ?? "";
  expect(line).toContain("triage pod NAME");
  wording.add(line);
  expect(JSON.parse(renderJson(report))).toHaveProperty("leftOut", ["3 groups of waiting pods"]);
});

test("checks only the namespace in question", () => {
  const items = [
    ...clusters.healthy,
    pod("p", { namespace: "other", scheduler: `0/4 nodes are available: 4 Too many pods.${tail}` }),
  ];
  expect(ids(reportOn(items)).causes).toEqual(["not-schedulable"]);
  expect(ids(reportOn(items, { namespace: "gpu-lab" })).causes).toEqual([]);
});

test("a node in question: its pods, and the pods that wait for it", () => {
  const subject = { kind: "node", name: "ip-gpu-a" };
  const report = reportOn([...clusters.pluginOff, daemonSet("x")], { subject });
  expect(ids(report).causes).toEqual(["device-plugin-disabled"]);
  expect(report.checks[1]?.lines).toHaveLength(2);
  expect(ids(reportOn([...clusters.healthy, gpuNode("ip-gpu-c", { gpus: "0" })], { subject })).causes).not.toContain(
    "gpu-allocatable-zero",
  );
});

test("wording", () => expect(String(wording)).toMatchSnapshot());
