import { describe, expect, test } from "vitest";
import * as clusters from "../../support/clusters";
import { changed, conclusion, ids, pluginPod, reportOn } from "../../support/clusters";
import { ago, conditions, event, gpuNode, hour, minute, pod, replicaSet } from "../../support/objects";
import { Wording } from "../../support/wording";

const wording = new Wording();

const plugin = "nvidia-device-plugin-daemonset";
const subject = { kind: "pod", name: "p", namespace: "gpu-lab" };
const nothingFree =
  "Pod was rejected: Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. Requested: 1, Available: 0, which is unexpected";

/** A pod that has a node, with a status of its own. */
function placed(status: Record<string, unknown>, fields: Parameters<typeof pod>[1] = {}): Record<string, unknown> {
  const raw = pod("p", { gpus: 1, node: "ip-gpu-a", statuses: [], ...fields });
  return { ...raw, status: { ...(raw["status"] as object), ...status } };
}

function stopped(reason: string, message: string, fields: Parameters<typeof pod>[1] = {}) {
  return placed({ phase: "Failed", reason, message }, fields);
}

const creating = placed({ phase: "Pending" });
const failure = (reason: string, message: string, fields = {}) => event(["Pod", "p"], reason, message, fields);

describe("a pod that the user asks about and that does not run always has a finding", () => {
  test.for([
    ["refused for want of a GPU", [stopped("UnexpectedAdmissionError", nothingFree)], "gpu-not-allocated"],
    [
      "refused because another pod was first",
      [stopped("OutOfnvidia.com/gpu", "Pod was rejected: Node didn't have enough resource: nvidia.com/gpu")],
      "gpu-not-allocated",
    ],
    [
      "another rule",
      [stopped("NodeAffinity", "Pod was rejected: Predicate NodeAffinity failed")],
      "admission-rejected",
    ],
    ["wrong topology", [stopped("TopologyAffinityError", "Resources cannot be allocated")], "admission-rejected"],
    ["evicted", [stopped("Evicted", "The node was low on resource: ephemeral-storage.")], "evicted"],
    ["at shutdown", [stopped("Terminated", "Pod was terminated in response to imminent node shutdown.")], "evicted"],
    [
      "taken by a taint",
      [
        placed({
          phase: "Failed",
          conditions: [{ type: "DisruptionTarget", status: "True", reason: "DeletionByTaintManager" }],
        }),
      ],
      "evicted",
    ],
    ["on a node that is lost", [placed({ phase: "Running", reason: "NodeLost" })], "node-lost"],
    ["of a phase that is not known", [placed({ phase: "Unknown" })], "node-lost"],
    ["without a sandbox", [creating, failure("FailedCreatePodSandBox", "connection refused")], "pod-sandbox"],
    ["without a volume", [creating, failure("FailedMount", 'configmap "x" not found')], "volume-mount"],
    ["with a volume elsewhere", [creating, failure("FailedAttachVolume", "Multi-Attach error")], "volume-mount"],
    ["of which nothing is said", [creating], "not-started"],
    ["without any phase", [placed({ phase: "" })], "not-started"],
  ] as const)("%s", ([, items, id]) => {
    const report = reportOn([...clusters.healthy, ...items], { subject });
    wording.add(conclusion(report, id));
    expect(ids(report)).toEqual({ causes: [id], consequences: [], notices: [] });
  });

  const first = (reason = "ContainerCreating") =>
    placed(
      { phase: "Pending" },
      { age: hour, statuses: [{ name: "main", ready: false, restartCount: 0, state: { waiting: { reason } } }] },
    );

  test.for([
    ["Failed", "Error: failed to inject CDI devices: unresolvable CDI devices nvidia.com/gpu=0", "cdi-device-missing"],
    [
      "Failed",
      'Error: CDI device injection failed: failed to inject devices: failed to stat CDI host device "/dev/nvidia-modeset": no such file or directory',
      "cdi-spec-faulty",
    ],
    [
      "Failed",
      "Error: nvidia-container-cli: requirement error: unsatisfied condition: cuda>=13.0",
      "cuda-newer-than-driver",
    ],
    ["Failed", 'Error: failed to start containerd task: exec: "serve": executable file not found', "container-start"],
    ["Failed", 'Failed to pull image "nvcr.io/x": manifest unknown', "image-pull"],
    ["Failed", "Error: ErrImagePull", "image-pull"],
    ["InspectFailed", 'Failed to inspect image "x": rpc error: code = Unknown', "image-pull"],
    ["NetworkNotReady", "network is not ready: cni plugin not initialized", "pod-sandbox"],
    ["FailedMapVolume", "MapVolume.SetUp failed", "volume-mount"],
    ["FailedSync", "error determining status", "not-started"],
    ["SomethingNew", "never seen", "not-started"],
  ] as const)("between two attempts, an event gives the reason: %s, %s", ([reason, message, id]) => {
    for (const rest of [{ subject }, {}]) {
      const report = reportOn([...clusters.healthy, first(), failure(reason, message)], rest);
      expect(ids(report).causes).toEqual([id]);
      const { evidence, confidence } = conclusion(report, id);
      expect(confidence).not.toBe("certain");
      expect(evidence.map(({ field, value }) => [field, value])).toContainEqual([
        `event ${reason}`,
        `${message} (3 times)`,
      ]);
    }
  });

  test("an event before the container started, or of a pod that runs, is over", () => {
    const old = failure("Failed", "Error: exec: no such file", { lastTimestamp: ago(500) });
    const started = failure("Started", "Started container main", { type: "Normal" });
    const later = conclusion(reportOn([...clusters.healthy, first(), old, started], { subject }), "not-started");
    expect(later.confidence).toBe("possible");
    expect(reportOn([...clusters.healthy, pod("p", { node: "ip-gpu-a" }), old]).conclusions).toEqual([]);
  });

  test("ended with an error", () => {
    const end = { terminated: { exitCode: 1, reason: "Error", finishedAt: ago(minute) } };
    const failed = placed(
      { phase: "Failed" },
      { statuses: [{ name: "main", ready: false, restartCount: 0, state: end }] },
    );
    const found = conclusion(reportOn([...clusters.healthy, failed], { subject }), "pod-failed");
    wording.add(found);
    expect(found.evidence[0]).toMatchObject({ value: "with exit code 1 (Error)", at: ago(minute) });
  });

  test("a container that cannot be started, with and without an error of the NVIDIA runtime", () => {
    const waiting = (message: string) => ({ waiting: { reason: "RunContainerError", message } });
    const of = (message: string) =>
      placed(
        { phase: "Pending" },
        { statuses: [{ name: "main", ready: false, restartCount: 2, state: waiting(message) }] },
      );
    const whats = ["nvidia-container-cli: initialization error: driver rpc error", "exec: no such file"].map(
      (message) => conclusion(reportOn([...clusters.healthy, of(message)], { subject }), "container-start").what,
    );
    for (const what of whats) wording.add(what);
    expect(whats.map((what) => what.includes("NVIDIA runtime"))).toEqual([true, false]);
  });

  test("pending, without a node, and being deleted", () => {
    const raw = pod("p", { gpus: 1 });
    const gone = { ...raw, metadata: { ...(raw["metadata"] as object), deletionTimestamp: ago(hour) } };
    const found = conclusion(reportOn([...clusters.healthy, gone], { subject }), "not-started");
    wording.add(found);
    expect(found.what).toContain("being deleted");
  });

  test("names an init container that does not end", () => {
    const raw = placed({ phase: "Pending", initContainerStatuses: [{ name: "wait-for-db", state: { running: {} } }] });
    const found = conclusion(reportOn([...clusters.healthy, raw], { subject }), "not-started");
    wording.add(found);
    expect(found.what).toContain("wait-for-db");
  });

  test.for(["Running", "Succeeded"])("%s: nothing found", (phase) => {
    expect(ids(reportOn([...clusters.healthy, placed({ phase })], { subject })).causes).toEqual([]);
  });
});

