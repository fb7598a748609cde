import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { problemsIn } from "../../../../components/core/schema";
import {
  gpuHealthConflicts,
  gpuHealthProblems,
  gpuHealthSettings,
  type GpuHealthChoice,
  type MonitoredNodes,
} from "../../../../components/gpu/health/gpu-health-schema";
import { wording } from "../../../support/wording";

describe("gpuHealthProblems", () => {
  test.each<[GpuHealthChoice]>([
    [{ engine: "node-monitor", repair: true }],
    [{ engine: "node-monitor", architecture: "amd64" }],
    [{ engine: "operator", architecture: "arm64" }],
    [{ engine: "off", repair: false }],
  ])("%j is valid", (choice) => expect(gpuHealthProblems(choice)).toEqual([]));

  const wrong: [name: string, choice: unknown, code: string, path: string, got: unknown][] = [
    ["repair without the node monitor", { engine: "operator", repair: true }, "conflict", "gpuHealth.repair", true],
    ["on arm64", { engine: "node-monitor", architecture: "arm64" }, "conflict", "gpuHealth.engine", "node-monitor"],
    ["an unknown engine", { engine: "nodeMonitor", repair: true }, "not-allowed", "gpuHealth.engine", "nodeMonitor"],
    ["repair without an engine", { engine: "off", repair: true }, "conflict", "gpuHealth.repair", true],
    [
      "a floating version",
      { engine: "off", addonVersion: "latest" },
      "not-allowed",
      "gpuHealth.addonVersion",
      "latest",
    ],
    ["no engine", {}, "missing", "gpuHealth.engine", undefined],
    ["not an object", "off", "wrong-type", "gpuHealth", "off"],
  ];
  const problemsOf = (choice: unknown) => gpuHealthProblems(choice as GpuHealthChoice);

  test.for(wrong)("%s", ([, choice, code, path, got]) => {
    expect(problemsOf(choice).map((problem) => [problem.code, problem.path, problem.got])).toEqual([[code, path, got]]);
  });

  test("wording", () => {
    expect(wording(wrong.flatMap(([, choice]) => problemsOf(choice)))).toMatchInlineSnapshot(`
      "gpuHealth.repair: EKS repairs a GPU node based on its condition AcceleratedHardwareReady, which the add-on does not set with the engine "operator" before VERSION. | set gpuHealth.engine to "node-monitor", or remove gpuHealth.repair
      gpuHealth.engine: The add-on runs its DCGM engine on amd64 nodes only, and the GPU nodes are arm64. | set gpuHealth.engine to "operator"
      gpuHealth.engine: Must be one of "node-monitor", "operator", "off". | set gpuHealth.engine to one of "node-monitor", "operator", "off"
      gpuHealth.repair: EKS repairs a GPU node based on its condition AcceleratedHardwareReady, which the add-on does not set with the engine "off". | set gpuHealth.engine to "node-monitor", or remove gpuHealth.repair
      gpuHealth.addonVersion: Must be a version such as "VERSION". | set gpuHealth.addonVersion to one
      gpuHealth.engine: Must be set. | set gpuHealth.engine to one of "node-monitor", "operator", "off"
      gpuHealth: Must be an object. | set the keys of gpuHealth"
    `);
  });

  test("no garbage makes it throw", () => {
    const garbage = fc.oneof(fc.anything(), fc.record({ engine: fc.anything(), repair: fc.anything() }));
    fc.assert(fc.property(garbage, (choice) => void problemsOf(choice)));
  });
});

describe("the settings of an environment", () => {
  const nodes: MonitoredNodes = { architecture: "amd64", maxSize: 2 };

  test.for([
    [{}, []],
    [{ repair: { maxParallel: 1 } }, []],
    [{ engine: "nobody" }, ["at.engine"]],
    [{ repair: { maxParallel: 0 } }, ["at.repair.maxParallel"]],
    [{ repair: true }, ["at.repair"]],
    [{ engines: "off" }, ["at.engines"]],
  ] as [object, string[]][])("%j", ([settings, paths]) => {
    expect(problemsIn(gpuHealthSettings, settings, "at").map(({ path }) => path)).toEqual(paths);
  });

  test.for([
    ["node-monitor", { maxParallel: 1 }, nodes, []],
    ["operator", { maxParallel: 1 }, nodes, ["at.repair"]],
    ["operator", undefined, nodes, []],
    ["operator", { maxParallel: 1 }, { ...nodes, addonVersion: "v1.7.0-eksbuild.1" }, ["at.repair"]],
    ["operator", { maxParallel: 1 }, { ...nodes, addonVersion: "v1.7.1-eksbuild.1" }, []],
    ["off", { maxParallel: 1 }, { ...nodes, addonVersion: "v1.7.1-eksbuild.1" }, ["at.repair"]],
    ["node-monitor", undefined, { ...nodes, architecture: "arm64" }, ["at.engine"]],
    ["node-monitor", { maxParallel: "20%" }, nodes, ["at.repair.maxParallel"]],
    ["node-monitor", { maxParallel: "20%" }, { ...nodes, maxSize: 5 }, []],
  ] as const)("engine %s, repair %j, nodes %j", ([engine, repair, its, paths]) => {
    const found = gpuHealthConflicts({ engine, ...(repair && { repair: { ...repair } }) }, its, "at");
    expect(found.map(({ code, path }) => [code, path])).toEqual(paths.map((path) => ["conflict", path]));
  });
});
