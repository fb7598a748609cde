import { describe, expect, test } from "vitest";
import { findProject } from "../../planner/program/project";
import { stackConfig } from "../../planner/program/stack-config";
import { supportedKubernetesVersions } from "../../components/cluster/kubernetes-versions";
import { keysOf } from "../../components/core/schema";
import { kubernetesVersion, pinnedAddons } from "../../components/core/versions";
import { defaultAddons } from "../../components/environment/gpu-environment-plan";
import { labs } from "../../stacks/labs";
import { configSection, configType } from "../../stacks/run/config-keys";
import { readLabConfig } from "../../stacks/run/lab-config";
import { brief, wording } from "../support/problems";
import { ownProject } from "../support/own-project";

const project = findProject(ownProject);

/** The committed gpu-lab stack with overrides, as its program reads it. */
function read(...overrides: string[]) {
  return readLabConfig(stackConfig(project, "gpu-lab", overrides).values, "gpu-lab");
}

function found(...overrides: string[]): string[] {
  return brief(read(...overrides).problems);
}

test("transform is for programs alone: a stack has no such key", () => {
  expect(read("transform={}").problems).toMatchObject([{ code: "unknown-key", path: "eks-gpu-lab:transform" }]);
});

test("a stack without configuration has no problems, and only the lab's own values", () => {
  const { config, problems } = read();
  expect(problems).toEqual([]);
  expect(config?.lab).toBe("gpu-lab");
  const { addons } = config?.environment ?? {};
  const lease = { lab: "gpu-lab", timeZone: "Asia/Seoul", hours: 6 };
  expect(config?.environment).toEqual({
    clusterName: "myeks",
    publicAccessCidrs: ["203.0.113.7/32"],
    lease,
    addons,
  });
});

test("every lab has its own cluster name, which a stack can change, also to that of another lab", () => {
  const names = Object.values(labs).map(({ clusterName }) => clusterName);
  expect(new Set(names).size).toBe(names.length);
  const nameOf = (config: readonly string[]) => {
    const values = stackConfig(project, "device-plugin", config).values;
    return readLabConfig(values, "device-plugin").config?.environment.clusterName;
  };
  expect(nameOf([])).toBe("plugin");
  expect(nameOf(["clusterName=myeks"])).toBe("myeks");
});

describe("add-ons have", () => {
  const addons = (...overrides: string[]) => read(...overrides).config?.environment.addons ?? {};
  const pinned = pinnedAddons[kubernetesVersion];

  test("the pinned versions", () => {
    expect(addons()).toEqual(pinned);
    expect(Object.keys(pinned ?? {}).sort()).toEqual([...defaultAddons].sort());
  });

  test("the version that the stack states, and the others the pinned ones", () => {
    expect(addons("addons.coredns=v1.99.0-eksbuild.1")).toEqual({ ...pinned, coredns: "v1.99.0-eksbuild.1" });
  });

  test("EKS's default on a Kubernetes minor without pins, unless the stack states a version", () => {
    const minor = supportedKubernetesVersions.find((version) => !(version in pinnedAddons)) ?? "";
    const releases = ["systemNodes", "gpuNodes"].map((key) => `${key}.releaseVersion=${minor}.1-20260930`);
    const unpinned = [`kubernetesVersion=${minor}`, ...releases];
    expect(addons(...unpinned)).toEqual({});
    expect(addons(...unpinned, "addons.coredns=v1.99.0-eksbuild.1")).toEqual({ coredns: "v1.99.0-eksbuild.1" });
  });

  test("no version while the key or the Kubernetes version is wrong", () => {
    expect(found("addons=latest")).toEqual(["wrong-type addons"]);
    expect(found("kubernetesVersion=constructor")).toEqual(["version kubernetesVersion"]);
  });
});

