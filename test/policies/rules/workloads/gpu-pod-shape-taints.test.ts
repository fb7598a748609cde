import { describe, expect, test } from "vitest";
import { gpuPodShape as rule } from "../../../../policies/rules/workloads/gpu-pod-shape";
import { group } from "../../support/gpu-workloads";
import { everyKind, patched, pod, podOf } from "../../support/pods";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const gpu = "nvidia.com/gpu";
const at = "spec.tolerations";
const [fail, advise] = [[`fail ${at}`], [`advise ${at}`]];
const foreign = { key: "dedicated", value: "training", effect: "NO_SCHEDULE" };
const standard = { key: gpu, value: "true", effect: "NO_SCHEDULE" };
const ofGpu = { key: gpu, operator: "Exists", effect: "NoSchedule" };
const ofForeign = { key: "dedicated", operator: "Exists", effect: "NoSchedule" };

/** A node group with these taints. */
const tainted = (taints: unknown, name = "gpu", more: object = {}) => group(2, { taints, ...more }, name);
/** A pod with a GPU, or another resource. */
const asking = (spec: object = {}, name = gpu) => podOf({ resources: { limits: { [name]: 1 } } }, spec);
const mig = (spec: object = {}) => asking(spec, "nvidia.com/mig-1g.5gb");

describe("taints of the only GPU group", () => {
  test.for([
    ["none", [], {}, []],
    ["no list", undefined, {}, []],
    ["the standard one, which EKS tolerates", [standard], {}, advise],
    ["the standard one, tolerated", [standard], { tolerations: [ofGpu] }, []],
    ["the standard one that evicts", [{ ...standard, effect: "NO_EXECUTE" }], {}, fail],
    ["a foreign one", [foreign], {}, fail],
    ["a foreign one that evicts", [{ ...foreign, effect: "NO_EXECUTE" }], { tolerations: [ofForeign] }, fail],
    ["a foreign one that is soft", [{ ...foreign, effect: "PREFER_NO_SCHEDULE" }], {}, []],
    ["a foreign one, with the standard toleration", [foreign], { tolerations: [ofGpu] }, fail],
    ["a foreign one, tolerated", [foreign], { tolerations: [ofForeign] }, []],
    ["a foreign one, as everything is tolerated", [foreign], { tolerations: [{ operator: "Exists" }] }, []],
    ["a foreign one, of its value", [foreign], { tolerations: [{ key: "dedicated", value: "training" }] }, []],
    ["a foreign one, of another value", [foreign], { tolerations: [{ key: "dedicated", value: "batch" }] }, fail],
    ["a foreign one without a value", [{ key: "team", effect: "NO_SCHEDULE" }], { tolerations: [ofGpu] }, fail],
    ["both, and EKS tolerates one", [standard, foreign], {}, fail],
    ["both, and the pod tolerates the other", [standard, foreign], { tolerations: [ofForeign] }, advise],
    ["both, tolerated", [standard, foreign], { tolerations: [ofGpu, ofForeign] }, []],
    ["unknown", unknown, {}, ["unknown taints"]],
    ["unknown, and everything is tolerated", unknown, { tolerations: [{ operator: "Exists" }] }, ["unknown taints"]],
    ["of an unknown key", [{ ...foreign, key: unknown }], { tolerations: [ofGpu] }, ["unknown taints[0].key"]],
    ["of an unknown value", [{ ...foreign, value: unknown }], { tolerations: [ofForeign] }, []],
    ["of an unknown effect", [{ ...foreign, effect: unknown }], {}, ["unknown taints[0].effect"]],
    ["one unknown, another foreign", [{ ...standard, key: unknown }, foreign], { tolerations: [ofGpu] }, fail],
    ["a foreign one, and the tolerations are unknown", [foreign], { tolerations: unknown }, [`unknown ${at}`]],
  ] as const)("%s", ([, taints, spec, expected]) => {
    expect(verdicts(rule, [tainted(taints), asking(spec)])).toEqual(expected);
  });

  test("a partition needs the toleration that EKS does not add", () => {
    expect(verdicts(rule, [tainted([standard]), mig()])).toEqual(fail);
    expect(verdicts(rule, [tainted([{ ...standard, key: "nvidia.com/mig-1g.5gb" }]), mig()])).toEqual(advise);
    expect(verdicts(rule, [tainted([]), mig()])).toEqual([]);
  });

  test("so does a claim", () => {
    const claiming = pod({ containers: [{ image: "app:1" }], resourceClaims: [{ name: "one-gpu" }] });
    expect(verdicts(rule, [tainted([foreign]), claiming])).toEqual(fail);
    expect(verdicts(rule, [tainted([]), claiming])).toEqual([]);
  });

  test("a pod without a GPU may be kept off", () => {
    const idle = podOf({ image: "nginx:1.29" }, { tolerations: [] });
    expect(verdicts(rule, [tainted([foreign]), idle])).toEqual([]);
  });

  test("the pods of every kind", () => {
    const container = { resources: { limits: { [gpu]: 1 } } };
    for (const [path, of] of everyKind({ containers: [container], tolerations: [ofGpu] })) {
      expect(verdicts(rule, [tainted([foreign]), of])).toEqual([`fail ${path}.tolerations`]);
    }
  });

  test("a patch may leave the tolerations to others", () => {
    expect(verdicts(rule, [tainted([foreign]), patched(asking())])).toEqual([]);
  });
});

