import { describe, expect, test } from "vitest";
import { gpuOperatorChartPinned } from "../../../policies/rules/operator/gpu-operator-chart-pinned";
import { nvidiaAmiDriverToolkitOff } from "../../../policies/rules/operator/nvidia-ami-driver-toolkit-off";
import { oneGpuDevicePlugin } from "../../../policies/rules/pods/one-gpu-device-plugin";
import { resource, unknown, verdicts } from "../support/verdicts";

const nvidia = resource("aws:eks/nodeGroup:NodeGroup", {
  amiType: "AL2023_x86_64_NVIDIA",
  instanceTypes: ["g5.xlarge"],
});
const release = (inputs: object) => resource("kubernetes:helm.sh/v3:Release", { version: "v26.3.1", ...inputs });
const drivers = (installer: ReturnType<typeof resource>) => verdicts(nvidiaAmiDriverToolkitOff, [nvidia, installer]);
const on = { driver: { enabled: true }, toolkit: { enabled: false } };
const yaml = JSON.stringify(on);

interface Installer {
  readonly spec: (chart: string, version: string | undefined, values: string) => object;
  readonly version: string;
  readonly values: string;
}

/** As the documentation of each controller writes them. `values` is YAML text. */
const installers: Readonly<Record<string, Installer>> = {
  "argoproj.io/v1alpha1:ApplicationSet": {
    spec: (chart, targetRevision, values) => ({
      generators: [{ list: { elements: [{ cluster: "gpu" }] } }],
      template: { spec: { source: { chart, targetRevision, repoURL: "https://charts.example", helm: { values } } } },
    }),
    version: "spec.template.spec.source.targetRevision",
    values: "spec.template.spec.source.helm.values",
  },
  "helm.cattle.io/v1:HelmChart": {
    spec: (chart, version, valuesContent) => ({ chart, version, valuesContent, repo: "https://charts.example" }),
    version: "spec.version",
    values: "spec.valuesContent",
  },
  "helm.crossplane.io/v1beta1:Release": {
    spec: (name, version, values) => ({
      forProvider: { chart: { name, version }, values: JSON.parse(values) as object },
    }),
    version: "spec.forProvider.chart.version",
    values: "spec.forProvider.values",
  },
  "helm.m.crossplane.io/v1beta1:Release": {
    spec: (name, version, values) => ({
      forProvider: { chart: { name, version }, values: JSON.parse(values) as object },
    }),
    version: "spec.forProvider.chart.version",
    values: "spec.forProvider.values",
  },
  "helm.k0sproject.io/v1beta1:Chart": {
    spec: (chart, version, values) => ({ chartName: `nvidia/${chart}`, version, values }),
    version: "spec.version",
    values: "spec.values",
  },
  "k0s.k0sproject.io/v1beta1:ClusterConfig": {
    spec: (chart, version, values) => ({
      extensions: { helm: { charts: [{ chartname: `nvidia/${chart}`, version, values }] } },
    }),
    version: "spec.extensions.helm.charts[0].version",
    values: "spec.extensions.helm.charts[0].values",
  },
  "core.oam.dev/v1beta1:Application": {
    spec: (chart, version, values) => ({
      components: [{ type: "helm", properties: { chart, version, values: JSON.parse(values) as object } }],
    }),
    version: "spec.components[0].properties.version",
    values: "spec.components[0].properties.values",
  },
  "config.projectsveltos.io/v1beta1:ClusterProfile": {
    spec: (chart, chartVersion, values) => ({ helmCharts: [{ chartName: `nvidia/${chart}`, chartVersion, values }] }),
    version: "spec.helmCharts[0].chartVersion",
    values: "spec.helmCharts[0].values",
  },
  "config.projectsveltos.io/v1beta1:Profile": {
    spec: (chart, chartVersion, values) => ({
      helmCharts: [
        { chartName: "cilium/cilium", chartVersion: "1.x" },
        { chartName: chart, chartVersion, values },
      ],
    }),
    version: "spec.helmCharts[1].chartVersion",
    values: "spec.helmCharts[1].values",
  },
  "fleet.cattle.io/v1alpha1:HelmOp": {
    spec: (chart, version, values) => ({
      helm: { repo: "https://c.example", chart, version, values: JSON.parse(values) as object },
    }),
    version: "spec.helm.version",
    values: "spec.helm.values",
  },
  "fleet.cattle.io/v1alpha1:Bundle": {
    spec: (chart, version, values) => ({
      helm: { repo: `oci://c.example/${chart}`, version, values: JSON.parse(values) as object },
    }),
    version: "spec.helm.version",
    values: "spec.helm.values",
  },
  "addons.cluster.x-k8s.io/v1alpha1:HelmChartProxy": {
    spec: (chartName, version, valuesTemplate) => ({ chartName, version, valuesTemplate }),
    version: "spec.version",
    values: "spec.valuesTemplate",
  },
};

