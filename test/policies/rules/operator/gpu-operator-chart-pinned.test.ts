import { describe, expect, test } from "vitest";
import { gpuOperatorChart } from "../../../../components/core/versions";
import { chartRanges, kubernetesFit, recommendedCharts } from "../../../../components/gpu/operator/compatibility";
import { gpuOperatorChartPinned as rule } from "../../../../policies/rules/operator/gpu-operator-chart-pinned";
import { findings, resource, unknown, urnOf, verdicts } from "../../support/verdicts";

const component = "eks-gpu-lab:index:GpuOperator";
const release = "kubernetes:helm.sh/v3:Release";
const chartV4 = "kubernetes:helm.sh/v4:Chart";
const chartV3 = "kubernetes:helm.sh/v3:Chart";
const clusterPolicy = "kubernetes:nvidia.com/v1:ClusterPolicy";

const chart = "gpu-operator";
const pinned = "v26.3.1";
/** What the provider has checked, as under the engine. */
const checked = { isChecked: true };
const policyConfig = { [rule.id]: { allowed: [pinned, "v26.3.3"] } };
const inComponent = { urn: urnOf(`${component}$${release}`, "it") };

describe("versions", () => {
  test.for([
    ["v26.3.1", "pass"],
    ["26.3.1", "pass"],
    ["v26.3.3", "pass"],
    ["26.3.3", "pass"],
    // Exact, but not allowed.
    ["v26.3.0", "fail"],
    ["v26.3.2", "fail"],
    ["v26.3.1-rc.1", "fail"],
    ["v26.3.1+build.5", "fail"],
    ["v26.3.10", "fail"],
    // Whatever Helm resolves.
    [">=26", "fail"],
    ["^26.3.1", "fail"],
    ["~26.3.1", "fail"],
    ["=26.3.1", "fail"],
    ["26.3.x", "fail"],
    ["26.3", "fail"],
    ["v26", "fail"],
    ["*", "fail"],
    ["latest", "fail"],
    ["26.3.1 || 26.7.0", "fail"],
    ["26.3.1 - 26.7.0", "fail"],
    [" v26.3.1", "fail"],
    ["v26.3.1\n", "fail"],
    ["", "fail"],
    // No text at all.
    [26, "fail"],
    [26.3, "fail"],
    [null, "fail"],
    [["v26.3.1"], "fail"],
    [{}, "fail"],
    [true, "fail"],
    [unknown, "unknown"],
  ] as const)("%j: %s", ([version, verdict]) => {
    const expected = { pass: [], fail: ["fail"], unknown: ["unknown"] }[verdict];
    const said = (type: string, properties: object, more = {}) =>
      findings(rule, [resource(type, { ...properties }, more)], { policyConfig }).map((finding) => finding.verdict);
    expect(said(component, { chartVersion: version, namespace: "gpu-operator" })).toEqual(expected);
    expect(said(release, { chart, version }, inComponent)).toEqual(expected);
  });

  test.for([
    [["v26.3.1", "v26.7.0"], "v26.7.0", []],
    [["26.7.0"], "v26.7.0", []],
    [["v26.7.0"], pinned, ["fail chartVersion"]],
    [["1.0.0-v1"], "1.0.0-1", ["fail chartVersion"]],
    [[], "v1.2.3", ["advise chartVersion"]],
    [[], "v10.20.30", ["advise chartVersion"]],
    [[], "1.2.3-rc.1", ["advise chartVersion"]],
    [[], "1.2.3+build.5", ["advise chartVersion"]],
    [[], "1.2.3-rc.1+build.5", ["advise chartVersion"]],
    [[], "x1.2.3", ["fail chartVersion"]],
    [[], "1.2.3x", ["fail chartVersion"]],
    [[], "1.2.3-", ["fail chartVersion"]],
    [[], "1.2.3-rc 1", ["fail chartVersion"]],
    [[], "1.2.3+", ["fail chartVersion"]],
    [[], "latest", ["fail chartVersion"]],
  ] as const)("allowed %j, got %s", ([allowed, chartVersion, expected]) => {
    const config = { [rule.id]: { allowed } };
    expect(verdicts(rule, [resource(component, { chartVersion })], { policyConfig: config })).toEqual(expected);
  });

  test("by default every exact version is allowed, with advice on one that the library was not tested with", () => {
    expect(recommendedCharts).toContain(gpuOperatorChart.version);
    for (const chartVersion of recommendedCharts) {
      expect(verdicts(rule, [resource(component, { chartVersion })])).toEqual([]);
    }
    for (const version of ["v25.10.1", "24.9.2", "v26.3.2", `${gpuOperatorChart.version}9`, "v26.3.1-rc.1"]) {
      expect(verdicts(rule, [resource(component, { chartVersion: version })])).toEqual(["advise chartVersion"]);
      expect(verdicts(rule, [resource(release, { chart, version })])).toEqual(["advise version"]);
      expect(verdicts(rule, [resource(chartV3, { chart, version })])).toEqual(["advise version"]);
    }
  });

  test.for([
    ["v25.10.1", "advise"],
    ["v26.3.3", "advise"],
    ["v26.7.0", "advise"],
    // What an open range resolves to.
    ["v26.7.2", "fail"],
    ["v27.1.0", "fail"],
  ] as const)("in a preview, Helm may have resolved %s: %s", ([version, verdict]) => {
    expect(verdicts(rule, [resource(release, { chart, version }, checked)])).toEqual([`${verdict} version`]);
    const metadata = { labels: { "helm.sh/chart": `gpu-operator-${version}` } };
    const urn = urnOf(`${chartV4}$${clusterPolicy}`, "it");
    const [said] = verdicts(rule, [resource(clusterPolicy, { metadata }, { urn })]);
    expect(said?.split(" ")[0]).toBe(verdict);
  });
});

