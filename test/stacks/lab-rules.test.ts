import { describe, expect, test } from "vitest";
import { findProject } from "../../planner/program/project";
import { stackConfig } from "../../planner/program/stack-config";
import { readLabConfig } from "../../stacks/run/lab-config";

const project = findProject(process.cwd());
const now = new Date("2026-11-21T12:00:00Z");
const ends = "expires=2026-11-28";

function read(stack: string, ...overrides: string[]) {
  return readLabConfig(stackConfig(project, stack, overrides).values, stack, now);
}

const problems = (stack: string, ...overrides: string[]) =>
  read(stack, ...overrides).problems.map(({ path, why, fix }) => `${path}: ${why} -> ${fix}`);

describe("a lab's environment", () => {
  test("has what the lab needs, and what the configuration says", () => {
    const { config } = read("device-plugin", "gpuNodes.maxSize=1");
    expect(config.environment).toMatchObject({
      gpuOperator: { enabled: true },
      gpuNodes: { maxSize: 1 },
      clusterName: "plugin",
    });
    expect(config.isFaulty).toBe(false);
  });

  test("has what the fault sets while it is on, beside what the configuration says", () => {
    const { config, problems: found } = read("device-plugin", "fault=on", ends, "gpuOperator.chartVersion=v26.3.3");
    expect(found).toEqual([]);
    expect(config).toMatchObject({ isFaulty: true, expires: "2026-11-28" });
    expect(config.environment.gpuOperator).toEqual({
      enabled: true,
      devicePlugin: false,
      chartVersion: "v26.3.3",
    });
  });
});

