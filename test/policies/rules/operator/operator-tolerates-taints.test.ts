import { expect, test } from "vitest";
import { operatorValues } from "../../../../components/gpu/operator/operator-values";
import { operatorToleratesTaints as rule } from "../../../../policies/rules/operator/operator-tolerates-taints";
import { findings, resource, unknown, urnOf, verdicts } from "../../support/verdicts";

const component = "eks-gpu-lab:index:GpuOperator";
const release = "kubernetes:helm.sh/v3:Release";
const chartV4 = "kubernetes:helm.sh/v4:Chart";
const clusterPolicy = "kubernetes:nvidia.com/v1:ClusterPolicy";
const nodeGroup = "aws:eks/nodeGroup:NodeGroup";
const launchTemplate = "aws:ec2/launchTemplate:LaunchTemplate";
const chart = "gpu-operator";

const gpu = { key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" };
const team = { key: "team", value: "a", effect: "NO_SCHEDULE" };
const anyGpu = { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" };
const anyTeam = { key: "team", operator: "Exists" };
const trueGpu = { key: "nvidia.com/gpu", value: "true", effect: "NoSchedule" };
const nodes = (taints: unknown, more = {}) =>
  resource(nodeGroup, { instanceTypes: ["g5.xlarge"], taints, ...more }, { name: "gpu" });
const operator = (values: unknown, more = {}) => resource(release, { chart, values, ...more }, { name: "operator" });
const own = (tolerations: unknown) => ({ daemonsets: { tolerations } });
const nfd = (tolerations: unknown) => ({ "node-feature-discovery": { worker: { tolerations } } });
const ofBoth = (tolerations: unknown) => ({ ...own(tolerations), ...nfd(tolerations) });
const sets = "fail values.daemonsets.tolerations";
const worker = "fail values.node-feature-discovery.worker.tolerations";

test.for([
  ["the standard taint, nothing said", [gpu], {}, []],
  ["the standard taint, no values", [gpu], undefined, []],
  ["the standard taint, said", [gpu], ofBoth([anyGpu]), []],
  ["everything is tolerated", [gpu, team], ofBoth([{ operator: "Exists" }]), []],
  ["both taints", [gpu, team], ofBoth([anyGpu, anyTeam]), []],
  ["no taint", [], ofBoth([anyTeam]), []],
  ["no list of taints", null, ofBoth([]), []],
  ["a taint that only asks", [{ ...team, effect: "PREFER_NO_SCHEDULE" }], {}, []],
  ["an empty list leaves the DaemonSets' own", [gpu], own([]), []],
  ["null does as well", [gpu], ofBoth(null), []],
  ["no Node Feature Discovery", [gpu, team], { ...own([anyGpu, anyTeam]), nfd: { enabled: false } }, []],
  ["tolerations that are no list", [gpu], ofBoth("x"), []],
  ["another key", [gpu], ofBoth([anyTeam]), [sets, worker]],
  ["another value", [gpu], own([{ key: "nvidia.com/gpu", value: "no", effect: "NoSchedule" }]), [sets]],
  ["another effect", [{ ...gpu, effect: "NO_EXECUTE" }], {}, [sets, worker]],
  ["a second taint, nothing said", [gpu, team], {}, [sets, worker]],
  ["a second taint, empty", [gpu, team], own([]), [sets, worker]],
  ["a second taint, DaemonSets alone", [gpu, team], own([anyGpu, anyTeam]), [worker]],
  ["a second taint, Node Feature Discovery alone", [gpu, team], nfd([anyGpu, anyTeam]), [sets]],
  ["an empty list takes away those of Node Feature Discovery", [gpu], nfd([]), [worker]],
  ["no Node Feature Discovery, DaemonSets shut out", [gpu, team], { nfd: { enabled: false } }, [sets]],
  ["unknown taints", unknown, {}, ["unknown taints"]],
  ["an unknown effect", [{ ...team, effect: unknown }], own([anyGpu]), ["unknown taints[0].effect"]],
  ["an unknown key", [{ ...gpu, key: unknown }], {}, ["unknown taints[0].key"]],
  ["an unknown key, everything is tolerated", [{ ...gpu, key: unknown }], ofBoth([{ operator: "Exists" }]), []],
  ["an unknown value", [{ ...gpu, value: unknown }], own([trueGpu]), ["unknown taints[0].value"]],
  ["an unknown value, any is tolerated", [{ ...gpu, value: unknown }], own([anyGpu]), []],
  ["unknown tolerations", [gpu], { ...own(unknown) }, ["unknown values.daemonsets.tolerations"]],
  [
    "unknown tolerations of Node Feature Discovery",
    [gpu],
    nfd(unknown),
    ["unknown values.node-feature-discovery.worker.tolerations"],
  ],
  ["an unknown key", [gpu], own([{ ...anyGpu, key: unknown }]), ["unknown values.daemonsets.tolerations[0].key"]],
  [
    "a toleration of an unknown value",
    [gpu],
    own([{ ...trueGpu, value: unknown }]),
    ["unknown values.daemonsets.tolerations[0].value"],
  ],
  ["a toleration of an unknown value and another key", [gpu], own([{ key: "team", value: unknown }]), [sets]],
  ["a switch", [gpu, team], { ...own([anyTeam, anyGpu]), nfd: { enabled: unknown } }, ["unknown values.nfd.enabled"]],
  ["unknown values", [gpu], unknown, ["unknown values"]],
  ["unknown tolerations with wrong ones", [gpu], { ...own([anyTeam]), ...nfd(unknown) }, [sets]],
] as const)("%s", ([, taints, values, expected]) => {
  expect(verdicts(rule, [nodes(taints), operator(values)])).toEqual(expected);
});

test.for([
  ["no GPUs", nodes([team], { instanceTypes: ["t3.medium"] }), operator({}), []],
  ["unknown machines", nodes([team], { instanceTypes: unknown }), operator({}), ["unknown instanceTypes"]],
  ["an unknown AMI", nodes([team], { instanceTypes: null, amiType: unknown }), operator({}), ["unknown amiType"]],
  ["another chart", nodes([team]), operator({}, { chart: "prometheus" }), []],
  ["an unknown chart", nodes([team]), operator({}, { chart: unknown }), ["unknown chart"]],
  ["values from files", nodes([gpu]), operator({}, { valueYamlFiles: [{}] }), []],
  ["values from files, another taint", nodes([team]), operator({}, { valueYamlFiles: [{}] }), []],
  [
    "files unknown, another taint",
    nodes([team]),
    operator({}, { valueYamlFiles: unknown }),
    ["unknown valueYamlFiles"],
  ],
  ["no files", nodes([team]), operator({}, { valueYamlFiles: [] }), [sets, worker]],
  ["a chart without inputs", nodes([team]), resource(chartV4, {}), ["unknown chart"]],
  ["a chart", nodes([team]), resource(chartV4, { chart }), [sets, worker]],
  [
    "a ClusterPolicy, which has no Node Feature Discovery",
    nodes([team]),
    resource(clusterPolicy, { spec: {} }),
    ["fail spec.daemonsets.tolerations"],
  ],
  ["a ClusterPolicy that tolerates it", nodes([team]), resource(clusterPolicy, { spec: own([anyTeam]) }), []],
  ["a patch that says nothing", nodes([team]), resource(`${clusterPolicy}Patch`, { spec: {} }), []],
  ["the component, whose Release is judged", nodes([team]), resource(component, { values: own([anyGpu]) }), []],
] as const)("%s", ([, group, other, expected]) => {
  expect(verdicts(rule, [group, other])).toEqual(expected);
});

test("the Release that the component makes is blamed, whatever the component says", () => {
  const parent = resource(component, { values: ofBoth([anyTeam]) }, { name: "operator" });
  const urn = urnOf(`${component}$${release}`, "operator");
  const made = resource(release, { chart, values: own([anyTeam]) }, { urn, parent: parent.urn });
  expect(verdicts(rule, [nodes([team]), parent, made])).toEqual([worker]);
  expect(findings(rule, [nodes([gpu]), parent, made]).map((said) => said.urn)).toEqual([urn]);
});

test("the list may lack a taint of any of several groups", () => {
  const groups = [nodes([gpu]), resource(nodeGroup, { instanceTypes: ["g5.xlarge"], taints: [team] }, { name: "b" })];
  expect(verdicts(rule, [...groups, operator({})])).toEqual([sets, worker]);
});

test("machines that a launch template names count", () => {
  const group = (instanceType: string) => [
    {
      ...nodes([team], { instanceTypes: undefined, launchTemplate: { id: unknown } }),
      propertyDependencies: { launchTemplate: [urnOf(launchTemplate, "it")] },
    },
    resource(launchTemplate, { instanceType }),
  ];
  expect(verdicts(rule, [...group("g5.xlarge"), operator({})])).toEqual([sets, worker]);
  expect(verdicts(rule, [...group("t3.medium"), operator({})])).toEqual([]);
});

test("what the library makes tolerates the taints that it knows", () => {
  const taints = [
    { key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" },
    { key: "team", value: "a", effect: "NO_EXECUTE" },
  ] as const;
  const values = operatorValues({
    devicePlugin: true,
    dcgmExporter: true,
    serviceMonitor: false,
    migCapable: false,
    validatorWorkload: true,
    controllerNodeSelector: {},
    health: "node-monitor",
    taints,
  });
  expect(verdicts(rule, [nodes(taints), operator(values)])).toEqual([]);
});

test("an operator of a name that is exempt is left alone", () => {
  const policyConfig = { [rule.id]: { exempt: ["oper*"] } };
  expect(verdicts(rule, [nodes([team]), operator({})], { policyConfig })).toEqual([]);
});

test("a secret is not printed", () => {
  const secret = [{ key: "hunter2", value: "hunter2", effect: "NO_SCHEDULE" }];
  const said = findings(rule, [nodes(secret), operator(ofBoth([{ key: "hunter2", value: "hunter3" }]))]);
  expect(said).toHaveLength(2);
  expect(JSON.stringify(said)).not.toContain("hunter");
});

test.for([
  ["team", "team"],
  ["dedicated", "dedicated"],
  ["gpu-node", "gpu-node"],
  ["nvidia.com/mig", "nvidia.com/mig"],
  ["hunter2", "taints[0]"],
  ["team-hunter2", "taints[0]"],
  ["team-", "taints[0]"],
] as const)("of the key %s, a message shows %s", ([key, shown]) => {
  const taints = [{ key, value: "hunter2", effect: "NO_SCHEDULE" }];
  const [said] = findings(rule, [nodes(taints), operator({})]);
  expect(said?.message).toContain(`fix: tolerate the taints ${shown} of the node group gpu in`);
});

test("messages", () => {
  const messages = (values: unknown) =>
    findings(rule, [nodes([gpu, team]), operator(values)]).map((one) => one.message);
  expect(messages(own([anyTeam]))).toMatchInlineSnapshot(`
    [
      "values.daemonsets.tolerations: got a list that does not tolerate every taint: nvidia.com/gpu and team of the node group gpu. The operator's DaemonSets do not start a pod on a node whose taint they do not tolerate, and do not report a missing pod. The node advertises no GPU, but everything looks healthy.
    fix: tolerate the taints nvidia.com/gpu and team of the node group gpu in values.daemonsets.tolerations; the list replaces the default, which tolerates only nvidia.com/gpu with NoSchedule",
      "values.node-feature-discovery.worker.tolerations: got nothing. The worker of Node Feature Discovery does not start on a node whose taint it does not tolerate. The node then lacks the label that the operator's DaemonSets select, and advertises no GPU.
    fix: tolerate the taints nvidia.com/gpu and team of the node group gpu in values.node-feature-discovery.worker.tolerations; the list replaces the default, which tolerates only nvidia.com/gpu with NoSchedule",
    ]
  `);
});
