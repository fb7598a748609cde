import { describe, expect, test } from "vitest";
import { findProject } from "../../planner/program/project";
import { stackConfig } from "../../planner/program/stack-config";
import { labs } from "../../stacks/labs";
import { readLabConfig } from "../../stacks/run/lab-config";
import { brief, wording } from "../support/problems";
import { ownProject } from "../support/own-project";

const project = findProject(ownProject);
const now = new Date("2026-11-21T12:00:00Z");
const ends = "expires=2026-11-28";

function read(stack: string, ...overrides: string[]) {
  return readLabConfig(stackConfig(project, stack, overrides).values, stack, now);
}

describe("a lab's environment", () => {
  test("has what the lab needs, and what the configuration says", () => {
    const { config } = read("device-plugin", "gpuNodes.maxSize=1");
    expect(config?.environment).toMatchObject({
      gpuOperator: { enabled: true },
      gpuNodes: { maxSize: 1 },
      clusterName: "plugin",
    });
    expect(config?.isFaulty).toBe(false);
  });

  test("has what the fault sets while it is on, with what the configuration says", () => {
    const { config, problems: found } = read("device-plugin", "fault=on", ends, "gpuOperator.chartVersion=v26.3.3");
    expect(found).toEqual([]);
    expect(config).toMatchObject({ isFaulty: true, expires: "2026-11-28" });
    expect(config?.environment.gpuOperator).toEqual({
      enabled: true,
      validatorWorkload: false,
      devicePlugin: false,
      chartVersion: "v26.3.3",
    });
  });
});

