import { describe, expect, test } from "vitest";
import { judge } from "../../../policies/engine/judge";
import { gpuOperatorChartPinned } from "../../../policies/rules/operator/gpu-operator-chart-pinned";
import { gpuOperatorK8sCompat } from "../../../policies/rules/operator/gpu-operator-k8s-compat";
import { nvidiaAmiDriverToolkitOff } from "../../../policies/rules/operator/nvidia-ami-driver-toolkit-off";
import { operatorToleratesTaints } from "../../../policies/rules/operator/operator-tolerates-taints";
import { oneDcgmEngine } from "../../../policies/rules/health/one-dcgm-engine";
import { oneGpuDevicePlugin } from "../../../policies/rules/pods/one-gpu-device-plugin";
import { packOf } from "../support/case-minimum";
import { resource, short, unknown, verdicts } from "../support/verdicts";

const off = { driver: { enabled: false }, toolkit: { enabled: false } };
const nvidia = resource(
  "aws:eks/nodeGroup:NodeGroup",
  { amiType: "AL2023_x86_64_NVIDIA", instanceTypes: ["g5.xlarge"], version: "1.35" },
  { name: "gpu" },
);
const chart = { repoURL: "https://helm.ngc.nvidia.com/nvidia", chart: "gpu-operator", targetRevision: "v26.3.1" };

/** @see https://argo-cd.readthedocs.io/en/stable/operator-manual/application.yaml */
const application = (source: unknown, key = "source") =>
  resource("kubernetes:argoproj.io/v1alpha1:Application", {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: "gpu-operator", namespace: "argocd" },
    spec: { destination: { server: "https://kubernetes.default.svc" }, project: "default", [key]: source },
  });

describe("an Application of Argo CD", () => {
  const pin = (source: unknown, key?: string) => verdicts(gpuOperatorChartPinned, [application(source, key)]);
  const at = "spec.source.targetRevision";
  test.for([
    ["pinned", chart, []],
    ["a range", { ...chart, targetRevision: "26.*" }, [`fail ${at}`]],
    ["no version", { ...chart, targetRevision: undefined }, [`fail ${at}`]],
    ["an unknown version", { ...chart, targetRevision: unknown }, [`unknown ${at}`]],
    ["another chart", { ...chart, chart: "prometheus", targetRevision: "*" }, []],
    ["an OCI image", { repoURL: "oci://nvcr.example/gpu-operator", path: ".", targetRevision: "26.*" }, [`fail ${at}`]],
    ["another OCI image", { repoURL: "oci://nvcr.example/web", path: ".", targetRevision: "26.*" }, []],
    ["a folder in Git", { repoURL: "https://git.example/x.git", path: "gpu-operator", targetRevision: "main" }, []],
  ] as const)("version: %s", ([, source, expected]) => {
    expect(pin(source)).toEqual(expected);
  });

  test("one of several sources", () => {
    const files = { repoURL: "https://git.example/x.git", ref: "values", targetRevision: "main" };
    const network = { ...chart, chart: "network-operator", targetRevision: "25.x" };
    expect(pin([files, network, { ...chart, targetRevision: "*" }], "sources")).toEqual([
      "fail spec.sources[2].targetRevision",
    ]);
    expect(pin([files, network, chart], "sources")).toEqual([]);
    expect(pin(unknown, "sources")).toEqual(["unknown spec.sources"]);
  });

  const helm = "spec.source.helm";
  const fails = (path: string) => [`fail ${path}.driver.enabled`, `fail ${path}.toolkit.enabled`];
  const parameters = ["driver", "toolkit"].map((part) => ({ name: `${part}.enabled`, value: "false" }));
  test.for([
    ["nothing", undefined, fails(`${helm}.values`)],
    ["an object", { valuesObject: off }, []],
    [
      "an object with the driver",
      { valuesObject: { toolkit: off.toolkit } },
      [`fail ${helm}.valuesObject.driver.enabled`],
    ],
    ["a text", { values: "driver: {enabled: false}\ntoolkit: {enabled: false}" }, []],
    ["an object replaces a text", { valuesObject: {}, values: JSON.stringify(off) }, fails(`${helm}.valuesObject`)],
    ["parameters", { parameters }, []],
    [
      "parameters override values",
      { valuesObject: off, parameters: [{ name: "driver.enabled", value: "true" }] },
      [`fail ${helm}.valuesObject.driver.enabled`],
    ],
    ["another parameter", { valuesObject: off, parameters: [{ name: "driver\\.enabled", value: "true" }] }, []],
    ["files", { valueFiles: ["$values/gpu.yaml"] }, [`advise ${helm}.valueFiles`]],
    ["files below values", { valuesObject: off, valueFiles: ["gpu.yaml"] }, [`advise ${helm}.valueFiles`]],
    ["unknown values", { valuesObject: unknown }, [`unknown ${helm}.valuesObject`]],
    ["an unknown text", { values: unknown }, [`unknown ${helm}.values`]],
    [
      "parameters over an unknown text",
      { values: unknown, parameters: [{ name: "toolkit.enabled", value: "false" }] },
      [`unknown ${helm}.values.driver`],
    ],
    ["unknown parameters", { valuesObject: off, parameters: unknown }, [`unknown ${helm}.parameters`]],
    [
      "an unknown name of a parameter",
      { valuesObject: off, parameters: [{ name: unknown, value: "x" }] },
      [`unknown ${helm}.parameters[0].name`],
    ],
    [
      "a parameter of an item",
      { valuesObject: off, parameters: [{ name: "driver.enabled[0]", value: "true" }] },
      [`unknown ${helm}.valuesObject.driver.enabled`],
    ],
    [
      "an unknown parameter",
      { valuesObject: off, parameters: [{ name: "driver.enabled", value: unknown }] },
      [`unknown ${helm}.valuesObject.driver.enabled`],
    ],
  ] as const)("driver and toolkit: %s", ([, values, expected]) => {
    const said = verdicts(nvidiaAmiDriverToolkitOff, [nvidia, application({ ...chart, helm: values })]);
    expect(said).toEqual(expected);
  });

  test("items of a list in parameters", () => {
    const tainted = {
      ...nvidia,
      properties: { ...nvidia.properties, taints: [{ key: "team", effect: "NO_SCHEDULE" }] },
    };
    const tolerations = [
      { name: "daemonsets.tolerations[0].operator", value: "Exists" },
      { name: "node-feature-discovery.worker.tolerations[0].operator", value: "Exists" },
    ];
    const said = verdicts(operatorToleratesTaints, [
      tainted,
      application({ ...chart, helm: { parameters: tolerations } }),
    ]);
    const paths = ["daemonsets", "node-feature-discovery.worker"].map((part) => `${helm}.values.${part}.tolerations`);
    expect(said).toEqual([`unknown ${paths.join(", ")}`]);
  });

  test("is a chart to other rules too", () => {
    const plugin = application({ ...chart, chart: "nvidia-device-plugin" });
    const operator = { ...application({ ...chart, targetRevision: "v25.3.0" }), urn: "urn:operator" };
    expect(verdicts(oneGpuDevicePlugin, [operator, plugin])).toEqual(["fail spec.source.chart"]);
    expect(verdicts(gpuOperatorK8sCompat, [nvidia, operator])).toEqual([`fail ${at}`]);
    const agent = resource("aws:eks/addon:Addon", { addonName: "eks-node-monitoring-agent" }, { name: "agent" });
    expect(verdicts(oneDcgmEngine, [agent, operator])).toEqual([`fail ${helm}.values.dcgmExporter.env`]);
  });
});

