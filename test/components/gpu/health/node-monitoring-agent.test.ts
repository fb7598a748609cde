import Ajv from "ajv";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ComponentResource, output } from "@pulumi/pulumi";
import { gpuHealth, gpuHealthEngines } from "../../../../components/gpu/health/gpu-health";
import { NodeMonitoringAgent } from "../../../../components/gpu/health/node-monitoring-agent";
import {
  nodeMonitoringAgentDefaults,
  nodeMonitoringAgentProblems,
  schemaKeys,
  type NodeMonitoringAgentArgs,
} from "../../../../components/gpu/health/node-monitoring-schema";
import schema from "../../../fixtures/eks-node-monitoring-agent.schema.json";
import type { Cloud } from "../../../../planner/record/record";
import { only, plan } from "../../../support/plan";
import { wording } from "../../../support/wording";

const addonType = "aws:eks/addon:Addon";
const agentType = "eks-gpu-lab:index:NodeMonitoringAgent";
const defaultConfiguration = {
  dcgmAgent: { tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }] },
};

/** Answers for the add-on's default version, and keeps the questions. */
function recordingCloud(): Cloud & { questions: unknown[] } {
  const questions: unknown[] = [];
  return {
    questions,
    outputsOf: () => ({}),
    call(token, args) {
      questions.push([token, args]);
      return { ...args, version: "v1.7.0-eksbuild.1" };
    },
  };
}

function planned(args: Partial<NodeMonitoringAgentArgs> = {}, cloud = recordingCloud()) {
  return plan(
    () => void new NodeMonitoringAgent("agent", { clusterName: "myeks", kubernetesVersion: "1.35", ...args }),
    { cloud },
  );
}

describe("by default", () => {
  test("the add-on is exactly this, at EKS's default version", async () => {
    const cloud = recordingCloud();
    expect(only(await planned({}, cloud), addonType).inputs).toEqual({
      addonName: "eks-node-monitoring-agent",
      clusterName: "myeks",
      addonVersion: "v1.7.0-eksbuild.1",
      configurationValues: JSON.stringify(defaultConfiguration),
      resolveConflictsOnCreate: "OVERWRITE",
      resolveConflictsOnUpdate: "OVERWRITE",
      preserve: false,
      tags: { Name: "eks-node-monitoring-agent" },
    });
    expect(cloud.questions).toEqual([
      [
        "aws:eks/getAddonVersion:getAddonVersion",
        { addonName: "eks-node-monitoring-agent", kubernetesVersion: "1.35", mostRecent: false },
      ],
    ]);
  });

  test("the engine sees the arguments with their defaults", async () => {
    expect(only(await planned(), agentType).inputs).toEqual({
      clusterName: "myeks",
      kubernetesVersion: "1.35",
      configuration: defaultConfiguration,
    });
    expect(nodeMonitoringAgentDefaults).toEqual({ configuration: defaultConfiguration });
  });
});

describe("what the arguments change", () => {
  test("an explicit version needs no request to AWS", async () => {
    const cloud = recordingCloud();
    const recording = await planned({ version: "v1.6.5-eksbuild.1", tags: { team: "gpu" } }, cloud);
    expect(only(recording, addonType).inputs).toMatchObject({
      addonVersion: "v1.6.5-eksbuild.1",
      tags: { Name: "eks-node-monitoring-agent", team: "gpu" },
    });
    expect(cloud.questions).toEqual([]);
  });

  test("the configuration of an engine", async () => {
    const { addonConfiguration } = gpuHealth({ engine: "operator", taints: [] });
    const { inputs } = only(await planned({ configuration: addonConfiguration }), addonType);
    expect(inputs["configurationValues"]).toBe(JSON.stringify(addonConfiguration));
  });

  test("the add-on waits for, and goes with, what the component does", async () => {
    class Other extends ComponentResource {
      constructor(name: string) {
        super("test:index:Other", name, {});
      }
    }
    const recording = await plan(() => {
      const cluster = new Other("cluster");
      const args = { clusterName: output("myeks"), kubernetesVersion: "1.35" };
      return { version: new NodeMonitoringAgent("agent", args, { deletedWith: cluster }).version };
    });
    const addon = only(recording, addonType);
    expect(addon.parent).toBe(only(recording, agentType).urn);
    expect(addon.options.deletedWith).toBe(only(recording, "test:index:Other").urn);
    expect(addon.inputs["clusterName"]).toBe("myeks");
    expect(recording.outputs).toEqual({ version: addon.inputs["addonVersion"] });
  });
});