describe("evidence and wording", () => {
  test("evidence from the kubelet, and the step to create the pod again", () => {
    const said = failure("UnexpectedAdmissionError", nothingFree, { count: 1 });
    const report = reportOn([...clusters.healthy, stopped("UnexpectedAdmissionError", nothingFree), said], { subject });
    const found = conclusion(report, "gpu-not-allocated");
    expect(found.evidence.map(({ field }) => field)).toEqual([
      "status.phase, reason, message",
      "event UnexpectedAdmissionError",
    ]);
    expect(found.evidence[0]?.value).toBe(`Failed, UnexpectedAdmissionError, ${nothingFree}`);
    expect(found.next[0]).toMatchObject({ command: "kubectl delete -n gpu-lab pod/p", changes: true });
    expect(found).toMatchObject({ nodes: ["ip-gpu-a"], pods: ["gpu-lab/p"] });
  });

  test.for([
    ['failed to get sandbox runtime: no runtime for "nvidia" is configured', "RuntimeClass"],
    [
      'plugin type="aws-cni" name="aws-cni" failed (add): add cmd: failed to assign an IP address to container',
      "address",
    ],
    [
      'desc = "transport: Error while dialing dial unix /run/containerd/containerd.sock: connect: connection refused"',
      "runtime of the node",
    ],
  ] as const)("a sandbox: %s", ([message, text]) => {
    const report = reportOn([...clusters.healthy, creating, failure("FailedCreatePodSandBox", message)], { subject });
    expect(conclusion(report, "pod-sandbox")).toMatchObject({ confidence: "likely" });
    wording.add(conclusion(report, "pod-sandbox"));
    expect(conclusion(report, "pod-sandbox").what).toContain(text);
  });

  test("a hostPath of the wrong type", () => {
    const message =
      'MountVolume.SetUp failed for volume "s" : hostPath type check failed: /run/x.sock is not a socket file';
    const report = reportOn([...clusters.healthy, creating, failure("FailedMount", message)], { subject });
    wording.add(conclusion(report, "volume-mount"));
    expect(conclusion(report, "volume-mount").what).toContain("hostPath");
  });

  test("the newest failure counts, and none after the sandbox was created", () => {
    const past = { metadata: { name: "e1", namespace: "gpu-lab" }, lastTimestamp: ago(500) };
    const events = [failure("FailedMount", "x", past), failure("FailedCreatePodSandBox", "y")];
    expect(ids(reportOn([...clusters.healthy, creating, ...events], { subject })).causes).toEqual(["pod-sandbox"]);
    const standing = placed({ phase: "Pending", conditions: [{ type: "PodReadyToStartContainers", status: "True" }] });
    expect(ids(reportOn([...clusters.healthy, standing, ...events], { subject })).causes).toEqual(["not-started"]);
  });
});

