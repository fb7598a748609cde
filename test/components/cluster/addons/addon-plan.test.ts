import { output } from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { addonDefaults } from "../../../../components/cluster/addons/addon-defaults";
import {
  addonPhase,
  addonsOfPhase,
  clusterAddonsProblems,
  knownAddons,
  unpinnedAddons,
  vpcCniConfiguration,
  type Addons,
} from "../../../../components/cluster/addons/addon-plan";
import { supportedKubernetesVersions } from "../../../../components/cluster/kubernetes-versions";
import { InputError } from "../../../../components/core/problems";

const problems = (addons: unknown, kubernetesVersion: unknown = "1.35", at?: string) =>
  clusterAddonsProblems({ kubernetesVersion: kubernetesVersion as string, addons: addons as Addons }, at);

describe("the order", () => {
  test.for(["vpc-cni", "kube-proxy", "eks-pod-identity-agent"])("nodes wait for %s", (addonName) =>
    expect(addonPhase(addonName)).toBe("before-nodes"),
  );

  test("all others wait for nodes", () => {
    expect(knownAddons.filter((addonName) => addonPhase(addonName) === "after-nodes")).toEqual([
      "coredns",
      "metrics-server",
      "external-dns",
      "cert-manager",
      "aws-ebs-csi-driver",
      "aws-efs-csi-driver",
      "snapshot-controller",
      "amazon-cloudwatch-observability",
    ]);
  });

  test.for(["kube-dns", "constructor", "eks-node-monitoring-agent", ""])("%j has no place in it", (addonName) =>
    expect(addonPhase(addonName)).toBeUndefined(),
  );

  test("the two phases share out what there is", () => {
    const addons = { coredns: { version: "v1.13.2-eksbuild.31" }, "vpc-cni": {}, "cert-manager": {} };
    expect(addonsOfPhase(addons, "before-nodes")).toEqual({ "vpc-cni": {} });
    expect(addonsOfPhase(addons, "after-nodes")).toEqual({ coredns: addons.coredns, "cert-manager": {} });
    expect(unpinnedAddons(addons)).toEqual(["cert-manager", "vpc-cni"]);
  });
});

test.for([
  ["none", {}],
  ["EKS's defaults", { coredns: {}, "kube-proxy": {} }],
  ["pinned", { coredns: { version: "v1.13.2-eksbuild.31" } }],
  ["configured", { "vpc-cni": { configuration: { env: { WARM_PREFIX_TARGET: "1" } } } }],
  ["undefined for what may be left out", { coredns: { version: undefined, configuration: undefined } }],
  ["kube-proxy of the control plane's minor", { "kube-proxy": { version: "v1.35.3-eksbuild.29" } }],
  ["kube-proxy three minors behind", { "kube-proxy": { version: "v1.32.0-eksbuild.1" } }],
] as const)("fine: %s", ([, addons]) => expect(problems(addons)).toEqual([]));

test.for([
  ["nothing", undefined, "wrong-type", "addons"],
  ["a list", ["coredns"], "wrong-type", "addons"],
  ["a version alone", { coredns: "v1.13.2-eksbuild.31" }, "wrong-type", "addons.coredns"],
  ["null", { coredns: null }, "wrong-type", "addons.coredns"],
  ["an unknown add-on", { "kube-dns": {} }, "unknown-key", "addons.kube-dns"],
  ["what every object has", { constructor: {} }, "unknown-key", "addons.constructor"],
  ["what another component owns", { "eks-node-monitoring-agent": {} }, "conflict", "addons.eks-node-monitoring-agent"],
  ["latest", { coredns: { version: "latest" } }, "version", "addons.coredns.version"],
  ["most recent", { coredns: { version: "most_recent" } }, "version", "addons.coredns.version"],
  ["Most Recent", { coredns: { version: "Most Recent" } }, "version", "addons.coredns.version"],
  ["an empty version", { coredns: { version: "" } }, "version", "addons.coredns.version"],
  ["a version without a build", { coredns: { version: "v1.13.2" } }, "version", "addons.coredns.version"],
  ["a version without the v", { coredns: { version: "1.13.2-eksbuild.31" } }, "version", "addons.coredns.version"],
  ["a range", { coredns: { version: "v1.13.x-eksbuild.1" } }, "version", "addons.coredns.version"],
  ["a number", { coredns: { version: 1.13 } }, "wrong-type", "addons.coredns.version"],
  ["a newer kube-proxy", { "kube-proxy": { version: "v1.36.0-eksbuild.1" } }, "version", "addons.kube-proxy.version"],
  ["an old kube-proxy", { "kube-proxy": { version: "v1.31.9-eksbuild.1" } }, "version", "addons.kube-proxy.version"],
  ["an Output for all", output({}), "wrong-type", "addons"],
  ["an Output for one", { coredns: output({}) }, "wrong-type", "addons.coredns"],
  ["an Output for a version", { coredns: { version: output("v1") } }, "wrong-type", "addons.coredns.version"],
  ["an Output for settings", { coredns: { configuration: output({}) } }, "wrong-type", "addons.coredns.configuration"],
  ["JSON text", { coredns: { configuration: "{}" } }, "wrong-type", "addons.coredns.configuration"],
  ["a list of settings", { coredns: { configuration: [] } }, "wrong-type", "addons.coredns.configuration"],
  ["a misspelt key", { coredns: { verison: "v1.13.2-eksbuild.31" } }, "unknown-key", "addons.coredns.verison"],
  [
    "a key of the resource",
    { coredns: { serviceAccountRoleArn: "" } },
    "unknown-key",
    "addons.coredns.serviceAccountRoleArn",
  ],
] as const)("refused: %s", ([, addons, code, path]) => {
  expect(problems(addons).map((problem) => [problem.code, problem.path])).toEqual([[code, path]]);
  expect(problems(addons, "1.35", "lab").map((problem) => problem.path)).toEqual([`lab.${path}`]);
});

