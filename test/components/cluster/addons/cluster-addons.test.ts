import * as pulumi from "@pulumi/pulumi";
import { Vpc } from "@pulumi/aws/ec2";
import { expect, test } from "vitest";
import { addonDefaults } from "../../../../components/cluster/addons/addon-defaults";
import type { Addons, ClusterAddonsArgs } from "../../../../components/cluster/addons/addons-schema";
import { ClusterAddons } from "../../../../components/cluster/addons/cluster-addons";
import { kubernetesVersion } from "../../../../components/core/versions";
import type { Cloud } from "../../../../planner/record/record";
import type { Properties } from "../../../../components/core/wire";
import { byName, ofType, only, plan } from "../../../support/plan";

const addonType = "aws:eks/addon:Addon";

/** A cloud that notes which default versions it is asked for. */
function recordingCloud(asked: Properties[]): Cloud {
  return {
    outputsOf: () => ({}),
    call: (token, args) => {
      if (token !== "aws:eks/getAddonVersion:getAddonVersion") throw new Error(`unexpected ${token}`);
      asked.push(args);
      return { ...args, version: "v9.9.9-eksbuild.9" };
    },
  };
}

function planned(addons: Addons, args: Partial<ClusterAddonsArgs> = {}, asked: Properties[] = []) {
  return plan(
    () => {
      const { versions } = new ClusterAddons("addons", {
        clusterName: "myeks",
        kubernetesVersion,
        addons,
        ...args,
      });
      return { versions };
    },
    { cloud: recordingCloud(asked) },
  );
}

test("a pinned add-on is exactly this, and EKS is not asked", async () => {
  const asked: Properties[] = [];
  const recording = await planned({ coredns: { version: "v1.13.2-eksbuild.31" } }, {}, asked);
  expect(only(recording, addonType)).toMatchObject({
    name: "addons-coredns",
    parent: byName(recording, "addons").urn,
    inputs: {
      clusterName: "myeks",
      addonName: "coredns",
      addonVersion: "v1.13.2-eksbuild.31",
      preserve: true,
      resolveConflictsOnCreate: "OVERWRITE",
      resolveConflictsOnUpdate: "OVERWRITE",
      tags: { Name: "coredns" },
    },
  });
  expect(Object.keys(only(recording, addonType).inputs)).not.toContain("configurationValues");
  expect(asked).toEqual([]);
  expect(recording.diagnostics).toEqual([]);
  expect(recording.outputs).toEqual({ versions: { coredns: "v1.13.2-eksbuild.31" } });
});

test("without a version it is EKS's default for the cluster's Kubernetes version, never the most recent", async () => {
  const asked: Properties[] = [];
  const recording = await planned({ coredns: {} }, { kubernetesVersion: "1.36" }, asked);
  expect(asked).toEqual([{ addonName: "coredns", kubernetesVersion: "1.36", mostRecent: false }]);
  expect(only(recording, addonType).inputs["addonVersion"]).toBe("v9.9.9-eksbuild.9");
});

test("one warning names all add-ons without a version", async () => {
  const recording = await planned({
    "vpc-cni": {},
    coredns: { version: "v1.13.2-eksbuild.31" },
    "kube-proxy": {},
  });
  expect(recording.diagnostics).toEqual([
    {
      severity: "warning",
      message:
        `ClusterAddons "addons": no version is pinned for kube-proxy, vpc-cni. EKS's default for Kubernetes ${kubernetesVersion} is ` +
        "used, and a later update may use a different version. Pin the versions that this preview shows.",
      urn: byName(recording, "addons").urn,
    },
  ]);
});

test("a configuration is sent as JSON, with values that are known later", async () => {
  const configuration = { env: { WARM_PREFIX_TARGET: "1", region: pulumi.output("ap-northeast-2") } };
  const recording = await planned({ "vpc-cni": { version: "v1.22.4-eksbuild.3", configuration } });
  expect(only(recording, addonType).inputs["configurationValues"]).toBe(
    '{"env":{"WARM_PREFIX_TARGET":"1","region":"ap-northeast-2"}}',
  );
});

test("no add-ons are none", async () => {
  const recording = await planned({});
  expect(ofType(recording, addonType)).toEqual([]);
  expect(recording.diagnostics).toEqual([]);
});

test("tags and adjustments reach each add-on; the component's arguments hold no function", async () => {
  const adjust = (args: object) => Object.assign(args, { preserve: false });
  const recording = await planned(
    { coredns: {}, "vpc-cni": {} },
    { tags: { team: "gpu" }, transform: { addon: adjust } },
  );
  expect(ofType(recording, addonType).map(({ inputs }) => [inputs["tags"], inputs["preserve"]])).toEqual([
    [{ Name: "coredns", team: "gpu" }, false],
    [{ Name: "vpc-cni", team: "gpu" }, false],
  ]);
  expect(byName(recording, "addons").inputs).toEqual({
    clusterName: "myeks",
    kubernetesVersion,
    addons: { coredns: {}, "vpc-cni": {} },
    tags: { team: "gpu" },
  });
});

test("each add-on waits for what the component waits for", async () => {
  const recording = await plan(() => {
    const nodes = new Vpc("nodes", {});
    new ClusterAddons(
      "addons",
      { clusterName: "myeks", kubernetesVersion, addons: { coredns: {} } },
      { dependsOn: nodes },
    );
  });
  expect(only(recording, addonType).dependencies).toEqual([byName(recording, "nodes").urn]);
  expect(only(recording, addonType).inputs["addonVersion"]).toBe(
    addonDefaults[kubernetesVersion]?.["coredns"]?.version,
  );
});

test("the volumes of the EBS CSI driver have the tags of the add-on, and those of its configuration first", async () => {
  const tags = { lab: "training", owner: "ml-platform", "expires-at": "2026-12-01T00:00:00Z" };
  const version = "v1.66.0-eksbuild.1";
  const configuration = { controller: { replicaCount: 1, extraVolumeTags: { owner: "data" } } };
  const valuesOf = async (spec: object, given: Record<string, string>) => {
    const recording = await planned({ "aws-ebs-csi-driver": { version, ...spec } }, { tags: given });
    const text = only(recording, addonType).inputs["configurationValues"];
    return text === undefined ? undefined : (JSON.parse(text as string) as unknown);
  };
  expect(await valuesOf({}, tags)).toEqual({ controller: { extraVolumeTags: tags } });
  expect(await valuesOf({ configuration }, tags)).toEqual({
    controller: { replicaCount: 1, extraVolumeTags: { ...tags, owner: "data" } },
  });
  expect(await valuesOf({}, {})).toBeUndefined();
});

test.each<[string, Record<string, string>, string | undefined]>([
  ["only the id reaches network interfaces", { "eks-gpu-lab/id": "r/a/u", team: "ml" }, '{"eks-gpu-lab/id":"r/a/u"}'],
  ["without an id they have no tags", { team: "ml" }, undefined],
])("%s, because another value restarts the network plugin", async (_, tags, eniTags) => {
  const recording = await planned({ "vpc-cni": { version: "v1.22.4-eksbuild.3" } }, { tags });
  const { configurationValues } = only(recording, addonType).inputs;
  const given = eniTags === undefined ? undefined : JSON.stringify({ env: { ADDITIONAL_ENI_TAGS: eniTags } });
  expect(configurationValues).toBe(given);
});
