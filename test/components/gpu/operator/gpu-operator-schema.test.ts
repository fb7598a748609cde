import { output } from "@pulumi/pulumi";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gpuOperatorChart, kubernetesVersion } from "../../../../components/core/versions";
import {
  gpuOperatorConflicts,
  gpuOperatorDefaults,
  gpuOperatorProblems,
  type GpuOperatorArgs,
} from "../../../../components/gpu/operator/gpu-operator-schema";
import { wording } from "../../../support/wording";

const problemsOf = (args: object, at?: string) => gpuOperatorProblems({ kubernetesVersion, ...args }, at);
const found = (args: object, at?: string) =>
  problemsOf(args, at).map(({ code, path, got }) => [code, path, got] as const);

describe("valid arguments", () => {
  test.each<[string, object]>([
    ["the defaults", {}],
    ["a version without its v", { chartVersion: gpuOperatorChart.version.slice(1) }],
    ["an explicit undefined", { chartVersion: undefined, values: undefined, timeSlicing: undefined }],
    [
      "an old series, the operator's engine",
      { chartVersion: "v25.10.1", kubernetesVersion: "1.34", health: "operator" },
    ],
    ["a mirror", { repository: "https://charts.example.com/nvidia/" }],
    ["an OCI mirror with a port", { repository: "oci://registry.example.com:5000/charts" }],
    ["time slicing", { timeSlicing: { replicas: 110 } }],
    ["MPS", { mps: { replicas: 48 } }],
    ["MIG", { migCapable: true, migStrategy: "mixed" }],
    ["no search for MIG devices", { migStrategy: "none" }],
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

test.each([
  ["devicePlugin", { devicePlugin: { enabled: false } }, "devicePlugin.enabled"],
  ["dcgmExporter", { dcgmExporter: { enabled: false } }, "dcgmExporter.enabled"],
  ["serviceMonitor", { dcgmExporter: { serviceMonitor: { enabled: false } } }, "dcgmExporter.serviceMonitor.enabled"],
  ["migStrategy", { mig: { strategy: false } }, "mig.strategy"],
])("values must not repeat the argument %s", (argument, values, path) => {
  expect(found({ values })).toEqual([["conflict", `values.${path}`, false]]);
  expect(problemsOf({ values })[0]?.fix).toContain(`set ${argument}`);
  expect(found({ values }, "gpuOperator")).toEqual([["conflict", `gpuOperator.values.${path}`, false]]);
});

/** The name of a case, its arguments, and the one problem that they have. */
const wrong: [name: string, args: object, code: string, path: string, got: unknown][] = [
  ["a floating version", { chartVersion: "latest" }, "version", "chartVersion", "latest"],
  ["a chart without the cluster's version", { chartVersion: "v25.10.1" }, "version", "chartVersion", "v25.10.1"],
  [
    "an exporter that cannot reach the engine",
    { chartVersion: "v25.10.1", kubernetesVersion: "1.34" },
    "conflict",
    "health",
    "node-monitor",
  ],
  ["no Kubernetes version", { kubernetesVersion: undefined }, "missing", "kubernetesVersion", undefined],
  ["a namespace in capitals", { namespace: "GPU" }, "not-allowed", "namespace", "GPU"],
  ["a namespace of every cluster", { namespace: "kube-system" }, "not-allowed", "namespace", "kube-system"],
  [
    "a repository over http",
    { repository: "http://charts.example.com" },
    "not-allowed",
    "repository",
    "http://charts.example.com",
  ],
  ["a repository's nickname", { repository: "nvidia" }, "not-allowed", "repository", "nvidia"],
  ["a repository without a host", { repository: "oci:///charts" }, "not-allowed", "repository", "oci:///charts"],
  [
    "a login in the URL, which the message hides",
    { repository: "https://user:p@ss@charts.example.com/nvidia" },
    "not-allowed",
    "repository",
    "https://***@charts.example.com/nvidia",
  ],
  [
    "a tag in an OCI reference",
    { repository: "oci://registry.example.com/gpu-operator:v26.3.1" },
    "not-allowed",
    "repository",
    "oci://registry.example.com/gpu-operator:v26.3.1",
  ],
  ["a repository that is not a string", { repository: 1 }, "wrong-type", "repository", 1],
  ["labels of a wrong type", { controllerNodeSelector: { tier: 1 } }, "wrong-type", "controllerNodeSelector.tier", 1],
  ["a switch in quotes", { devicePlugin: "false" }, "wrong-type", "devicePlugin", "false"],
  ["an unknown engine", { health: "both" }, "not-allowed", "health", "both"],
  [
    "another spelling",
    { taints: [{ key: "a", effect: "NoSchedule" }] },
    "not-allowed",
    "taints[0].effect",
    "NoSchedule",
  ],
  ["a ServiceMonitor of nothing", { serviceMonitor: true, dcgmExporter: false }, "conflict", "serviceMonitor", true],
  ["one share", { timeSlicing: { replicas: 1 } }, "out-of-range", "timeSlicing.replicas", 1],
  ["more MPS clients than a server takes", { mps: { replicas: 49 } }, "out-of-range", "mps.replicas", 49],
  ["a bare number of shares", { timeSlicing: 4 }, "wrong-type", "timeSlicing", 4],
  ["two ways of sharing", { timeSlicing: { replicas: 4 }, mps: { replicas: 4 } }, "conflict", "mps", { replicas: 4 }],
  [
    "slices, no plugin",
    { devicePlugin: false, timeSlicing: { replicas: 4 } },
    "conflict",
    "timeSlicing",
    { replicas: 4 },
  ],
  ["MPS without the plugin", { devicePlugin: false, mps: { replicas: 4 } }, "conflict", "mps", { replicas: 4 }],
  ["a MIG strategy for GPUs without MIG", { migStrategy: "single" }, "conflict", "migStrategy", "single"],
  ["an unknown MIG strategy", { migCapable: true, migStrategy: "all" }, "not-allowed", "migStrategy", "all"],
  ["MPS of MIG", { migCapable: true, migStrategy: "single", mps: { replicas: 4 } }, "conflict", "mps", { replicas: 4 }],
  ["a short timeout", { timeoutSeconds: 300 }, "out-of-range", "timeoutSeconds", 300],
  ["a timeout in milliseconds", { timeoutSeconds: 900_000 }, "out-of-range", "timeoutSeconds", 900_000],
  ["a timeout in words", { timeoutSeconds: "15m" }, "wrong-type", "timeoutSeconds", "15m"],
  ["values that are a string", { values: "gfd.enabled=false" }, "wrong-type", "values", "gfd.enabled=false"],
  ["a driver", { values: { driver: { enabled: true } } }, "not-allowed", "values.driver.enabled", true],
  [
    "a toolkit in quotes, which Helm would turn on as well",
    { values: { toolkit: { enabled: "true" } } },
    "not-allowed",
    "values.toolkit.enabled",
    "true",
  ],
  ["NRI", { values: { cdi: { nriPluginEnabled: true } } }, "not-allowed", "values.cdi.nriPluginEnabled", true],
  ["a section erased", { values: { driver: null } }, "wrong-type", "values.driver", null],
  ["a misspelt section", { values: { devicePlugins: { enabled: false } } }, "unknown-key", "values.devicePlugins", {}],
  ["a key of another release", { values: { gpuCluster: {} } }, "unknown-key", "values.gpuCluster", {}],
  [
    "a misspelt key",
    { values: { devicePlugin: { enbled: false } } },
    "unknown-key",
    "values.devicePlugin.enbled",
    false,
  ],
  [
    "a key that the section does not have",
    { values: { mig: { profile: "all-1g.5gb" } } },
    "unknown-key",
    "values.mig.profile",
    "all-1g.5gb",
  ],
  ["values that are an Output", { values: output({ gfd: { enabled: false } }) }, "wrong-type", "values", "an Output"],
  ["a misspelt argument", { chartversion: "v26.3.1" }, "unknown-key", "chartversion", "v26.3.1"],
  [
    "a second key of time slicing",
    { timeSlicing: { replicas: 4, failRequestsGreaterThanOne: false } },
    "unknown-key",
    "timeSlicing.failRequestsGreaterThanOne",
    false,
  ],
  ["a misspelt key of MPS", { mps: { replica: 4, replicas: 4 } }, "unknown-key", "mps.replica", 4],
  ["a second engine", { values: { dcgm: { enabled: true } } }, "conflict", "values.dcgm.enabled", true],
  [
    "an exporter without host network",
    { values: { dcgmExporter: { hostNetwork: false } } },
    "conflict",
    "values.dcgmExporter.hostNetwork",
    false,
  ],
  [
    "a list of variables without the engine's address",
    { values: { dcgmExporter: { env: [{ name: "A", value: "b" }] } } },
    "conflict",
    "values.dcgmExporter.env",
    [{ name: "A", value: "b" }],
  ],
  [
    "an engine elsewhere with the operator's",
    {
      health: "operator",
      values: { dcgmExporter: { env: [{ name: "DCGM_REMOTE_HOSTENGINE_INFO", value: "localhost:5555" }] } },
    },
    "conflict",
    "values.dcgmExporter.env",
    [{ name: "DCGM_REMOTE_HOSTENGINE_INFO", value: "localhost:5555" }],
  ],
];

describe("wrong arguments", () => {
  test.for(wrong)("%s", ([, args, code, path, got]) => expect(found(args)).toEqual([[code, path, got]]));

  test("wording", () => {
    // The wording of problems inside `values` is that of the tests of custom values.
    const problems = wrong.flatMap(([, args]) => problemsOf(args)).filter(({ path }) => !path.startsWith("values."));
    expect(wording(problems)).toMatchInlineSnapshot(`
      "chartVersion: Must be an exact version: this name selects a different chart after each release. | set chartVersion to one exact version, such as "VERSION"
      chartVersion: Chart VERSION supports Kubernetes MINOR to MINOR, and the cluster runs MINOR. | set chartVersion to "VERSION"
      health: The exporter of chart VERSION has no host network, so it cannot reach the node monitor's DCGM engine. | set health to "operator" or "off"
      kubernetesVersion: Must be set. | set kubernetesVersion to the cluster's version in quotes, e.g. "MINOR"
      namespace: Must be 1 to 63 lowercase letters, digits and dashes, beginning and ending with a letter or digit. | set namespace to a name such as "gpu-operator"
      namespace: Every cluster already has this namespace. The component creates its own namespace, with the label privileged. | set namespace to another name, such as "gpu-operator"
      repository: A chart creates privileged objects, so it must come over an encrypted, authenticated connection. | set repository to an https:// repository such as "https://helm.ngc.nvidia.com/nvidia", or to an oci:// registry
      repository: Must be the URL of a chart repository. | set repository to an https:// repository such as "https://helm.ngc.nvidia.com/nvidia", or to an oci:// registry
      repository: Must be the URL of a chart repository. | set repository to an https:// repository such as "https://helm.ngc.nvidia.com/nvidia", or to an oci:// registry
      repository: Must not contain a login, which every plan and the state would show. | remove the login from repository, and pass it as secrets with transform.release
      repository: Must not contain a tag or digest: chartVersion sets the version. | remove it from repository, and set chartVersion
      repository: Must be a string. | set repository to an https:// repository such as "https://helm.ngc.nvidia.com/nvidia", or to an oci:// registry
      controllerNodeSelector.tier: Must be a string. | put it in quotes: "1"
      devicePlugin: Must be true or false. | set devicePlugin to false, without quotes
      health: Must be one of "node-monitor", "operator", "off". | set health to one of "node-monitor", "operator", "off"
      taints[0].effect: Must be one of "NO_SCHEDULE", "NO_EXECUTE", "PREFER_NO_SCHEDULE". | set taints[0].effect to "NO_SCHEDULE"
      serviceMonitor: A ServiceMonitor points Prometheus at the DCGM exporter, which is disabled. | set dcgmExporter to true, or serviceMonitor to false
      timeSlicing.replicas: Must be from 2 to 110. | set timeSlicing.replicas to a whole number, from 2 to 110
      mps.replicas: Must be from 2 to 48. | set mps.replicas to a whole number, from 2 to 48
      timeSlicing: Must be an object. | set the keys of timeSlicing
      mps: The device plugin shares a GPU either with time slicing or with MPS. | remove mps or timeSlicing
      timeSlicing: Sharing needs the device plugin, which is disabled. | set devicePlugin to true, or remove timeSlicing
      mps: Sharing needs the device plugin, which is disabled. | set devicePlugin to true, or remove mps
      migStrategy: These GPUs do not support MIG. A100, A30 and H100 support it; A10G, L4, L40S and T4 do not. | remove migStrategy, or use an instance type whose GPUs support MIG
      migStrategy: Must be one of "none", "single", "mixed". | set migStrategy to one of "none", "single", "mixed"
      mps: The device plugin cannot share MIG devices with MPS. | remove mps or migStrategy
      timeoutSeconds: Pulling the images and starting the pods can take ten minutes, and an install that times out stays incomplete. | set timeoutSeconds to a whole number of seconds, from 600 to 7200
      timeoutSeconds: Must be from 600 to 7200 seconds. | set timeoutSeconds to a whole number of seconds, from 600 to 7200
      timeoutSeconds: Must be a whole number. | set timeoutSeconds to a whole number of seconds, from 600 to 7200
      values: Must be an object. | set values to an object such as { gfd: { enabled: false } }
      values: Must be known when the program starts, so that it can be checked. | set values to a plain value
      chartversion: Unknown key. | did you mean chartVersion?
      timeSlicing.failRequestsGreaterThanOne: Unknown key. | use one of replicas
      mps.replica: Unknown key. | did you mean mps.replicas?"
    `);
  });

  test("everything of the wrong form at once, under the caller's own names", () => {
    const args = {
      ...{ chartVersion: ">=26", kubernetesVersion: 1.35, namespace: "", repository: "", timeoutSeconds: 60 },
      ...{ health: "x", taints: {}, mps: { replicas: 2.5 }, values: "driver" },
    };
    expect(problemsOf(args, "gpuOperator").map(({ path }) => path)).toEqual([
      "gpuOperator.kubernetesVersion",
      "gpuOperator.taints",
      "gpuOperator.health",
      "gpuOperator.chartVersion",
      "gpuOperator.namespace",
      "gpuOperator.repository",
      "gpuOperator.mps.replicas",
      "gpuOperator.values",
      "gpuOperator.timeoutSeconds",
    ]);
  });

  test("every conflict at once", () => {
    const args = {
      ...{ devicePlugin: false, dcgmExporter: false, serviceMonitor: true, timeSlicing: { replicas: 4 } },
      ...{ migStrategy: "single", values: { driver: { enabled: true }, typo: 1 } },
    };
    expect(problemsOf(args, "gpuOperator").map(({ path }) => path)).toEqual([
      "gpuOperator.serviceMonitor",
      "gpuOperator.timeSlicing",
      "gpuOperator.migStrategy",
      "gpuOperator.values.typo",
      "gpuOperator.values.driver.enabled",
    ]);
  });

  test("a caller that names the engine elsewhere gets the problem there", () => {
    const values = { ...gpuOperatorDefaults, chartVersion: "v25.10.1", kubernetesVersion: "1.34" };
    const [problem] = gpuOperatorConflicts(values, "gpuOperator", "gpuHealth.engine");
    expect(problem).toMatchObject({ code: "conflict", path: "gpuHealth.engine", got: "node-monitor" });
    expect(problem?.fix).toBe('set gpuHealth.engine to "operator" or "off"');
  });

  test.for([
    ["node-monitor", { dcgm: { enabled: true }, dcgmExporter: { hostNetwork: false } }],
    ["off", { dcgmExporter: { env: [{ name: "DCGM_REMOTE_HOSTENGINE_INFO", value: "localhost:1" }] } }],
  ] as const)("custom values against the engine %s name the argument that selects it", ([health, values]) => {
    const args = { ...gpuOperatorDefaults, kubernetesVersion: "1.34", health, values };
    const problems = gpuOperatorConflicts(args, "gpuOperator", "gpuHealth.engine");
    expect(problems).not.toHaveLength(0);
    for (const { why, fix } of problems) {
      expect(why).toContain(`gpuHealth.engine "${health}" selects it`);
      expect(fix).toMatch(/, or select another engine with gpuHealth\.engine$/);
    }
  });

  test.for([
    [undefined, "missing"],
    [null, "wrong-type"],
    ["v26.3.1", "wrong-type"],
    [[], "wrong-type"],
    [output({}), "wrong-type"],
  ] as const)("arguments %j are not an object", ([args, code]) => {
    const given = args as unknown as GpuOperatorArgs;
    expect(gpuOperatorProblems(given)).toMatchObject([{ code, path: "args" }]);
    expect(gpuOperatorProblems(given, "gpuOperator")).toMatchObject([{ code, path: "gpuOperator" }]);
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