test.for([
  [{ addon: {} }, "unknown-key", "addon"],
  [{ tags: { "aws:team": "x" } }, "not-allowed", "tags.aws:team"],
] as const)("refused beside add-ons: %j", ([args, code, path]) => {
  const found = clusterAddonsProblems({ kubernetesVersion: "1.35", addons: {}, ...args });
  expect(found.map((problem) => [problem.code, problem.path])).toEqual([[code, path]]);
});

test("a wrong Kubernetes version is told, and makes no version of kube-proxy wrong", () => {
  const found = problems({ "kube-proxy": { version: "v1.20.0-eksbuild.1" } }, "1.20");
  expect(found.map(({ path }) => path)).toEqual(["kubernetesVersion"]);
});

test.for([undefined, null, []])("arguments that are no object are refused: %j", (args) => {
  expect(clusterAddonsProblems(args as never)).toMatchObject([{ code: "wrong-type", path: "args" }]);
});

test("the messages say what to do", () => {
  const message = new InputError(
    "stack gpu-lab",
    problems({
      corends: {},
      "gpu-operator": {},
      "eks-node-monitoring-agent": {},
      "vpc-cni": { version: "latest", configuration: "{}" },
      "kube-proxy": { version: "v1.36.0-eksbuild.1" },
    }),
  ).message;
  expect(message).toMatchInlineSnapshot(`
    "stack gpu-lab: 6 problems in the input
      addons.corends: got {}. It is not an EKS add-on that this library knows the order of.
        fix: did you mean coredns?
      addons.gpu-operator: got {}. It is not an EKS add-on that this library knows the order of.
        fix: remove addons.gpu-operator; known add-ons are vpc-cni, kube-proxy, eks-pod-identity-agent, coredns, metrics-server, external-dns, cert-manager, aws-ebs-csi-driver, aws-efs-csi-driver, snapshot-controller, amazon-cloudwatch-observability
      addons.eks-node-monitoring-agent: got {}. Its DCGM server tolerates nothing by itself, so it needs the taints of the GPU nodes.
        fix: remove addons.eks-node-monitoring-agent and use the component NodeMonitoringAgent
      addons.vpc-cni.version: got "latest". It floats: the same program would install another version on another day.
        fix: set addons.vpc-cni.version to one that this lists: aws eks describe-addon-versions --addon-name vpc-cni --kubernetes-version 1.35; or leave it out for EKS's default
      addons.vpc-cni.configuration: got "{}". The component turns it into JSON, and text would be quoted twice.
        fix: set addons.vpc-cni.configuration to the object itself, as the add-on's schema has it
      addons.kube-proxy.version: got "v1.36.0-eksbuild.1". kube-proxy may be up to three minors older than the control plane's 1.35, and never newer.
        fix: set addons.kube-proxy.version to one that this lists: aws eks describe-addon-versions --addon-name kube-proxy --kubernetes-version 1.35; or leave it out for EKS's default"
  `);
});

describe("pod addresses", () => {
  test.for([
    [50, 17, { env: { ENABLE_PREFIX_DELEGATION: "true", WARM_PREFIX_TARGET: "1" } }],
    [18, 17, { env: { ENABLE_PREFIX_DELEGATION: "true", WARM_PREFIX_TARGET: "1" } }],
    [17, 17, undefined],
    [50, 58, undefined],
  ] as const)("%i pods on an instance that has addresses for %i", ([maxPods, instanceMaxPods, configuration]) =>
    expect(vpcCniConfiguration({ maxPods, instanceMaxPods })).toEqual(configuration),
  );
});

describe("the versions a plan without AWS answers with", () => {
  const all = Object.entries(addonDefaults).flatMap(([minor, addons]) =>
    Object.entries(addons).map(([addonName, { version, date, source }]) => ({
      minor,
      addonName,
      version,
      date,
      source,
    })),
  );

  test("are those of October 2026 for 1.35, or the last that were seen", () => {
    expect(Object.fromEntries(all.map(({ addonName, version }) => [addonName, version]))).toEqual({
      "vpc-cni": "v1.22.4-eksbuild.3",
      "kube-proxy": "v1.35.3-eksbuild.29",
      coredns: "v1.13.2-eksbuild.31",
      "eks-pod-identity-agent": "v1.3.10-eksbuild.3",
      "aws-ebs-csi-driver": "v1.66.0-eksbuild.1",
      "metrics-server": "v0.9.0-eksbuild.5",
      "external-dns": "v0.21.0-eksbuild.6",
      "cert-manager": "v1.21.0-eksbuild.3",
      "eks-node-monitoring-agent": "v1.7.0-eksbuild.1",
    });
  });

  test("could be pinned, and say when and where they were seen", () => {
    for (const { minor, addonName, version, date, source } of all) {
      expect(supportedKubernetesVersions).toContain(minor);
      expect(date).toMatch(/^2026-\d\d(-\d\d)?$/);
      expect(source).not.toBe("");
      if (addonPhase(addonName)) expect(problems({ [addonName]: { version } }, minor)).toEqual([]);
    }
  });
});