const shared = "environment=me/eks-gpu-lab/gpu-lab";
const fake = ["localCluster.context=kwok-gpu-lab", "localCluster.gpus=fake"];
const mock = ["localCluster.context=kind-gpu-lab", "localCluster.gpus=mock"];
const cases = [
  [["device-plugin", "gpuOperator=yes"], ["wrong-type gpuOperator"]],
  [["device-plugin", 'gpuOperator={"enabled":"true"}'], ["wrong-type gpuOperator.enabled"]],
  [["nccl-block", "fault=yes", "nccl=blocked"], ["not-allowed fault"]],
  [["gpu-rollout", "fault=yes", "remedy=recreate"], ["not-allowed fault"]],
  [["device-plugin", "expires=tomorrow"], ["not-allowed expires"]],
  [
    ["gpu-lab", "fault=on", ends],
    ["not-allowed fault", "not-allowed expires"],
  ],
  [["device-plugin", shared, "gpuOperator.migStrategy=single"], []],
  [["device-plugin", shared, "gpuOperator.values.dcgm.enabled=true"], []],
  [["device-plugin", shared, "gpuOperator.chartVersion=latest"], ["version gpuOperator.chartVersion"]],
  [["runtime-socket", shared, "gpuOperator.devicePlugin=true"], ["conflict gpuOperator.devicePlugin"]],
  [["runtime-socket", shared, "admins=me"], ["wrong-type admins"]],
  [["runtime-socket", shared, "clusterName=-x"], ["not-allowed clusterName"]],
  [["runtime-socket", shared, "addons.coredns=latest"], ["version addons.coredns"]],
  [["device-plugin", ...fake], []],
  [["device-plugin", ...fake, "gpuNodes.instanceType=g5.2xlarge", "systemNodes.desiredSize=1"], []],
  [["device-plugin", ...mock, "gpuOperator.chartVersion=v26.3.3"], []],
  [["gpu-rollout", ...fake, "localCluster.gpuNodes=2"], []],
  [["node-health", ...mock, "fault=on", ends, "localCluster.failure=lost"], []],
  [["node-health", ...fake], ["not-allowed localCluster.gpus"]],
  [["nccl-block", ...mock], ["not-allowed localCluster"]],
  [["runtime-socket", ...fake], ["not-allowed localCluster"]],
  [["gpu-lab", ...fake], ["not-allowed localCluster"]],
  [["gpu-rollout", ...mock, "localCluster.gpuNodes=2"], ["conflict localCluster.gpuNodes"]],
  [["gpu-rollout", ...mock, "gpuNodes.maxSize=1", "nccl=open"], ["conflict gpuNodes"]],
  [["gpu-rollout", ...fake, "gpuNodes.maxSize=1"], ["conflict gpuNodes.maxSize"]],
  [
    ["device-plugin", ...fake, "gpuNodes.capacityType=SPOT", "systemNodes.diskSizeGiB=40"],
    ["conflict gpuNodes.capacityType", "conflict systemNodes.diskSizeGiB"],
  ],
  [
    ["device-plugin", ...mock, "gpuOperator.enabled=true", "gpuOperator.migStrategy=none"],
    ["conflict gpuOperator.migStrategy"],
  ],
  [["gpu-rollout", ...mock, "gpuOperator.timeSlicing.replicas=2"], []],
  [["device-plugin", ...fake, "localCluster.failure=lost"], ["conflict localCluster.failure"]],
  [["device-plugin", ...mock, "localCluster.failure=lost"], ["conflict localCluster.failure"]],
  [["node-health", ...mock, "fault=on", ends, "node=gpu-lab-worker"], ["conflict node"]],
  [["device-plugin", ...fake, "localCluster.gpuNodes=1"], []],
  [
    [
      "gpu-rollout",
      ...fake,
      "localCluster.gpuNodes=1",
      "fault=on",
      ends,
      "node=gpu-1",
      "remedy=affinity",
      "gpuProduct=a",
    ],
    ["conflict localCluster.gpuNodes"],
  ],
  [["device-plugin", "localCluster.context=", "localCluster.gpus=fake"], ["not-allowed localCluster.context"]],
  [["device-plugin", ...fake, "gpuOperator.chartVersion=v26.3.3", "nccl=open"], ["conflict gpuOperator"]],
  [["device-plugin", ...fake, shared], ["conflict environment"]],
  [["device-plugin", "localCluster.gpus=fake"], ["missing localCluster.context"]],
  [
    ["device-plugin", "localCluster.context=kind", "localCluster.gpus=real", "localCluster.typo=1"],
    ["unknown-key localCluster.typo", "not-allowed localCluster.gpus"],
  ],
  [["device-plugin", ...fake, "fault=on"], ["missing expires"]],
  [["device-plugin", ...fake, "gpuNodes.instanceType=t3.large"], ["not-allowed gpuNodes.instanceType"]],
  [["device-plugin"], []],
  [["device-plugin", "fault=off", "expires=2020-01-01"], []],
  [["device-plugin", "fault=on", ends], []],
  [["device-plugin", "gpuOperator.enabled=false"], ["conflict gpuOperator.enabled"]],
  [["device-plugin", "fault=on", ends, "gpuOperator.devicePlugin=true"], ["conflict gpuOperator.devicePlugin"]],
  [["device-plugin", "gpuOperator.devicePlugin=true"], []],
  [["device-plugin", "fault=on"], ["missing expires"]],
  [["device-plugin", "fault=on", "expires=2026-11-20"], ["not-allowed expires"]],
  [["device-plugin", "fault=on", ends, "node=ip-1"], ["not-allowed node"]],
  [["gpu-lab", "node=ip-1"], ["not-allowed node"]],
  [["gpu-rollout", "fault=on", ends], ["missing node"]],
  [["nccl-block", "fault=on", ends], []],
  [["nccl-block", "fault=on", ends, "nccl=blocked"], []],
  [["nccl-block", "nccl=open"], []],
  [["nccl-block", "nccl=blocked"], ["not-allowed nccl"]],
  [["device-plugin", "fault=off", "gpuOperator.devicePlugin=false"], ["not-allowed gpuOperator.devicePlugin"]],
  [["gpu-lab", "nccl=blocked"], []],
  [["gpu-rollout", "fault=on", ends, "node=ip-1", "remedy=recreate"], []],
  [["gpu-rollout", "fault=on", ends, "node=ip-1", "gpuProduct=NVIDIA-A10G-SHARED"], []],
  [["gpu-rollout", "fault=on", ends, "node=ip-1", "remedy=affinity", "gpuProduct=Tesla-T4"], []],
  [["gpu-rollout", "fault=on", ends, "node=ip-1", "remedy=affinity"], ["missing gpuProduct"]],
  [
    ["gpu-rollout", "fault=on", ends, "node=ip-1", "remedy=affinity", "gpuProduct=L4", "gpuNodes.provisioner=autoMode"],
    ["not-allowed remedy"],
  ],
  [["gpu-rollout", "gpuProduct=NVIDIA A10G"], ["not-allowed gpuProduct"]],
  ...["gpu-rollout", "node-health", "runtime-socket"].map((stack) => [
    [stack, "fault=on", ends, "node=Bad Name!"],
    ["not-allowed node"],
  ]),
  [["gpu-rollout", `node=${"a".repeat(64)}`], ["not-allowed node"]],
  [["node-health", "gpuProduct=NVIDIA-A10G"], ["not-allowed gpuProduct"]],
  [["gpu-rollout", "remedy=recreate"], ["not-allowed remedy"]],
  [["gpu-rollout", "fault=on", ends, "node=ip-1", "remedy=hope"], ["not-allowed remedy"]],
  [["device-plugin", "fault=on", ends, "remedy=recreate"], ["not-allowed remedy"]],
  [["model-server", "fault=on", ends], []],
  [["model-server", "fault=on", ends, "faultVariant=kvCache"], []],
  [["model-server", "faultVariant=context"], []],
  [["model-server", "fault=on", ends, "faultVariant=kv"], ["not-allowed faultVariant"]],
  [["gpu-rollout", "faultVariant=context"], ["not-allowed faultVariant"]],
  [["model-server", ...fake], ["not-allowed localCluster.gpus"]],
  [["no-node-comes", "fault=on", ends, "faultVariant=startupTaint"], []],
  [["no-node-comes", ...fake, "fault=on", ends, "faultVariant=startupTaint"], ["not-allowed faultVariant"]],
  [["no-node-comes", ...fake, "fault=on", ends, "faultVariant=zone"], []],
  [["no-node-comes", "gpuNodes.provisioner=managedNodeGroup"], ["conflict gpuNodes.provisioner"]],
  ...["limit", "taint", "zone", "instanceType", "startupTaint", "timeSlicing"].map((variant) => [
    ["no-node-comes", "gpuNodes.provisioner=autoMode", "fault=on", ends, `faultVariant=${variant}`],
    [],
  ]),
  [
    ["no-node-comes", "gpuNodes.provisioner=autoMode", "fault=on", ends, "faultVariant=resourceClaim"],
    ["not-allowed faultVariant"],
  ],
  [["no-node-comes", "fault=on", ends, "faultVariant=resourceClaim"], []],
  [["model-server", ...mock, "fault=on", ends, "faultVariant=context"], []],
  [["device-plugin", "environment=gpu-lab"], ["not-allowed environment"]],
  [["device-plugin", "environment=me/eks-gpu-lab/gpu-lab"], []],
  [["device-plugin", "environment=me/other/team-lab", "fault=on", ends], []],
  ...[[], ["fault=on", ends]].map((fault) => [
    ["device-plugin", "environment=acme/eks-gpu-lab/production", ...fault],
    ["not-allowed environment"],
  ]),
  [
    ["gpu-rollout", "nccl=blocked", "gpuOperator.devicePlugin=false"],
    ["not-allowed gpuOperator.devicePlugin", "not-allowed nccl"],
  ],
  [["gpu-lab", "nccl=blocked"], []],
  [
    ["device-plugin", "fault=maybe", "expires=never"],
    ["not-allowed fault", "not-allowed expires"],
  ],
  [["device-plugin", "fault=true"], ["not-allowed fault"]],
  [["nccl-block", "gpuNodes.maxSize=1"], ["conflict gpuNodes.maxSize"]],
  [["node-health", "gpuNodes.maxSize=1"], ["conflict gpuNodes.maxSize"]],
  [["gpu-rollout", "gpuNodes.maxSize=1"], []],
  [
    ["gpu-rollout", "gpuNodes.maxSize=1", "fault=on", ends, "node=ip-1", "remedy=affinity", "gpuProduct=NVIDIA-A10G"],
    ["conflict gpuNodes.maxSize"],
  ],
  ...["gpu-lab", "device-plugin"].map((stack) => [[stack, "gpuNodes.maxSize=1"], []]),
] as [string[], string[]][];

test.for(cases)("%j", ([[stack = "", ...overrides], expected]) => {
  expect(brief(read(stack, ...overrides).problems)).toEqual(expected);
});

test("a lab may be configured with exactly what it sets itself", () => {
  const overrides = JSON.stringify(labs["node-health"].environment?.gpuHealth?.repair?.overrides);
  expect(read("node-health", `gpuHealth={"repair":{"overrides":${overrides}}}`).problems).toEqual([]);
});

test("what users read", () => {
  const problems = cases.flatMap(([[stack = "", ...overrides]]) => read(stack, ...overrides).problems);
  expect(new Set(wording(problems))).toMatchSnapshot();
});