const wrongInputs: readonly (readonly [overrides: string[], expected: string[]])[] = [
  [["gpuNodes.maxSize=1", "gpuNodes.desiredSize=3"], ["conflict gpuNodes.maxSize"]],
  [["gpuNodes.minSize=2"], ["conflict gpuNodes.minSize"]],
  [["gpuNodes.maxSize=1.5"], ["wrong-type gpuNodes.maxSize"]],
  [["gpuNodes.minSize=-1"], ["out-of-range gpuNodes.minSize"]],
  [["gpuNodes.maxSize=two"], ["wrong-type gpuNodes.maxSize"]],
  [["logRetentionDays=0x7"], ["wrong-type logRetentionDays"]],
  [['gpuNodes={"maxSize":"2"}'], ["wrong-type gpuNodes.maxSize"]],
  [["gpuNodes.maxSize=0"], ["out-of-range gpuNodes.maxSize"]],
  [["gpuNodes.azIndex=7"], ["out-of-range gpuNodes.azIndex"]],
  [["gpuOperator.chartVersion=latest"], ["version gpuOperator.chartVersion"]],
  [["gpuOperator.chartVersion=>=26"], ["version gpuOperator.chartVersion"]],
  [["gpuOperator.chartVersion=26.3"], ["version gpuOperator.chartVersion"]],
  [["gpuOperator.chartVersion="], ["version gpuOperator.chartVersion"]],
  [["gpuOperator.chartVersion=v25.10.1"], ["version gpuOperator.chartVersion"]],
  [["kubernetesVersion=1.31"], ["version kubernetesVersion"]],
  [["gpuNodes.instanceType=m7i.large"], ["not-allowed gpuNodes.instanceType"]],
  [["gpuNodes.instanceType=g5.xlarg"], ["not-allowed gpuNodes.instanceType"]],
  [
    ["gpuNodes.subnetIds[0]=subnet-1", "gpuNodes.subnetIds[1]=subnet-2", "gpuNodes.subnetIds[2]=subnet-3"],
    ["unknown-key gpuNodes.subnetIds"],
  ],
  [["network.cidr=192.168.0.0/24"], ["out-of-range network.cidr"]],
  [['publicAccessCidrs=["0.0.0.0/0"]'], ["not-allowed publicAccessCidrs[0]"]],
  [["publicAccessCidrs=[]"], ["missing publicAccessCidrs"]],
  [["gpuNodes.diskSizeGiB=30"], ["out-of-range gpuNodes.diskSizeGiB"]],
  [["gpuNodes.maxsize=3"], ["unknown-key gpuNodes.maxsize"]],
  [["gpuNode=3"], ["unknown-key eks-gpu-lab:gpuNode"]],
  [["gpuNodes=3"], ["wrong-type gpuNodes"]],
  [["admins=me"], ["wrong-type admins"]],
  [["deletionProtection=yes"], ["wrong-type deletionProtection"]],
  [["nccl=closed"], ["not-allowed nccl"]],
  [["lab=gpu-lap"], ["not-allowed lab"]],
  [["fault=on"], ["not-allowed fault"]],
  [["fault=maybe"], ["not-allowed fault"]],
  [["expires=2026-12-01"], ["not-allowed expires"]],
  [["environment=me/eks-gpu-lab/gpu-lab"], ["not-allowed environment"]],
  [["addons.corends=v1.13.2-eksbuild.31"], ["unknown-key addons.corends"]],
  [["gpuOperator.enabled=maybe"], ["wrong-type gpuOperator.enabled"]],
  [
    ["network.existing.vpcId=vpc-0123456789abcdef0", "network.natGateways=none"],
    [
      "conflict network.natGateways",
      "missing network.existing.cidrBlock",
      "missing network.existing.zones",
      "missing network.existing.publicSubnetIds",
      "missing network.existing.privateSubnetIds",
    ],
  ],
];

describe("wrong inputs", () => {
  test.for(wrongInputs)("%s", ([overrides, expected]) => {
    expect(found(...overrides)).toEqual(expected);
  });

  test("overlapping subnets are refused, each with the other's name", () => {
    const network = {
      publicSubnetCidrs: ["192.168.0.0/22", "192.168.2.0/23", "192.168.8.0/22"],
      privateSubnetCidrs: ["192.168.12.0/22", "192.168.16.0/22", "192.168.20.0/22"],
    };
    const { problems } = read(`network=${JSON.stringify(network)}`);
    expect(problems).toContainEqual(
      expect.objectContaining({
        path: "network.publicSubnetCidrs[1]",
        why: expect.stringContaining("network.publicSubnetCidrs[0]") as string,
      }),
    );
  });

  test("a key that was set without --path is named with the command that sets it", () => {
    const values = { ...stackConfig(project, "gpu-lab", []).values, "eks-gpu-lab:gpuNodes.maxSize": "3" };
    expect(readLabConfig(values, "gpu-lab").problems).toMatchObject([
      { fix: "pulumi config rm gpuNodes.maxSize && pulumi config set --path gpuNodes.maxSize 3" },
    ]);
  });

  test.for([
    [['network.zones=["ap-northeast-2a","ap-northeast-2b"]'], ["wrong-type network.zones"]],
    [['gpuOperator.timeSlicing={"replicas":2}'], ["wrong-type gpuOperator.timeSlicing"]],
    [['gpuNodes.labels={"example.com/team":"a"}'], ["wrong-type gpuNodes.labels"]],
    [["gpuHealth.repair={}"], ["wrong-type gpuHealth.repair"]],
    [['gpuNodes.maxSize={"a":1}'], ["wrong-type gpuNodes.maxSize"]],
    [['network.natGateways=["single"]'], ["not-allowed network.natGateways"]],
    [["network.zones=a, b"], ["wrong-type network.zones"]],
    [['gpuOperator.values.daemonsets.updateStrategy={"a":1}'], []],
  ] as [string[], string[]][])("JSON in the text of a path: %s", ([overrides, expected]) => {
    expect(found(...overrides)).toEqual(expected);
  });

  test("JSON in a string is shown as the value that it holds", () => {
    expect(read('network.zones=["ap-northeast-2a"]').problems).toMatchObject([
      { code: "wrong-type", path: "network.zones", got: ["ap-northeast-2a"] },
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
  for (const key of keysOf(configSection)) {
    const { problems } = readLabConfig({ [`eks-gpu-lab:${key}`]: given[configType(key)] }, "gpu-lab");
    expect(problems.filter(({ path, code }) => path === key && code === "wrong-type")).toEqual([]);
  }
});

test("what users read", () => {
  expect(wrongInputs.flatMap(([overrides]) => wording(read(...overrides).problems))).toMatchSnapshot();
});