/** Charts whose refusal makes the library advise another one: an ended series, an unread one, and all it knows. */
const refusable = ["v1.11.0", "v99.1.0", ...chartRanges.flatMap(({ from, newest }) => [`v${from}`, newest])];

test.for(["1.34", "1.35", "1.36"])("what the library advises for Kubernetes %s is allowed", (kubernetesVersion) => {
  const fixes = refusable.flatMap((version) => kubernetesFit(version, kubernetesVersion)).map(({ fix }) => fix);
  expect(fixes.length).toBeGreaterThanOrEqual(2);
  for (const fix of fixes) {
    const chartVersion = /^set chartVersion to "(.+)"$/.exec(fix)?.[1];
    expect(chartVersion).toMatch(/^v/);
    expect(verdicts(rule, [resource(component, { chartVersion })])).toEqual([]);
  }
});

describe("layer 1: the component's own words", () => {
  test.for([
    ["a pinned version", { chartVersion: pinned }, []],
    ["other arguments but no version", { namespace: "gpu-operator" }, ["fail chartVersion"]],
    ["arguments that the SDK did not send", {}, ["unknown chartVersion"]],
    ["development versions welcome", { chartVersion: pinned, devel: true }, ["fail devel"]],
    ["version unknown, devel on", { chartVersion: unknown, devel: true }, ["fail devel"]],
    ["devel unknown", { chartVersion: pinned, devel: unknown }, ["unknown devel"]],
  ] as const)("%s", ([, properties, expected]) => {
    expect(verdicts(rule, [resource(component, properties)], { policyConfig })).toEqual(expected);
  });

  test("the Release that it makes is not blamed for the same version", () => {
    const operator = resource(component, { chartVersion: ">=26" }, { name: "operator" });
    const urn = urnOf(`${component}$${release}`, "operator");
    for (const version of [">=26", "v26.7.0", unknown]) {
      const made = resource(release, { chart, version }, { name: "operator", urn, parent: operator.urn });
      expect(findings(rule, [operator, made]).map((finding) => finding.urn)).toEqual([operator.urn]);
    }
  });

  test("a Release that was changed behind its back is blamed", () => {
    const operator = resource(component, { chartVersion: pinned }, { name: "operator" });
    const urn = urnOf(`${component}$${release}`, "operator");
    const made = resource(release, { chart, version: "v26.7.0" }, { name: "operator", urn, parent: operator.urn });
    expect(findings(rule, [operator, made], { policyConfig }).map((finding) => finding.urn)).toEqual([made.urn]);
  });
});

