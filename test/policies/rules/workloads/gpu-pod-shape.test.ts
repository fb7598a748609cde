import { describe, expect, test } from "vitest";
import { gpuPodShape as rule } from "../../../../policies/rules/workloads/gpu-pod-shape";
import { everyKind, patched, pod, podOf, podType } from "../../support/pods";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const gpu = "nvidia.com/gpu";
const limits = (amount: unknown) => ({ resources: { limits: { [gpu]: amount } } });
const both = (limit: unknown, request: unknown) => ({
  resources: { limits: { [gpu]: limit }, requests: { [gpu]: request } },
});
const tolerations = [{ key: gpu, operator: "Exists", effect: "NoSchedule" }];
const limit = `spec.containers[0].resources.limits["${gpu}"]`;
const request = `spec.containers[0].resources.requests["${gpu}"]`;

describe("amounts", () => {
  test.for([
    ["1", limits(1), []],
    ["as a text", limits("1"), []],
    ["in thousandths", limits("2000m"), []],
    ["with the same request", both("1", 1), []],
    ["a partition", { resources: { limits: { "nvidia.com/mig-1g.5gb": 1 } } }, []],
    ["null is none", limits(null), []],
    ["no other resource is judged", { resources: { limits: { cpu: "0.5" } } }, []],
    ["no resources", {}, []],
    ["0", limits(0), [`fail ${limit}`]],
    ["a fraction", limits(0.5), [`fail ${limit}`]],
    ["a fraction as a text", limits("0.5"), [`fail ${limit}`]],
    ["a whole number with a fraction of 0", limits("1.0"), []],
    ["a fraction in thousandths", limits("500m"), [`fail ${limit}`]],
    ["negative", limits(-1), [`fail ${limit}`]],
    ["words", limits("one"), [`fail ${limit}`]],
    [
      "half a partition",
      { resources: { limits: { "nvidia.com/mig-1g.5gb": "0.5" } } },
      ['fail spec.containers[0].resources.limits["nvidia.com/mig-1g.5gb"]'],
    ],
    ["another request", both(1, 2), [`fail ${request}`]],
    ["a request alone", { resources: { requests: { [gpu]: 1 } } }, [`fail ${request}`]],
    ["unknown", limits(unknown), [`unknown ${limit}`]],
    [
      "a partition, unknown",
      { resources: { limits: { "nvidia.com/mig-1g.5gb": unknown } } },
      ['unknown spec.containers[0].resources.limits["nvidia.com/mig-1g.5gb"]'],
    ],
    ["request unknown", both(1, unknown), [`unknown ${request}`]],
    ["limit unknown, request known", both(unknown, 1), [`unknown ${limit}`]],
    ["limits unknown", { resources: { limits: unknown } }, ["unknown spec.containers[0].resources.limits"]],
    ["resources unknown", { resources: unknown }, ["unknown spec.containers[0].resources"]],
  ] as const)("%s", ([, container, expected]) => {
    expect(verdicts(rule, [podOf(container, { tolerations: [{ operator: "Exists" }] })])).toEqual(expected);
  });
});

