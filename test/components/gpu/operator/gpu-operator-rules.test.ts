import { output } from "@pulumi/pulumi";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gpuOperatorChart } from "../../../../components/core/versions";
import type { GpuOperatorArgs } from "../../../../components/gpu/operator/gpu-operator";
import { gpuOperatorDefaults, gpuOperatorProblems } from "../../../../components/gpu/operator/gpu-operator-rules";

const problemsOf = (args: object, at?: string) => gpuOperatorProblems({ kubernetesVersion: "1.35", ...args }, at);

describe("what is fine", () => {
  test.each<[string, object]>([
    ["the defaults", {}],
    ["a version without its v", { chartVersion: "26.3.1" }],
    ["an explicit undefined", { chartVersion: undefined, values: undefined, timeSlicing: undefined }],
    [
      "an older series with the operator's engine",
      { chartVersion: "v25.10.1", kubernetesVersion: "1.34", health: "operator" },
    ],
    ["a mirror", { repository: "https://charts.example.com/nvidia/" }],
    ["an OCI mirror with a port", { repository: "oci://registry.example.com:5000/charts" }],
    ["time slicing", { timeSlicing: { replicas: 110 } }],
    ["MPS", { mps: { replicas: 48 } }],
    ["MIG", { migCapable: true, migStrategy: "mixed" }],
    ["time slicing of MIG devices", { migCapable: true, migStrategy: "single", timeSlicing: { replicas: 2 } }],
    ["no device plugin", { devicePlugin: false }],
    [
      "taints of two groups, one twice",
      {
        taints: [
          { key: "a", effect: "NO_SCHEDULE" },
          { key: "a", effect: "NO_SCHEDULE" },
        ],
      },
    ],
    ["a long timeout", { timeoutSeconds: 7200 }],
    [
      "free-form values",
      { values: { gfd: { enabled: false }, extraObjects: [], driver: { enabled: false }, global: {} } },
    ],
    [
      "a list with the engine's address",
      {
        values: {
          dcgmExporter: {
            env: [
              { name: "DCGM_REMOTE_HOSTENGINE_INFO", value: "localhost:5555" },
              { name: "A", value: "b" },
            ],
          },
        },
      },
    ],
    [
      "an exporter with variables and an engine of its own",
      { health: "off", values: { dcgmExporter: { env: [{ name: "A", value: "b" }] } } },
    ],
  ])("%s", (_, args) => expect(problemsOf(args)).toEqual([]));
});

const fixRepository =
  'set repository to an https:// repository such as "https://helm.ngc.nvidia.com/nvidia", or to an oci:// registry';
const dnsLabel =
  "It must be a DNS label: 1 to 63 lower-case letters, digits and dashes, with a letter or digit at both ends.";
const oneEngine = 'A node must have exactly one DCGM engine; health "node-monitor" selects it.';

test.each([
  ["devicePlugin", { devicePlugin: { enabled: false } }, "devicePlugin.enabled"],
  ["dcgmExporter", { dcgmExporter: { enabled: false } }, "dcgmExporter.enabled"],
  ["serviceMonitor", { dcgmExporter: { serviceMonitor: { enabled: false } } }, "dcgmExporter.serviceMonitor.enabled"],
  ["migStrategy", { mig: { strategy: false } }, "mig.strategy"],
])("the values do not say what the argument %s says", (argument, values, path) => {
  const conflict = (at: string) => ({
    code: "conflict",
    path: `${at}values.${path}`,
    got: false,
    why: `The argument ${at}${argument} sets this value, and other resources depend on that argument.`,
    fix: `remove ${at}values.${path}, and set ${at}${argument}`,
  });
  expect(problemsOf({ values })).toEqual([conflict("")]);
  expect(problemsOf({ values }, "gpuOperator")).toEqual([conflict("gpuOperator.")]);
});

