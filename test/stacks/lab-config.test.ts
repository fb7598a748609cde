import { describe, expect, test } from "vitest";
import { findProject } from "../../planner/program/project";
import { stackConfig } from "../../planner/program/stack-config";
import { configKeys } from "../../stacks/run/config-keys";
import { readLabConfig } from "../../stacks/run/lab-config";

const project = findProject(process.cwd());

/** The committed gpu-lab stack with overrides, as its program reads it. */
function read(...overrides: string[]) {
  return readLabConfig(stackConfig(project, "gpu-lab", overrides).values, "gpu-lab");
}

function lines(...overrides: string[]): string[] {
  return read(...overrides).problems.map(({ path, why, fix }) => `${path}: ${why} -> ${fix}`);
}

test("transform is for programs alone: a stack has no such key", () => {
  expect(read("transform={}").problems).toMatchObject([{ code: "unknown-key", path: "eks-gpu-lab:transform" }]);
});

test("the committed stack has no problems, and says only what it must", () => {
  const { config, problems } = read();
  expect(problems).toEqual([]);
  expect(config.lab).toBe("gpu-lab");
  expect(config.environment).toMatchObject({
    clusterName: "myeks",
    kubernetesVersion: "1.35",
    admins: [],
    nccl: "open",
    logRetentionDays: 7,
    deletionProtection: false,
    gpuNodes: {},
  });
});