describe("in a check of the whole cluster", () => {
  test.for([
    ["refused", [stopped("UnexpectedAdmissionError", nothingFree)], "gpu-not-allocated"],
    ["lost", [placed({ phase: "Running", reason: "NodeLost" })], "node-lost"],
    ["no sandbox", [creating, failure("FailedCreatePodSandBox", "x")], "pod-sandbox"],
    ["long not started", [placed({ phase: "Pending" }, { age: hour })], "not-started"],
  ] as const)("%s", ([, items, id]) => {
    expect(ids(reportOn([...clusters.healthy, ...items])).causes).toEqual([id]);
  });

  test("a pod without a GPU that cannot start is reported", () => {
    const web = placed({ phase: "Pending" }, { gpus: 0 });
    expect(ids(reportOn([...clusters.healthy, web, failure("FailedMount", "x")])).causes).toEqual(["volume-mount"]);
  });

  test("a large image takes minutes", () => {
    expect(ids(reportOn([...clusters.healthy, placed({ phase: "Pending" }, { age: 5 * minute })])).causes).toEqual([]);
  });

  test("a pod that its controller has replaced is a notice", () => {
    const owner = ["ReplicaSet", "web"] as const;
    const evicted = stopped("Evicted", "The node was low on resource: memory.", { owner });
    const next = pod("next", { gpus: 1, node: "ip-gpu-b", owner });
    expect(ids(reportOn([...clusters.healthy, evicted, next]))).toMatchObject({ causes: [], notices: ["evicted"] });
    const set = { ...replicaSet("web", "web"), spec: { replicas: 0 } };
    expect(ids(reportOn([...clusters.healthy, evicted, set]))).toMatchObject({ causes: [], notices: ["evicted"] });
    expect(ids(reportOn([...clusters.healthy, evicted])).causes).toEqual(["evicted"]);
  });

  test("a controller whose replacements all fail: the newest is the fault", () => {
    const message =
      "Allocate failed due to rpc error: code = Unknown desc = request for 'nvidia.com/gpu: 2' too large: maximum request size for shared resources is 1, which is unexpected";
    const [older, newer] = [hour, minute].map((age) => {
      const raw = stopped("UnexpectedAdmissionError", message, { gpus: 2, age, owner: ["ReplicaSet", "web"] });
      return { ...raw, metadata: { ...(raw["metadata"] as object), name: `web-${age}` } };
    });
    const report = reportOn([...clusters.healthy, older ?? {}, newer ?? {}]);
    expect(ids(report)).toEqual({
      causes: ["shared-gpu-request"],
      consequences: ["gpu-not-allocated"],
      notices: ["gpu-not-allocated"],
    });
    expect(conclusion(report, "shared-gpu-request").pods).toEqual(["gpu-lab/web-60"]);
  });

  test("a plugin pod without a sandbox explains why the plugin is missing on a GPU node", () => {
    const raw = pluginPod("ip-gpu-b", { phase: "Pending", statuses: [] });
    const items = changed({
      [plugin]: { ...clusters.operator.plugin, status: { desiredNumberScheduled: 2, numberReady: 1 } },
      [`${plugin}-b`]: raw,
      "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: null }),
    });
    const about = { kind: "Pod", name: `${plugin}-b`, namespace: "gpu-operator" };
    const said = failure("FailedCreatePodSandBox", 'no runtime for "nvidia" is configured', { involvedObject: about });
    expect(ids(reportOn([...items, said]))).toEqual({
      causes: ["nvidia-runtime-missing"],
      consequences: ["pod-sandbox", "gpu-allocatable-missing", "device-plugin-below-gpu-nodes"],
      notices: [],
    });
  });
});

