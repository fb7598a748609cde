import { output } from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import {
  addonConflicts,
  addonVersions,
  clusterAddonsProblems,
  type Addons,
} from "../../../../components/cluster/addons/addons-schema";
import { minorOf } from "../../../../components/cluster/kubernetes-versions";
import { problemsIn } from "../../../../components/core/schema";
import { kubernetesVersion } from "../../../../components/core/versions";
import { wording } from "../../../support/wording";

const problems = (addons: unknown, version: unknown = kubernetesVersion, at?: string) =>
  clusterAddonsProblems({ kubernetesVersion: version as string, addons: addons as Addons }, at);
/** A version of kube-proxy so many minors from the control plane's. */
const kubeProxy = (minors: number) => `v1.${minorOf(kubernetesVersion) + minors}.0-eksbuild.1`;

test.for([
  ["none", {}],
  ["EKS's defaults", { coredns: {}, "kube-proxy": {} }],
  ["pinned", { coredns: { version: "v1.13.2-eksbuild.31" } }],
  ["configured", { "vpc-cni": { configuration: { env: { WARM_PREFIX_TARGET: "1" } } } }],
  ["undefined for what may be left out", { coredns: { version: undefined, configuration: undefined } }],
  ["kube-proxy of the control plane's minor", { "kube-proxy": { version: kubeProxy(0) } }],
  ["kube-proxy three minors behind", { "kube-proxy": { version: kubeProxy(-3) } }],
] as const)("accepted: %s", ([, addons]) => expect(problems(addons)).toEqual([]));

const wrong = [
  ["nothing", undefined, "missing", "addons"],
  ["a list", ["coredns"], "wrong-type", "addons"],
  ["a version alone", { coredns: "v1.13.2-eksbuild.31" }, "wrong-type", "addons.coredns"],
  ["null", { coredns: null }, "wrong-type", "addons.coredns"],
  ["an unknown add-on", { "kube-dns": {} }, "unknown-key", "addons.kube-dns"],
  ["a key of every object", { constructor: {} }, "unknown-key", "addons.constructor"],
  ["another component's add-on", { "eks-node-monitoring-agent": {} }, "conflict", "addons.eks-node-monitoring-agent"],
  ["latest", { coredns: { version: "latest" } }, "version", "addons.coredns.version"],
  ["most recent", { coredns: { version: "most_recent" } }, "version", "addons.coredns.version"],
  ["Most Recent", { coredns: { version: "Most Recent" } }, "version", "addons.coredns.version"],
  ["an empty version", { coredns: { version: "" } }, "version", "addons.coredns.version"],
  ["a version without a build", { coredns: { version: "v1.13.2" } }, "version", "addons.coredns.version"],
  ["a version without the v", { coredns: { version: "1.13.2-eksbuild.31" } }, "version", "addons.coredns.version"],
  ["a range", { coredns: { version: "v1.13.x-eksbuild.1" } }, "version", "addons.coredns.version"],
  ["a number", { coredns: { version: 1.13 } }, "wrong-type", "addons.coredns.version"],
  ["a newer kube-proxy", { "kube-proxy": { version: kubeProxy(1) } }, "version", "addons.kube-proxy.version"],
  ["an old kube-proxy", { "kube-proxy": { version: kubeProxy(-4) } }, "version", "addons.kube-proxy.version"],
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
] as const;

test.for(wrong)("rejected: %s", ([, addons, code, path]) => {
  expect(problems(addons).map((problem) => [problem.code, problem.path])).toEqual([[code, path]]);
  expect(problems(addons, kubernetesVersion, "lab").map((problem) => problem.path)).toEqual([`lab.${path}`]);
});

test.for([
  [{ addon: {} }, "unknown-key", "addon"],
  [{ tags: { "aws:team": "x" } }, "not-allowed", "tags.aws:team"],
] as const)("rejected with add-ons: %j", ([args, code, path]) => {
  const found = clusterAddonsProblems({ kubernetesVersion, addons: {}, ...args });
  expect(found.map((problem) => [problem.code, problem.path])).toEqual([[code, path]]);
});

test("kube-proxy is compared with a valid Kubernetes version only", () => {
  const found = problems({ "kube-proxy": { version: "v1.20.0-eksbuild.1" } }, "1.20");
  expect(found.map(({ path }) => path)).toEqual(["kubernetesVersion"]);
});

test("the messages have the paths of the configuration", () => {
  expect(wording(wrong.flatMap(([, addons]) => problems(addons, kubernetesVersion, "lab")))).toMatchSnapshot();
});

describe("the versions of an environment's add-ons", () => {
  const form = (addons: unknown) => problemsIn(addonVersions, addons, "addons");
  const conflicts = (addons: Record<string, string>) => addonConflicts(addons, kubernetesVersion, "addons");

  test("each is one exact version", () => {
    expect(form({ coredns: "v1.13.2-eksbuild.31" })).toEqual([]);
    expect(
      form({ coredns: "latest", "vpc-cni": "v1.22", constructor: "" }).map(({ code, path }) => [code, path]),
    ).toEqual([
      ["version", "addons.coredns"],
      ["version", "addons.vpc-cni"],
      ["version", "addons.constructor"],
    ]);
    expect(form({ coredns: 1, "vpc-cni": output("v1") }).map(({ code, path }) => [code, path])).toEqual([
      ["wrong-type", "addons.coredns"],
      ["wrong-type", "addons.vpc-cni"],
    ]);
  });

  const version = "v1.0.0-eksbuild.1";
  const conflicting = [
    ["an unknown add-on", { "kube-dns": version }, "unknown-key"],
    ["a key of every object", { constructor: version }, "unknown-key"],
    ["a misspelt add-on", { corends: version }, "unknown-key"],
    ["an add-on with a role of its own", { "aws-ebs-csi-driver": version }, "not-allowed"],
    ["an old kube-proxy", { "kube-proxy": "v1.31.9-eksbuild.1" }, "version"],
  ] as const;

  test.for(conflicting)("rejected: %s", ([, addons, code]) => {
    expect(conflicts(addons).map((problem) => [problem.code, problem.path])).toEqual([
      [code, `addons.${Object.keys(addons)[0]}`],
    ]);
  });

  test("accepted: the node monitoring agent, and the others", () => {
    expect(conflicts({ "eks-node-monitoring-agent": version, coredns: version, "external-dns": version })).toEqual([]);
  });

  test("the messages", () => {
    expect(wording(conflicting.flatMap(([, addons]) => conflicts(addons)))).toMatchSnapshot();
  });
});

test.for([
  ["coredns", "v1.13.2-eksbuild.31", []],
  ["coredns", "latest", ["version"]],
  ["coredns", 1, ["wrong-type"]],
  ["kube-proxy", "v1.31.9-eksbuild.1", ["version"]],
] as const)("the version of %s alone: %j", ([addonName, got, codes]) => {
  const form = problemsIn(addonVersions, { [addonName]: got });
  const skew = typeof got === "string" ? addonConflicts({ [addonName]: got }, kubernetesVersion, "addons") : [];
  expect([...form, ...skew].map(({ code }) => code)).toEqual(codes);
});