describe("what is wrong", () => {
  test.each<[string, object, Record<string, unknown>]>([
    [
      "a floating version",
      { chartVersion: "latest" },
      {
        code: "version",
        path: "chartVersion",
        got: "latest",
        why: "It names no version: what it stands for changes with every release.",
        fix: 'set chartVersion to one exact version, e.g. "v26.3.1"',
      },
    ],
    [
      "a chart that does not go with the cluster",
      { chartVersion: "v25.10.1" },
      {
        code: "version",
        path: "chartVersion",
        got: "v25.10.1",
        why: "Chart v25.10.1 is accepted for Kubernetes 1.30 to 1.34, and the cluster runs 1.35.",
        fix: 'set chartVersion to "v26.3.1"',
      },
    ],
    [
      "an exporter that cannot reach the engine",
      { chartVersion: "v25.10.1", kubernetesVersion: "1.34" },
      {
        code: "conflict",
        path: "health",
        got: "node-monitor",
        why: "The exporter of chart v25.10.1 has no host network, so it cannot reach the node monitor's DCGM engine.",
        fix: 'set health to "operator" or "off"',
      },
    ],
    [
      "no Kubernetes version",
      { kubernetesVersion: undefined },
      {
        code: "missing",
        path: "kubernetesVersion",
        got: undefined,
        why: "What is installed must fit the cluster's Kubernetes version.",
        fix: 'set kubernetesVersion to the cluster\'s version in quotes, e.g. "1.35"',
      },
    ],
    [
      "a namespace in capitals",
      { namespace: "GPU" },
      {
        code: "not-allowed",
        path: "namespace",
        got: "GPU",
        why: dnsLabel,
        fix: 'set namespace to a name of its own, e.g. "gpu-operator"',
      },
    ],
    [
      "a namespace that is there",
      { namespace: "kube-system" },
      {
        code: "not-allowed",
        path: "namespace",
        got: "kube-system",
        why: "Every cluster has this namespace; the component makes its own and labels it privileged.",
        fix: 'set namespace to a name of its own, e.g. "gpu-operator"',
      },
    ],
    [
      "a repository over http",
      { repository: "http://charts.example.com" },
      {
        code: "not-allowed",
        path: "repository",
        got: "http://charts.example.com",
        why: "The chart installs privileged pods, so it must come over a connection that proves its origin.",
        fix: fixRepository,
      },
    ],
    [
      "a repository's nickname",
      { repository: "nvidia" },
      {
        code: "not-allowed",
        path: "repository",
        got: "nvidia",
        why: "It is not the URL of a chart repository.",
        fix: fixRepository,
      },
    ],
    [
      "a repository without a host",
      { repository: "oci:///charts" },
      {
        code: "not-allowed",
        path: "repository",
        got: "oci:///charts",
        why: "It is not the URL of a chart repository.",
        fix: fixRepository,
      },
    ],
    [
      "a login in the URL, which the message hides",
      { repository: "https://user:p@ss@charts.example.com/nvidia" },
      {
        code: "not-allowed",
        path: "repository",
        got: "https://***@charts.example.com/nvidia",
        why: "A login in the URL would stand in every plan and in the state.",
        fix: "take the login out of repository and pass it as secrets with transform.release",
      },
    ],
    [
      "a tag in an OCI reference",
      { repository: "oci://registry.example.com/gpu-operator:v26.3.1" },
      {
        code: "not-allowed",
        path: "repository",
        got: "oci://registry.example.com/gpu-operator:v26.3.1",
        why: "The tag or digest would contradict chartVersion.",
        fix: "leave it out of repository and state chartVersion",
      },
    ],
    [
      "a repository that is no text",
      { repository: 1 },
      { code: "wrong-type", path: "repository", got: 1, why: "It must be a text.", fix: fixRepository },
    ],
    [
      "labels that are no texts",
      { controllerNodeSelector: { tier: 1 } },
      {
        code: "wrong-type",
        path: "controllerNodeSelector",
        got: { tier: 1 },
        why: "It must hold node labels, each a text.",
        fix: 'set controllerNodeSelector to labels such as { tier: "primary" }',
      },
    ],
    [
      "a switch in quotes",
      { devicePlugin: "false" },
      {
        code: "wrong-type",
        path: "devicePlugin",
        got: "false",
        why: "It must be true or false.",
        fix: "set devicePlugin to true or false, without quotes",
      },
    ],
    [
      "an unknown engine",
      { health: "both" },
      {
        code: "not-allowed",
        path: "health",
        got: "both",
        why: 'It must be one of "node-monitor", "operator", "off".',
        fix: 'set health to one of "node-monitor", "operator", "off"',
      },
    ],
    [
      "taints in Kubernetes' spelling",
      { taints: [{ key: "a", effect: "NoSchedule" }] },
      {
        code: "wrong-type",
        path: "taints",
        got: [{ key: "a", effect: "NoSchedule" }],
        why: "It must list the taints of the GPU node groups as EKS spells them.",
        fix: 'set taints to a list such as [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }]',
      },
    ],
    [
      "a ServiceMonitor of nothing",
      { serviceMonitor: true, dcgmExporter: false },
      {
        code: "conflict",
        path: "serviceMonitor",
        got: true,
        why: "It tells Prometheus to read the DCGM exporter, which is off.",
        fix: "set dcgmExporter to true, or leave serviceMonitor out",
      },
    ],
    [
      "one share",
      { timeSlicing: { replicas: 1 } },
      {
        code: "out-of-range",
        path: "timeSlicing.replicas",
        got: 1,
        why: "It must be from 2 to 110.",
        fix: "set timeSlicing.replicas to a whole number, from 2 to 110",
      },
    ],
    [
      "more MPS clients than a server takes",
      { mps: { replicas: 49 } },
      {
        code: "out-of-range",
        path: "mps.replicas",
        got: 49,
        why: "It must be from 2 to 48.",
        fix: "set mps.replicas to a whole number, from 2 to 48",
      },
    ],
    [
      "a bare number of shares",
      { timeSlicing: 4 },
      {
        code: "wrong-type",
        path: "timeSlicing",
        got: 4,
        why: "It must be an object.",
        fix: "set timeSlicing.replicas, e.g. to 4",
      },
    ],
    [
      "two ways of sharing",
      { timeSlicing: { replicas: 4 }, mps: { replicas: 4 } },
      {
        code: "conflict",
        path: "mps",
        got: { replicas: 4 },
        why: "The device plugin shares a GPU either by time slicing or by MPS.",
        fix: "state one of timeSlicing and mps",
      },
    ],
    [
      "time slicing without the plugin",
      { devicePlugin: false, timeSlicing: { replicas: 4 } },
      {
        code: "conflict",
        path: "timeSlicing",
        got: { replicas: 4 },
        why: "It is the device plugin that shares GPUs, and it is off.",
        fix: "set devicePlugin to true, or leave timeSlicing out",
      },
    ],
    [
      "MPS without the plugin",
      { devicePlugin: false, mps: { replicas: 4 } },
      {
        code: "conflict",
        path: "mps",
        got: { replicas: 4 },
        why: "It is the device plugin that shares GPUs, and it is off.",
        fix: "set devicePlugin to true, or leave mps out",
      },
    ],
    [
      "a MIG strategy for GPUs without MIG",
      { migStrategy: "single" },
      {
        code: "conflict",
        path: "migStrategy",
        got: "single",
        why: "The GPUs have no MIG: an A100, A30 or H100 has, an A10G, L4, L40S or T4 has not.",
        fix: "leave migStrategy out, or use an instance type whose GPUs have MIG",
      },
    ],
    [
      "an unknown MIG strategy",
      { migCapable: true, migStrategy: "none" },
      {
        code: "not-allowed",
        path: "migStrategy",
        got: "none",
        why: 'It must be one of "single", "mixed".',
        fix: 'set migStrategy to one of "single", "mixed"',
      },
    ],
    [
      "MPS of MIG devices",
      { migCapable: true, migStrategy: "single", mps: { replicas: 4 } },
      {
        code: "conflict",
        path: "mps",
        got: { replicas: 4 },
        why: "The device plugin cannot share MIG devices by MPS.",
        fix: "leave mps or migStrategy out",
      },
    ],
    [
      "a short timeout",
      { timeoutSeconds: 300 },
      {
        code: "out-of-range",
        path: "timeoutSeconds",
        got: 300,
        why: "Pulling the images and starting the pods can take ten minutes, and an install that runs out of time stays half made.",
        fix: "set timeoutSeconds to 600 or more; 900 is the default",
      },
    ],
    [
      "a timeout in milliseconds",
      { timeoutSeconds: 900_000 },
      {
        code: "out-of-range",
        path: "timeoutSeconds",
        got: 900_000,
        why: "It must be from 600 to 7200 seconds.",
        fix: "set timeoutSeconds to a whole number of seconds, from 600 to 7200",
      },
    ],
    [
      "a timeout in words",
      { timeoutSeconds: "15m" },
      {
        code: "wrong-type",
        path: "timeoutSeconds",
        got: "15m",
        why: "It must be a whole number.",
        fix: "set timeoutSeconds to a whole number of seconds, from 600 to 7200",
      },
    ],
    [
      "values that are a text",
      { values: "gfd.enabled=false" },
      {
        code: "wrong-type",
        path: "values",
        got: "gfd.enabled=false",
        why: "Must be an object with the chart's values.",
        fix: "set values to an object such as { gfd: { enabled: false } }",
      },
    ],
    [
      "a driver",
      { values: { driver: { enabled: true } } },
      {
        code: "not-allowed",
        path: "values.driver.enabled",
        got: true,
        why: "The AL2023 NVIDIA AMI contains the driver, and NVIDIA publishes no driver container for AL2023.",
        fix: "remove values.driver.enabled",
      },
    ],
    [
      "a toolkit in quotes, which Helm would turn on as well",
      { values: { toolkit: { enabled: "true" } } },
      {
        code: "not-allowed",
        path: "values.toolkit.enabled",
        got: "true",
        why: "The AL2023 NVIDIA AMI contains the container toolkit; the operator's toolkit on top of it breaks it.",
        fix: "remove values.toolkit.enabled",
      },
    ],
    [
      "NRI",
      { values: { cdi: { nriPluginEnabled: true } } },
      {
        code: "not-allowed",
        path: "values.cdi.nriPluginEnabled",
        got: true,
        why: "The NRI plugin is part of the operator's container toolkit, which is off on the AL2023 NVIDIA AMI.",
        fix: "remove values.cdi.nriPluginEnabled",
      },
    ],
    [
      "a section erased",
      { values: { driver: null } },
      {
        code: "wrong-type",
        path: "values.driver",
        got: null,
        why: "Must be an object, as in the chart; another value removes all settings in it.",
        fix: "set single keys below values.driver",
      },
    ],
    [
      "a misspelt key",
      { values: { devicePlugins: { enabled: false } } },
      {
        code: "unknown-key",
        path: "values.devicePlugins",
        got: {},
        why: `Chart ${gpuOperatorChart.version} has no such key. Helm silently ignores unknown keys.`,
        fix: "did you mean values.devicePlugin?",
      },
    ],
    [
      "a key of another release",
      { values: { gpuCluster: {} } },
      {
        code: "unknown-key",
        path: "values.gpuCluster",
        got: {},
        why: `Chart ${gpuOperatorChart.version} has no such key. Helm silently ignores unknown keys.`,
        fix: "remove values.gpuCluster",
      },
    ],
    [
      "a misspelt key of a section",
      { values: { devicePlugin: { enbled: false } } },
      {
        code: "unknown-key",
        path: "values.devicePlugin.enbled",
        got: false,
        why: `Chart ${gpuOperatorChart.version} has no such key. Helm silently ignores unknown keys.`,
        fix: "did you mean values.devicePlugin.enabled?",
      },
    ],
    [
      "a key that the section has not",
      { values: { mig: { profile: "all-1g.5gb" } } },
      {
        code: "unknown-key",
        path: "values.mig.profile",
        got: "all-1g.5gb",
        why: `Chart ${gpuOperatorChart.version} has no such key. Helm silently ignores unknown keys.`,
        fix: "choose among strategy",
      },
    ],
    [
      "values that come too late",
      { values: output({ gfd: { enabled: false } }) },
      {
        code: "wrong-type",
        path: "values",
        got: "an Output",
        why: "Must be known when the program starts, so that it can be checked.",
        fix: "set values to a plain value",
      },
    ],
    [
      "a misspelt argument",
      { chartversion: "v26.3.1" },
      {
        code: "unknown-key",
        path: "chartversion",
        got: "v26.3.1",
        why: "There is no such key.",
        fix: "did you mean chartVersion?",
      },
    ],
    [
      "a second key of time slicing",
      { timeSlicing: { replicas: 4, failRequestsGreaterThanOne: false } },
      {
        code: "unknown-key",
        path: "timeSlicing.failRequestsGreaterThanOne",
        got: false,
        why: "There is no such key.",
        fix: "choose among replicas",
      },
    ],
    [
      "a misspelt key of MPS",
      { mps: { replica: 4, replicas: 4 } },
      {
        code: "unknown-key",
        path: "mps.replica",
        got: 4,
        why: "There is no such key.",
        fix: "did you mean mps.replicas?",
      },
    ],
    [
      "a second engine",
      { values: { dcgm: { enabled: true } } },
      {
        code: "conflict",
        path: "values.dcgm.enabled",
        got: true,
        why: oneEngine,
        fix: "remove values.dcgm.enabled, or select another engine with health",
      },
    ],
    [
      "an exporter without host network",
      { values: { dcgmExporter: { hostNetwork: false } } },
      {
        code: "conflict",
        path: "values.dcgmExporter.hostNetwork",
        got: false,
        why: oneEngine,
        fix: "remove values.dcgmExporter.hostNetwork, or select another engine with health",
      },
    ],
    [
      "a list of variables without the engine's address",
      { values: { dcgmExporter: { env: [{ name: "A", value: "b" }] } } },
      {
        code: "conflict",
        path: "values.dcgmExporter.env",
        got: [{ name: "A", value: "b" }],
        why: oneEngine,
        fix: 'add { name: "DCGM_REMOTE_HOSTENGINE_INFO", value: "localhost:5555" } to values.dcgmExporter.env',
      },
    ],
    [
      "an engine elsewhere beside the operator's",
      {
        health: "operator",
        values: { dcgmExporter: { env: [{ name: "DCGM_REMOTE_HOSTENGINE_INFO", value: "localhost:5555" }] } },
      },
      {
        code: "conflict",
        path: "values.dcgmExporter.env",
        got: [{ name: "DCGM_REMOTE_HOSTENGINE_INFO", value: "localhost:5555" }],
        why: 'A node must have exactly one DCGM engine; health "operator" selects it.',
        fix: "remove DCGM_REMOTE_HOSTENGINE_INFO from values.dcgmExporter.env, or select another engine with health",
      },
    ],
  ])("%s", (_, args, problem) => expect(problemsOf(args)).toEqual([problem]));

  test("everything at once, under the caller's own names", () => {
    const args = {
      ...{ chartVersion: ">=26", kubernetesVersion: 1.35, namespace: "", repository: "", timeoutSeconds: 60 },
      ...{ health: "x", taints: {}, mps: { replicas: 2.5 }, values: { driver: { enabled: true }, typo: 1 } },
    };
    expect(problemsOf(args, "gpuOperator").map(({ path }) => path)).toEqual([
      "gpuOperator.chartVersion",
      "gpuOperator.kubernetesVersion",
      "gpuOperator.namespace",
      "gpuOperator.repository",
      "gpuOperator.health",
      "gpuOperator.taints",
      "gpuOperator.mps.replicas",
      "gpuOperator.timeoutSeconds",
      "gpuOperator.values.typo",
      "gpuOperator.values.driver.enabled",
    ]);
  });

  test.each([[undefined], [null], ["v26.3.1"], [[]]])("arguments %j are no object", (args) => {
    const problem = { code: "wrong-type", got: args, why: "It must be an object." };
    expect(gpuOperatorProblems(args as unknown as GpuOperatorArgs)).toEqual([
      { ...problem, path: "args", fix: "set the keys of args" },
    ]);
    expect(gpuOperatorProblems(args as unknown as GpuOperatorArgs, "gpuOperator")).toEqual([
      { ...problem, path: "gpuOperator", fix: "set the keys of gpuOperator" },
    ]);
  });

  test("no garbage makes it throw", () => {
    const keys = [
      ...Object.keys(gpuOperatorDefaults),
      "kubernetesVersion",
      "timeSlicing",
      "mps",
      "migStrategy",
      "values",
    ];
    const sections = fc.dictionary(
      fc.constantFrom("driver", "cdi", "dcgm", "dcgmExporter", "devicePlugin", "x"),
      fc.anything(),
    );
    const value = fc.oneof(fc.anything(), sections, fc.constantFrom("v26.3.1", "1.35", "node-monitor", true, 900));
    const args = fc.oneof(fc.anything(), fc.dictionary(fc.constantFrom(...keys), value));
    fc.assert(
      fc.property(args, (garbage) => void gpuOperatorProblems(garbage as GpuOperatorArgs)),
      { numRuns: 500 },
    );
  });
});
