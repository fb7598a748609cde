import { describe, expect, test } from "vitest";
import {
  controllerConflicts,
  controllerEntries,
  controllerSettings,
} from "../../../../components/cluster/controllers/controller-schema";
import { supportedKubernetesVersions } from "../../../../components/cluster/kubernetes-versions";
import { parse, problemsIn, section } from "../../../../components/core/schema";
import {
  clusterAutoscalerChart,
  kubernetesVersion,
  loadBalancerControllerChart,
} from "../../../../components/core/versions";

const chart = { name: "some-chart", version: "1.2.3", repository: "https://charts.example.com" };
const schema = section(controllerEntries(chart));
const problems = (args: object, at?: string) => problemsIn(schema, { clusterName: "myeks", ...args }, at);

test.for([
  ["nothing", {}],
  ["undefined", { install: undefined, chartVersion: undefined, repository: undefined, timeoutSeconds: undefined }],
  [
    "another version and a mirror",
    { install: true, chartVersion: "v3.5.0", repository: "https://mirror.example.com/a" },
  ],
  ["the longest wait", { timeoutSeconds: 3600 }],
] as const)("accepted: %s", ([, args]) => expect(problems(args)).toEqual([]));

const wrong = [
  ["a string for true", { install: "true" }, "wrong-type", "install"],
  ["latest", { chartVersion: "latest" }, "version", "chartVersion"],
  ["an empty version", { chartVersion: "" }, "version", "chartVersion"],
  ["a range", { chartVersion: "^3.5.0" }, "version", "chartVersion"],
  ["a minor", { chartVersion: "3.5" }, "version", "chartVersion"],
  ["any patch", { chartVersion: "3.5.x" }, "version", "chartVersion"],
  ["a number", { chartVersion: 3.5 }, "wrong-type", "chartVersion"],
  ["http", { repository: "http://charts.example.com" }, "not-allowed", "repository"],
  ["a name", { repository: "eks-charts" }, "not-allowed", "repository"],
  ["null", { repository: null }, "wrong-type", "repository"],
  ["credentials", { repository: "https://user:hunter2@charts.example.com" }, "not-allowed", "repository"],
  ["too short a wait", { timeoutSeconds: 30 }, "out-of-range", "timeoutSeconds"],
  ["a string for seconds", { timeoutSeconds: "600" }, "wrong-type", "timeoutSeconds"],
] as const;

test.for(wrong)("rejected: %s", ([, args, code, path]) => {
  expect(problems(args).map((problem) => [problem.code, problem.path])).toEqual([[code, path]]);
  expect(problems(args, "autoscaler").map((problem) => problem.path)).toEqual([`autoscaler.${path}`]);
});

test("the messages show no credentials", () => {
  const found = wrong.flatMap(([, args]) => problems(args, "autoscaler"));
  const lines = found.map(({ path, got, why, fix }) => `${path} ${JSON.stringify(got)}: ${why} | ${fix}`);
  expect(lines.join()).not.toContain("hunter2");
  expect(lines).toMatchSnapshot();
});

describe("the controllers of an environment", () => {
  const found = (given: unknown) => problemsIn(controllerSettings, given, "controllers");

  test("by default each has its identity alone", () => {
    expect(parse(controllerSettings, {}).value).toEqual({
      loadBalancerController: { install: false, chartVersion: loadBalancerControllerChart.version },
      clusterAutoscaler: { install: false, chartVersion: clusterAutoscalerChart.version },
      externalDns: { hostedZoneIds: [] },
    });
  });

  const cases = [
    ["an unknown controller", { autoscaler: {} }, "unknown-key", "autoscaler"],
    ["a flag", { loadBalancerController: true }, "wrong-type", "loadBalancerController"],
    ["an unknown key", { loadBalancerController: { instal: true } }, "unknown-key", "loadBalancerController.instal"],
    ["an argument of the component", { externalDns: { tags: {} } }, "unknown-key", "externalDns.tags"],
    ["a string for true", { clusterAutoscaler: { install: "true" } }, "wrong-type", "clusterAutoscaler.install"],
    ["a floating image", { clusterAutoscaler: { imageTag: "latest" } }, "version", "clusterAutoscaler.imageTag"],
    ["a zone's name", { externalDns: { hostedZoneIds: ["a.com"] } }, "not-allowed", "externalDns.hostedZoneIds[0]"],
  ] as const;

  test.for(cases)("rejected: %s", ([, given, code, path]) => {
    expect(found(given).map((problem) => [problem.code, problem.path])).toEqual([[code, `controllers.${path}`]]);
  });

  const conflicts = (clusterAutoscaler: object, version: string) => {
    const { value } = parse(controllerSettings, { clusterAutoscaler });
    return value && controllerConflicts(value, version, "controllers");
  };

  test("the autoscaler's image fits the Kubernetes version", () => {
    const imageTag = clusterAutoscalerChart.imageTags[kubernetesVersion];
    const unpinned =
      supportedKubernetesVersions.find((version) => !(version in clusterAutoscalerChart.imageTags)) ?? "";
    expect(conflicts({ install: true }, kubernetesVersion)).toEqual([]);
    expect(conflicts({ imageTag }, kubernetesVersion)).toEqual([]);
    expect(conflicts({}, unpinned)).toEqual([]);
    expect(conflicts({ install: true }, unpinned)).toMatchObject([
      { code: "missing", path: "controllers.clusterAutoscaler.imageTag" },
    ]);
    expect(conflicts({ imageTag }, unpinned)).toMatchObject([
      { code: "version", path: "controllers.clusterAutoscaler.imageTag", got: imageTag },
    ]);
  });
});
