import { expect, test } from "vitest";
import { environmentSettings } from "../../../components/environment/gpu-environment-plan";
import type { RunningSystemNodes } from "../../../components/preflight/running-environment";
import { systemNodeWarnings } from "../../../components/preflight/change-rules";
import { systemNodeChanges } from "../../../components/preflight/node-changes";
import { userData } from "../../../components/nodes/machine/user-data";

const base = { publicAccessCidrs: ["8.8.8.8/32"] };
const { systemNodes, kubernetesVersion } = environmentSettings(base);
const data = userData(systemNodes) ?? "";
const stack = "organization/eks-gpu-lab/gpu-lab";
const same: RunningSystemNodes = {
  ...{ group: "myeks-system-1", kubernetesVersion, instances: ["i-1", "i-2"] },
  ...{ instanceType: systemNodes.instanceType, releaseVersion: systemNodes.releaseVersion },
  template: {
    ...{ diskSizeGiB: systemNodes.diskSizeGiB, efa: false, userData: data },
    tags: { Name: "myeks-system", "eks-gpu-lab/stack": stack, "eks-gpu-lab/name": "gpu-lab-system-launch-template" },
  },
};

function compared(args: object, running: Partial<RunningSystemNodes> = {}) {
  const environment = { clusterName: "myeks", systemNodes: { ...same, ...running } };
  const change = { settings: environmentSettings({ ...base, ...args }), stackTag: stack };
  return {
    changes: systemNodeChanges(change, environment),
    warnings: systemNodeWarnings(change, { running: environment }),
  };
}

test.for([
  ["nothing", {}, {}, []],
  ["another instance type", { systemNodes: { instanceType: "t3.large" } }, {}, ["systemNodes.instanceType replaces"]],
  ["another release", {}, { releaseVersion: "1.35.1-20260101" }, ["systemNodes.releaseVersion rolls"]],
  ["another Kubernetes version", {}, { kubernetesVersion: "1.34" }, ["kubernetesVersion rolls"]],
  ["another disk", { systemNodes: { diskSizeGiB: 50 } }, {}, ["systemNodes.diskSizeGiB rolls"]],
  ["other tools", { systemNodes: { tools: ["htop"] } }, {}, ["systemNodes.tools rolls"]],
  ["a limit of pods", { systemNodes: { maxPods: 60 } }, {}, ["systemNodes.maxPods rolls"]],
  ["a tag", { tags: { team: "a" } }, {}, ["tags.team rolls"]],
  ["a tag of only the Auto Scaling group", { tags: { "expires-at": "none" } }, {}, []],
  ["sizes", { systemNodes: { maxSize: 6 } }, {}, []],
  ["labels", { systemNodes: { labels: { a: "b" } } }, {}, []],
  ["no tag", {}, { template: { ...same.template, efa: false, tags: { Name: "myeks-system" } } }, ["stack rolls"]],
] as const)("%s", ([, args, running, expected]) => {
  const { changes, warnings } = compared(args, running);
  expect(changes.map(({ path, effect }) => `${path} ${effect}`)).toEqual(expected);
  expect(warnings).toHaveLength(expected.length > 0 ? 1 : 0);
  for (const warning of warnings) expect(warning).toContain("i-1, i-2");
});

test("what a transform sets is not compared, and without instances nothing is named", () => {
  const transform = { systemNodes: { launchTemplate: () => undefined } };
  expect(compared({ systemNodes: { diskSizeGiB: 50 }, transform }).changes).toEqual([]);
  expect(compared({ systemNodes: { diskSizeGiB: 50 } }, { instances: [] }).warnings).toEqual([]);
});