describe.for(Object.entries(installers))("%s", ([type, { spec, version, values }]) => {
  const installer = (chart: string, of: string | undefined, text = yaml) =>
    resource(`kubernetes:${type}`, { metadata: { name: "gpu" }, spec: spec(chart, of, text) });

  test("the version of the chart is judged", () => {
    const pin = (of: string | undefined) => verdicts(gpuOperatorChartPinned, [installer("gpu-operator", of)]);
    expect(pin("v26.3.1")).toEqual([]);
    expect(pin("26.x")).toEqual([`fail ${version}`]);
    expect(pin(undefined)).toEqual([`fail ${version}`]);
    expect(pin(unknown)).toEqual([`unknown ${version}`]);
    expect(verdicts(gpuOperatorChartPinned, [installer("prometheus", "26.x", "{}")])).toEqual([]);
  });

  test("its values are judged", () => {
    expect(drivers(installer("gpu-operator", "v26.3.1"))).toEqual([`fail ${values}.driver.enabled`]);
    expect(drivers(installer("gpu-operator", "v26.3.1", yaml.replace("true", "false")))).toEqual([]);
    expect(drivers(installer("prometheus", "1.0.0", "{}"))).toEqual([]);
  });
});

describe("strings that a controller fills in", () => {
  const set = (chart: string, targetRevision: string, values: string) =>
    resource("kubernetes:argoproj.io/v1alpha1:ApplicationSet", {
      spec: { template: { spec: { sources: [{ chart, targetRevision, helm: { values } }] } } },
    });
  const at = "spec.template.spec.sources[0]";

  test("are not known", () => {
    expect(verdicts(gpuOperatorChartPinned, [set("gpu-operator", "{{ .version }}", "")])).toEqual([
      `unknown ${at}.targetRevision`,
    ]);
    expect(drivers(set("{{chart}}", "v26.3.1", "{}"))).toEqual([`unknown ${at}.chart`]);
  });

  const listed = (...elements: unknown[]) => generated({ list: { elements } });
  const generated = (generator: object) =>
    resource("kubernetes:argoproj.io/v1alpha1:ApplicationSet", {
      spec: {
        generators: [generator],
        template: {
          spec: { source: { chart: "{{name}}", targetRevision: "{{ .version }}", repoURL: "https://c.example" } },
        },
      },
    });
  const operator = (version: unknown) => ({ name: "gpu-operator", version });
  const other = { name: "cert-manager", version: "1.x" };
  test.for([
    ["a range", [operator("26.x")], ["fail spec.template.spec.source.targetRevision"]],
    ["a range, after another chart", [other, operator("26.x")], ["fail spec.template.spec.source.targetRevision"]],
    ["a version", [other, operator("v26.3.1")], []],
    ["other charts", [other], []],
    ["an unknown version", [other, operator(unknown)], ["unknown spec.template.spec.source.targetRevision"]],
    ["the chart twice", [operator("v26.3.1"), operator("26.x")], ["fail spec.template.spec.source.targetRevision"]],
    ["the same chart twice, without a range", [operator("v26.3.1"), operator("v26.3.0")], []],
    [
      "the same chart twice, one unknown",
      [operator("v26.3.1"), operator(unknown)],
      ["unknown spec.template.spec.source.targetRevision"],
    ],
    ["two charts, one twice", [operator("26.x"), other, other], ["unknown spec.template.spec.source.chart"]],
  ] as const)("are filled in by the elements of a list: %s", ([, elements, expected]) => {
    expect(verdicts(gpuOperatorChartPinned, [listed(...elements)])).toEqual(expected);
    const generators = [{ clusters: {} }, { list: { elements } }];
    for (const by of ["matrix", "merge"]) {
      expect(verdicts(gpuOperatorChartPinned, [generated({ [by]: { generators } })])).toEqual(expected);
    }
  });

  test("do not hide the values next to them", () => {
    const driver = (text: string) => drivers(set("gpu-operator", "v26.3.1", text));
    const fixed = "toolkit: {enabled: false}\ndriver: {enabled: true}\nnodeSelector: {pool: gpu-{{name}}}";
    expect(driver(fixed)).toEqual([`fail ${at}.helm.values.driver.enabled`]);
    const open = "toolkit: {enabled: false}\ndriver: {enabled: {{ driver }}}";
    expect(driver(open)).toEqual([`unknown ${at}.helm.values.driver.enabled`]);
    expect(driver("{{- if .gpu }}\ndriver: {enabled: false}\n{{- end }}")).toEqual([`unknown ${at}.helm.values`]);
  });
});

