import { describe, expect, test } from "vitest";
import { apiServer } from "../../support/api-server";
import * as clusters from "../../support/clusters";
import { changed, conclusion, ids, reportOn } from "../../support/clusters";
import { causes, labelled, triage } from "../../support/live";
import { ago, conditions, event, gpuNode, hour, minute, pod, replicaSet } from "../../support/objects";
import { Wording } from "../../support/wording";

const wording = new Wording();

const plugin = "nvidia-device-plugin-daemonset";
const driver = (name: string, phase: string) =>
  pod(name, { namespace: "dra", node: "ip-gpu-a", phase, owner: ["DaemonSet", name.replace(/-\w+$/, "")] });
const quota =
  'Error creating: pods "vllm-7d9c-abcde" is forbidden: exceeded quota: gpu-quota, requested: requests.nvidia.com/gpu=1, used: requests.nvidia.com/gpu=2, limited: requests.nvidia.com/gpu=2';
const mustSpecify =
  'Error creating: pods "vllm-7d9c-abcde" is forbidden: failed quota: compute: must specify limits.cpu for: main; limits.memory for: main';
const podSecurity =
  'Error creating: pods "vllm-7d9c-abcde" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "main" must set securityContext.allowPrivilegeEscalation=false), runAsNonRoot != true (pod or container "main" must set securityContext.runAsNonRoot=true)';
const noAccount =
  'Error creating: pods "vllm-7d9c-" is forbidden: error looking up service account gpu-lab/runner: serviceaccount "runner" not found';

const noScope =
  "Error creating: insufficient quota to match these scopes: [{PriorityClass In [system-node-critical system-cluster-critical]}]";
const noWebhook =
  'Error creating: Internal error occurred: failed calling webhook "validate.kyverno.svc-fail": failed to call webhook: Post "https://kyverno-svc.kyverno.svc:443/validate/fail?timeout=10s": no endpoints available for service "kyverno-svc"';
const denied =
  'Error creating: admission webhook "validation.gatekeeper.sh" denied the request: [psp-host-filesystem] HostPath volume is not allowed';
const noPriority = 'Error creating: pods "vllm-7d9c-" is forbidden: no PriorityClass with name gpu-high was found';
const unknown = 'Error creating: pods "vllm-7d9c-" is forbidden: something new';

const noRuntimeClass =
  'Error creating: pods "vllm-7d9c-abcde" is forbidden: pod rejected: RuntimeClass "nvidia" not found';

const set = (replicas: number, failure?: string) => ({
  ...replicaSet("vllm-7d9c", "vllm"),
  status: {
    replicas,
    ...(failure !== undefined && {
      conditions: [{ type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: failure }],
    }),
  },
});
const rejected = (message: string, kind = "ReplicaSet", name = "vllm-7d9c") =>
  event([kind, name], "FailedCreate", message);

