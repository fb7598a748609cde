import { describe, expect, test } from "vitest";
import { nvidiaAmiDriverToolkitOff as rule } from "../../../../policies/rules/operator/nvidia-ami-driver-toolkit-off";
import { findings, resource, unknown, urnOf, verdicts } from "../../support/verdicts";

const component = "eks-gpu-lab:index:GpuOperator";
const release = "kubernetes:helm.sh/v3:Release";
const chartV4 = "kubernetes:helm.sh/v4:Chart";
const clusterPolicy = "kubernetes:nvidia.com/v1:ClusterPolicy";

const off = { driver: { enabled: false }, toolkit: { enabled: false } };
const nodes = (amiType: unknown, more = {}) =>
  resource(
    "aws:eks/nodeGroup:NodeGroup",
    { ...(amiType !== undefined && { amiType }), instanceTypes: ["g5.xlarge"], ...more },
    { name: "gpu" },
  );
const nvidia = nodes("AL2023_x86_64_NVIDIA");
const operator = (values: unknown, more = {}) =>
  resource(release, { chart: "nvidia/gpu-operator", values, ...more }, { name: "operator" });
const driver = "fail values.driver.enabled";
const toolkit = "fail values.toolkit.enabled";
const both = [driver, toolkit];
/** A string asset, as the SDK sends it. */
const text = (content: unknown) => ({
  "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17",
  hash: "",
  text: content,
});
const offText = "driver:\n  enabled: false\ntoolkit:\n  enabled: false\n";
const onText = offText.replaceAll("false", "true");

test("the machines of a launch template count, and a patched ClusterPolicy does", () => {
  const template = resource("aws:ec2/launchTemplate:LaunchTemplate", { instanceType: "g5.xlarge" }, { name: "lt" });
  const plain = (instanceType: unknown) => [
    { ...template, properties: { instanceType } },
    resource(
      "aws:eks/nodeGroup:NodeGroup",
      { amiType: "AL2023_x86_64_STANDARD", launchTemplate: { id: unknown } },
      { name: "plain", propertyDependencies: { launchTemplate: [template.urn] } },
    ),
  ];
  expect(verdicts(rule, [...plain("g5.xlarge"), operator(off)])).toEqual(["fail amiType"]);
  expect(verdicts(rule, [...plain("m7i.large"), operator(off)])).toEqual([]);
  expect(verdicts(rule, [...plain(unknown), operator(off)])).toEqual(["unknown instanceType"]);
  const patch = (enabled: unknown) =>
    resource("kubernetes:nvidia.com/v1:ClusterPolicyPatch", { spec: { toolkit: { enabled } } });
  expect(verdicts(rule, [nvidia, patch(true)])).toEqual(["fail spec.toolkit.enabled"]);
  expect(verdicts(rule, [nvidia, patch(false)])).toEqual([]);
  expect(verdicts(rule, [nvidia, patch(unknown)])).toEqual(["unknown spec.toolkit.enabled"]);
});

const ofPulumi = (type: string, properties: object) =>
  resource(`eks:index:${type}`, { ...properties }, { name: "gpu" });
test.for([
  ["an AMI type", ofPulumi("NodeGroupV2", { amiType: "AL2023_x86_64_NVIDIA" }), both],
  ["GPUs", ofPulumi("NodeGroup", { gpu: true, instanceType: "g5.xlarge" }), both],
  ["GPUs, managed", ofPulumi("ManagedNodeGroup", { gpu: true }), both],
  ["GPUs in the default group", ofPulumi("Cluster", { nodeGroupOptions: { gpu: true } }), both],
  ["no default group", ofPulumi("Cluster", { gpu: true, skipDefaultNodeGroup: true }), []],
  ["GPUs with an own image", ofPulumi("NodeGroupV2", { gpu: true, amiId: "ami-0" }), []],
  ["GPUs with another AMI type", ofPulumi("NodeGroupV2", { gpu: true, amiType: "CUSTOM" }), []],
  ["no GPUs", ofPulumi("NodeGroupV2", { gpu: false }), []],
  ["an unknown choice of GPUs", ofPulumi("NodeGroupV2", { gpu: unknown }), ["unknown gpu"]],
  [
    "an unknown choice of GPUs in the default group",
    ofPulumi("Cluster", { nodeGroupOptions: { gpu: unknown } }),
    ["unknown nodeGroupOptions.gpu"],
  ],
  ["an unknown image", ofPulumi("NodeGroupV2", { gpu: true, amiId: unknown }), ["unknown amiId"]],
] as const)("a group of @pulumi/eks with %s", ([, group, expected]) => {
  expect(verdicts(rule, [group, operator({})])).toEqual(expected);
  expect(verdicts(rule, [group, operator(off)])).toEqual([]);
});

