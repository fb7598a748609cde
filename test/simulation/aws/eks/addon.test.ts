import { describe, expect, test } from "vitest";
import { addonDefaults } from "../../../../components/cluster/addons/addon-defaults";
import { knownAddons } from "../../../../components/cluster/addons/addon-plan";
import { kubernetesVersion } from "../../../../components/core/versions";
import type { Properties } from "../../../../components/core/wire";
import { isAvailable, knownAddon } from "../../../../simulation/aws/eks/addon-catalog";
import { types } from "../../../../simulation/aws/types";
import { changesOf } from "../../../../simulation/cloud/changes";
import { clusterForNodes, foundation, gpuInputs, makeAddon, makeCluster, makeGroup, messageOf } from "./foundation";

const degraded = (name: string) =>
  `waiting for EKS Add-On (lab:${name}) create: timeout while waiting for state to become 'ACTIVE' ` +
  "(last state: 'DEGRADED', timeout: 20m0s)";

describe("an add-on", () => {
  test.for(["vpc-cni", "kube-proxy", "eks-pod-identity-agent", "eks-node-monitoring-agent"])(
    "of DaemonSets needs no node: %s",
    async (name) => {
      const cloud = foundation();
      await makeCluster(cloud);
      expect(await messageOf(makeAddon(cloud, name))).toBe("no error");
    },
  );

  test.for(["coredns", "metrics-server", "external-dns", "cert-manager", "aws-ebs-csi-driver"])(
    "with other pods stays degraded without a node, and is there: %s",
    async (name) => {
      const cloud = await clusterForNodes();
      expect(await messageOf(makeAddon(cloud, name))).toBe(degraded(name));
      expect(cloud.get(types.addon, `lab:${name}`)).toBeDefined();
    },
  );

  test("runs on a system node", async () => {
    const cloud = await clusterForNodes();
    await makeGroup(cloud);
    expect(await messageOf(makeAddon(cloud, "coredns"))).toBe("no error");
  });

  test("runs on a GPU node only if its configuration tolerates the taint", async () => {
    const cloud = await clusterForNodes();
    await makeGroup(cloud, { ...gpuInputs, scalingConfig: { desiredSize: 1, minSize: 0, maxSize: 2 } });
    expect(await messageOf(makeAddon(cloud, "coredns"))).toBe(degraded("coredns"));
    const configurationValues = JSON.stringify({ tolerations: [{ operator: "Exists" }] });
    expect(await messageOf(makeAddon(cloud, "metrics-server", { configurationValues }))).toBe("no error");
  });

  test("has the default version of EKS", async () => {
    const cloud = foundation();
    await makeCluster(cloud);
    const { computed } = await makeAddon(cloud, "vpc-cni");
    expect(computed).toMatchObject({
      addonVersion: addonDefaults[kubernetesVersion]?.["vpc-cni"]?.version,
      arn: expect.stringMatching(
        /^arn:aws:eks:ap-northeast-2:123456789012:addon\/lab\/vpc-cni\/[0-9a-f-]{36}$/,
      ) as string,
      configurationValues: "",
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string,
    });
  });

  test("is deleted with its cluster", async () => {
    const cloud = await clusterForNodes();
    await cloud.delete(types.cluster, "lab");
    expect(cloud.find(types.addon)).toEqual([]);
  });
});

describe("EKS rejects an add-on", () => {
  const invalid = (words: string) => `InvalidParameterException: ${words}`;
  test.for<[string, string, Properties, string]>([
    ["of no cluster", "vpc-cni", { clusterName: "x" }, "ResourceNotFoundException: No cluster found for name: x."],
    ["none", "nginx", {}, invalid(`Addon nginx specified is not supported in ${kubernetesVersion} kubernetes version`)],
    [
      "of another spelling",
      "kube_proxy",
      {},
      invalid(`Addon kube_proxy specified is not supported in ${kubernetesVersion} kubernetes version`),
    ],
    [
      "of a version that was never seen",
      "vpc-cni",
      { addonVersion: "v1.22.4-eksbuild.99" },
      invalid("Addon version specified is not supported"),
    ],
    ["of no exact version", "vpc-cni", { addonVersion: "latest" }, invalid("Addon version specified is not supported")],
    [
      "of another Kubernetes",
      "kube-proxy",
      { addonVersion: "v1.34.6-eksbuild.25" },
      invalid("Addon version specified is not supported"),
    ],
    [
      "of a newer Kubernetes",
      "kube-proxy",
      { addonVersion: "v1.36.0-eksbuild.22" },
      invalid("Addon version specified is not supported"),
    ],
    [
      "with a configuration that is none",
      "vpc-cni",
      { configurationValues: '{"env":' },
      invalid("The ConfigurationValues provided is not in valid YAML or JSON format."),
    ],
    [
      "with a text for a configuration",
      "vpc-cni",
      { configurationValues: '"env"' },
      invalid("The ConfigurationValues provided is not in valid YAML or JSON format."),
    ],
    ["with a missing role", "vpc-cni", { serviceAccountRoleArn: "arn:x" }, invalid("The role arn:x does not exist")],
    ["never one newer than those that were seen", "vpc-cni", { addonVersion: "v1.24.0-eksbuild.1" }, "no error"],
    ["never one with a configuration", "vpc-cni", { configurationValues: '{"env":{}}' }, "no error"],
  ])("%s", async ([, name, over, message]) => {
    const cloud = foundation();
    await makeCluster(cloud);
    expect(await messageOf(makeAddon(cloud, name, over))).toBe(message);
  });

  test("that already exists", async () => {
    const cloud = foundation();
    await makeCluster(cloud);
    await makeAddon(cloud, "vpc-cni");
    expect(await messageOf(makeAddon(cloud, "vpc-cni"))).toBe("ResourceInUseException: Addon already exists.");
  });
});