describe("tolerations", () => {
  const at = "spec.tolerations";
  test.for([
    ["of the key", tolerations, []],
    ["of the key and a value", [{ key: gpu, operator: "Equal", value: "true" }], []],
    ["without an operator", [{ key: gpu, value: "true", effect: "NoSchedule" }], []],
    ["of everything", [{ operator: "Exists" }], []],
    ["among others", [{ key: "a", operator: "Exists" }, ...tolerations], []],
    ["of what evicts alone", [{ key: gpu, operator: "Exists", effect: "NoExecute" }], [`advise ${at}`]],
    ["none", undefined, [`advise ${at}`]],
    ["an empty list", [], [`advise ${at}`]],
    ["of another key", [{ key: "gpu", operator: "Exists" }], [`advise ${at}`]],
    ["of the soft effect alone", [{ key: gpu, operator: "Exists", effect: "PreferNoSchedule" }], [`advise ${at}`]],
    ["no key and no operator", [{ effect: "NoSchedule" }], [`advise ${at}`]],
    ["no key, of a value", [{ operator: "Equal" }], [`advise ${at}`]],
    ["unknown", unknown, [`unknown ${at}`]],
    ["key unknown", [{ key: unknown, operator: "Exists" }], [`unknown ${at}[0].key`]],
    ["effect unknown", [{ key: gpu, operator: "Exists", effect: unknown }], [`unknown ${at}[0].effect`]],
    ["one unknown, another fits", [unknown, ...tolerations], []],
  ] as const)("%s", ([, given, expected]) => {
    expect(verdicts(rule, [podOf(limits(1), { tolerations: given })])).toEqual(expected);
  });

  test("the pods of every kind, whatever container asks", () => {
    for (const [path, of] of everyKind({ initContainers: [limits(1)], containers: [{}] })) {
      expect(verdicts(rule, [of])).toEqual([`advise ${path}.tolerations`]);
    }
  });

  // EKS adds the toleration { key: the resource, operator: Exists, effect: NoSchedule }, and no other.
  test.for([
    ["a MIG device", { resources: { limits: { "nvidia.com/mig-1g.5gb": 1 } } }, {}, [`fail ${at}`]],
    ["a shared GPU", { resources: { limits: { "nvidia.com/gpu.shared": 1 } } }, {}, [`fail ${at}`]],
    ["another key of the taint", limits(1), { taintKey: "gpu" }, [`fail ${at}`]],
    ["a taint that evicts", limits(1), { taintEffect: "NoExecute" }, [`fail ${at}`]],
    ["GPUs and MIG devices", { resources: { limits: { [gpu]: 1, "nvidia.com/mig-1g.5gb": 1 } } }, {}, [`advise ${at}`]],
  ] as const)("without a toleration: %s", ([, container, config, expected]) => {
    const policyConfig = { [rule.id]: config };
    expect(verdicts(rule, [podOf(container, { tolerations: [] })], { policyConfig })).toEqual(expected);
  });

  test("a toleration of what evicts is right for such a taint, and that of NoSchedule is not", () => {
    const policyConfig = { [rule.id]: { taintEffect: "NoExecute" } };
    const evicting = [{ key: gpu, operator: "Exists", effect: "NoExecute" }];
    expect(verdicts(rule, [podOf(limits(1), { tolerations: evicting })], { policyConfig })).toEqual([]);
    expect(verdicts(rule, [podOf(limits(1), { tolerations })], { policyConfig })).toEqual([`fail ${at}`]);
  });

  test("the key can be another one", () => {
    const policyConfig = { [rule.id]: { taintKey: "gpu" } };
    const given = [{ key: "gpu", operator: "Exists" }];
    expect(verdicts(rule, [podOf(limits(1), { tolerations: given })], { policyConfig })).toEqual([]);
    expect(verdicts(rule, [podOf(limits(1), { tolerations })], { policyConfig })).toEqual(["fail spec.tolerations"]);
  });
});