test.for([
  ["both off", [nvidia, operator(off)], []],
  ["both off, as texts", [nvidia, operator({ driver: { enabled: "false" }, toolkit: { enabled: "false" } })], []],
  ["no group with an NVIDIA AMI", [nodes("CUSTOM"), operator({})], []],
  ["no group at all", [operator({})], []],
  ["another chart", [nvidia, resource(release, { chart: "prometheus", values: {} })], []],
  ["no operator", [nvidia], []],
  ["nothing said: the chart turns both on", [nvidia, operator({})], [driver, toolkit]],
  ["no values", [nvidia, operator(undefined)], [driver, toolkit]],
  ["driver on", [nvidia, operator({ ...off, driver: { enabled: true } })], [driver]],
  ["toolkit on", [nvidia, operator({ ...off, toolkit: { enabled: true } })], [toolkit]],
  ["toolkit null, which is the chart's default", [nvidia, operator({ ...off, toolkit: { enabled: null } })], [toolkit]],
  ["Bottlerocket's NVIDIA variant", [nodes("BOTTLEROCKET_x86_64_NVIDIA"), operator({})], [driver, toolkit]],
  ["unknown AMI", [nodes(unknown), operator({})], ["unknown amiType"]],
  ["unknown AMI with a known one", [nodes(unknown), nvidia, operator({})], [driver, toolkit]],
  ["unknown AMI, both off: it may lack a driver", [nodes(unknown), operator(off)], ["unknown amiType"]],
  ["unknown switch", [nvidia, operator({ ...off, driver: { enabled: unknown } })], ["unknown values.driver.enabled"]],
  ["toolkit open", [nvidia, operator({ ...off, toolkit: { enabled: unknown } })], ["unknown values.toolkit.enabled"]],
  ["unknown switch with a wrong one", [nvidia, operator({ driver: { enabled: unknown } })], [toolkit]],
  ["unknown values", [nvidia, operator(unknown)], ["unknown values"]],
  ["unknown chart", [nvidia, operator({}, { chart: unknown })], ["unknown chart"]],
  [
    "set in a file that the rule cannot read",
    [nvidia, operator({}, { valueYamlFiles: [{ path: "values.yaml" }] })],
    ["advise valueYamlFiles[0]"],
  ],
  ["off with such a file", [nvidia, operator(off, { valueYamlFiles: [{}] })], ["advise valueYamlFiles[0]"]],
  ["another chart with such a file", [nvidia, operator({}, { chart: "web", valueYamlFiles: [{}] })], []],
  ["on in a string asset", [nvidia, operator({}, { valueYamlFiles: [text("driver: {enabled: true}")] })], both],
  ["off in a string asset", [nvidia, operator({}, { valueYamlFiles: [text(offText)] })], []],
  [
    "off in a merged mapping",
    [nvidia, operator({}, { valueYamlFiles: [text("x: &x {enabled: off}\ndriver: {<<: *x}\ntoolkit: {<<: *x}")] })],
    [],
  ],
  ["yes", [nvidia, operator({}, { valueYamlFiles: [text("driver: {enabled: yes}\ntoolkit: {enabled: On}")] })], both],
  ["off in JSON", [nvidia, operator({}, { valueYamlFiles: [text(JSON.stringify(off))] })], []],
  ["the last file counts", [nvidia, operator({}, { valueYamlFiles: [text(onText), text(offText)] })], []],
  ["values override files", [nvidia, operator(off, { valueYamlFiles: [text(onText)] })], []],
  [
    "a string asset after a file that the rule cannot read",
    [nvidia, operator({}, { valueYamlFiles: [{}, text(onText)] })],
    [...both, "advise valueYamlFiles[0]"],
  ],
  ["not YAML", [nvidia, operator({}, { valueYamlFiles: [text("{")] })], both],
  ["unknown files", [nvidia, operator({}, { valueYamlFiles: unknown })], ["unknown valueYamlFiles"]],
  ["an unknown text", [nvidia, operator({}, { valueYamlFiles: [text(unknown)] })], ["unknown valueYamlFiles[0].text"]],
] as const)("%s", ([, resources, expected]) => {
  expect(verdicts(rule, resources)).toEqual(expected);
});

describe("other ways to install it", () => {
  test.for([
    ["a chart without inputs, as the engine shows it", chartV4, {}, ["unknown chart"]],
    ["a chart with inputs", chartV4, { chart: "gpu-operator", values: off }, []],
    ["a chart with the driver", chartV4, { chart: "gpu-operator", values: { toolkit: { enabled: false } } }, [driver]],
    ["a ClusterPolicy with both off", clusterPolicy, { spec: off }, []],
    ["an empty ClusterPolicy", clusterPolicy, { spec: {} }, ["fail spec.driver.enabled", "fail spec.toolkit.enabled"]],
    ["the component, which keeps both off", component, { chartVersion: "v26.3.1" }, []],
    ["the component, set to turn the driver on", component, { values: { driver: { enabled: true } } }, [driver]],
  ] as const)("%s", ([, type, properties, expected]) => {
    expect(verdicts(rule, [nvidia, resource(type, properties)])).toEqual(expected);
  });

  test("what transform made of the component's Release", () => {
    const urn = urnOf(`${component}$${release}`, "operator");
    const made = resource(release, { chart: "gpu-operator", values: { ...off, driver: { enabled: true } } }, { urn });
    const said = findings(rule, [nvidia, resource(component, { chartVersion: "v26.3.1" }), made]);
    expect(said.map((finding) => finding.urn)).toEqual([urn]);
  });
});