describe("the groups that a pod selects", () => {
  const labelled = (tier: string, taints: unknown) => tainted(taints, tier, { labels: { tier } });
  const select = (tier: unknown, tolerations: unknown = [ofGpu]) => asking({ nodeSelector: { tier }, tolerations });
  const affinity = (...values: string[]) => {
    const matchExpressions = [{ key: "tier", operator: "In", values }];
    const nodeSelectorTerms = [{ matchExpressions }];
    return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
  };
  const groups = [labelled("train", [foreign]), labelled("serve", [standard])];

  test.for([
    ["any", asking({ tolerations: [ofGpu] }), []],
    ["any, without tolerations", asking(), advise],
    ["any, a partition", mig(), fail],
    ["the foreign one", select("train"), fail],
    ["the standard one", select("serve"), []],
    ["the foreign one by affinity", asking({ affinity: affinity("train"), tolerations: [ofGpu] }), fail],
    ["both by affinity", asking({ affinity: affinity("train", "serve"), tolerations: [ofGpu] }), []],
    ["a group outside the program", select("else"), []],
    ["a group outside the program, without tolerations", select("else", []), advise],
    ["an unknown one", select(unknown, [ofForeign]), ["unknown spec.nodeSelector.tier"]],
    ["an unknown one, and no taint is tolerated", mig({ nodeSelector: { tier: unknown } }), fail],
  ] as const)("%s", ([, asked, expected]) => {
    expect(verdicts(rule, [...groups, asked])).toEqual(expected);
  });

  test("only groups with GPUs count", () => {
    const cpu = tainted([foreign], "cpu", { instanceTypes: ["m6i.large"] });
    expect(verdicts(rule, [cpu, asking({ tolerations: [ofGpu] })])).toEqual([]);
    expect(verdicts(rule, [cpu, asking()])).toEqual(advise);
    const maybe = tainted([foreign], "maybe", { instanceTypes: [unknown] });
    expect(verdicts(rule, [maybe, asking({ tolerations: [ofGpu] })])).toEqual(["unknown instanceTypes[0]"]);
  });

  test("an untainted group takes every pod", () => {
    expect(verdicts(rule, [tainted([], "open"), tainted([foreign]), mig()])).toEqual([]);
  });

  test("groups of another cluster do not count", () => {
    const cluster = (name: string) => resource("aws:eks/cluster:Cluster", { name, version: "1.35" }, { name });
    const of = (clusterName: string, taints: unknown) => tainted(taints, `gpu-${clusterName}`, { clusterName });
    const kubeconfig = JSON.stringify({ args: ["eks", "get-token", "--cluster-name", "one"] });
    const provider = resource("pulumi:providers:kubernetes", { kubeconfig }, { name: "one" });
    const asked = { ...asking({ tolerations: [ofGpu] }), provider: `${provider.urn}::id` };
    const stack = (own: unknown, other: unknown) => [
      ...[cluster("one"), cluster("two"), provider, of("one", own), of("two", other), asked],
    ];
    expect(verdicts(rule, stack([foreign], []))).toEqual(fail);
    expect(verdicts(rule, stack([], [foreign]))).toEqual([]);
  });
});