describe("layer 2: the version as it arrives", () => {
  test.for([
    ["made by the component", release, { chart, version: pinned }, inComponent, []],
    ["from an alias", release, { chart: "nvidia/gpu-operator", version: "v26.7.0" }, inComponent, ["fail version"]],
    ["from a registry", release, { chart: "oci://nvcr.io/charts/gpu-operator" }, inComponent, ["fail version"]],
    ["from an archive", release, { chart: "https://x.example/gpu-operator-v26.3.1.tgz" }, inComponent, []],
    [
      "the archive's version wins over a stated one",
      release,
      { chart: "https://x.example/gpu-operator-v26.7.0.tgz", version: pinned },
      inComponent,
      ["fail chart"],
    ],
    ["a folder, before Helm read it", release, { chart: "./charts/gpu-operator" }, inComponent, ["unknown version"]],
    ["from a folder", release, { chart: "./charts/gpu-operator", version: "v26.7.0" }, inComponent, ["fail version"]],
    ["by digest", release, { chart: "oci://x.example/gpu-operator@sha256:0a" }, inComponent, ["unknown version"]],
    ["no version", release, { chart }, inComponent, ["fail version"]],
    ["development versions", release, { chart, version: pinned, devel: true }, inComponent, ["fail devel"]],
    ["development version, as a text", release, { chart, version: pinned, devel: "true" }, inComponent, ["fail devel"]],
    ["another chart", release, { chart: "prometheus", version: "latest", devel: true }, {}, []],
    ["another chart of a like name", release, { chart: "gpu-operator-extras" }, {}, ["unknown the content of chart"]],
    ["chart unknown", release, { chart: unknown, version: "latest" }, {}, ["unknown chart"]],
    ["chart unknown, version pinned", release, { chart: unknown, version: pinned }, {}, ["unknown chart"]],
    ["a chart that is no text", release, { chart: 7, version: "latest" }, {}, []],
    ["no inputs, as the engine shows it", chartV4, {}, {}, ["unknown chart"]],
    ["inputs, as the offline plan shows them", chartV4, { chart, version: "latest" }, {}, ["fail version"]],
    ["a chart rendered by the SDK", chartV3, { chart, version: pinned }, {}, []],
    ["without a version", chartV3, { chart, fetchOpts: { repo: "https://x.example" } }, {}, ["fail version"]],
    ["its version, not fetch options", chartV3, { chart, version: pinned, fetchOpts: { version: "latest" } }, {}, []],
    ["fetch options in a Release", release, { chart, fetchOpts: { version: pinned } }, inComponent, ["fail version"]],
    ["with fetch options", chartV3, { chart, fetchOpts: { version: "latest" } }, {}, ["fail fetchOpts.version"]],
    [
      "with development versions",
      chartV3,
      { chart, version: pinned, fetchOpts: { devel: true } },
      {},
      ["fail fetchOpts.devel"],
    ],
    ["fetch options unknown", chartV3, { chart, version: pinned, fetchOpts: unknown }, {}, ["unknown fetchOpts"]],
  ] as const)("%s: %s", ([, type, properties, more, expected]) => {
    expect(verdicts(rule, [resource(type, properties, more)], { policyConfig })).toEqual(expected);
  });

  const label = 'metadata.labels["helm.sh/chart"]';
  test.for([
    [{ "helm.sh/chart": "gpu-operator-v26.3.1" }, []],
    [{ "helm.sh/chart": "gpu-operator-v26.7.0" }, [`fail ${label}`]],
    [{ "helm.sh/chart": "stack-1.0.0" }, []],
    [{ "helm.sh/chart": "my-gpu-operator-v26.7.0" }, []],
    [{ "helm.sh/chart": unknown }, [`unknown ${label}`]],
    [{ "helm.sh/chart": 1 }, []],
    [{}, []],
    [unknown, ["unknown metadata.labels"]],
  ] as const)("the ClusterPolicy of a rendered chart, labels %j", ([labels, expected]) => {
    expect(verdicts(rule, [resource(clusterPolicy, { metadata: { labels } })], { policyConfig })).toEqual(expected);
  });
});