describe("the reverse: GPU nodes without a driver", () => {
  test.for([
    ["a plain AMI", nodes("AL2023_x86_64_STANDARD"), operator(off), ["fail amiType"]],
    ["a plain AMI, the operator brings the driver", nodes("AL2023_x86_64_STANDARD"), operator({}), []],
    [
      "what the component gets its Release says as well",
      nodes("AL2023_x86_64_STANDARD"),
      resource(component, { values: off }),
      [],
    ],
    ["an AMI of one's own", nodes("CUSTOM"), operator(off), []],
    ["no AMI stated", nodes(undefined), operator(off), []],
    ["no GPU", nodes("AL2023_x86_64_STANDARD", { instanceTypes: ["t3.medium"] }), operator(off), []],
    ["machines", nodes("AL2023_x86_64_STANDARD", { instanceTypes: unknown }), operator(off), ["unknown instanceTypes"]],
  ] as const)("%s", ([, group, values, expected]) => {
    expect(verdicts(rule, [group, values])).toEqual(expected);
  });
});

test("an operator of a name that is exempt is left alone", () => {
  expect(verdicts(rule, [nvidia, operator({})], { policyConfig: { [rule.id]: { exempt: ["oper*"] } } })).toEqual([]);
});

test("a secret is not printed", () => {
  const said = findings(rule, [nodes("hunter2_NVIDIA"), operator({ driver: { enabled: "hunter2" } })]);
  expect(said.map(({ verdict }) => verdict)).toEqual(["fail"]);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  const messages = (...resources: Parameters<typeof findings>[1]) =>
    findings(rule, resources).map(({ message }) => message);
  expect(messages(nvidia, operator({ driver: { enabled: true } }))).toMatchInlineSnapshot(`
    [
      "values.driver.enabled: got true. GPU nodes run an EKS image that contains the driver. NVIDIA does not publish a driver container for such images.
    fix: set values.driver.enabled to false",
      "values.toolkit.enabled: got nothing. GPU nodes run an EKS image that contains the container toolkit. The toolkit of the operator overwrites the containerd configuration and breaks the node.
    fix: set values.toolkit.enabled to false",
    ]
  `);
  expect(messages(nodes("AL2023_x86_64_STANDARD"), operator(off))).toMatchInlineSnapshot(`
    [
      "amiType: got an AMI without the NVIDIA driver. The GPU Operator is configured without its driver, so pods on the nodes of this group never get a GPU.
    fix: set amiType to AL2023_x86_64_NVIDIA, or to AL2023_ARM_64_NVIDIA for Arm instances",
    ]
  `);
});

const pool = (group: string, family = "g6e") =>
  resource(
    "kubernetes:karpenter.sh/v1:NodePool",
    {
      spec: {
        template: {
          spec: {
            nodeClassRef: { group, name: "gpu" },
            requirements: [{ key: "karpenter.k8s.aws/instance-family", operator: "In", values: [family] }],
          },
        },
      },
    },
    { name: "pool" },
  );
const nodeClass = (term: object) =>
  resource("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", {
    metadata: { name: "gpu" },
    spec: { amiSelectorTerms: [term] },
  });
const karpenter = "karpenter.k8s.aws";

test.for([
  ["an alias of Amazon Linux", [pool(karpenter), nodeClass({ alias: "al2023@v20260930" })], both],
  ["an alias of Bottlerocket", [pool(karpenter), nodeClass({ alias: "bottlerocket@v1.50.0" })], both],
  ["an image of its own", [pool(karpenter), nodeClass({ id: "ami-0a1b2c3d" })], []],
  ["an unknown alias", [pool(karpenter), nodeClass({ alias: unknown })], ["unknown spec.amiSelectorTerms[0].alias"]],
  ["no GPUs", [pool(karpenter, "m7i"), nodeClass({ alias: "al2023@v20260930" })], []],
  ["the image of Auto Mode", [pool("eks.amazonaws.com")], both],
  ["a node class elsewhere", [pool(karpenter)], []],
] as const)("a NodePool with %s", ([, nodes, expected]) => {
  const said = verdicts(rule, [...nodes, operator({})]);
  expect([...new Set(said)]).toEqual(expected);
  expect(verdicts(rule, [...nodes, operator(off)])).toEqual([]);
});

test.for([
  ["/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/nvidia/recommended/image_id:3", both],
  ["/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/standard/recommended/image_id:3", []],
] as const)("an image by the parameter %s", ([parameter, expected]) => {
  const properties = { imageId: `resolve:ssm:${parameter}`, instanceType: "g6.xlarge" };
  const template = resource("aws:ec2/launchTemplate:LaunchTemplate", properties, { name: "template" });
  const group = resource(
    "aws:eks/nodeGroup:NodeGroup",
    { launchTemplate: { id: "lt-0" } },
    { name: "group", propertyDependencies: { launchTemplate: [template.urn] } },
  );
  expect(verdicts(rule, [template, group, operator({})])).toEqual(expected);
});