/** @see https://fluxcd.io/flux/components/helm/helmreleases/ */
const helmRelease = (spec: object) =>
  resource("kubernetes:helm.toolkit.fluxcd.io/v2:HelmRelease", {
    apiVersion: "helm.toolkit.fluxcd.io/v2",
    kind: "HelmRelease",
    metadata: { name: "gpu-operator", namespace: "gpu" },
    spec: { interval: "10m", ...spec },
  });
const template = (more: object = {}) => ({
  chart: {
    spec: { chart: "gpu-operator", version: "v26.3.1", sourceRef: { kind: "HelmRepository", name: "nvidia" }, ...more },
  },
});
const source = (kind: string, spec: object, metadata: object = { name: "operator", namespace: "gpu" }) =>
  resource(`kubernetes:source.toolkit.fluxcd.io/v1:${kind}`, { metadata, spec }, { name: "source" });
const url = "oci://registry.example/charts/gpu-operator";

describe("a HelmRelease of Flux", () => {
  const at = "spec.chart.spec.version";
  test.for([
    ["pinned", template(), []],
    ["a range", template({ version: ">=26.0.0" }), [`fail ${at}`]],
    ["no version", template({ version: undefined }), [`fail ${at}`]],
    ["an unknown version", template({ version: unknown }), [`unknown ${at}`]],
    ["another chart", template({ chart: "prometheus", version: "*" }), []],
    ["a folder in Git", template({ chart: "./gpu-operator", version: "*", sourceRef: { kind: "GitRepository" } }), []],
    [
      "a source of unknown kind",
      template({ sourceRef: { kind: unknown } }),
      ["unknown spec.chart.spec.sourceRef.kind"],
    ],
    ["a chart of another resource", { chartRef: { kind: "OCIRepository", name: "operator" } }, []],
  ] as const)("version: %s", ([, spec, expected]) => {
    expect(verdicts(gpuOperatorChartPinned, [helmRelease(spec)])).toEqual(expected);
  });

  test("an older version of the API", () => {
    const { properties } = helmRelease(template({ version: "*" }));
    const old = resource("kubernetes:helm.toolkit.fluxcd.io/v2beta1:HelmRelease", properties);
    expect(verdicts(gpuOperatorChartPinned, [old])).toEqual([`fail ${at}`]);
  });

  test.for([
    ["a tag", "OCIRepository", { url, ref: { tag: "v26.3.1" } }, []],
    ["the newest", "OCIRepository", { url }, ["fail spec.ref.semver"]],
    ["a moving tag", "OCIRepository", { url, ref: { tag: "latest" } }, ["fail spec.ref.tag"]],
    ["a range over a tag", "OCIRepository", { url, ref: { tag: "v26.3.1", semver: "26.x" } }, ["fail spec.ref.semver"]],
    ["a digest", "OCIRepository", { url, ref: { digest: "sha256:0a" } }, []],
    ["digest, range", "OCIRepository", { url, ref: { digest: "sha256:0a", semver: "26.x" } }, ["fail spec.ref.semver"]],
    ["another image", "OCIRepository", { url: "oci://registry.example/charts/web" }, []],
    ["a chart", "HelmChart", template().chart.spec, []],
    ["a chart of any version", "HelmChart", template({ version: "*" }).chart.spec, ["fail spec.version"]],
  ] as const)("version in a source: %s", ([, kind, spec, expected]) => {
    expect(verdicts(gpuOperatorChartPinned, [source(kind, spec)])).toEqual(expected);
  });

  const fails = ["fail spec.values.driver.enabled", "fail spec.values.toolkit.enabled"];
  const reference = { chartRef: { kind: "OCIRepository", name: "operator" } };
  const image = source("OCIRepository", { url, ref: { tag: "v26.3.1" } });
  test.for([
    ["nothing", [helmRelease(template())], fails],
    ["off", [helmRelease({ ...template(), values: off })], []],
    ["unknown values", [helmRelease({ ...template(), values: unknown })], ["unknown spec.values"]],
    ["a ConfigMap", [helmRelease({ ...template(), valuesFrom: [{ kind: "ConfigMap" }] })], ["advise spec.valuesFrom"]],
    ["files of charts", [helmRelease(template({ valuesFiles: ["gpu.yaml"] }))], ["advise spec.chart.spec.valuesFiles"]],
    ["the chart of a source", [helmRelease(reference), image], fails],
    ["the chart of a source, off", [helmRelease({ ...reference, values: off }), image], []],
    ["a source that is not in the stack", [helmRelease(reference)], []],
    [
      "a source of another namespace",
      [helmRelease(reference), source("OCIRepository", { url }, { name: "operator", namespace: "web" })],
      [],
    ],
    [
      "a source of a stated namespace",
      [
        helmRelease({ chartRef: { ...reference.chartRef, namespace: "web" } }),
        source("OCIRepository", { url }, { name: "operator", namespace: "web" }),
      ],
      fails,
    ],
    [
      "a source of a namespace known only after the update",
      [helmRelease(reference), source("OCIRepository", { url }, { name: "operator", namespace: unknown })],
      ["unknown spec.chartRef"],
    ],
    ["a source of another chart", [helmRelease(reference), source("OCIRepository", { url: `${url}/web` })], []],
    [
      "a source of a chart that may be a copy",
      [helmRelease(reference), source("OCIRepository", { url: `${url}-mirror` })],
      ["unknown the content of spec.url"],
    ],
  ] as const)("driver and toolkit: %s", ([, resources, expected]) => {
    expect(verdicts(nvidiaAmiDriverToolkitOff, [nvidia, ...resources])).toEqual(expected);
  });

  test("a rule that does not see the source hides it from no other rule", () => {
    const rules = [gpuOperatorChartPinned, nvidiaAmiDriverToolkitOff].map((rule) => ({
      rule,
      level: "mandatory" as const,
    }));
    const said = judge({ ...packOf(nvidiaAmiDriverToolkitOff), rules }, [nvidia, helmRelease(reference), image]);
    expect(said.map(short)).toEqual(fails);
  });

  test("a source whose name is known only after the update", () => {
    const release = {
      ...helmRelease({ chartRef: { kind: "OCIRepository", name: unknown } }),
      propertyDependencies: { spec: [image.urn] },
    };
    expect(verdicts(nvidiaAmiDriverToolkitOff, [nvidia, release, image])).toEqual(fails);
  });

  test("the Kubernetes version is compared with the chart of a source", () => {
    const old = source("OCIRepository", { url, ref: { tag: "v25.3.0" } });
    expect(verdicts(gpuOperatorK8sCompat, [nvidia, helmRelease(reference), old])).toEqual(["fail spec.ref.tag"]);
  });
});
