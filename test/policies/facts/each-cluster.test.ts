import { describe, expect, test } from "vitest";
import type { AnalyzedResource } from "../../../policies/engine/judge";
import { oneDcgmEngine } from "../../../policies/rules/health/one-dcgm-engine";
import { systemNodeGroupPresent } from "../../../policies/rules/nodes/system-node-group-present";
import { devicePluginEnabled } from "../../../policies/rules/operator/device-plugin-enabled";
import { nvidiaAmiDriverToolkitOff } from "../../../policies/rules/operator/nvidia-ami-driver-toolkit-off";
import { oneGpuDevicePlugin } from "../../../policies/rules/pods/one-gpu-device-plugin";
import { findings, resource, unknown } from "../support/verdicts";

const cluster = (name: string, stated: unknown = name) =>
  resource("aws:eks/cluster:Cluster", { name: stated, version: "1.35" }, { name });
const provider = (name: string, kubeconfig: unknown = unknown, behind: readonly AnalyzedResource[] = []) =>
  resource(
    "pulumi:providers:kubernetes",
    { kubeconfig },
    { name, propertyDependencies: { kubeconfig: behind.map(({ urn }) => urn) } },
  );
const release = (name: string, of: AnalyzedResource | undefined, chart = "gpu-operator", values: object = {}) =>
  resource(
    "kubernetes:helm.sh/v3:Release",
    { chart, values },
    { name, ...(of && { provider: `${of.urn}::0a1b2c3d-0000-4000-8000-000000000000` }) },
  );
const agent = (clusterName: unknown, behind: readonly AnalyzedResource[] = []) =>
  resource(
    "aws:eks/addon:Addon",
    { addonName: "eks-node-monitoring-agent", clusterName },
    { name: `agent-${String(clusterName)}`, propertyDependencies: { clusterName: behind.map(({ urn }) => urn) } },
  );

/** The resources that one-dcgm-engine reports. */
function reported(stack: readonly AnalyzedResource[]): string[] {
  return findings(oneDcgmEngine, stack).map(({ name, verdict }) => `${verdict} ${name}`);
}