describe("two faults at once", () => {
  const silent = conditions({
    Ready: { status: "Unknown", reason: "NodeStatusUnknown", lastTransitionTime: ago(hour) },
  });

  test("a pod without a GPU where the plugin stopped, and a pod that was rejected where the plugin runs", () => {
    const other = { ...stopped("UnexpectedAdmissionError", nothingFree, { node: "ip-gpu-b" }) };
    const q = { ...other, metadata: { ...(other["metadata"] as object), name: "q" } };
    const report = reportOn([
      ...changed({ "ip-gpu-a": gpuNode("ip-gpu-a", { gpus: "0" }) }),
      stopped("UnexpectedAdmissionError", nothingFree),
      q,
    ]);
    const reported = report.conclusions
      .filter(({ id }) => id === "gpu-not-allocated")
      .map(({ subject: about, because = "itself" }) => `${about}: ${because}`);
    expect(reported).toEqual(["pod gpu-lab/q: itself", "pod gpu-lab/p: device-plugin-without-gpus"]);
  });

  test("a node that is down explains a missing sandbox on this node only", () => {
    const report = (down: string) =>
      ids(
        reportOn([
          ...changed({ [down]: gpuNode(down, { conditions: silent }) }),
          creating,
          failure("FailedCreatePodSandBox", "x"),
        ]),
      );
    expect(report("ip-gpu-a")).toMatchObject({ causes: ["node-not-ready"], consequences: ["pod-sandbox"] });
    expect(report("ip-gpu-b").causes).toEqual(["pod-sandbox", "node-not-ready"]);
  });
});

test("wording", () => expect(String(wording)).toMatchSnapshot());