describe("layer 3: a Release without the component", () => {
  test.for([
    ["pinned", { chart, version: pinned }, ["advise version"]],
    ["not pinned: that comes first", { chart, version: "latest" }, ["fail version"]],
    ["version unknown", { chart, version: unknown }, ["unknown version"]],
    ["development versions too", { chart, version: pinned, devel: true }, ["fail devel", "advise version"]],
    ["development versions unknown", { chart, version: pinned, devel: unknown }, ["unknown devel"]],
    ["another chart", { chart: "prometheus", version: "1.0.0" }, []],
    ["pinned in the reference", { chart: "oci://x.example/gpu-operator:v26.3.1" }, []],
    ["pinned in the archive's name", { chart: "https://x.example/gpu-operator-v26.3.1.tgz" }, []],
    ["not pinned in the reference", { chart: "oci://x.example/gpu-operator:v26" }, ["fail chart"]],
    ["a range in the reference, pinned as well", { chart: "a/gpu-operator:latest", version: pinned }, ["fail chart"]],
    ["a folder with a pinned version", { chart: "./gpu-operator", version: pinned }, []],
    ["a local archive", { chart: "./charts/gpu-operator-v26.3.1.tgz" }, []],
    ["a local archive of a version that is not allowed", { chart: "./gpu-operator-v26.3.0.tgz" }, ["fail chart"]],
    ["a local archive without a version, before Helm read it", { chart: "./gpu-operator.tgz" }, ["unknown version"]],
    ["a local archive without a version", { chart: "./gpu-operator.tgz", version: pinned }, []],
    ["an archive without a version on a server", { chart: "https://x.example/gpu-operator.tgz" }, ["fail version"]],
    ["pinned in an unknown reference", { chart: unknown, version: pinned }, ["unknown chart"]],
  ] as const)("%s", ([, properties, expected]) => {
    const options = { policyConfig };
    expect(verdicts(rule, [resource(release, properties, checked)], options)).toEqual(expected);
    // The offline plan shows the version of the program.
    const offline = expected.filter((said) => said !== "advise version");
    expect(verdicts(rule, [resource(release, properties)], options)).toEqual(offline);
    expect(verdicts(rule, [resource(chartV4, properties)], options)).toEqual(offline);
  });

  const label = 'metadata.labels["helm.sh/chart"]';
  const rendered = (version: string, ...parents: string[]) =>
    resource(
      clusterPolicy,
      { metadata: { labels: { "helm.sh/chart": `gpu-operator-${version}` } } },
      { urn: urnOf([...parents, clusterPolicy].join("$"), "it") },
    );
  test.for([
    ["of a v4 Chart", rendered(pinned, chartV4), [`advise ${label}`]],
    ["of a v4 Chart with another version", rendered("v26.7.0", chartV4), [`fail ${label}`]],
    ["of a v4 Chart in the component", rendered(pinned, component, chartV4), []],
    ["of a v3 Chart, whose version the engine shows", rendered(pinned, chartV3), []],
    ["without a chart", rendered(pinned), []],
  ] as const)("the ClusterPolicy %s", ([, policy, expected]) => {
    expect(verdicts(rule, [policy], { policyConfig })).toEqual(expected);
  });

  test("the ClusterPolicy of a v4 Chart whose version the stack's configuration does not pin", () => {
    const config = { "eks-gpu-lab:gpuOperator": '{"chartVersion":">=26"}' };
    const failed = ["fail eks-gpu-lab:gpuOperator.chartVersion"];
    expect(verdicts(rule, [rendered(pinned, chartV4)], { config })).toEqual(failed);
  });

  test("the configuration does not matter where the reference holds the version", () => {
    const config = { "eks-gpu-lab:gpuOperator": '{"chartVersion":">=26"}' };
    const inReference = { chart: "oci://x.example/gpu-operator:v26.3.1" };
    expect(verdicts(rule, [resource(release, inReference)], { config })).toEqual([]);
  });

  test("the provider does not resolve the version of a Release with unknown values", () => {
    const values = { driver: { enabled: unknown } };
    expect(verdicts(rule, [resource(release, { chart, version: "v27.1.0", values }, checked)])).toEqual([
      "advise version",
    ]);
    expect(verdicts(rule, [resource(release, { chart, version: "v27.1.0" }, checked)])).toEqual(["fail version"]);
  });

  const plain = resource(release, { chart, version: pinned }, checked);
  const key = "eks-gpu-lab:gpuOperator";
  test.for([
    ["pinned", { [key]: '{"chartVersion":"v26.3.1"}' }, ["advise version"]],
    ["a range", { [key]: '{"chartVersion":">=26"}' }, [`fail ${key}.chartVersion`]],
    ["empty", { [key]: '{"chartVersion":""}' }, [`fail ${key}.chartVersion`]],
    ["a number", { [key]: '{"chartVersion":26}' }, [`fail ${key}.chartVersion`]],
    ["another key", { [key]: '{"enabled":true}' }, ["advise version"]],
    ["no object", { [key]: "on" }, [`fail ${key}.chartVersion`]],
    ["broken JSON", { [key]: '{"chartVersion":' }, [`fail ${key}.chartVersion`]],
    ["another namespace", { "infra:gpuOperator": '{"chartVersion":">=26"}' }, ["advise version"]],
    ["a prototype's key", { __proto__: "x" }, ["advise version"]],
  ] as const)("whose version the stack's configuration gives: %s", ([, config, expected]) => {
    expect(verdicts(rule, [plain], { config })).toEqual(expected);
  });

  test("the configuration key can be another one", () => {
    const options = {
      policyConfig: { [rule.id]: { configKey: "infra:operator" } },
      config: { "infra:operator": '{"chartVersion":"latest"}', [key]: '{"chartVersion":"v26.3.1"}' },
    };
    expect(verdicts(rule, [plain], options)).toEqual(["fail infra:operator.chartVersion"]);
  });

  test("the configuration is the component's business where there is one", () => {
    const made = resource(release, { chart, version: pinned }, inComponent);
    expect(verdicts(rule, [made], { config: { [key]: '{"chartVersion":">=26"}' } })).toEqual([]);
  });
});