test.for([
  ["an object", { "driver.enabled": "true" }, ["fail spec.valuesContent.driver.enabled"]],
  ["nothing", undefined, []],
] as const)("HelmChart of k3s: %s overrides the values", ([, set, expected]) => {
  const spec = { chart: "gpu-operator", version: "v26.3.1", valuesContent: yaml.replace("true", "false"), set };
  expect(drivers(resource("kubernetes:helm.cattle.io/v1:HelmChart", { spec }))).toEqual(expected);
});

describe("a dependency of another chart", () => {
  const umbrella = (values: object) => release({ chart: "./charts/platform", values });
  test.for([
    ["its name", { "gpu-operator": on }, ["fail values.gpu-operator.driver.enabled"]],
    ["its name, two levels down", { stack: { "gpu-operator": on } }, ["fail values.stack.gpu-operator.driver.enabled"]],
    ["another name", { gpus: { ...on, dcgmExporter: {} } }, ["fail values.gpus.driver.enabled"]],
    [
      "a name like it, with one value",
      { infra: { "nvidia-gpu-operator": { driver: { enabled: true }, toolkit: { enabled: false } } } },
      ["fail values.infra.nvidia-gpu-operator.driver.enabled"],
    ],
    ["another name with values that others have", { storage: on }, []],
    ["switched on", { "gpu-operator": { enabled: true, ...on } }, ["fail values.gpu-operator.driver.enabled"]],
    ["switched off", { "gpu-operator": { enabled: false, ...on } }, []],
    ["perhaps switched off", { "gpu-operator": { enabled: unknown, ...on } }, ["unknown values.gpu-operator.enabled"]],
    ["off", { "gpu-operator": { driver: { enabled: false }, toolkit: { enabled: false } } }, []],
    ["the jobs of Spark", { spark: { driver: { enabled: true }, executor: {} } }, []],
    ["text", { "gpu-operator": "v26.3.1" }, []],
  ] as const)("%s", ([, values, expected]) => {
    expect(drivers(umbrella(values))).toEqual(expected);
  });

  test("its version is in Chart.yaml", () => {
    expect(verdicts(gpuOperatorChartPinned, [umbrella({ "gpu-operator": on })])).toEqual([
      "unknown the version of gpu-operator in Chart.yaml",
    ]);
  });

  test.for([
    ["without a version", undefined, ["fail version"]],
    ["of a range", ">=1", ["fail version"]],
    ["of a version", "1.0.0", ["unknown the version of gpu-operator in Chart.yaml"]],
    ["of an unknown version", unknown, ["unknown the version of gpu-operator in Chart.yaml"]],
  ])("a chart of a registry %s", ([, version, expected]) => {
    const platform = release({ chart: "oci://registry.example/platform", version, values: { "gpu-operator": on } });
    expect(verdicts(gpuOperatorChartPinned, [platform])).toEqual(expected);
  });

  test("a folder in Git", () => {
    const source = { path: "charts/platform", repoURL: "https://git.example/x.git", targetRevision: "main" };
    const application = resource("kubernetes:argoproj.io/v1alpha1:Application", {
      spec: { source: { ...source, helm: { valuesObject: { "gpu-operator": on } } } },
    });
    expect(drivers(application)).toEqual(["fail spec.source.helm.valuesObject.gpu-operator.driver.enabled"]);
  });

  test("of another chart that the rules know", () => {
    const plugin = resource("kubernetes:helm.sh/v3:Chart", { chart: "base", values: { "nvidia-device-plugin": {} } });
    const operator = release({ chart: "gpu-operator" });
    expect(verdicts(oneGpuDevicePlugin, [operator, plugin])).toEqual(["fail values.nvidia-device-plugin"]);
  });
});