describe("the API server rejects the pods of a controller", () => {
  test.for([
    [quota, "quota-exceeded", "kubectl -n gpu-lab describe resourcequota gpu-quota"],
    [mustSpecify, "quota-exceeded", "kubectl -n gpu-lab describe resourcequota compute"],
    [podSecurity, "pod-security-violation", "kubectl get namespace gpu-lab --show-labels"],
    [noAccount, "pods-not-created", "kubectl -n gpu-lab get serviceaccounts"],
    [noScope, "quota-exceeded", "kubectl -n gpu-lab describe resourcequota"],
    [noWebhook, "pods-not-created", "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations"],
    [denied, "pods-not-created", "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations"],
    [noPriority, "pods-not-created", "kubectl get priorityclasses"],
    [unknown, "pods-not-created", "kubectl describe -n gpu-lab replicaset/vllm-7d9c"],
    [noRuntimeClass, "pods-not-created", "kubectl get runtimeclasses"],
  ] as const)("%s", ([message, id, command]) => {
    for (const items of [[set(0), rejected(message)], [set(0, message)], [set(0, message), rejected(message)]]) {
      const report = reportOn([...clusters.healthy, ...items]);
      expect(ids(report)).toEqual({ causes: [id], consequences: [], notices: [] });
      expect(conclusion(report, id)).toMatchObject({ subject: "replicaset gpu-lab/vllm-7d9c", confidence: "certain" });
      expect(conclusion(report, id).next[0]?.command).toBe(command);
    }
    wording.add(conclusion(reportOn([...clusters.healthy, set(0), rejected(message)]), id));
  });

  test("a Job, until it has its pods or has ended", () => {
    const job = (status: Record<string, unknown> = {}, spec = {}) => ({
      ...{ kind: "Job", metadata: { name: "train", namespace: "gpu-lab" }, status },
      spec: { parallelism: 1, completions: 1, template: { spec: { containers: [{ name: "n" }] } }, ...spec },
    });
    const of = (...items: Record<string, unknown>[]) =>
      ids(reportOn([...clusters.healthy, rejected(quota, "Job", "train"), ...items])).causes;
    expect(of(job())).toEqual(["quota-exceeded"]);
    expect(of(job(), pod("train-x", { node: "ip-sys-1", owner: ["Job", "train"] }))).toEqual([]);
    expect(of(job({ conditions: [{ type: "Complete", status: "True" }] }))).toEqual([]);
    const failed = pod("train-y", { node: "ip-sys-1", phase: "Failed", owner: ["Job", "train"], statuses: [] });
    expect(of(job(), failed)).toEqual(["quota-exceeded"]);
    const four = { parallelism: 4, completions: 4 };
    expect(of(job({ succeeded: 3, active: 1 }, four))).toEqual([]);
    expect(of(job({ succeeded: 2, active: 1 }, four))).toEqual(["quota-exceeded"]);
    expect(of(job({ succeeded: 1 }, { parallelism: 4, completions: undefined }))).toEqual([]);
  });

  test("a StatefulSet, until its pod exists", () => {
    const said = rejected(quota.replace("vllm-7d9c-abcde", "db-0"), "StatefulSet", "db");
    expect(ids(reportOn([...clusters.healthy, said])).causes).toEqual(["quota-exceeded"]);
    expect(ids(reportOn([...clusters.healthy, said, pod("db-0", { node: "ip-sys-1" })])).causes).toEqual([]);
  });

  test("an event of a ReplicaSet that has its pods is over; without the object it is likely", () => {
    expect(ids(reportOn([...clusters.healthy, set(1), rejected(quota)])).causes).toEqual([]);
    const report = reportOn([...clusters.healthy, rejected(quota)]);
    expect(conclusion(report, "quota-exceeded").confidence).toBe("likely");
    expect(ids(reportOn([...clusters.healthy, rejected(quota)], { namespace: "other" })).causes).toEqual([]);
  });

  test("the device plugin, before the GPUs that are missing", () => {
    const about = { kind: "DaemonSet", name: plugin, namespace: "gpu-operator" };
    const items = (currentNumberScheduled: number) =>
      changed({
        [plugin]: {
          ...clusters.operator.plugin,
          status: { desiredNumberScheduled: 2, currentNumberScheduled, numberReady: 0 },
        },
        [`${plugin}-a`]: null,
        [`${plugin}-b`]: null,
        "ip-gpu-a": gpuNode("ip-gpu-a", { gpus: null }),
        "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: null }),
      });
    const said = event(["DaemonSet", plugin], "FailedCreate", podSecurity.replace("restricted", "baseline"), {
      involvedObject: about,
    });
    // A status that counts pods that are gone.
    for (const scheduled of [0, 2]) {
      expect(ids(reportOn([...items(scheduled), said]))).toEqual({
        causes: ["pod-security-violation"],
        consequences: ["gpu-allocatable-missing", "device-plugin-below-gpu-nodes"],
        notices: [],
      });
    }
  });

  test("live: also if no pod of the namespace exists", async () => {
    const api = await apiServer({ items: labelled([...clusters.healthy, set(0), rejected(quota)]) });
    const { out } = await triage(api, "--json");
    expect(causes(out)).toEqual(["quota-exceeded"]);
    expect(out).toContain("0 of 1");
  });
});

