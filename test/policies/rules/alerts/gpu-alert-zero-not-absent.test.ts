import { dump } from "js-yaml";
import { describe, expect, test } from "vitest";
import { gpuAlertZeroNotAbsent as rule } from "../../../../policies/rules/alerts/gpu-alert-zero-not-absent";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const gpus = 'kube_node_status_allocatable{resource="nvidia_com_gpu"}';
const absent = { alert: "GpuGone", expr: `absent(${gpus})`, for: "2m" };
const zero = { alert: "GpuZero", expr: `${gpus} == 0`, for: "2m" };
const other = { alert: "Down", expr: "up == 0" };
const groups = (...rules: unknown[]) => ({ groups: [{ name: "gpu", rules }] });
const at = "groups[0].rules[0].expr";

const alerts = (spec: unknown, name = "it") =>
  resource("kubernetes:monitoring.coreos.com/v1:PrometheusRule", { spec }, { name });
const configMap = (data: unknown, name = "it") => resource("kubernetes:core/v1:ConfigMap", { data }, { name });
const release = (values: unknown, chart: unknown = "kube-prometheus-stack", name = "it") =>
  resource("kubernetes:helm.sh/v3:Release", { chart, values }, { name });

test.for([
  ["zero", groups(zero), []],
  ["both", groups(absent, zero), []],
  ["neither", groups(other), []],
  ["no groups", {}, []],
  ["a recording rule", groups({ record: "gpus:zero", expr: zero.expr }), []],
  ["rules that are none", { groups: [{ rules: "x" }, null, 7] }, []],
  ["absence", groups(absent), [`fail spec.${at}`]],
  ["absence over time", groups({ ...absent, expr: `absent_over_time(${gpus}[5m])` }), [`fail spec.${at}`]],
  ["absence in a second group", { groups: [{}, ...groups(absent).groups] }, ["fail spec.groups[1].rules[0].expr"]],
  ["absence with others", groups(other, absent), ["fail spec.groups[0].rules[1].expr"]],
  ["zero at once", groups({ ...zero, for: undefined }), ["advise spec.groups[0].rules[0].for"]],
  ["an expression unknown", groups({ ...absent, expr: unknown }), [`unknown spec.${at}`]],
  ["an expression unknown with zero", groups({ ...absent, expr: unknown }, zero), []],
  ["absence, another expression unknown", groups(absent, { expr: unknown }), ["unknown spec.groups[0].rules[1].expr"]],
  ["for unknown", groups({ ...zero, for: unknown }), ["unknown spec.groups[0].rules[0].for"]],
  [
    "zero at once, which may be no alert",
    groups({ ...zero, alert: unknown, for: null }),
    ["unknown spec.groups[0].rules[0].alert"],
  ],
  ["rules unknown", { groups: [{ rules: unknown }] }, ["unknown spec.groups[0].rules"]],
  ["all unknown", unknown, ["unknown spec"]],
] as const)("a PrometheusRule with %s", ([, spec, expected]) => {
  expect(verdicts(rule, [alerts(spec)])).toEqual(expected);
});

describe("recording rules and patterns", () => {
  const record = { record: "node:gpus", expr: gpus };
  const byName = { alert: "GpuZero", expr: "node:gpus == 0", for: "2m" };
  const first = "spec.groups[0].rules[0]";
  test.for([
    ["by a pattern", groups(absent, { ...zero, expr: 'kube_node_status_allocatable{resource=~"nvidia.*"} == 0' }), []],
    ["zero of a recorded number", groups(absent, record, byName), []],
    [
      "zero of one that stands on another",
      groups(absent, byName, { record: "node:gpus", expr: "a" }, { record: "a", expr: gpus }),
      [],
    ],
    ["absence of a recorded number", groups({ ...absent, expr: "absent(node:gpus)" }, record), [`fail spec.${at}`]],
    ["absence of a recorded number with zero", groups({ ...absent, expr: "absent(node:gpus)" }, record, byName), []],
    ["zero of another number", groups(absent, { record: "node:gpus", expr: "up" }, byName), [`fail ${first}.expr`]],
    ["zero of a recorded number at once", groups({ ...byName, for: undefined }, record), [`advise ${first}.for`]],
    ["a recording rule is no alert", groups({ record: "gpus:zero", expr: `${gpus} == 0` }), []],
    [
      "unknown name",
      groups(absent, { ...record, record: unknown }, byName),
      ["unknown spec.groups[0].rules[1].record"],
    ],
    ["an unknown name with zero", groups(absent, zero, { ...record, record: unknown }), []],
    [
      "an unknown name, another number",
      groups(absent, { record: unknown, expr: "up" }, byName),
      [`fail ${first}.expr`],
    ],
    ["an unknown name that no alert reads", groups({ record: unknown, expr: gpus }, { alert: "a", expr: "up" }), []],
    ["unknown number", groups(absent, { ...record, expr: unknown }, byName), ["unknown spec.groups[0].rules[1].expr"]],
    [
      "absence of an unknown name",
      groups({ ...absent, expr: "absent(x)" }, { ...record, record: unknown }),
      ["unknown spec.groups[0].rules[1].record"],
    ],
  ] as const)("%s", ([, spec, expected]) => {
    expect(verdicts(rule, [alerts(spec)])).toEqual(expected);
  });

  test("the recording rule may stand elsewhere", () => {
    const elsewhere = configMap({ "rules.yaml": dump(groups(record)) }, "b");
    expect(verdicts(rule, [alerts(groups(absent, byName)), elsewhere])).toEqual([]);
  });
});