describe("a chart with another name", () => {
  test.for([
    ["its values", "oci://123456789012.dkr.ecr.eu-west-1.amazonaws.com/mirror/nvidia-operator", on, true],
    ["its name and one value", "oci://registry.example/nvidia-gpu-operator", { driver: { enabled: true } }, true],
    ["a URL of an archive", "https://charts.example/our-gpu-operator-v26.3.1.tgz", { driver: { enabled: true } }, true],
    ["a short name and one value", "oci://registry.example/mirror/gpuop", { driver: { enabled: true } }, true],
    ["more values than others have", "oci://registry.example/stack", { ...on, migManager: {} }, true],
    ["one value", "oci://registry.example/spark", { driver: { enabled: true } }, false],
    ["the operator of AMD", "rocm/gpu-operator-charts", { driver: { enabled: true }, kmm: {} }, false],
    ["the operator of Intel", "intel/intel-gpu-operator", {}, false],
  ] as const)("%s", ([, chart, values, isOperator]) => {
    const said = drivers(release({ chart, values }));
    expect(said.includes("fail values.driver.enabled")).toBe(isOperator);
    expect(said.length > 0).toBe(isOperator);
  });

  test.for(["rook-ceph", "oci://registry.example/csi", "snapshot-controller"])("%s has such values, too", (chart) => {
    expect(drivers(release({ chart, values: on }))).toEqual(["unknown the content of chart"]);
    expect(verdicts(gpuOperatorChartPinned, [release({ chart, values: on, version: "v1.15.0" })])).not.toContain(
      "advise version",
    );
  });

  test("its name alone does not tell", () => {
    const copy = "oci://registry.example/gpu-operator-copy";
    expect(drivers(release({ chart: copy }))).toEqual(["unknown the content of chart"]);
  });

  test.for([
    ["corp-gpu-operator", "~1.2", "fail version"],
    ["oci://registry.example/nvidia-gpu-operator", undefined, "fail version"],
    ["oci://registry.example/nvidia-gpuoperator:latest", undefined, "fail chart"],
    ["corp-gpu-operator", "1.2.0", "unknown the content of chart"],
    ["mthreads-gpu-operator", "~1.2", "unknown the content of chart"],
    ["gpu-operator-extras", "~1.2", "unknown the content of chart"],
  ])("the version of a chart of its name is judged: %s %s", ([chart, version, expected]) => {
    expect(verdicts(gpuOperatorChartPinned, [release({ chart, version })])).toEqual([expected]);
  });

  test("its version is judged", () => {
    const mirror = release({ chart: "oci://registry.example/nvidia-operator", values: on, version: ">=26" });
    expect(verdicts(gpuOperatorChartPinned, [mirror])).toEqual(["fail version"]);
  });
});