test("a Release of a name that is exempt is left alone", () => {
  const policyConfig = { [rule.id]: { exempt: ["?t"] } };
  expect(verdicts(rule, [resource(release, { chart, version: "latest" })], { policyConfig })).toEqual([]);
});

test.for(["hunter2", "1.2.3-hunter2", "v1.2.3 hunter2", "hunter2".repeat(20), "12345678"])(
  "a secret in place of a version is not printed: %s",
  (secret) => {
    const resources = [
      resource(component, { chartVersion: secret }),
      resource(release, { chart: `https://x.example/gpu-operator-1${secret}.tgz`, version: secret, devel: secret }),
      resource(clusterPolicy, { metadata: { labels: { "helm.sh/chart": `gpu-operator-${secret}` } } }),
    ];
    const said = findings(rule, resources, { policyConfig, config: { "eks-gpu-lab:gpuOperator": secret } });
    expect(said.map(({ verdict }) => verdict)).toEqual(["fail", "fail", "fail"]);
    expect(JSON.stringify(said)).not.toContain(secret);
  },
);

test("messages", () => {
  const message = (type: string, properties: Record<string, unknown>, config = {}, more = {}) =>
    findings(rule, [resource(type, properties, more)], { config, policyConfig })[0]?.message;
  expect(message(component, { chartVersion: ">=26" })).toMatchInlineSnapshot(`
    "chartVersion: got ">=26". Use an exact version; Helm resolves a range again at each installation.
    fix: set chartVersion to v26.3.1 or v26.3.3"
  `);
  expect(message(component, { chartVersion: "v26.7.0" })).toMatchInlineSnapshot(`
    "chartVersion: got "v26.7.0". The version is not in "allowed" in the policy configuration.
    fix: set chartVersion to v26.3.1 or v26.3.3, or add this version to "allowed" in the policy configuration"
  `);
  expect(message(release, { chart })).toMatchInlineSnapshot(`
    "version: got nothing. Helm then installs the newest version of the repository.
    fix: set version to v26.3.1 or v26.3.3"
  `);
  expect(message(release, { chart, version: "v26.7.0" }, {}, checked)).toMatchInlineSnapshot(`
    "version: got "v26.7.0". Helm may have resolved it from a range, or without a version: in a preview, policies cannot tell.
    fix: set version to v26.3.1 or v26.3.3, or add this version to "allowed" in the policy configuration"
  `);
  expect(message(component, { chartVersion: pinned, devel: true })).toMatchInlineSnapshot(`
    "devel: got true. Helm can then install a development version, and a different one each time.
    fix: remove devel, and set the version to v26.3.1 or v26.3.3"
  `);
  expect(message(release, { chart, version: pinned }, {}, checked)).toMatchInlineSnapshot(`
    "version: got "v26.3.1". In a preview, policies get the version that Helm resolved, so the rule cannot tell whether the program pins it.
    fix: install the chart with the GpuOperator component, which keeps its chartVersion"
  `);
  const config = { "eks-gpu-lab:gpuOperator": '{"chartVersion":"latest"}' };
  expect(message(release, { chart, version: pinned }, config, checked)).toMatchInlineSnapshot(`
    "eks-gpu-lab:gpuOperator.chartVersion: got "latest". Use an exact version; Helm resolves a range again at each installation.
    fix: pulumi config set --path 'eks-gpu-lab:gpuOperator.chartVersion' v26.3.1"
  `);
  const reason = (chartVersion: unknown) => message(component, { chartVersion })?.split(". ")[1];
  expect([reason(""), reason(" ")]).toEqual([reason(null), reason(null)]);
  expect(reason(null)).not.toBe(reason("latest"));
  const free = (type: string, properties: Record<string, unknown>, stackConfig = {}, more = {}) =>
    findings(rule, [resource(type, properties, more)], {
      config: stackConfig,
      policyConfig: { [rule.id]: { allowed: [] } },
    });
  expect(free(component, { chartVersion: "latest" })[0]?.message).toContain(
    "fix: set chartVersion to an exact version such as v26.3.1",
  );
  expect(free(release, { chart, version: pinned }, config, checked)[0]?.message).toContain(
    "gpuOperator.chartVersion' v26.3.1",
  );
  expect(message(chartV4, {})).toMatchInlineSnapshot(`"cannot be judged yet: chart is not known"`);
});