describe("an update of an add-on", () => {
  const update = async (over: Properties, version = "1.35") => {
    const cloud = foundation();
    await makeCluster(cloud, { version });
    const addonVersion = `v${version}.3-eksbuild.29`;
    await makeAddon(cloud, "kube-proxy", { addonVersion });
    cloud.drift(types.cluster, "lab", { version: "1.36" });
    return messageOf(
      cloud.update(types.addon, "lab:kube-proxy", {
        clusterName: "lab",
        addonName: "kube-proxy",
        addonVersion,
        ...over,
      }),
    );
  };

  test("can keep a version that no longer matches its cluster", async () => {
    expect(await update({ configurationValues: "{}" })).toBe("no error");
  });

  test("accepts a version for the new Kubernetes version, and no other version for the old one", async () => {
    expect(await update({ addonVersion: "v1.36.0-eksbuild.21" })).toBe("no error");
    expect(await update({ addonVersion: "v1.35.3-eksbuild.25" })).toContain("Addon version specified is not supported");
  });

  // @see https://github.com/aws/containers-roadmap/issues/2242
  test("times out without a node for its pods, and succeeds with one", async () => {
    const cloud = await clusterForNodes();
    await makeGroup(cloud);
    await makeAddon(cloud, "coredns", { addonVersion: "v1.13.2-eksbuild.24" });
    await cloud.delete(types.nodeGroup, "lab:system");
    const upgrade = (over: Properties) =>
      messageOf(cloud.update(types.addon, "lab:coredns", { clusterName: "lab", addonName: "coredns", ...over }));
    const waiting =
      /^waiting for EKS Add-On \(lab:coredns\) update \([0-9a-f-]{36}\): timeout while waiting for state to become 'Successful' \(last state: 'InProgress', timeout: 20m0s\)/;
    const message = await upgrade({ addonVersion: "v1.13.2-eksbuild.31" });
    expect(message).toMatch(waiting);
    expect(message).toMatch(/\. Consider setting resolve_conflicts_on_update to "OVERWRITE"$/);
    expect(await upgrade({ addonVersion: "v1.14.2-eksbuild.4", resolveConflictsOnUpdate: "OVERWRITE" })).toMatch(
      new RegExp(`${waiting.source}$`),
    );
    expect(await upgrade({ addonVersion: "v1.14.2-eksbuild.4", tags: { a: "b" } })).toBe("no error");
    await makeGroup(cloud);
    expect(await upgrade({ addonVersion: "v1.14.6-eksbuild.4" })).toBe("no error");
  });

  test("of DaemonSets requires no node", async () => {
    expect(await update({ addonVersion: "v1.36.0-eksbuild.21" })).toBe("no error");
  });

  test.for([
    ["addonName", "coredns", true],
    ["clusterName", "other", true],
    ["addonVersion", "v1.23.2-eksbuild.1", false],
    ["configurationValues", "{}", false],
    ["preserve", true, false],
  ] as const)("of %s to %s replaces it: %s", ([key, value, replaces]) => {
    const inputs = { addonName: "vpc-cni", clusterName: "lab" };
    const changes = changesOf(foundation().modelOf(types.addon), inputs, { ...inputs, [key]: value });
    expect(changes.map((change) => change.replaces)).toEqual([replaces]);
  });
});

describe("the catalog", () => {
  test.for(knownAddons)("has %s", (name) => {
    expect(knownAddon(name)).toBeDefined();
  });

  test("contains every default version of the planner", () => {
    const missing = Object.entries(addonDefaults).flatMap(([minor, addons]) =>
      Object.entries(addons)
        .filter(([name, { version }]) => !isAvailable(name, version, minor))
        .map(([name]) => `${name} of ${minor}`),
    );
    expect(missing).toEqual([]);
  });

  test("does not contain inherited properties of objects", () => {
    expect(knownAddon("constructor")).toBeUndefined();
  });
});
