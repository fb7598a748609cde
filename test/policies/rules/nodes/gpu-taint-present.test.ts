import { describe, expect, test } from "vitest";
import { gpuNodeGroup, managedNodeGroup, nodeGroup } from "../../../../policies/facts/node-sources";
import { gpuTaintPresent as rule } from "../../../../policies/rules/nodes/gpu-taint-present";
import { withTemplate } from "../../support/launch-templates";
import { findings, resource, unknown, urnOf, verdicts } from "../../support/verdicts";

const gpu = { amiType: "AL2023_x86_64_NVIDIA", instanceTypes: ["g5.xlarge"], labels: { "nvidia.com/gpu": "true" } };
const hard = { key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" };
const tainted = { ...gpu, taints: [hard] };

test.for([
  ["the taint", tainted, []],
  ["the harder one", { ...gpu, taints: [{ ...hard, effect: "NO_EXECUTE" }] }, []],
  ["without a value", { ...gpu, taints: [{ key: "nvidia.com/gpu", effect: "NO_SCHEDULE" }] }, []],
  ["with another", { ...gpu, taints: [{ key: "team", effect: "NO_SCHEDULE" }, hard] }, []],
  ["system nodes", { instanceTypes: ["t3.medium"] }, []],
  ["nothing", {}, []],
  ["no taints", gpu, ["fail taints"]],
  ["an empty list", { ...gpu, taints: [] }, ["fail taints"]],
  ["another hard taint", { ...gpu, taints: [{ ...hard, key: "team" }] }, ["advise taints"]],
  ["another soft taint", { ...gpu, taints: [{ key: "team", effect: "PREFER_NO_SCHEDULE" }] }, ["fail taints"]],
  [
    "another hard taint with a soft one",
    {
      ...gpu,
      taints: [
        { ...hard, effect: "PREFER_NO_SCHEDULE" },
        { ...hard, key: "team" },
      ],
    },
    ["advise taints[0].effect"],
  ],
  ["a soft taint", { ...gpu, taints: [{ ...hard, effect: "PREFER_NO_SCHEDULE" }] }, ["fail taints[0].effect"]],
  ["Kubernetes' spelling", { ...gpu, taints: [{ ...hard, effect: "NoSchedule" }] }, ["fail taints[0].effect"]],
  ["soft and hard", { ...gpu, taints: [{ ...hard, effect: "PREFER_NO_SCHEDULE" }, hard] }, []],
  ["a text in place of the list", { ...gpu, taints: "nvidia.com/gpu" }, ["fail taints"]],
  ["taints unknown", { ...gpu, taints: unknown }, ["unknown taints"]],
  ["a taint unknown", { ...gpu, taints: [unknown] }, ["unknown taints[0]"]],
  ["a taint unknown with the right one", { ...gpu, taints: [unknown, hard] }, []],
  ["its effect unknown", { ...gpu, taints: [{ ...hard, effect: unknown }] }, ["unknown taints[0].effect"]],
  ["its key unknown", { ...gpu, taints: [{ ...hard, key: unknown }] }, ["unknown taints[0].key"]],
  ["taints unknown, system nodes", { instanceTypes: ["t3.medium"], taints: unknown }, []],
  ["types unknown, no taint", { instanceTypes: unknown, labels: gpu.labels }, ["unknown instanceTypes"]],
  ["a label of the operator", { ...tainted, labels: { "nvidia.com/gpu.present": "true" } }, []],
  ["a label that only begins so", { ...tainted, labels: { "nvidia.com/gpus": "1" } }, ["advise labels"]],
  ["no label", { ...tainted, labels: { tier: "gpu" } }, ["advise labels"]],
  ["no labels at all", { ...tainted, labels: undefined }, ["advise labels"]],
  ["neither", { instanceTypes: ["g5.xlarge"] }, ["fail taints", "advise labels"]],
  ["labels unknown", { ...tainted, labels: unknown }, ["unknown labels"]],
  ["the value unknown", { ...tainted, labels: { "nvidia.com/gpu": unknown } }, ['unknown labels["nvidia.com/gpu"]']],
] as const)("%s", ([, properties, expected]) => {
  for (const type of [nodeGroup, managedNodeGroup]) {
    expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
  }
});

test.for([
  ["a GPU type", "g5.xlarge", {}, ["fail taints", "advise labels"]],
  ["a GPU type, tainted", "g5.xlarge", { taints: [hard], labels: gpu.labels }, []],
  ["another type", "t3.medium", {}, []],
  ["unknown", unknown, {}, ["unknown instanceType"]],
] as const)("by the launch template: %s", ([, instanceType, more, expected]) => {
  expect(verdicts(rule, withTemplate(nodeGroup, { amiType: "CUSTOM", ...more }, { instanceType }))).toEqual(expected);
});

test("a launch template outside the stack may name a GPU type", () => {
  const seen = (more: object) => verdicts(rule, [resource(nodeGroup, { launchTemplate: { id: "lt-0" }, ...more })]);
  expect(seen({})).toEqual(["unknown the instance type in a launch template outside the stack"]);
  expect(seen({ taints: [hard], labels: gpu.labels })).toEqual([]);
});

test("the group that a component makes is judged", () => {
  const component = resource(gpuNodeGroup, { instanceType: "g5.xlarge" });
  const urn = urnOf(`${gpuNodeGroup}$${nodeGroup}`, "gpu");
  const child = (properties: object) => resource(nodeGroup, { ...properties }, { urn, parent: component.urn });
  expect(verdicts(rule, [component, child(tainted)])).toEqual([]);
  expect(verdicts(rule, [component, child(gpu)])).toEqual(["fail taints"]);
});

test("key and label can be configured, and a group be exempt", () => {
  const judged = (configured: object) =>
    verdicts(rule, [resource(nodeGroup, tainted, { name: "gpu" })], { policyConfig: { [rule.id]: configured } });
  expect(judged({ key: "team" })).toEqual(["advise taints"]);
  expect(judged({ label: "team" })).toEqual(["advise labels"]);
  expect(judged({ label: "" })).toEqual([]);
  expect(judged({ key: "team", exempt: ["gpu"] })).toEqual([]);
});

describe("self-managed nodes", () => {
  const template = (userData: unknown) =>
    resource("aws:ec2/launchTemplate:LaunchTemplate", { instanceType: "g5.xlarge", userData }, { name: "lt" });
  const scaling = (more: object = {}) =>
    resource(
      "aws:autoscaling/group:Group",
      { maxSize: 1, launchTemplate: { id: "lt-0", version: "1" }, ...more },
      { name: "group", propertyDependencies: { launchTemplate: [template("").urn] } },
    );
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const mime = (...parts: readonly string[]) =>
    [
      "MIME-Version: 1.0",
      'Content-Type: multipart/mixed; boundary="//"',
      "",
      ...parts.map((part) => `--//\n${part}`),
      "--//--",
    ].join("\n");

  // https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html
  const bootstrap = (args: string) => `#!/bin/bash\nset -ex\n/etc/eks/bootstrap.sh shop ${args}\n`;
  // https://awslabs.github.io/amazon-eks-ami/nodeadm/doc/examples/
  const nodeConfig = (kubelet: string) => `Content-Type: application/node.eks.aws

---
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: shop
  kubelet:
${kubelet}`;
  const config = (key: string, effect: string) =>
    nodeConfig(
      `    config:\n      registerWithTaints:\n        - key: ${key}\n          value: "true"\n          effect: ${effect}\n`,
    );
  const flag = nodeConfig('    flags:\n      - "--register-with-taints=nvidia.com/gpu=true:NoSchedule"\n');
  // https://bottlerocket.dev/en/os/latest/api/settings/kubernetes/
  const toml = (taints: string) =>
    `[settings.kubernetes]\ncluster-name = "shop"\n${taints}\n[settings.host-containers.admin]\nenabled = false\n`;
  const section = (line: string) => toml(`[settings.kubernetes.node-taints]\n${line}`);
  const taint = "--register-with-taints=nvidia.com/gpu=true:NoSchedule";

  test.for([
    ["AL2", bootstrap(`--kubelet-extra-args '--node-labels=a=b ${taint}'`), []],
    ["AL2 with another taint too", bootstrap(`--kubelet-extra-args '${taint},team=ml:NoSchedule'`), []],
    ["AL2 with a space", bootstrap(`--kubelet-extra-args "--register-with-taints nvidia.com/gpu:NoExecute"`), []],
    ["AL2 without taints", bootstrap(""), ["fail userData"]],
    ["AL2, a soft taint", bootstrap(`--kubelet-extra-args '${taint.replace("No", "PreferNo")}'`), ["fail userData"]],
    [
      "AL2 with another taint",
      bootstrap(`--kubelet-extra-args '--register-with-taints=team=ml:NoSchedule'`),
      ["advise userData"],
    ],
    ["a NodeConfig", mime(config("nvidia.com/gpu", "NoSchedule")), []],
    ["a NodeConfig with a flag", mime(flag), []],
    [
      "a NodeConfig after a script",
      mime("Content-Type: text/x-shellscript\n\necho hello", config("nvidia.com/gpu", "NoSchedule")),
      [],
    ],
    ["a NodeConfig without MIME", config("nvidia.com/gpu", "NoSchedule").replace(/^.*\n\n/, ""), []],
    ["a NodeConfig without taints", mime(nodeConfig("    config: {}\n")), ["fail userData"]],
    ["a NodeConfig with another taint", mime(config("team", "NoExecute")), ["advise userData"]],
    ["a NodeConfig with a soft taint", mime(config("nvidia.com/gpu", "PreferNoSchedule")), ["fail userData"]],
    ["Bottlerocket", section('"nvidia.com/gpu" = ["true:NoSchedule"]'), []],
    ["Bottlerocket, one string", section('"nvidia.com/gpu" = "true:NoSchedule"'), []],
    ["Bottlerocket, several lines", section('"nvidia.com/gpu" = [\n  "true:NoSchedule",\n]'), []],
    ["AL2 with a taint in a comment", `${bootstrap("")}\n# ${taint}`, ["fail userData"]],
    ["Bottlerocket, inline", toml('node-taints = { "nvidia.com/gpu" = ["true:NoExecute"] }'), []],
    ["Bottlerocket without taints", toml(""), ["fail userData"]],
    ["Bottlerocket with another taint", section('team = ["ml:NoSchedule"]'), ["advise userData"]],
    [
      "Bottlerocket with a label",
      toml('[settings.kubernetes.node-labels]\n"nvidia.com/gpu" = "true:NoSchedule"'),
      ["fail userData"],
    ],
    ["nodes of no EKS cluster", "#!/bin/bash\necho ECS_CLUSTER=shop >> /etc/ecs/ecs.config\n", []],
  ] as const)("%s", ([, script, expected]) => {
    for (const userData of [script, base64(script)]) {
      expect(verdicts(rule, [scaling(), template(userData)])).toEqual(expected);
    }
  });

  test.for([
    ["unknown user data", [scaling(), template(unknown)], ["unknown userData"]],
    ["no user data", [scaling(), template(undefined)], []],
    ["a template outside the stack", [resource("aws:autoscaling/group:Group", { launchTemplate: { id: "lt-0" } })], []],
  ] as const)("%s", ([, resources, expected]) => {
    expect(verdicts(rule, resources)).toEqual(expected);
  });

  const v2 = { instanceType: "g5.xlarge", gpu: true };
  test.for([
    ["taints", { taints: { "nvidia.com/gpu": { value: "true", effect: "NoSchedule" } } }, []],
    ["no taints", {}, ["fail taints"]],
    ["a soft taint", { taints: { "nvidia.com/gpu": { value: "true", effect: "PreferNoSchedule" } } }, ["fail taints"]],
    ["another taint", { taints: { team: { value: "ml", effect: "NoSchedule" } } }, ["advise taints"]],
    ["arguments of the kubelet", { kubeletExtraArgs: taint }, []],
    ["arguments of the script", { bootstrapExtraArgs: `--kubelet-extra-args '${taint}'` }, []],
    ["its own user data", { nodeUserDataOverride: bootstrap(`--kubelet-extra-args '${taint}'`) }, []],
    [
      "options of nodeadm",
      {
        nodeadmExtraOptions: [
          { contentType: "application/node.eks.aws", content: config("nvidia.com/gpu", "NoSchedule") },
        ],
      },
      [],
    ],
    [
      "settings of Bottlerocket",
      {
        bottlerocketSettings: {
          settings: { kubernetes: { "node-taints": { "nvidia.com/gpu": ["true:NoSchedule"] } } },
        },
      },
      [],
    ],
    ["unknown taints", { taints: unknown }, ["unknown taints"]],
    [
      "effect unknown",
      { taints: { "nvidia.com/gpu": { effect: unknown } } },
      ['unknown taints["nvidia.com/gpu"].effect'],
    ],
    ["unknown arguments", { kubeletExtraArgs: unknown }, ["unknown kubeletExtraArgs"]],
    ["unknown options", { nodeadmExtraOptions: unknown }, ["unknown nodeadmExtraOptions"]],
    ["unknown settings", { bottlerocketSettings: unknown }, ["unknown bottlerocketSettings"]],
  ] as const)("of @pulumi/eks: %s", ([, more, expected]) => {
    for (const type of ["eks:index:NodeGroupV2", "eks:index:NodeGroup"]) {
      expect(verdicts(rule, [resource(type, { ...v2, ...more })])).toEqual(expected);
    }
    const cluster = resource("eks:index:Cluster", { nodeGroupOptions: { ...v2, ...more } });
    const inOptions = expected.map((verdict) => verdict.replace(" ", " nodeGroupOptions."));
    expect(verdicts(rule, [cluster])).toEqual(inOptions);
  });

  test("messages", () => {
    expect(findings(rule, [scaling(), template(bootstrap(""))])[0]?.message).toMatchInlineSnapshot(`
      "userData: got no taint with this key. Pods without a GPU can fill a GPU node, so pods that need the GPU find no memory or CPU. Only a taint with NoSchedule or NoExecute repels pods.
      fix: add --register-with-taints=nvidia.com/gpu=true:NoSchedule to the kubelet's arguments in userData (NodeConfig: spec.kubelet.flags, Bottlerocket: settings.kubernetes.node-taints)"
    `);
    expect(findings(rule, [resource("eks:index:NodeGroupV2", v2)])[0]?.message).toMatchInlineSnapshot(`
      "taints: got no taint with this key. Pods without a GPU can fill a GPU node, so pods that need the GPU find no memory or CPU. Only a taint with NoSchedule or NoExecute repels pods.
      fix: add "nvidia.com/gpu": { value: "true", effect: "NoSchedule" } to taints"
    `);
  });
});

test("messages, without the secret in place of a word", () => {
  const message = (properties: object) =>
    findings(rule, [resource(nodeGroup, { ...properties })]).map((finding) => finding.message);
  expect(message({ ...gpu, taints: [{ ...hard, effect: "hunter2" }] })).toMatchInlineSnapshot(`
    [
      "taints[0].effect: got a string. Pods without a GPU can fill a GPU node, so pods that need the GPU find no memory or CPU. Only a taint with NO_SCHEDULE or NO_EXECUTE repels pods.
    fix: add { key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" } to taints",
    ]
  `);
  expect(message({ ...gpu, labels: { hunter2: "x" }, taints: [{ ...hard, key: "hunter2" }] })).toMatchInlineSnapshot(`
    [
      "taints: got a taint with another key. GPU workloads usually tolerate only nvidia.com/gpu. The GPU Operator and most examples therefore do not run on these nodes.
    fix: add { key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" } to taints, or set "key" in the policy configuration to your key, and tolerate it in every workload for these nodes",
      "labels: got labels without this key. The labels of GPU feature discovery exist only after it finds a GPU. Without a label on the node group, nothing can select a node whose GPU is missing.
    fix: add "nvidia.com/gpu": "true" to labels",
    ]
  `);
});