describe("groups of other types", () => {
  const pool = (taints: unknown, labels: object = {}, name = "pool") =>
    resource("kubernetes:karpenter.sh/v1:NodePool", {
      metadata: { name },
      spec: {
        template: {
          metadata: { labels },
          spec: {
            taints,
            requirements: [
              { key: "node.kubernetes.io/instance-type", operator: "In", values: ["g5.xlarge"] },
              { key: "topology.kubernetes.io/zone", operator: "In", values: ["us-east-1a"] },
            ],
          },
        },
      },
    });
  const ofPool = { key: "team", value: "research", effect: "NoSchedule" };
  const selecting = (label: string, value: string) =>
    asking({ nodeSelector: { [label]: value }, tolerations: [ofGpu] });

  test.for([
    ["its name", selecting("karpenter.sh/nodepool", "pool"), fail],
    ["another name", selecting("karpenter.sh/nodepool", "other"), []],
    ["its instance type", selecting("node.kubernetes.io/instance-type", "g5.xlarge"), fail],
    ["another instance type", selecting("node.kubernetes.io/instance-type", "p5.48xlarge"), []],
    ["its zone", selecting("topology.kubernetes.io/zone", "us-east-1a"), fail],
    ["another zone", selecting("topology.kubernetes.io/zone", "us-east-1b"), []],
    ["its label", selecting("tier", "gpu"), fail],
    ["another value of its label", selecting("tier", "cpu"), []],
    ["nothing", asking({ tolerations: [ofGpu] }), fail],
    ["nothing, and it tolerates the taint", asking({ tolerations: [{ key: "team", operator: "Exists" }] }), []],
    ["its GPU", selecting("karpenter.k8s.aws/instance-gpu-name", "a10g"), fail],
    ["another GPU", selecting("karpenter.k8s.aws/instance-gpu-name", "t4"), []],
    [
      "a label that Karpenter may add",
      selecting("karpenter.k8s.aws/instance-hypervisor", "nitro"),
      ['unknown spec.template.metadata.labels["karpenter.k8s.aws/instance-hypervisor"]'],
    ],
  ] as const)("a pod selects a NodePool by %s", ([, asked, expected]) => {
    expect(verdicts(rule, [pool([ofPool], { tier: "gpu" }), asked])).toEqual(expected);
  });

  const ofEks = { instanceTypes: ["g5.xlarge"] };
  const inSpec = { instanceType: "g5.xlarge", taints: [{ ...foreign, effect: "no-schedule" }] };
  test.for([
    ["eks:index:ManagedNodeGroup", { ...ofEks, taints: [foreign] }],
    ["aws-native:eks:Nodegroup", { ...ofEks, taints: [foreign] }],
    ["kubernetes:eks.services.k8s.aws/v1alpha1:Nodegroup", { spec: { ...ofEks, taints: [foreign] } }],
    ["kubernetes:eks.aws.upbound.io/v1beta1:NodeGroup", { spec: { forProvider: { ...ofEks, taint: [foreign] } } }],
    ["kubernetes:infrastructure.cluster.x-k8s.io/v1beta2:AWSManagedMachinePool", { spec: inSpec }],
    [
      "kubernetes:karpenter.sh/v1alpha5:Provisioner",
      {
        metadata: { name: "gpu" },
        spec: {
          taints: [{ ...foreign, effect: "NoExecute" }],
          requirements: [{ key: "karpenter.k8s.aws/instance-gpu-count", operator: "Gt", values: ["0"] }],
        },
      },
    ],
  ] as const)("%s", ([type, properties]) => {
    expect(verdicts(rule, [resource(type, properties, { name: "gpu" }), asking({ tolerations: [ofGpu] })])).toEqual(
      fail,
    );
  });

  test("the taints of self-managed GPU nodes are in their user data, so the pod needs the standard toleration", () => {
    const own = (instanceType: string) => resource("eks:index:NodeGroupV2", { instanceType }, { name: "own" });
    const judged = (type: string, asked = mig({ tolerations: [ofGpu] })) =>
      verdicts(rule, [own(type), tainted([foreign]), asked]);
    expect(judged("g5.xlarge")).toEqual([]);
    expect(judged("g5.xlarge", mig({ tolerations: [ofForeign] }))).toEqual(fail);
    expect(judged("m6i.large")).toEqual(fail);
  });
});

test("a key or a value that may be a secret is not printed", () => {
  const secret = { key: "hunter2", value: "hunter2", effect: "NO_SCHEDULE" };
  const said = findings(rule, [tainted([secret, { ...foreign, value: "hunter2" }]), asking()]);
  expect(said[0]?.message).toContain("taints[0]=<value>:NoSchedule and dedicated=<value>:NoSchedule");
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  const groups = [tainted([foreign, standard], "train"), tainted([{ key: "team", effect: "NO_EXECUTE" }], "serve")];
  const said = [asking(), mig()].flatMap((asked) => findings(rule, [...groups, asked]));
  const advice = findings(rule, [tainted([standard]), asking()]);
  expect([...said, ...advice].map(({ message }) => message)).toMatchInlineSnapshot(`
    [
      "spec.tolerations: got no toleration for the taints dedicated=training:NoSchedule of the node group train, and team:NoExecute of the node group serve. GPU nodes have a taint. The pod stays Pending while GPUs are idle, and the autoscaler does not add a node for it.
    fix: add { key: "dedicated", operator: "Exists", effect: "NoSchedule" } to spec.tolerations",
      "spec.tolerations: got no toleration for the taints dedicated=training:NoSchedule and nvidia.com/gpu=true:NoSchedule of the node group train, and team:NoExecute of the node group serve. GPU nodes have a taint. The pod stays Pending while GPUs are idle, and the autoscaler does not add a node for it.
    fix: add { key: "dedicated", operator: "Exists", effect: "NoSchedule" } and { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" } to spec.tolerations",
      "spec.tolerations: got no toleration for the taint nvidia.com/gpu=true:NoSchedule of the node group gpu. EKS adds it to a pod that requests this resource. In a cluster without this admission plugin, the pod stays Pending.
    fix: add { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" } to spec.tolerations",
    ]
  `);
});