describe("a pod that is being deleted holds the GPU", () => {
  const deleted = (seconds: number) => {
    const raw = pod("old", { node: "ip-gpu-a", gpus: 1 });
    return { ...raw, metadata: { ...(raw["metadata"] as object), deletionTimestamp: ago(seconds) } };
  };
  const one = changed({ trainer: null, "ip-gpu-b": null, [`${plugin}-b`]: null });
  const waits = [clusters.waiting, clusters.refusal];

  test("after its grace period", () => {
    const report = reportOn([...one, ...waits, deleted(hour)]);
    expect(ids(report)).toEqual({
      causes: ["terminating-pod-holds-gpu"],
      consequences: ["insufficient-gpu"],
      notices: [],
    });
    const found = conclusion(report, "terminating-pod-holds-gpu");
    expect(found.evidence[0]).toMatchObject({ object: "-n gpu-lab pod/old", at: ago(hour) });
    expect(found.next[0]?.command).toMatch(/^kubectl get -n gpu-lab pod\/old -o jsonpath='\{\.metadata\.finalizers\}/);
    wording.add(found);
  });

  test("during its grace period, the GPU is in use", () => {
    expect(ids(reportOn([...one, ...waits, deleted(10)])).causes).toEqual(["gpus-in-use"]);
  });

  test("a node that is down keeps it", () => {
    const silent = conditions({
      Ready: { status: "Unknown", reason: "NodeStatusUnknown", lastTransitionTime: ago(minute) },
    });
    const items = changed({ trainer: null, "ip-gpu-a": gpuNode("ip-gpu-a", { conditions: silent }), "ip-gpu-b": null });
    expect(ids(reportOn([...items, ...waits, deleted(hour)])).causes).toEqual(["node-not-ready"]);
  });
});

describe("resources of other device plugins, and claims", () => {
  const subject = { kind: "pod", name: "p", namespace: "gpu-lab" };
  const refused = (reasons: string, gpus = 0) =>
    reportOn([...clusters.healthy, pod("p", { gpus, scheduler: `0/4 nodes are available: ${reasons}.` })], { subject });

  test("EFA that no node offers, before the GPUs in use", () => {
    const report = refused("4 Insufficient vpc.amazonaws.com/efa");
    expect(ids(report).causes).toEqual(["resource-not-offered"]);
    const found = conclusion(report, "resource-not-offered");
    expect(found).toMatchObject({ confidence: "certain" });
    expect(found.next[0]?.command).toContain(String.raw`OFFERS:.status.allocatable.vpc\.amazonaws\.com/efa'`);
    const two = refused("4 Insufficient nvidia.com/gpu, 4 Insufficient vpc.amazonaws.com/efa", 4);
    expect(ids(two)).toEqual({ causes: ["resource-not-offered"], consequences: ["insufficient-gpu"], notices: [] });
  });

  test.for([
    ["4 cannot allocate all claims", "No node has free devices"],
    ["4 resourceclaim not available on the node", "No node has free devices"],
    ['waiting for dynamic resource controller to create the resourceclaim "p-gpu-x"', "does not exist"],
    ['resourceclaim "gpu" not found', "does not exist"],
    ["request gpu: device class gpu.nvidia.com does not exist", "DRA driver that defines it"],
  ])("a ResourceClaim: %s", ([reason = "", text = ""]) => {
    const report = refused(reason);
    expect(ids(report).causes).toEqual(["resource-claim"]);
    expect(conclusion(report, "resource-claim").what).toContain(text);
    expect(conclusion(report, "resource-claim").next[0]?.command).toBe("kubectl -n gpu-lab describe resourceclaims");
    wording.add(conclusion(report, "resource-claim"));
  });

  test("a claim or a template that does not exist: the scheduler reports nothing", () => {
    const claims = (claim: Record<string, string>) =>
      pod("p", { spec: { containers: [], resourceClaims: [{ name: "gpu", ...claim }] } });
    const report = reportOn([...clusters.healthy, claims({ resourceClaimName: "my-gpu" })], { subject });
    expect(ids(report).causes).toEqual(["resource-claim"]);
    expect(conclusion(report, "resource-claim")).toMatchObject({ confidence: "likely" });
    expect(conclusion(report, "resource-claim").what).toContain("my-gpu not found");
    const message =
      'PodResourceClaim gpu: resource claim template "none": resourceclaimtemplate.resource.k8s.io "none" not found';
    const failed = event(["Pod", "p"], "FailedResourceClaimCreation", message);
    const items = [...clusters.healthy, claims({ resourceClaimTemplateName: "none" }), failed];
    expect(conclusion(reportOn(items, { subject }), "resource-claim")).toMatchObject({ confidence: "likely" });
  });

  test("what the scheduler says is shown if it is no list of nodes; a scheduling gate comes first", () => {
    const spec = { containers: [], resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "one" }] };
    const scheduler = 'request gpu: deviceclass.resource.k8s.io "gpu.nvidia.com" not found';
    const report = reportOn([...clusters.healthy, pod("p", { spec, scheduler })], { subject });
    expect(conclusion(report, "resource-claim").what).toContain("DRA driver that defines it");
    const gated = pod("p", { spec: { ...spec, schedulingGates: [{ name: "queue" }] } });
    const found = conclusion(reportOn([...clusters.healthy, gated], { subject }), "not-schedulable");
    expect(found.what).toContain("scheduling gate queue");
  });

  test.for([
    ["no pod of a driver", [], ["none in the data"]],
    ["pods that only have its name", [pod("dra-bench", { node: "ip-gpu-a" })], ["none in the data"]],
    [
      "a driver that starts on one of its nodes",
      [
        driver("neuron-dra-driver-kubelet-plugin-q8", "Running"),
        driver("neuron-dra-driver-kubelet-plugin-z2", "Pending"),
      ],
      ["Pending, main"],
    ],
    ["a driver of another name that is ready", [driver("acme-resource-driver-node-4d", "Running")], []],
  ] as const)("what the data shows of the DRA driver: %s", ([, pods, shown]) => {
    const spec = { containers: [], resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "whole" }] };
    const scheduler = "0/4 nodes are available: 4 cannot allocate all claims.";
    const report = reportOn([...clusters.healthy, pod("p", { spec, scheduler }), ...pods], { subject });
    const found = conclusion(report, "resource-claim");
    expect(found.evidence.slice(2).map(({ value }) => value)).toEqual(shown);
    expect(found.next[1]?.command).toContain("resource-driver");
  });

  test("a missing template is not the fault of the driver", () => {
    const spec = { containers: [], resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "half" }] };
    const message = 'resource claim template "half": resourceclaimtemplate.resource.k8s.io "half" not found';
    const items = [pod("p", { spec }), event(["Pod", "p"], "FailedResourceClaimCreation", message)];
    const found = conclusion(reportOn([...clusters.healthy, ...items], { subject }), "resource-claim");
    expect(found.evidence).toHaveLength(1);
    expect(found.next.map(({ command }) => command).join()).not.toContain("resource-driver");
  });

  test("a DRA driver that does not prepare the devices", () => {
    const message =
      "Failed to prepare dynamic resources: prepare dynamic resources: NodePrepareResources failed for ResourceClaim gpu: x";
    const items = [
      pod("p", { node: "ip-gpu-a", phase: "Pending", statuses: [] }),
      event(["Pod", "p"], "FailedPrepareDynamicResources", message),
    ];
    expect(ids(reportOn([...clusters.healthy, ...items], { subject })).causes).toEqual(["resource-claim"]);
  });
});

test("wording", () => expect(String(wording)).toMatchSnapshot());
