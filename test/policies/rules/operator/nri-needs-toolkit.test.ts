import { expect, test } from "vitest";
import { nriNeedsToolkit as rule } from "../../../../policies/rules/operator/nri-needs-toolkit";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const component = "eks-gpu-lab:index:GpuOperator";
const release = "kubernetes:helm.sh/v3:Release";
const clusterPolicy = "kubernetes:nvidia.com/v1:ClusterPolicy";
const chart = "gpu-operator";
const toolkitOff = { toolkit: { enabled: false } };
const nri = (nriPluginEnabled: unknown, enabled?: unknown) => ({
  cdi: { nriPluginEnabled, ...(enabled !== undefined && { enabled }) },
});
const fails = ["fail values.cdi.nriPluginEnabled"];

test.for([
  ["nothing said: off", release, { chart, values: toolkitOff }, []],
  ["off without the toolkit", release, { chart, values: { ...toolkitOff, ...nri(false) } }, []],
  ["on with the toolkit that the chart turns on", release, { chart, values: nri(true) }, []],
  ["on with toolkit and CDI", release, { chart, values: { toolkit: { enabled: true }, ...nri(true, true) } }, []],
  ["another chart", release, { chart: "cilium", values: { ...toolkitOff, ...nri(true) } }, []],
  ["on without the toolkit", release, { chart, values: { ...toolkitOff, ...nri(true) } }, fails],
  ["on, no toolkit, as texts", release, { chart, values: { toolkit: { enabled: "false" }, ...nri("true") } }, fails],
  ["on without CDI", release, { chart, values: nri(true, false) }, fails],
  [
    "on in a ClusterPolicy without the toolkit",
    clusterPolicy,
    { spec: { ...toolkitOff, ...nri(true) } },
    ["fail spec.cdi.nriPluginEnabled"],
  ],
  ["on in the component, which has the toolkit off", component, { values: nri(true) }, fails],
  ["off in the component", component, { values: nri(false) }, []],
  ["open", release, { chart, values: { ...toolkitOff, ...nri(unknown) } }, ["unknown values.cdi.nriPluginEnabled"]],
  ["unknown switch, toolkit on", release, { chart, values: nri(unknown) }, []],
  [
    "unknown toolkit",
    release,
    { chart, values: { toolkit: { enabled: unknown }, ...nri(true) } },
    ["unknown values.toolkit.enabled"],
  ],
  ["toolkit open, CDI off", release, { chart, values: { toolkit: { enabled: unknown }, ...nri(true, false) } }, fails],
  [
    "unknown CDI",
    release,
    { chart, values: { toolkit: { enabled: true }, ...nri(true, unknown) } },
    ["unknown values.cdi.enabled"],
  ],
  ["unknown CDI, toolkit off", release, { chart, values: { ...toolkitOff, ...nri(true, unknown) } }, fails],
  [
    "unknown switch in a ClusterPolicy",
    clusterPolicy,
    { spec: { ...toolkitOff, ...nri(unknown) } },
    ["unknown spec.cdi.nriPluginEnabled"],
  ],
  [
    "unknown toolkit in a ClusterPolicy",
    clusterPolicy,
    { spec: { toolkit: { enabled: unknown }, ...nri(true) } },
    ["unknown spec.toolkit.enabled"],
  ],
  ["unknown chart", release, { chart: unknown, values: { ...toolkitOff, ...nri(true) } }, ["unknown chart"]],
  ["toolkit left to a file", release, { chart, values: nri(true, true), valueYamlFiles: [{}] }, []],
  [
    "an unknown string asset",
    release,
    { chart, values: nri(true, true), valueYamlFiles: [{ text: unknown }] },
    ["unknown valueYamlFiles[0].text"],
  ],
  [
    "toolkit off in a string asset",
    release,
    { chart, values: nri(true, true), valueYamlFiles: [{ text: "toolkit: {enabled: false}" }] },
    ["fail values.cdi.nriPluginEnabled"],
  ],
] as const)("%s: %s", ([, type, properties, expected]) => {
  expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
});

test("an operator of a name that is exempt is left alone", () => {
  const policyConfig = { [rule.id]: { exempt: ["it"] } };
  expect(verdicts(rule, [resource(component, { values: nri(true) })], { policyConfig })).toEqual([]);
});

test("a secret is not printed", () => {
  const values = { toolkit: { enabled: "hunter2" }, ...nri("true", "false") };
  const said = findings(rule, [resource(release, { chart: "hunter2/gpu-operator", values })]);
  expect(said).toHaveLength(1);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  const message = (values: object) => findings(rule, [resource(release, { chart, values })])[0]?.message;
  expect(message({ ...toolkitOff, ...nri(true) })).toMatchInlineSnapshot(`
    "values.cdi.nriPluginEnabled: got true. values.toolkit.enabled is off, but the plugin is part of the toolkit. It does not run, but the operator relies on it and does not create a runtime class. From v26.7.0, Helm cannot render the chart.
    fix: set values.cdi.nriPluginEnabled to false"
  `);
  const withoutCdi = message({ toolkit: { enabled: true }, ...nri(true, false) });
  expect(withoutCdi).toMatchInlineSnapshot(`
    "values.cdi.nriPluginEnabled: got true. values.cdi.enabled is off, but the plugin injects devices with CDI. Helm cannot render the chart, and the operator rejects the ClusterPolicy.
    fix: set values.cdi.nriPluginEnabled to false"
  `);
  expect(message({ ...toolkitOff, ...nri(true, false) })).toBe(withoutCdi);
});
