import { expect, test } from "vitest";
import { gpuPoolLimit as rule } from "../../../../policies/rules/scaling/gpu-pool-limit";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const type = "kubernetes:karpenter.sh/v1:NodePool";
const limits = "spec.limits";
const expiry = "spec.template.spec.expireAfter";
const grace = "spec.template.spec.terminationGracePeriod";
const requirement = (...values: unknown[]) => ({ key: "node.kubernetes.io/instance-type", operator: "In", values });
const pool = (spec: object, more: object = {}, requirements: unknown = [requirement("g5.xlarge")]) => ({
  spec: { template: { spec: { requirements, ...more } }, ...spec },
});

const ofAws = { nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" } };
const ofAuto = { nodeClassRef: { group: "eks.amazonaws.com", kind: "NodeClass", name: "default" } };
const labeled = (labels: object) => ({
  spec: { template: { metadata: { labels }, spec: { ...ofAws, requirements: [] } } },
});

test.for([
  ["GPUs", pool({ limits: { "nvidia.com/gpu": "2" } }), []],
  ["no GPU at all, so that no node starts", pool({ limits: { "nvidia.com/gpu": 0 } }), []],
  ["vCPUs", pool({ limits: { cpu: 8 } }), []],
  ["memory", pool({ limits: { memory: "32Gi" } }), []],
  ["nodes", pool({ limits: { nodes: 1 } }), []],
  ["a number that is not known yet", pool({ limits: { "nvidia.com/gpu": unknown } }), []],
  ["a fixed number of nodes", pool({ replicas: 1 }), []],
  ["no limits", pool({}), [`fail ${limits}`]],
  ["empty limits", pool({ limits: {} }), [`fail ${limits}`]],
  ["limits of other resources", pool({ limits: { "ephemeral-storage": "hunter2" } }), [`fail ${limits}`]],
  ["limits of AMD's GPUs", pool({ limits: { "amd.com/gpu": 2 } }), [`fail ${limits}`]],
  ["unknown limits", pool({ limits: unknown }), [`unknown ${limits}`]],
  ["unknown limits of system nodes", pool({ limits: unknown }, {}, [requirement("m7i.large")]), []],
  ["an unknown number of nodes", pool({ replicas: unknown }), ["unknown spec.replicas"]],
  ["unknown requirements", pool({}, {}, unknown), ["unknown spec.template.spec.requirements"]],
  ["an unknown type", pool({}, {}, [requirement(unknown)]), ["unknown spec.template.spec.requirements[0].values[0]"]],
  [
    "unknown values",
    pool({}, {}, [{ ...requirement(), values: unknown }]),
    ["unknown spec.template.spec.requirements[0].values"],
  ],
  [
    "an unknown label",
    pool({}, {}, [{ ...requirement("g5.xlarge"), key: unknown }]),
    ["unknown spec.template.spec.requirements[0].key"],
  ],
  [
    "an unknown operator",
    pool({}, {}, [{ ...requirement("g5.xlarge"), operator: unknown }]),
    ["unknown spec.template.spec.requirements[0].operator"],
  ],
  ["system nodes", pool({}, {}, [requirement("m7i.large")]), []],
  ["no requirements", pool({}, {}, []), []],
  ["no requirements in AWS", pool({}, ofAws, []), [`advise ${limits}`]],
  ["no requirements in AWS, with a limit", pool({ limits: { cpu: 8 } }, ofAws, []), []],
  ["no requirements in AWS, without a known limit", pool({ limits: unknown }, ofAws, []), [`unknown ${limits}`]],
  [
    "no requirements, of an unknown node class",
    pool({}, { nodeClassRef: { group: unknown } }, []),
    ["unknown spec.template.spec.nodeClassRef.group"],
  ],
  ["no requirements, with a label of nodes", labeled({ "karpenter.k8s.aws/instance-family": "m7i" }), []],
  ["no requirements, with another label of nodes", labeled({ team: "shop" }), [`advise ${limits}`]],
  ["nothing", {}, []],
  ["the default expiry", pool({ limits: { cpu: 8 } }, { expireAfter: "720h" }), []],
  ["an expiry of a year", pool({ limits: { cpu: 8 } }, { expireAfter: "8760h" }), [`advise ${expiry}`]],
  ["an expiry of a minute too many", pool({ limits: { cpu: 8 } }, { expireAfter: "720h1m" }), [`advise ${expiry}`]],
  ["an expiry of a month in minutes", pool({ limits: { cpu: 8 } }, { expireAfter: "43200m" }), []],
  ["a year for system nodes", pool({}, { expireAfter: "8760h" }, [requirement("m7i.large")]), []],
  [
    "a day that a pod can prolong",
    pool({ limits: { cpu: 8 } }, { ...ofAws, expireAfter: "24h0m0s" }),
    [`advise ${grace}`],
  ],
  ["less than a month", pool({ limits: { cpu: 8 } }, { ...ofAws, expireAfter: "719h59m59s" }), [`advise ${grace}`]],
  ["a month that a pod can prolong", pool({ limits: { cpu: 8 } }, { ...ofAws, expireAfter: "720h" }), []],
  ["no stated expiry, without a grace period", pool({ limits: { cpu: 8 } }, ofAws), []],
  [
    "a day, with a grace period",
    pool({ limits: { cpu: 8 } }, { ...ofAws, expireAfter: "24h", terminationGracePeriod: "30m" }),
    [],
  ],
  [
    "a day of Auto Mode, which has a grace period of its own",
    pool({ limits: { cpu: 8 } }, { ...ofAuto, expireAfter: "24h" }),
    [],
  ],
  ["a day of system nodes", pool({}, { ...ofAws, expireAfter: "24h" }, [requirement("m7i.large")]), []],
  [
    "a day, with an unknown grace period",
    pool({ limits: { cpu: 8 } }, { ...ofAws, expireAfter: "24h", terminationGracePeriod: unknown }),
    [`unknown ${grace}`],
  ],
  ["no expiry", pool({ limits: { cpu: 8 } }, { expireAfter: "Never" }), [`advise ${expiry}`]],
  [
    "no expiry of v1beta1",
    pool({ limits: { cpu: 8 }, disruption: { expireAfter: "Never" } }),
    ["advise spec.disruption.expireAfter"],
  ],
  ["an unknown expiry", pool({ limits: { cpu: 8 } }, { expireAfter: unknown }), [`unknown ${expiry}`]],
  [
    "an unknown expiry of v1beta1",
    pool({ limits: { cpu: 8 }, disruption: { expireAfter: unknown } }),
    ["unknown spec.disruption.expireAfter"],
  ],
] as const)("%s", ([, properties, expected]) => {
  expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
});

const aws = (label: string, operator: string, ...values: unknown[]) => ({
  ...{ key: label.includes("/") ? label : `karpenter.k8s.aws/instance-${label}`, operator },
  ...(values.length > 0 && { values }),
});
const arm = aws("kubernetes.io/arch", "In", "arm64");

/** As public repositories have them, without limits. The label that is not Karpenter's excludes no type. */
test.for<[what: string, verdict: "advise" | "silent", ...requirements: object[]]>([
  ["all but t", "advise", aws("category", "NotIn", "t")],
  ["any that is new", "advise", aws("karpenter.sh/capacity-type", "In", "spot"), aws("generation", "Gt", "5")],
  ["any of Linux", "advise", aws("kubernetes.io/os", "In", "linux"), aws("kubernetes.io/arch", "In", "amd64", "arm64")],
  ["small ones", "advise", aws("cpu", "In", "4", "8"), aws("memory", "Lt", "65537"), aws("hypervisor", "In", "nitro")],
  ["at least four vCPUs", "advise", aws("cpu", "Gte", "4"), aws("cpu", "Lte", "16")],
  ["Graviton", "advise", arm],
  [
    "without Inferentia",
    "advise",
    aws("accelerator-count", "DoesNotExist"),
    aws("accelerator-name", "NotIn", "inferentia"),
  ],
  ["its own label", "advise", aws("shop.example/tier", "In", "web")],
  ["its own label, not there", "advise", aws("shop.example/tier", "DoesNotExist")],
  ["c, m and r", "silent", aws("category", "In", "c", "m", "r"), aws("generation", "Gt", "2")],
  ["of Auto Mode", "silent", aws("eks.amazonaws.com/instance-category", "In", "c", "m", "r")],
  ["burstable", "silent", aws("family", "In", "t3", "t3a", "t4g")],
  ["one type", "silent", aws("node.kubernetes.io/instance-type", "In", "m7i.large")],
  ["no GPUs and no video", "silent", aws("category", "NotIn", "g", "gr", "p", "vt", "inf", "trn")],
  ["all but g and p", "advise", aws("category", "NotIn", "g", "p")],
  ["no GPU", "silent", aws("gpu-count", "DoesNotExist")],
  ["no GPU memory", "silent", aws("gpu-memory", "DoesNotExist")],
  ["fewer than one GPU", "silent", aws("gpu-count", "Lt", "1")],
  ["no GPUs at most", "silent", aws("gpu-count", "Lte", "0")],
  ["0 GPUs", "silent", aws("gpu-count", "In", "0")],
  ["GPUs of AMD", "silent", aws("gpu-manufacturer", "In", "amd")],
  ["no GPUs of NVIDIA", "silent", aws("gpu-manufacturer", "NotIn", "nvidia"), aws("category", "NotIn", "t")],
  ["new Graviton", "silent", arm, aws("generation", "Gt", "5")],
  ["Windows", "silent", aws("kubernetes.io/os", "In", "windows")],
  ["tiny ones", "silent", aws("memory", "Lt", "4096")],
  ["one vCPU", "silent", aws("cpu", "Lt", "2")],
  ["large ones by name", "silent", aws("size", "In", "medium")],
  ["Inferentia", "silent", aws("accelerator-manufacturer", "In", "aws")],
  ["any accelerator but GPUs", "silent", aws("accelerator-count", "Gt", "0")],
])("a pool without limits that requires %s: %s", ([, verdict, ...requirements]) => {
  expect(verdicts(rule, [resource(type, pool({}, ofAws, requirements))])).toEqual(
    verdict === "advise" ? [`advise ${limits}`] : [],
  );
  const azure = { nodeClassRef: { group: "karpenter.azure.com", kind: "AKSNodeClass", name: "default" } };
  expect(verdicts(rule, [resource(type, pool({}, azure, requirements))])).toEqual([]);
});

test("an open requirement of a pool that may start GPU nodes", () => {
  const at = "spec.template.spec.requirements[0].values[0]";
  const given = pool({}, ofAws, [aws("category", "NotIn", unknown)]);
  expect(verdicts(rule, [resource(type, given)])).toEqual([`unknown ${at}`]);
});

test("a Provisioner has its limits elsewhere", () => {
  const given = { spec: { requirements: [requirement("g5.xlarge")] } };
  const provisioner = "kubernetes:karpenter.sh/v1alpha5:Provisioner";
  expect(verdicts(rule, [resource(provisioner, given)])).toEqual(["fail spec.limits.resources"]);
  const limited = { spec: { ...given.spec, limits: { resources: { cpu: "8" } } } };
  expect(verdicts(rule, [resource(provisioner, limited)])).toEqual([]);
});

test("an exempt pool", () => {
  const options = { policyConfig: { [rule.id]: { exempt: ["it"] } } };
  expect(verdicts(rule, [resource(type, pool({}))], options)).toEqual([]);
});

test("the messages", () => {
  expect(findings(rule, [resource(type, pool({}))])[0]?.message).toMatchSnapshot();
  expect(findings(rule, [resource(type, pool({}, ofAws, []))])[0]?.message).toMatchSnapshot();
  const day = pool({ limits: { cpu: 8 } }, { ...ofAws, expireAfter: "24h" });
  expect(findings(rule, [resource(type, day)])[0]?.message).toMatchSnapshot();
});