describe("nodeMonitoringAgentProblems", () => {
  const problemsOf = (args: object) =>
    nodeMonitoringAgentProblems({
      clusterName: "myeks",
      kubernetesVersion: "1.35",
      ...args,
    });

  test.each(gpuHealthEngines)("takes the configuration of the engine %s", (engine) => {
    const { addonConfiguration } = gpuHealth({ engine, taints: [{ key: "team", effect: "NO_EXECUTE" }] });
    expect(problemsOf({ configuration: addonConfiguration })).toEqual([]);
  });

  test("takes the engine of the operator from version 1.7.1 on", () => {
    const version = "v1.7.1-eksbuild.1";
    const { addonConfiguration } = gpuHealth({ engine: "operator", taints: [], addonVersion: version });
    expect(problemsOf({ version, configuration: addonConfiguration })).toEqual([]);
    const older = problemsOf({ version: "v1.7.0-eksbuild.1", configuration: addonConfiguration });
    expect(older.map(({ path }) => path)).toEqual([
      "configuration.nodeAgent.dcgmAddress",
      "configuration.nodeAgent.dnsPolicy",
      "configuration.dcgmAgent.enabled",
    ]);
    for (const { fix } of older) expect(fix).toBe(`set version to "${version}" or newer, or remove this key`);
  });

  const wrong: [name: string, args: object, code: string, path: string, got: unknown][] = [
    ["no cluster", { clusterName: "" }, "missing", "clusterName", ""],
    ["no Kubernetes version", { kubernetesVersion: undefined }, "missing", "kubernetesVersion", undefined],
    ["a floating version", { version: "latest" }, "not-allowed", "version", "latest"],
    ["a misspelt key", { configuration: { dcgmagent: {} } }, "unknown-key", "configuration.dcgmagent", {}],
    [
      "a value of the chart that the add-on does not take",
      { configuration: { dcgmAgent: { enabled: false } } },
      "unknown-key",
      "configuration.dcgmAgent.enabled",
      false,
    ],
    [
      "an unknown monitor",
      { configuration: { nodeAgent: { monitors: { gpu: { enabled: false } } } } },
      "unknown-key",
      "configuration.nodeAgent.monitors.gpu",
      { enabled: false },
    ],
    ["a misspelt argument", { configurations: {} }, "unknown-key", "configurations", {}],
    ["a tag AWS keeps for itself", { tags: { "aws:team": "x" } }, "not-allowed", "tags.aws:team", "x"],
    ["configuration that comes too late", { configuration: output({}) }, "wrong-type", "configuration", "an Output"],
    ["configuration as a text", { configuration: "{}" }, "wrong-type", "configuration", "{}"],
  ];

  test.for(wrong)("%s", ([, args, code, path, got]) => {
    expect(problemsOf(args).map((problem) => [problem.code, problem.path, problem.got])).toEqual([[code, path, got]]);
  });

  test("wording", () => {
    expect(wording(wrong.flatMap(([, args]) => problemsOf(args)))).toMatchInlineSnapshot(`
      "clusterName: Must be set. | set clusterName to the name of the cluster
      kubernetesVersion: Must be set. | set kubernetesVersion to the cluster's version in quotes, e.g. "MINOR"
      version: Must be an exact version of the add-on, because a floating version changes over time. | set version to a version such as "VERSION", or remove it to use EKS's default
      configuration.dcgmagent: The add-on's schema has no such key, and EKS would reject the whole configuration. | did you mean configuration.dcgmAgent?
      configuration.dcgmAgent.enabled: The add-on's schema has no such key, and EKS would reject the whole configuration. | set version to "VERSION" or newer, or remove this key
      configuration.nodeAgent.monitors.gpu: The add-on's schema has no such key, and EKS would reject the whole configuration. | use one of kernel-monitor, networking, storage-monitor, nvidia, neuron, runtime
      configurations: Unknown key. | did you mean configuration?
      tags.aws:team: Keys that begin with aws: belong to AWS. | choose another key
      configuration: Must be known when the program starts, so that it can be checked. | set configuration to a plain value
      configuration: Must be an object. | set configuration to an object such as { dcgmAgent: { tolerations: […] } }"
    `);
  });

  test("its keys are those of the schema", () => {
    const { EKSNodeMonitoringAgent, Global, NodeAgent, DCGMAgent } = schema.definitions;
    const expected = {
      "": Object.keys(EKSNodeMonitoringAgent.properties),
      global: Object.keys(Global.properties),
      nodeAgent: Object.keys(NodeAgent.properties),
      "nodeAgent.monitors": Object.keys(NodeAgent.properties.monitors.properties),
      dcgmAgent: Object.keys(DCGMAgent.properties),
    };
    const sorted = (keys: Readonly<Record<string, readonly string[]>>) =>
      Object.fromEntries(Object.entries(keys).map(([place, names]) => [place, [...names].sort()]));
    expect(sorted(schemaKeys)).toEqual(sorted(expected));
  });

  test("it refuses the keys that the schema refuses, and no others", () => {
    const valid = new Ajv({ allErrors: true }).compile(schema);
    const places = Object.keys(schemaKeys).map((place) => (place === "" ? "" : `/${place.replace(".", "/")}`));
    const keys = ["global", "nodeAgent", "dcgmAgent", "monitors", "nvidia", "tolerations", "podLabels", "enabled"];
    const level = (below: fc.Arbitrary<unknown>) => fc.dictionary(fc.constantFrom(...keys), below, { maxKeys: 3 });
    fc.assert(
      fc.property(level(level(level(fc.constant({})))), (configuration) => {
        valid(configuration);
        const unknown = (valid.errors ?? []).filter(
          ({ keyword, instancePath }) => keyword === "additionalProperties" && places.includes(instancePath),
        );
        expect(problemsOf({ configuration })).toHaveLength(unknown.length);
      }),
    );
  });
});