test("the alert on zero may stand elsewhere", () => {
  for (const elsewhere of [
    alerts(groups(zero), "b"),
    configMap({ "rules.yaml": dump(groups(zero)) }, "b"),
    release({ additionalPrometheusRulesMap: { gpu: groups(zero) } }, "kube-prometheus-stack", "b"),
  ]) {
    expect(verdicts(rule, [alerts(groups(absent)), elsewhere])).toEqual([]);
  }
  const later = findings(rule, [alerts(groups(absent)), alerts(unknown, "b")]);
  expect(later.map(({ name, verdict }) => [name, verdict])).toEqual([
    ["it", "unknown"],
    ["b", "unknown"],
  ]);
});

describe("a ConfigMap", () => {
  test.for([
    ["zero", { "rules.yaml": dump(groups(zero)) }, []],
    ["other texts", { "rules.yaml": "a: b", readme: "text", number: 7 }, []],
    ["what is no YAML", { "rules.yaml": `nvidia_com_gpu: [${absent.expr}` }, []],
    ["YAML that is no object", { "rules.yaml": "nvidia_com_gpu" }, []],
    ["no data", {}, []],
    ["absence", { "rules.yaml": dump(groups(absent)) }, [`fail data["rules.yaml"].${at}`]],
    ["absence under any name", { gpu: dump(groups(absent)) }, [`fail data.gpu.${at}`]],
    ["absence in a second document", { gpu: `---\na: b\n---\n${dump(groups(absent))}` }, [`fail data.gpu.${at}`]],
    ["a text unknown that may be rules", { "rules.yaml": unknown }, ['unknown data["rules.yaml"]']],
    ["another that may be", { "rules.yml": unknown }, ['unknown data["rules.yml"]']],
    ["another text unknown", { endpoint: unknown, "rules.yaml.bak": unknown }, []],
    ["all unknown", unknown, ["unknown data"]],
  ] as const)("with %s", ([, data, expected]) => {
    expect(verdicts(rule, [configMap(data)])).toEqual(expected);
  });

  test("whose aliases multiply takes no time", () => {
    const lines = ["- &a {expr: nvidia_com_gpu}", ...Array.from({ length: 2000 }, () => "- *a")];
    const rules = lines.map((line) => `    ${line}`).join("\n");
    const many = Array.from({ length: 2000 }, () => "- *g").join("\n");
    const text = `groups:\n- &g\n  rules:\n${rules}\n${many}\n`;
    expect(verdicts(rule, [configMap({ "rules.yaml": text })])).toEqual([]);
  });
});

test.for([
  [
    "a map of rules",
    { additionalPrometheusRulesMap: { gpu: groups(absent) } },
    [`fail values.additionalPrometheusRulesMap.gpu.${at}`],
  ],
  [
    "list of rules",
    { additionalPrometheusRules: [groups(absent)] },
    [`fail values.additionalPrometheusRules[0].${at}`],
  ],
  [
    "files",
    { serverFiles: { "alerting_rules.yml": groups(absent) } },
    [`fail values.serverFiles["alerting_rules.yml"].${at}`],
  ],
  ["none", { grafana: { enabled: true } }, []],
  ["values unknown", unknown, ["unknown values"]],
] as const)("values of a chart: %s", ([, values, expected]) => {
  expect(verdicts(rule, [release(values)])).toEqual(expected);
});

test("values of another chart are not read, of an unknown one not yet", () => {
  const values = { additionalPrometheusRulesMap: { gpu: groups(absent) } };
  expect(verdicts(rule, [release(values, "gpu-operator")])).toEqual([]);
  expect(verdicts(rule, [release(unknown, "gpu-operator")])).toEqual([]);
  expect(verdicts(rule, [release(values, unknown)])).toEqual(["unknown chart"]);
});

test("a name that is exempt is left alone", () => {
  const policyConfig = { [rule.id]: { exempt: ["it"] } };
  expect(verdicts(rule, [alerts(groups(absent))], { policyConfig })).toEqual([]);
});

test("a secret is not printed", () => {
  const hidden = { alert: "hunter2", expr: `absent(${gpus} == hunter2)` };
  const said = findings(rule, [alerts(groups(hidden)), configMap({ a: dump(groups(hidden)) }, "b")]);
  expect(said).toHaveLength(2);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  const said = [groups(absent), groups({ ...zero, for: null })].flatMap((spec) => findings(rule, [alerts(spec)]));
  expect(said.map(({ message }) => message)).toMatchInlineSnapshot(`
    [
      "spec.groups[0].rules[0].expr: got absent() of nvidia_com_gpu. Without a device plugin, the kubelet keeps the resource and sets it to 0. The series stays, so the alert does not fire.
    fix: set spec.groups[0].rules[0].expr to kube_node_status_allocatable{resource="nvidia_com_gpu"} == 0, joined with the nodes that have the label nvidia.com/gpu.present, and set for to 2m",
      "spec.groups[0].rules[0].for: got nothing. A restart of the device plugin also sets the value to 0 for a short time, which would fire the alert.
    fix: set spec.groups[0].rules[0].for to 2m",
    ]
  `);
});
