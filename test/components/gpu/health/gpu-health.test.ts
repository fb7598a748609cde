import Ajv from "ajv";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  gpuHealth,
  gpuHealthEngines,
  gpuTolerations,
  type GpuHealth,
} from "../../../../components/gpu/health/gpu-health";
import type { Taint } from "../../../../components/nodes/scheduling/taints";
import schema from "../../../fixtures/eks-node-monitoring-agent.schema.json";

const gpuTaint: Taint = { key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" };
const gpuToleration = { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" };

const taint: fc.Arbitrary<Taint> = fc.record(
  {
    key: fc.constantFrom("nvidia.com/gpu", "team", "capacity-reservation"),
    value: fc.constantFrom("", "true", "a"),
    effect: fc.constantFrom("NO_SCHEDULE", "NO_EXECUTE", "PREFER_NO_SCHEDULE"),
  },
  { requiredKeys: ["key", "effect"] },
);
const taints = fc.array(taint, { maxLength: 6 });
const engine = fc.constantFrom(...gpuHealthEngines);

describe("gpuTolerations", () => {
  test.each<[string, Taint[], object[]]>([
    ["no taints", [], [gpuToleration]],
    ["the usual taint", [gpuTaint], [gpuToleration]],
    [
      "taints of two groups",
      [
        gpuTaint,
        { key: "team", value: "a", effect: "NO_EXECUTE" },
        gpuTaint,
        { key: "team", value: "b", effect: "NO_EXECUTE" },
      ],
      [gpuToleration, { key: "team", operator: "Exists", effect: "NoExecute" }],
    ],
    [
      "one key with two effects",
      [
        { key: "nvidia.com/gpu", effect: "NO_EXECUTE" },
        { key: "soft", effect: "PREFER_NO_SCHEDULE" },
      ],
      [
        gpuToleration,
        { key: "nvidia.com/gpu", operator: "Exists", effect: "NoExecute" },
        { key: "soft", operator: "Exists", effect: "PreferNoSchedule" },
      ],
    ],
  ])("%s", (_, given, tolerations) => expect(gpuTolerations(given)).toEqual(tolerations));
});

describe("what each side gets", () => {
  test("node-monitor", () => {
    expect(gpuHealth({ engine: "node-monitor", taints: [gpuTaint, { key: "team", effect: "NO_EXECUTE" }] })).toEqual({
      operatorValues: {
        dcgm: { enabled: false },
        dcgmExporter: { env: [{ name: "DCGM_REMOTE_HOSTENGINE_INFO", value: "localhost:5555" }], hostNetwork: true },
      },
      addonConfiguration: {
        dcgmAgent: { tolerations: [gpuToleration, { key: "team", operator: "Exists", effect: "NoExecute" }] },
      },
    });
  });

  const addonWithoutEngine = {
    dcgmAgent: { nodeSelector: { "eks-gpu-lab/dcgm-server": "on-no-node" } },
    nodeAgent: { monitors: { nvidia: { enabled: false } } },
  };
  test.each([
    ["operator", true],
    ["off", false],
  ] as const)("%s", (choice, enabled) => {
    expect(gpuHealth({ engine: choice, taints: [gpuTaint] })).toEqual({
      operatorValues: { dcgm: { enabled }, dcgmExporter: {} },
      addonConfiguration: addonWithoutEngine,
    });
  });

  test.each([
    ["v1.7.1-eksbuild.1", undefined, "nvidia-dcgm.gpu-operator.svc:5555"],
    ["v1.7.10-eksbuild.2", "gpu", "nvidia-dcgm.gpu.svc:5555"],
    ["v2.0.0-eksbuild.1", undefined, "nvidia-dcgm.gpu-operator.svc:5555"],
  ])("operator, and version %s of the add-on, which reads its engine", (addonVersion, namespace, dcgmAddress) => {
    const choices = { engine: "operator", taints: [gpuTaint], addonVersion } as const;
    const { operatorValues, addonConfiguration } = gpuHealth(
      namespace === undefined ? choices : { ...choices, operatorNamespace: namespace },
    );
    expect(operatorValues.dcgm.enabled).toBe(true);
    expect(addonConfiguration).toEqual({
      dcgmAgent: { enabled: false },
      nodeAgent: { dcgmAddress, dnsPolicy: "ClusterFirstWithHostNet" },
    });
  });

  test.each([undefined, "v1.7.0-eksbuild.9", "v1.6.5-eksbuild.1"])(
    "operator, and version %s of the add-on",
    (addonVersion) => {
      const { addonConfiguration } = gpuHealth({ engine: "operator", taints: [gpuTaint], addonVersion });
      expect(addonConfiguration).toEqual(addonWithoutEngine);
    },
  );

  test("every configuration is one that the add-on's schema takes", () => {
    const valid = new Ajv({ allErrors: true }).compile(schema);
    fc.assert(
      fc.property(engine, taints, (choice, given) => {
        valid(gpuHealth({ engine: choice, taints: given }).addonConfiguration);
        expect(valid.errors ?? []).toEqual([]);
      }),
    );
    expect(valid({ dcgmAgent: { enabled: false } })).toBe(false);
  });
});

describe("one engine a node", () => {
  /** The engines that run on a GPU node with these taints, by the rules of Kubernetes, the operator and the add-on. */
  const enginesOn = ({ operatorValues, addonConfiguration }: GpuHealth, nodeTaints: readonly Taint[]): string[] => {
    const { dcgm, dcgmExporter } = operatorValues;
    const { tolerations = [], nodeSelector = {} } = addonConfiguration.dcgmAgent;
    const kubernetesEffects = {
      NO_SCHEDULE: "NoSchedule",
      NO_EXECUTE: "NoExecute",
      PREFER_NO_SCHEDULE: "PreferNoSchedule",
    };
    const enters = nodeTaints
      .filter(({ effect }) => effect !== "PREFER_NO_SCHEDULE")
      .every(({ key, effect }) => tolerations.some((t) => t.key === key && t.effect === kubernetesEffects[effect]));
    return [
      ...(dcgm.enabled ? ["nvidia-dcgm"] : []),
      ...(!dcgm.enabled && !dcgmExporter.env ? ["dcgm-exporter"] : []),
      ...(enters && Object.keys(nodeSelector).length === 0 ? ["dcgm-server"] : []),
    ];
  };

  test("whatever the taints of the groups are", () => {
    fc.assert(
      fc.property(engine, fc.array(taints, { minLength: 1, maxLength: 3 }), (choice, groups) => {
        const health = gpuHealth({ engine: choice, taints: groups.flat() });
        const expected = { "node-monitor": "dcgm-server", operator: "nvidia-dcgm", off: "dcgm-exporter" }[choice];
        for (const group of groups) expect(enginesOn(health, group)).toEqual([expected]);
      }),
    );
  });

  test("the exporter can reach an engine on localhost, and the agent's GPU monitor runs only where there is one", () => {
    fc.assert(
      fc.property(engine, taints, (choice, given) => {
        const { operatorValues, addonConfiguration } = gpuHealth({ engine: choice, taints: given });
        const remote = operatorValues.dcgmExporter.env?.[0]?.value ?? "";
        expect(operatorValues.dcgmExporter.hostNetwork === true).toBe(remote.startsWith("localhost:"));
        const monitors = addonConfiguration.nodeAgent?.monitors?.nvidia.enabled !== false;
        expect(monitors).toBe(enginesOn({ operatorValues, addonConfiguration }, given).includes("dcgm-server"));
      }),
    );
  });
});