describe("pods that look for GPUs and ask for none", () => {
  const advise = ["advise spec.containers"];
  const affinity = (operator: string) => ({
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: "nvidia.com/gpu.present", operator, values: ["true"] }] }],
      },
    },
  });
  test.for([
    ["by a toleration", { tolerations }, advise],
    ["by a node selector", { nodeSelector: { "nvidia.com/gpu.product": "NVIDIA-A10G" } }, advise],
    ["by affinity", { affinity: affinity("In") }, advise],
    ["by affinity to any such node", { affinity: affinity("Exists") }, advise],
    ["by another runtime class", { runtimeClassName: "gvisor" }, []],
    ["by a toleration of something else", { tolerations: [{ key: "team", operator: "Exists" }] }, []],
    ["by another node selector", { nodeSelector: { tier: "gpu" } }, []],
    ["by an image without registry or tag", { containers: [{ image: "cuda" }] }, advise],
    ["by affinity to nodes without", { affinity: affinity("NotIn") }, []],
    ["by runtime class", { runtimeClassName: "nvidia" }, advise],
    ["by image", { containers: [{ image: "nvcr.io/nvidia/cuda:12.4.1-base" }] }, advise],
    ["by another image", { containers: [{ image: "vllm/vllm-openai:v0.9.0" }] }, advise],
    ["by an image of a like name", { containers: [{ image: "example/barracuda:1.0" }] }, []],
    ["not at all", { containers: [{ image: "nginx:1.29" }] }, []],
    ["as they tolerate everything", { tolerations: [{ operator: "Exists" }] }, []],
    ["with a limit", { tolerations, containers: [limits(1)] }, []],
    ["with a limit of something else", { tolerations, containers: [{ resources: { limits: { cpu: 1 } } }] }, advise],
    ["by the image of an ephemeral container", { ephemeralContainers: [{ image: "cuda:12.4.1" }] }, advise],
    ["by a claim", { tolerations, resourceClaims: [{ name: "gpu" }] }, []],
    ["image unknown", { containers: [{ image: unknown }] }, ["unknown spec.containers[0].image"]],
    ["by toleration, image unknown", { tolerations, containers: [{ image: unknown }] }, advise],
    ["runtime class unknown", { runtimeClassName: unknown }, ["unknown spec.runtimeClassName"]],
  ] as const)("%s", ([, spec, expected]) => {
    expect(verdicts(rule, [pod(spec)])).toEqual(expected);
  });

  test("a DaemonSet may serve the nodes themselves, and use no GPU", () => {
    const type = "kubernetes:apps/v1:DaemonSet";
    const judged = (spec: object, kind = type) => verdicts(rule, [resource(kind, { spec: { template: { spec } } })]);
    const onNodes = { tolerations, nodeSelector: { "nvidia.com/gpu.present": "true" }, affinity: affinity("Exists") };
    expect(judged(onNodes)).toEqual([]);
    expect(judged(onNodes, `${type}Patch`)).toEqual([]);
    expect(judged(onNodes, "kubernetes:apps/v1:StatefulSet")).toEqual(["advise spec.template.spec.containers"]);
    expect(judged({ ...onNodes, runtimeClassName: "nvidia" })).toEqual(["advise spec.template.spec.containers"]);
    expect(judged({ containers: [{ image: "vllm/vllm-openai:v0.9.0" }] })).toEqual([
      "advise spec.template.spec.containers",
    ]);
  });

  test("so may a patch of one, whatever it says, unlike a patch of another kind", () => {
    const nothing = { resources: { limits: {}, requests: {} } };
    const lists = { initContainers: [], ephemeralContainers: [], resourceClaims: [] };
    const spec = { tolerations, ...lists, containers: [nothing] };
    const judged = (kind: string) =>
      verdicts(rule, [resource(`kubernetes:apps/v1:${kind}Patch`, { spec: { template: { spec } } })]);
    expect(judged("DaemonSet")).toEqual([]);
    expect(judged("StatefulSet")).toEqual(["advise spec.template.spec.containers"]);
  });

  test("by a toleration of the key that is configured", () => {
    const policyConfig = { [rule.id]: { taintKey: "gpu" } };
    const tolerating = (key: string) => pod({ tolerations: [{ key, operator: "Exists" }] });
    expect(verdicts(rule, [tolerating("gpu")], { policyConfig })).toEqual(advise);
    expect(verdicts(rule, [tolerating("nvidia.com/gpu.present")], { policyConfig })).toEqual(advise);
    expect(verdicts(rule, [tolerating("gpu")])).toEqual([]);
  });

  test("without a namespace they are in that of the name default", () => {
    const policyConfig = { [rule.id]: { exemptNamespaces: ["default"] } };
    expect(verdicts(rule, [resource(podType, { spec: { tolerations } })], { policyConfig })).toEqual([]);
    expect(verdicts(rule, [resource(podType, { spec: { tolerations } })])).toEqual(advise);
  });

  test.for(["gpu-operator", "kube-system", "monitoring"])("in the namespace %s they may", (namespace) => {
    expect(verdicts(rule, [pod({ tolerations }, namespace)])).toEqual([]);
  });

  test("in an unknown namespace", () => {
    expect(verdicts(rule, [pod({ tolerations }, unknown)])).toEqual(["unknown metadata.namespace"]);
    const policyConfig = { [rule.id]: { exemptNamespaces: ["lab"] } };
    expect(verdicts(rule, [pod({ tolerations })], { policyConfig })).toEqual([]);
  });
});