describe("wrong inputs", () => {
  test.for([
    [
      ["gpuNodes.maxSize=1", "gpuNodes.desiredSize=3"],
      [
        "gpuNodes.maxSize: desiredSize is 3, and EKS wants minSize <= desiredSize <= maxSize. -> set gpuNodes.maxSize to 3 or more, or gpuNodes.desiredSize to 1 or less",
      ],
    ],
    [
      ["gpuNodes.minSize=2"],
      [
        "gpuNodes.minSize: desiredSize is 0 (the default), and EKS wants minSize <= desiredSize <= maxSize. -> set gpuNodes.desiredSize to 2 or more, or gpuNodes.minSize to 0",
      ],
    ],
    [
      ["gpuNodes.maxSize=1.5"],
      ["gpuNodes.maxSize: It must be a whole number. -> set gpuNodes.maxSize to a whole number, 1 or more"],
    ],
    [
      ["gpuNodes.minSize=-1"],
      ["gpuNodes.minSize: It must be 0 or more. -> set gpuNodes.minSize to a whole number, 0 or more"],
    ],
    [
      ["gpuNodes.maxSize=two"],
      ["gpuNodes.maxSize: It must be a whole number. -> set gpuNodes.maxSize to a whole number, 1 or more"],
    ],
    [
      ['gpuNodes={"maxSize":"2"}'],
      ["gpuNodes.maxSize: It is a text, and must be a number. -> set gpuNodes.maxSize to 2, without quotes"],
    ],
    [
      ["gpuNodes.maxSize=0"],
      [
        "gpuNodes.maxSize: EKS takes no maximum below 1; a group without nodes has desiredSize 0 and minSize 0. -> set gpuNodes.maxSize to a whole number, 1 or more",
      ],
    ],
    [
      ["gpuNodes.azIndex=7"],
      ["gpuNodes.azIndex: It must be from 0 to 2. -> set gpuNodes.azIndex to a whole number, from 0 to 2"],
    ],
    [
      ["gpuOperator.chartVersion=latest"],
      [
        'gpuOperator.chartVersion: It names no version: what it stands for changes with every release. -> set gpuOperator.chartVersion to one exact version, e.g. "v26.3.1"',
      ],
    ],
    [
      ["gpuOperator.chartVersion=>=26"],
      [
        'gpuOperator.chartVersion: It is a range: Helm installs the newest chart inside it. -> set gpuOperator.chartVersion to one exact version, e.g. "v26.3.1"',
      ],
    ],
    [
      ["gpuOperator.chartVersion=26.3"],
      [
        'gpuOperator.chartVersion: A part of a version is a range: Helm installs the newest chart that begins with it. -> set gpuOperator.chartVersion to one exact version, e.g. "v26.3.1"',
      ],
    ],
    [
      ["gpuOperator.chartVersion="],
      [
        'gpuOperator.chartVersion: An empty version makes Helm install the newest chart of the day. -> set gpuOperator.chartVersion to one exact version, e.g. "v26.3.1"',
      ],
    ],
    [
      ["gpuOperator.chartVersion=v25.10.1"],
      [
        'gpuOperator.chartVersion: Chart v25.10.1 is accepted for Kubernetes 1.30 to 1.34, and the cluster runs 1.35. -> set gpuOperator.chartVersion to "v26.3.1"',
      ],
    ],
    [
      ["kubernetesVersion=1.31"],
      [
        'kubernetesVersion: Its standard support at EKS has ended: extended support costs 0.50 USD an hour more, and this library does not use it. -> set kubernetesVersion to one of "1.34", "1.35", "1.36"',
      ],
    ],
    [
      ["gpuNodes.instanceType=m7i.large"],
      [
        'gpuNodes.instanceType: It has no GPU. -> choose a GPU type such as "g5.xlarge", or make the nodes with SystemNodeGroup',
      ],
    ],
    [
      ["gpuNodes.instanceType=g5.xlarg"],
      [
        'gpuNodes.instanceType: The catalogue of 2026-11-21 has no such GPU instance type. -> did you mean "g5.xlarge"?',
      ],
    ],
    [
      ["gpuNodes.subnetIds[0]=subnet-1", "gpuNodes.subnetIds[1]=subnet-2", "gpuNodes.subnetIds[2]=subnet-3"],
      [
        "gpuNodes.subnetIds: There is no such key. -> GPU nodes live in one subnet; choose its zone with gpuNodes.azIndex",
      ],
    ],
    [
      ["network.cidr=192.168.0.0/24"],
      [
        "network.cidr: Its 6 subnets in 3 zones would be /27, and the default layout makes none smaller than /24. -> set network.cidr to a /21 or larger, or state network.publicSubnetCidrs and network.privateSubnetCidrs",
      ],
    ],
    [
      ['publicAccessCidrs=["0.0.0.0/0"]'],
      [
        "publicAccessCidrs[0]: It lets the whole internet try the cluster's API. -> set publicAccessCidrs[0] to your own address: curl -s https://checkip.amazonaws.com prints it, write x.x.x.x/32",
      ],
    ],
    [
      ["publicAccessCidrs=[]"],
      [
        "publicAccessCidrs: EKS takes an empty list for 0.0.0.0/0: the whole internet. -> set publicAccessCidrs to your own address: curl -s https://checkip.amazonaws.com prints it, write x.x.x.x/32",
      ],
    ],
    [
      ["gpuNodes.diskSizeGiB=30"],
      [
        "gpuNodes.diskSizeGiB: Images with CUDA and a framework take tens of GiB unpacked, and a node whose disk is full evicts its pods; 100 GiB is the least that has room for a few. -> set gpuNodes.diskSizeGiB to a whole number of GiB, from 100 to 16384",
      ],
    ],
    [["gpuNodes.maxsize=3"], ["gpuNodes.maxsize: There is no such key. -> did you mean gpuNodes.maxSize?"]],
    [["gpuNode=3"], ["eks-gpu-lab:gpuNode: There is no such key. -> did you mean gpuNodes?"]],
    [["gpuNodes=3"], ["gpuNodes: It must be an object. -> pulumi config set --path gpuNodes.KEY VALUE"]],
    [["admins=me"], ["admins: It must be a list. -> pulumi config set --path 'admins[0]' VALUE"]],
    [
      ["deletionProtection=yes"],
      ["deletionProtection: It must be true or false. -> set deletionProtection to true or false"],
    ],
    [["nccl=closed"], ['nccl: It must be one of "open", "blocked". -> set nccl to one of "open", "blocked"']],
    [
      ["lab=gpu-lap"],
      [
        "lab: The labs are gpu-lab, device-plugin, nccl-block, node-health, gpu-rollout, runtime-socket; a stack of another name says which it runs. -> pulumi config set lab gpu-lab",
      ],
    ],
    [["fault=on"], ["fault: gpu-lab has no fault to inject. -> pulumi config set fault off"]],
    [["fault=maybe"], ["fault: It must be on or off. -> pulumi config set fault off"]],
    [["expires=2026-12-01"], ["expires: It limits a fault, and gpu-lab has none. -> pulumi config rm expires"]],
    [
      ["environment=me/eks-gpu-lab/gpu-lab"],
      ["environment: gpu-lab builds the environment itself and cannot use another. -> pulumi config rm environment"],
    ],
    [
      ["addons.corends=v1.13.2-eksbuild.31"],
      ["addons.corends: There is no such add-on here. -> did you mean coredns?"],
    ],
    [
      ["gpuOperator.enabled=maybe"],
      ["gpuOperator.enabled: It must be true or false. -> set gpuOperator.enabled to true or false, without quotes"],
    ],
    [
      ["network.existing.vpcId=vpc-0123456789abcdef0", "network.natGateways=none"],
      expect.arrayContaining([
        "network.natGateways: It describes a VPC to make, and network.existing says to make none. -> remove one of the two",
      ]),
    ],
  ] as [string[], string[]][])("%s", ([overrides, expected]) => {
    expect(lines(...overrides)).toEqual(expected);
  });

  test("overlapping subnets are refused, each with the other's name", () => {
    const network = {
      publicSubnetCidrs: ["192.168.0.0/22", "192.168.2.0/23", "192.168.8.0/22"],
      privateSubnetCidrs: ["192.168.12.0/22", "192.168.16.0/22", "192.168.20.0/22"],
    };
    expect(lines(`network=${JSON.stringify(network)}`).join()).toMatch(
      /network\.publicSubnetCidrs\[1\]: .*network\.publicSubnetCidrs\[0\]/,
    );
  });

  test.for([
    [5, "10"],
    [15, "10 or 20"],
  ] as const)("a repair wait of %i minutes", ([waitMinutes, nearest]) => {
    const override = {
      condition: "AcceleratedHardwareReady",
      reason: "NvidiaXID64Error",
      waitMinutes,
      action: "Replace",
    };
    expect(lines(`gpuHealth=${JSON.stringify({ repair: { overrides: [override] } })}`)).toEqual([
      `gpuHealth.repair.overrides[0].waitMinutes: EKS takes 10 to 120 minutes, in steps of ten. -> set gpuHealth.repair.overrides[0].waitMinutes to ${nearest}`,
    ]);
  });

  test("a key that was set without --path is named with the command that sets it", () => {
    const values = { ...stackConfig(project, "gpu-lab", []).values, "eks-gpu-lab:gpuNodes.maxSize": "3" };
    expect(readLabConfig(values, "gpu-lab").problems).toMatchObject([
      { fix: "pulumi config rm gpuNodes.maxSize && pulumi config set --path gpuNodes.maxSize 3" },
    ]);
  });

  test.for([
    [
      ['network.zones=["ap-northeast-2a","ap-northeast-2b"]'],
      [
        "network.zones: It is a text that holds a list: --path takes single values, and no JSON. -> pulumi config rm --path 'network.zones' && pulumi config set --path 'network.zones[0]' VALUE, and so on for the rest",
      ],
    ],
    [
      ['gpuOperator.timeSlicing={"replicas":2}'],
      [
        "gpuOperator.timeSlicing: It is a text that holds an object: --path takes single values, and no JSON. -> pulumi config rm --path 'gpuOperator.timeSlicing' && pulumi config set --path 'gpuOperator.timeSlicing.replicas' VALUE, and so on for the rest",
      ],
    ],
    [
      ['gpuNodes.labels={"example.com/team":"a"}'],
      [
        "gpuNodes.labels: It is a text that holds an object: --path takes single values, and no JSON. -> pulumi config rm --path 'gpuNodes.labels' && pulumi config set --path 'gpuNodes.labels[\"example.com/team\"]' VALUE, and so on for the rest",
      ],
    ],
    [
      ["gpuHealth.repair={}"],
      [
        "gpuHealth.repair: It is a text that holds an object: --path takes single values, and no JSON. -> pulumi config rm --path 'gpuHealth.repair' && pulumi config set --path 'gpuHealth.repair.KEY' VALUE, and so on for the rest",
      ],
    ],
    [
      ['gpuNodes.maxSize={"a":1}'],
      ["gpuNodes.maxSize: It must be a whole number. -> set gpuNodes.maxSize to a whole number, 1 or more"],
    ],
    [
      ['network.natGateways=["single"]'],
      [
        'network.natGateways: It must be one of "single", "perAz", "none". -> set network.natGateways to one of "single", "perAz", "none"',
      ],
    ],
    [
      ["network.zones=a, b"],
      [
        'network.zones: It must be a list. -> set network.zones to a list such as ["ap-northeast-2a", "ap-northeast-2b"]',
      ],
    ],
    [['gpuOperator.values.daemonsets.updateStrategy={"a":1}'], []],
  ] as [string[], string[]][])("JSON in the text of a path: %s", ([overrides, expected]) => {
    expect(lines(...overrides)).toEqual(expected);
  });

  test("what a text holds is checked with it", () => {
    const blocks = ["192.168.0.0/22", "192.168.4.0/22", "192.168.8.0/22"];
    const sections = [0, 1].map((at) =>
      blocks.map((block) => block.replace(/(\d+)\.0\/22/, (_, n) => `${Number(n) + 12 * at}.0/22`)),
    );
    const [publicSubnetCidrs, privateSubnetCidrs] = sections.map((list) => JSON.stringify(list));
    const found = read(
      `network.publicSubnetCidrs=${publicSubnetCidrs}`,
      `network.privateSubnetCidrs=${privateSubnetCidrs}`,
    );
    expect(found.problems.map(({ path, code, got }) => [path, code, got])).toEqual([
      ["network.publicSubnetCidrs", "wrong-type", sections[0]],
      ["network.privateSubnetCidrs", "wrong-type", sections[1]],
    ]);
    expect(lines('gpuNodes.taints=[{"key":"team"}]')).toEqual([
      expect.stringMatching(/^gpuNodes\.taints: It is a text that holds a list/),
      expect.stringMatching(/^gpuNodes\.taints\[0\]\.effect: It must be one of/),
    ]);
  });

  test.for([
    ["gpuOperater.enabled=true", { enabled: true }],
    ["gpuNode=[1]", [1]],
    ["gpuNode={", "{"],
    ["gpuNode=3", "3"],
    ["gpuNodes=[1]", [1]],
    ["admins={}", {}],
  ] as const)("%s is shown as it was meant", ([override, got]) => {
    expect(read(override).problems.map((problem) => problem.got)).toEqual([got]);
  });

  test("all problems come at once", () => {
    const found = read(
      "gpuNodes.maxSize=0",
      "nccl=closed",
      "kubernetesVersion=1.31",
      "gpuNode=1",
      "publicAccessCidrs=[]",
    );
    expect(found.problems.map(({ path }) => path).sort()).toEqual([
      "eks-gpu-lab:gpuNode",
      "gpuNodes.maxSize",
      "kubernetesVersion",
      "nccl",
      "publicAccessCidrs",
    ]);
  });

  test("what must be stated is missed", () => {
    expect(readLabConfig({}, "gpu-lab").problems.map(({ path, code }) => [path, code])).toEqual([
      ["publicAccessCidrs", "missing"],
    ]);
  });
});

test("a stack of another name says which lab it runs", () => {
  const { values } = stackConfig(project, "gpu-lab", []);
  expect(readLabConfig(values, "dev").problems.map(({ path }) => path)).toEqual(["lab"]);
  expect(readLabConfig({ ...values, "eks-gpu-lab:lab": "gpu-lab" }, "dev")).toMatchObject({
    config: { lab: "gpu-lab" },
    problems: [],
  });
});

test("keys of other namespaces are none of its business", () => {
  const { values } = stackConfig(project, "gpu-lab", []);
  expect(readLabConfig({ ...values, "aws:profile": "x", "other:thing": "y" }, "gpu-lab").problems).toEqual([]);
});

test("every key takes what its declared type says", () => {
  const given = { string: "7", integer: "7", boolean: "true", array: "[]", object: "{}" };
  for (const [key, { type }] of Object.entries(configKeys)) {
    const wrongTypes = readLabConfig({ [`eks-gpu-lab:${key}`]: given[type] }, "gpu-lab").problems;
    expect(wrongTypes.filter(({ path, code }) => path === key && code === "wrong-type")).toEqual([]);
  }
});
