import { expect, test } from "vitest";
import { addonVersionForm, exactAddonVersion, exampleAddonVersion } from "../../../components/core/addon-version";
import { kubernetesVersion, pinnedAddons } from "../../../components/core/versions";
import { clusterAddonsProblems } from "../../../components/cluster/addons/addons-schema";
import { nodeMonitoringAgentProblems } from "../../../components/gpu/health/node-monitoring-schema";

const pinned = pinnedAddons[kubernetesVersion] ?? {};

test.for(["coredns", "eks-node-monitoring-agent"])("the example of %s is its pinned version", (addonName) => {
  expect(pinned[addonName]).toMatch(exactAddonVersion);
  expect(exampleAddonVersion(addonName)).toBe(pinned[addonName]);
});

test("without a pin, the example is the form", () => {
  expect(exampleAddonVersion("unknown")).toBe(addonVersionForm);
  expect(addonVersionForm).toMatch(exactAddonVersion);
});

test("the fixes show pinned versions", () => {
  const addons = (given: unknown) =>
    clusterAddonsProblems({ kubernetesVersion, addons: given as Record<string, object> }).map(({ fix }) => fix);
  expect(addons({ coredns: { version: 1 } })).toEqual([
    `set addons.coredns.version to a version such as "${pinned["coredns"]}"`,
  ]);
  expect(addons(["coredns"]).join()).toContain(`{ coredns: { version: "${pinned["coredns"]}" } }`);
  const agent = { clusterName: "lab", kubernetesVersion, version: "latest" };
  expect(nodeMonitoringAgentProblems(agent).map(({ fix }) => fix)).toEqual([
    `set version to a version such as "${pinned["eks-node-monitoring-agent"]}", or remove it to use EKS's default`,
  ]);
});