test("of a patch only what it says is judged", () => {
  expect(verdicts(rule, [patched(podOf(limits(1)))])).toEqual([]);
  expect(verdicts(rule, [patched(podOf(limits(1), { tolerations: [] }))])).toEqual(["advise spec.tolerations"]);
  expect(verdicts(rule, [patched(podOf(limits(0)))])).toEqual([`fail ${limit}`]);
  expect(verdicts(rule, [patched(pod({ tolerations }))])).toEqual([]);
});

test("a pod of a name that is exempt is left alone", () => {
  const policyConfig = { [rule.id]: { exempt: ["it"] } };
  expect(verdicts(rule, [podOf(limits(0))], { policyConfig })).toEqual([]);
});

test("a secret is not printed", () => {
  const said = findings(rule, [
    podOf({ image: "cuda:hunter2", ...both("hunter2", "hunter2") }, { runtimeClassName: "nvidia" }),
  ]);
  expect(said.length).toBeGreaterThan(0);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  const said = [
    podOf(both(0.5, 2)),
    podOf(both(1, 2), { tolerations }),
    podOf(limits(1)),
    podOf({ resources: { limits: { "nvidia.com/mig-1g.5gb": 1 } } }),
    pod({ tolerations }),
  ].flatMap((one) => findings(rule, [one]));
  expect(said.map(({ message }) => message)).toMatchInlineSnapshot(`
    [
      "spec.containers[0].resources.limits["nvidia.com/gpu"]: got 0.5. Kubernetes assigns only whole GPUs. With 0, the container gets none, and a CUDA image may see all GPUs of the node.
    fix: set spec.containers[0].resources.limits["nvidia.com/gpu"] to a whole number of 1 or more, or remove it",
      "spec.containers[0].resources.requests["nvidia.com/gpu"]: got 2, while spec.containers[0].resources.limits["nvidia.com/gpu"] is 1. Kubernetes rejects a GPU request that differs from the limit.
    fix: remove spec.containers[0].resources.requests["nvidia.com/gpu"], and set the number in spec.containers[0].resources.limits["nvidia.com/gpu"]",
      "spec.tolerations: got no toleration for the taint nvidia.com/gpu with NoSchedule on GPU nodes. EKS adds it to a pod that requests this resource. In a cluster without this admission plugin, the pod stays Pending.
    fix: add { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" } to spec.tolerations",
      "spec.tolerations: got no toleration for the taint nvidia.com/gpu with NoSchedule on GPU nodes. GPU nodes have a taint. The pod stays Pending while GPUs are idle, and the autoscaler does not add a node for it.
    fix: add { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" } to spec.tolerations",
      "spec.containers: got no limit of nvidia.com/gpu. The pod is meant for GPU nodes but requests no GPU. It runs without one, or sees the GPUs of other pods.
    fix: set resources.limits["nvidia.com/gpu"] to 1 for the container that needs it",
    ]
  `);
});

test.for([
  ["a claim of a GPU", { resourceClaims: [{ name: "single-gpu" }] }, ["fail spec.tolerations"]],
  ["claim", { resourceClaims: [{ name: "a", resourceClaimTemplateName: "mig-1g" }] }, ["fail spec.tolerations"]],
  ["a claim of a network device", { resourceClaims: [{ name: "nic", resourceClaimName: "rdma" }] }, []],
  ["an unknown claim", { resourceClaims: [{ name: unknown }] }, ["unknown spec.resourceClaims[0].name"]],
] as const)("a pod without tolerations that has %s", ([, spec, expected]) => {
  const containers = [{ image: "busybox:1.37" }];
  expect(verdicts(rule, [resource("kubernetes:core/v1:Pod", { spec: { containers, ...spec } })])).toEqual(expected);
  const tolerations = [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }];
  expect(
    verdicts(rule, [resource("kubernetes:core/v1:Pod", { spec: { containers, tolerations, ...spec } })]),
  ).not.toContain("fail spec.tolerations");
});

test("a fraction as a text is shown", () => {
  expect(findings(rule, [podOf({ resources: { limits: { "nvidia.com/gpu": "0.5" } } })])[0]?.message).toContain(
    "got 0.5.",
  );
});
