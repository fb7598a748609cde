import { describe, expect, test } from "vitest";
import { addonDefaults } from "../../../../components/cluster/addons/addon-defaults";
import {
  addonPhase,
  addonsOfPhase,
  knownAddons,
  unpinnedAddons,
  vpcCniConfiguration,
} from "../../../../components/cluster/addons/addon-plan";
import { clusterAddonsProblems } from "../../../../components/cluster/addons/addons-schema";
import { supportedKubernetesVersions } from "../../../../components/cluster/kubernetes-versions";

describe("the order", () => {
  test.for(["vpc-cni", "kube-proxy", "eks-pod-identity-agent"])("nodes wait for %s", (addonName) =>
    expect(addonPhase(addonName)).toBe("before-nodes"),
  );

  test("the others wait for nodes", () => {
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

  test.for(["kube-dns", "constructor", "eks-node-monitoring-agent", ""])("%j has no phase", (addonName) =>
    expect(addonPhase(addonName)).toBeUndefined(),
  );

  test("each add-on is in one of the two phases", () => {
    const addons = { coredns: { version: "v1.13.2-eksbuild.31" }, "vpc-cni": {}, "cert-manager": {} };
    expect(addonsOfPhase(addons, "before-nodes")).toEqual({ "vpc-cni": {} });
    expect(addonsOfPhase(addons, "after-nodes")).toEqual({ coredns: addons.coredns, "cert-manager": {} });
    expect(unpinnedAddons(addons)).toEqual(["cert-manager", "vpc-cni"]);
  });
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

describe("the versions of an offline plan", () => {
  const all = Object.entries(addonDefaults).flatMap(([minor, addons]) =>
    Object.entries(addons).map(([addonName, { version, date, source }]) => ({
      minor,
      addonName,
      version,
      date,
      source,
    })),
  );

  test("can be pinned, and have a date and a source", () => {
    for (const { minor, addonName, version, date, source } of all) {
      expect(supportedKubernetesVersions).toContain(minor);
      expect(date).toMatch(/^\d{4}-\d\d(-\d\d)?$/);
      expect(source).not.toBe("");
      if (addonPhase(addonName)) {
        const addons = { [addonName]: { version } };
        expect(clusterAddonsProblems({ kubernetesVersion: minor, addons })).toEqual([]);
      }
    }
  });
});