describe("one-dcgm-engine", () => {
  const [one, two] = [cluster("one"), cluster("two")];
  const [ofOne, ofTwo] = [provider("of-one", unknown, [one]), provider("of-two", unknown, [two])];
  const yaml = (name: string) => `    command: aws\n    args:\n    - get-token\n    - --cluster-name\n    - ${name}\n`;
  const arn = (name: string) => `current-context: arn:aws:eks:us-east-1:111122223333:cluster/${name}\n`;
  const kubeconfig = (name: string) => JSON.stringify({ args: ["eks", "get-token", "--cluster-name", name] });

  test.for([
    ["one cluster", [one, ofOne, agent("one"), release("operator", ofOne)], ["fail operator"]],
    ["a cluster of another stack", [agent("one"), release("operator", undefined)], ["fail operator"]],
    ["one provider of which no cluster is known", [agent("one"), release("operator", ofOne)], ["fail operator"]],
    ["two clusters, by kubeconfig", [one, two, ofOne, ofTwo, agent("one"), release("operator", ofTwo)], []],
    [
      "two clusters, by outputs",
      [one, two, ofOne, ofTwo, agent(unknown, [one]), release("operator", ofTwo), release("other", ofOne)],
      ["fail other"],
    ],
    [
      "two clusters, by the names in kubeconfigs",
      [
        provider("a", kubeconfig("one")),
        provider("b", kubeconfig("two")),
        agent("one"),
        release("first", provider("a")),
        release("second", provider("b")),
      ],
      ["fail first"],
    ],
    ...[yaml, arn].map(
      (of) =>
        [
          `two clusters, by kubeconfigs such as ${JSON.stringify(of("one"))}`,
          [
            one,
            two,
            provider("a", of("one")),
            provider("b", of("two")),
            agent("one"),
            release("first", provider("a")),
            release("second", provider("b")),
          ],
          ["fail first"],
        ] as const,
    ),
    [
      "a kubeconfig with both clusters",
      [one, two, provider("a", yaml("one") + yaml("two")), agent("one"), release("operator", provider("a"))],
      ["fail operator"],
    ],
    [
      "two providers of one cluster",
      [one, ofOne, provider("again", unknown, [one]), agent("one"), release("operator", provider("again"))],
      ["fail operator"],
    ],
    [
      "two providers with one kubeconfig",
      [
        provider("a", "{}"),
        provider("b", "{}"),
        release("agent", provider("a"), "eks-node-monitoring-agent"),
        release("operator", provider("b")),
      ],
      ["fail operator"],
    ],
    [
      "two providers of which no cluster is known",
      [release("agent", provider("a"), "eks-node-monitoring-agent"), release("operator", provider("b"))],
      [],
    ],
    [
      "an agent of another provider, one of the same",
      [
        release("agent", provider("a"), "eks-node-monitoring-agent"),
        release("operator", provider("a")),
        release("other", provider("b")),
      ],
      ["fail operator"],
    ],
    [
      "a cluster of @pulumi/eks in a preview, whose provider is its child",
      [
        resource("eks:index:Cluster", {}, { name: "shop" }),
        two,
        {
          ...provider("shop-eks-k8s"),
          parent: resource("eks:index:Cluster", {}, { name: "shop" }).urn,
        },
        agent(unknown, [resource("eks:index:Cluster", {}, { name: "shop" })]),
        agent("two", [two]),
        release("operator", provider("shop-eks-k8s")),
      ],
      ["fail operator"],
    ],
  ] as const)("%s", ([, stack, expected]) => {
    expect(reported(stack)).toEqual(expected);
  });

  test("an Application for another cluster", () => {
    const application = (destination: object) =>
      resource(
        "kubernetes:argoproj.io/v1alpha1:Application",
        { spec: { destination, source: { chart: "gpu-operator", targetRevision: "v26.3.1" } } },
        { name: "operator", provider: ofOne.urn },
      );
    const stack = (destination: object) => [one, ofOne, agent("one"), application(destination)];
    expect(reported(stack({ server: "https://kubernetes.default.svc" }))).toEqual(["fail operator"]);
    expect(reported(stack({ name: "in-cluster" }))).toEqual(["fail operator"]);
    expect(reported(stack({ server: "https://other.example" }))).toEqual([]);
    expect(reported(stack({ name: "other" }))).toEqual([]);
  });
});

test("other rules", () => {
  const [one, two] = [cluster("one"), cluster("two")];
  const [ofOne, ofTwo] = [provider("of-one", unknown, [one]), provider("of-two", unknown, [two])];
  const base = [one, two, ofOne, ofTwo];
  const group = resource(
    "aws:eks/nodeGroup:NodeGroup",
    { clusterName: "one", amiType: "AL2023_x86_64_NVIDIA", instanceTypes: ["g5.xlarge"] },
    { name: "gpu" },
  );
  const both = [release("first", ofOne), release("second", ofTwo)];
  const names = (said: readonly { name: string }[]) => [...new Set(said.map(({ name }) => name))];
  expect(names(findings(nvidiaAmiDriverToolkitOff, [...base, group, ...both]))).toEqual(["first"]);

  const plugin = release("plugin", ofTwo, "nvidia-device-plugin");
  expect(names(findings(oneGpuDevicePlugin, [...base, release("operator", ofOne), plugin]))).toEqual([]);
  expect(names(findings(oneGpuDevicePlugin, [...base, release("operator", ofTwo), plugin]))).toEqual(["plugin"]);

  const off = { devicePlugin: { enabled: false } };
  const without = (of: AnalyzedResource) => release("operator", of, "gpu-operator", off);
  expect(names(findings(devicePluginEnabled, [...base, without(ofOne), plugin]))).toEqual(["operator"]);
  expect(names(findings(devicePluginEnabled, [...base, without(ofTwo), plugin]))).toEqual([]);

  const dns = resource("aws:eks/addon:Addon", { addonName: "coredns", clusterName: "two" }, { name: "dns" });
  const system = (clusterName: string) =>
    resource("aws:eks/nodeGroup:NodeGroup", { clusterName, scalingConfig: { desiredSize: 1 } }, { name: "system" });
  expect(names(findings(systemNodeGroupPresent, [...base, dns, system("one")]))).toEqual(["dns"]);
  expect(names(findings(systemNodeGroupPresent, [...base, dns, system("two")]))).toEqual([]);
});