test.for([
  [["device-plugin"], []],
  [["device-plugin", "fault=off", "expires=2020-01-01"], []],
  [["device-plugin", "fault=on", ends], []],
  [
    ["device-plugin", "gpuOperator.enabled=false"],
    [
      "gpuOperator.enabled: The lab device-plugin is about it: it must be true. -> pulumi config rm --path gpuOperator.enabled",
    ],
  ],
  [
    ["device-plugin", "fault=on", ends, "gpuOperator.devicePlugin=true"],
    [
      "gpuOperator.devicePlugin: The fault is on: it must be false. -> pulumi config rm --path gpuOperator.devicePlugin",
    ],
  ],
  [["device-plugin", "gpuOperator.devicePlugin=true"], []],
  [
    ["device-plugin", "fault=on"],
    [
      "expires: Must be set, so that the fault does not stay forever. -> pulumi config set expires 2026-11-28, or any day within 14 days",
    ],
  ],
  [
    ["device-plugin", "fault=on", "expires=2026-11-20"],
    ["expires: Must be in the future. -> pulumi config set expires 2026-11-28, or any day within 14 days"],
  ],
  [
    ["device-plugin", "fault=on", ends, "node=ip-1"],
    ["node: device-plugin has no use for it. -> pulumi config rm node"],
  ],
  [["gpu-lab", "node=ip-1"], ["node: gpu-lab has no use for it. -> pulumi config rm node"]],
  [
    ["gpu-rollout", "fault=on", ends],
    [
      "node: The fault pins a pod to one node, and only kubectl get nodes tells their names. -> pulumi config set node ip-192-168-64-10.ap-northeast-2.compute.internal",
    ],
  ],
  [["nccl-block", "fault=on", ends], []],
  [["nccl-block", "fault=on", ends, "nccl=blocked"], []],
  [["nccl-block", "nccl=open"], []],
  [
    ["nccl-block", "nccl=blocked"],
    [
      "nccl: It is the accident of nccl-block, which the fault alone brings about: that one has an end. -> pulumi config rm --path nccl && pulumi config set fault on",
    ],
  ],
  [
    ["device-plugin", "fault=off", "gpuOperator.devicePlugin=false"],
    [
      "gpuOperator.devicePlugin: It is the accident of device-plugin, which the fault alone brings about: that one has an end. -> pulumi config rm --path gpuOperator.devicePlugin && pulumi config set fault on",
    ],
  ],
  [["gpu-lab", "nccl=blocked"], []],
  [["gpu-rollout", "fault=on", ends, "node=ip-1", "remedy=recreate"], []],
  [["gpu-rollout", "fault=on", ends, "node=ip-1", "gpuProduct=NVIDIA-A10G-SHARED"], []],
  [["gpu-rollout", "fault=on", ends, "node=ip-1", "remedy=affinity", "gpuProduct=Tesla-T4"], []],
  [
    ["gpu-rollout", "fault=on", ends, "node=ip-1", "remedy=affinity"],
    [
      "gpuProduct: The remedy selects nodes by their model of GPU, and only kubectl get nodes -L nvidia.com/gpu.product tells it. -> pulumi config set gpuProduct NVIDIA-A10G",
    ],
  ],
  [
    ["gpu-rollout", "gpuProduct=NVIDIA A10G"],
    [
      "gpuProduct: Must be empty, or up to 63 letters, digits, dots, dashes and underscores that begin and end with a letter or digit. -> pulumi config set gpuProduct NAME, such as NVIDIA-A10G",
    ],
  ],
  ...["gpu-rollout", "node-health", "runtime-socket"].map((stack) => [
    [stack, "fault=on", ends, "node=Bad Name!"],
    [
      "node: Must be the name of a node as `kubectl get nodes` prints it, in lowercase. -> pulumi config set node NAME, such as ip-192-168-64-10.ap-northeast-2.compute.internal",
    ],
  ]),
  [
    ["gpu-rollout", `node=${"a".repeat(64)}`],
    [
      "node: Must be empty, or up to 63 letters, digits, dots, dashes and underscores that begin and end with a letter or digit. -> pulumi config set node NAME, such as ip-192-168-64-10.ap-northeast-2.compute.internal",
    ],
  ],
  [
    ["node-health", "gpuProduct=NVIDIA-A10G"],
    ["gpuProduct: node-health has no use for it. -> pulumi config rm gpuProduct"],
  ],
  [
    ["gpu-rollout", "remedy=recreate"],
    ["remedy: It is tried while the fault is on, and the fault is off. -> pulumi config rm remedy"],
  ],
  [
    ["gpu-rollout", "fault=on", ends, "node=ip-1", "remedy=hope"],
    [
      "remedy: The remedies of gpu-rollout are in-place, recreate, affinity, priority. -> pulumi config set remedy in-place",
    ],
  ],
  [
    ["device-plugin", "fault=on", ends, "remedy=recreate"],
    ["remedy: device-plugin has no use for it. -> pulumi config rm remedy"],
  ],
  [
    ["device-plugin", "environment=gpu-lab"],
    [
      "environment: It must name a stack in full: organisation, project, stack. -> pulumi config set environment ORGANISATION/eks-gpu-lab/gpu-lab",
    ],
  ],
  [["device-plugin", "environment=me/eks-gpu-lab/gpu-lab"], []],
  [["device-plugin", "environment=me/other/team-lab", "fault=on", ends], []],
  ...[[], ["fault=on", ends]].map((fault) => [
    ["device-plugin", "environment=acme/eks-gpu-lab/production", ...fault],
    [
      "environment: That stack is no lab: whoever works in its cluster takes the fault for a real one. -> borrow the cluster of a stack named *-lab, lab-*, device-plugin, nccl-block, node-health, gpu-rollout, runtime-socket, where * stands for any text; or pulumi config rm environment",
    ],
  ]),
  [
    ["gpu-rollout", "nccl=blocked", "gpuOperator.devicePlugin=false"],
    [
      "gpuOperator.devicePlugin: It is the accident of device-plugin, which the fault alone brings about: that one has an end. -> pulumi config rm --path gpuOperator.devicePlugin",
      "nccl: It is the accident of nccl-block, which the fault alone brings about: that one has an end. -> pulumi config rm --path nccl",
    ],
  ],
  [["gpu-lab", "nccl=blocked"], []],
  [["device-plugin", "fault=maybe", "expires=never"], ["fault: It must be on or off. -> pulumi config set fault off"]],
  [["device-plugin", "fault=true"], ["fault: It must be on or off. -> pulumi config set fault on"]],
  [
    ["nccl-block", "gpuNodes.maxSize=1"],
    ["gpuNodes.maxSize: nccl-block needs room for 2 GPU nodes. -> pulumi config set --path gpuNodes.maxSize 2"],
  ],
  [
    ["node-health", "gpuNodes.maxSize=1"],
    ["gpuNodes.maxSize: node-health needs room for 2 GPU nodes. -> pulumi config set --path gpuNodes.maxSize 2"],
  ],
  [["gpu-rollout", "gpuNodes.maxSize=1"], []],
  [
    ["gpu-rollout", "gpuNodes.maxSize=1", "fault=on", ends, "node=ip-1", "remedy=affinity", "gpuProduct=NVIDIA-A10G"],
    ["gpuNodes.maxSize: gpu-rollout needs room for 2 GPU nodes. -> pulumi config set --path gpuNodes.maxSize 2"],
  ],
  ...["gpu-lab", "device-plugin"].map((stack) => [[stack, "gpuNodes.maxSize=1"], []]),
] as [string[], string[]][])("%j", ([[stack = "", ...overrides], expected]) => {
  expect(problems(stack, ...overrides)).toEqual(expected);
});
