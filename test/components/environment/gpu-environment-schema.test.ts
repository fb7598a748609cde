import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { clusterAutoscalerChart, kubernetesVersion } from "../../../components/core/versions";
import { supportedKubernetesVersions } from "../../../components/cluster/kubernetes-versions";

import { gpuEnvironmentProblems, operatorConflicts } from "../../../components/environment/gpu-environment-schema";
import { environmentSection, type EnvironmentValues } from "../../../components/environment/gpu-environment-sections";
import { parse } from "../../../components/core/schema";
import { brief, testProblems, wording } from "../../support/problems";

const required = { publicAccessCidrs: ["198.51.100.7/32"], admins: [] };
const found = (args: object) => gpuEnvironmentProblems({ ...required, ...args });
const fixesOf = (args: object) => found(args).map(({ path, fix }) => `${path}: ${fix}`);

/** Arguments for a Kubernetes version without a pinned AMI release. */
function ofVersion(version: string) {
  const nodes = { releaseVersion: `${version}.1-20260930` };
  return { kubernetesVersion: version, systemNodes: nodes, gpuNodes: nodes };
}

describe("sections", () => {
  testProblems(found, [
    [{ gpuNode: {} }, "unknown-key gpuNode"],
    [{ vpcId: "vpc-1" }, "unknown-key vpcId"],
    [{ transfrom: {} }, "unknown-key transfrom"],
    [{ network: { natGateway: "none" } }, "unknown-key network.natGateway"],
    [{ network: { nameTag: "x" } }, "unknown-key network.nameTag"],
    [{ network: { tags: {} } }, "unknown-key network.tags"],
    [{ systemNodes: { taints: [] } }, "unknown-key systemNodes.taints"],
    [{ systemNodes: { physicalName: "x" } }, "unknown-key systemNodes.physicalName"],
    [{ gpuNodes: { maxsize: 3 } }, "unknown-key gpuNodes.maxsize"],
    [{ gpuNodes: { repair: {} } }, "unknown-key gpuNodes.repair"],
    [{ gpuNodes: { nodeRepairConfig: {} } }, "unknown-key gpuNodes.nodeRepairConfig"],
    [{ gpuNodes: { scaling: "session" } }, "unknown-key gpuNodes.scaling"],
    [{ gpuNodes: { subnetIds: ["subnet-1"] } }, "unknown-key gpuNodes.subnetIds"],
    [{ gpuNodes: { subnets: ["subnet-1"] } }, "unknown-key gpuNodes.subnets"],
    [{ gpuNodes: { taints: [null] } }, "wrong-type gpuNodes.taints[0]"],
    [{ gpuNodes: { taints: [{ key: "team", effect: "toString" }] } }, "not-allowed gpuNodes.taints[0].effect"],
    [{ gpuNodes: { taints: [{ key: "", effect: "NO_SCHEDULE" }] } }, "not-allowed gpuNodes.taints[0].key"],
    [{ gpuNodes: { taints: [{ key: "team", effect: ["NO_SCHEDULE"] }] } }, "not-allowed gpuNodes.taints[0].effect"],
    [{ gpuNodes: [] }, "wrong-type gpuNodes"],
    [{ gpuOperator: { enable: true } }, "unknown-key gpuOperator.enable"],
    [{ gpuOperator: { health: "off" } }, "unknown-key gpuOperator.health"],
    [{ gpuOperator: { taints: 1 } }, "unknown-key gpuOperator.taints"],
    [{ gpuOperator: { driver: {} } }, "unknown-key gpuOperator.driver"],
    [{ gpuOperator: { toolkit: {} } }, "unknown-key gpuOperator.toolkit"],
    [{ gpuOperator: { version: "v26" } }, "unknown-key gpuOperator.version"],
    [{ gpuHealth: { engin: "off" } }, "unknown-key gpuHealth.engin"],
    [{ gpuHealth: { engine: "none" } }, "not-allowed gpuHealth.engine"],
    [{ credentials: { proflie: "x" } }, "unknown-key credentials.proflie"],
    [{ addons: { "eks-node-monitoring-agent": "latest" } }, "version addons.eks-node-monitoring-agent"],
    [{ tags: { "aws:x": "y" } }, "not-allowed tags.aws:x"],
    [{ tags: { a: 1 } }, "wrong-type tags.a"],
    [{ tags: { "kubernetes.io/cluster/x": "owned" } }, "conflict tags.kubernetes.io/cluster/x"],
    [{ monitoring: 3 }, "wrong-type monitoring"],
    [{ monitoring: { enabled: "yes" } }, "wrong-type monitoring.enabled"],
    [{ monitoring: { grafna: true } }, "unknown-key monitoring.grafna"],
    [{ monitoring: { retentionHours: 1 } }, "out-of-range monitoring.retentionHours"],
  ]);

  test("a key of another argument has the fix that names it", () => {
    const one = { a: 1 };
    const foreign = {
      network: { transform: one },
      systemNodes: { transform: one },
      gpuNodes: {
        ...{ transform: one, repair: one, nodeRepairConfig: one, scaling: one, subnetIds: one },
        ...{ zone: one, gpuLimit: one, expireAfterHours: one },
      },
      gpuOperator: { transform: one, driver: one, version: one },
      monitoring: { transform: one },
      gpuHealth: { transform: one },
      controllers: { transform: one },
    };
    expect(fixesOf(foreign)).toMatchInlineSnapshot(`
      [
        "network.transform: set transform.network",
        "systemNodes.transform: set transform.systemNodes",
        "gpuNodes.transform: set transform.gpuNodes",
        "gpuNodes.repair: set gpuHealth.repair",
        "gpuNodes.nodeRepairConfig: set gpuHealth.repair",
        "gpuNodes.scaling: set gpuNodes.owner",
        "gpuNodes.subnetIds: GPU nodes use one subnet: choose its zone with gpuNodes.azIndex",
        "gpuNodes.zone: GPU nodes use one subnet: choose its zone with gpuNodes.azIndex",
        "gpuNodes.gpuLimit: set gpuNodes.maxSize: multiplied by the GPUs of the type, it is the limit of the pool",
        "gpuNodes.expireAfterHours: set the limits of a pool with transform.gpuNodePool, in a program",
        "gpuOperator.transform: set transform.gpuOperator",
        "gpuOperator.driver: remove it: the AMI has the driver",
        "gpuOperator.version: set gpuOperator.chartVersion",
        "monitoring.transform: set transform.monitoring",
        "gpuHealth.transform: set transform.nodeMonitoring",
        "controllers.transform: set transform.controllers",
      ]
    `);
  });

  test.for(["gpuNodes", "network"])("a key that Object.prototype has is unknown in %s", (section) => {
    expect(brief(found({ [section]: { constructor: 1 } }))).toEqual([`unknown-key ${section}.constructor`]);
  });
});

describe("values that are known too late", () => {
  testProblems(found, [
    [{ gpuHealth: { repair: pulumi.output({ maxParallel: 1 }) } }, "wrong-type gpuHealth.repair"],
    [{ gpuNodes: pulumi.output({ maxSize: 1 }) }, "wrong-type gpuNodes"],
    [{ gpuNodes: { maxSize: pulumi.output(1) } }, "wrong-type gpuNodes.maxSize"],
    [{ gpuNodes: Promise.resolve({}) }, "wrong-type gpuNodes"],
    [{ controllers: pulumi.output({}) }, "wrong-type controllers"],
    [{ network: { existing: pulumi.output({}) } }, "wrong-type network.existing"],
    [{ publicAccessCidrs: pulumi.output(["198.51.100.7/32"]) }, "wrong-type publicAccessCidrs"],
    [{ tags: pulumi.output({}) }, "wrong-type tags"],
  ]);

  test("a placement group can be an Output", () => {
    expect(found({ gpuNodes: { placementGroup: pulumi.output("group") } })).toEqual([]);
  });
});

describe("conflicts between sections", () => {
  const noNat = { natGateways: "none", interfaceEndpoints: true };
  const existing = {
    vpcId: "vpc-0123456789abcdef0",
    cidrBlock: "10.0.0.0/16",
    zones: ["ap-northeast-2a", "ap-northeast-2c"],
    publicSubnetIds: [],
    privateSubnetIds: ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
  };
  const installed = { clusterAutoscaler: { install: true } };
  const values = parse(environmentSection, required).value as EnvironmentValues;
  testProblems(found, [
    [{ gpuNodes: { azIndex: 3 } }, "out-of-range gpuNodes.azIndex"],
    [{ network: { existing }, gpuNodes: { azIndex: 2 } }, "out-of-range gpuNodes.azIndex"],
    [{ network: { existing, cidr: "10.0.0.0/16" } }, "conflict network.cidr"],
    [{ network: { existing }, transform: { network: { vpc: {} } } }, "conflict transform.network"],
    [{ gpuHealth: { engine: "operator", repair: { maxParallel: 1 } } }, "conflict gpuHealth.repair"],
    [{ gpuNodes: { instanceType: "g5g.xlarge" } }, "conflict gpuHealth.engine"],
    [{ addons: { "aws-ebs-csi-driver": "v1.66.0-eksbuild.1" } }, "not-allowed addons.aws-ebs-csi-driver"],
    [{ network: noNat, gpuOperator: { enabled: true } }, "conflict gpuOperator.enabled"],
    [{ network: noNat, monitoring: { enabled: true } }, "conflict monitoring.enabled"],
    [{ network: noNat, controllers: installed }, "conflict controllers.clusterAutoscaler.install"],
    [
      { network: noNat, controllers: { loadBalancerController: { install: true } } },
      "conflict controllers.loadBalancerController.install",
    ],
    [{ controllers: installed, systemNodes: { owner: "pulumi" } }, "conflict systemNodes.owner"],
    [{ controllers: installed, gpuNodes: { owner: "pulumi" } }, "conflict gpuNodes.owner"],
  ]);

  test("the cluster in an existing network has transforms", () => {
    expect(found({ network: { existing }, transform: { cluster: {} } })).toEqual([]);
  });

  test("problems of an existing network have their full path", () => {
    const wrong = { ...existing, vpcId: "vpc", zones: ["ap-northeast-2a"], colour: 1 };
    expect(brief(found({ network: { existing: wrong, cidrs: [] } }))).toEqual([
      "unknown-key network.cidrs",
      "unknown-key network.existing.colour",
      "not-allowed network.existing.vpcId",
    ]);
  });

  test.for([
    ["v26.3.0", ["conflict gpuOperator.chartVersion"]],
    ["v26.3.2", ["conflict gpuOperator.chartVersion"]],
    ["v26.3.3", []],
  ] as [string, string[]][])("with EFA the chart %s: %s", ([chartVersion, expected]) => {
    const gpuNodes = { instanceType: "g5.8xlarge", efa: true };
    const problems = found({ gpuNodes, gpuOperator: { enabled: true, chartVersion } });
    expect(brief(problems)).toEqual(expected);
    for (const { fix } of problems) expect(fix).toBe('set gpuOperator.chartVersion to "v26.3.3"');
  });

  test("a chart without a host network for its exporter needs another engine", () => {
    const gpuOperator = { ...values.gpuOperator, chartVersion: "v25.10.0" };
    const problems = operatorConflicts({ ...values, kubernetesVersion: "1.34", gpuOperator }, "");
    expect(brief(problems)).toEqual(["conflict gpuHealth.engine"]);
  });

  test("a chart that is not installed need not fit the Kubernetes version", () => {
    const conflicts = (enabled: boolean) =>
      operatorConflicts({ ...values, kubernetesVersion: "1.99", gpuOperator: { ...values.gpuOperator, enabled } }, "");
    expect(conflicts(false)).toEqual([]);
    expect(brief(conflicts(true))).toEqual(["version gpuOperator.chartVersion"]);
  });

  test.for([
    ["the section itself", { gpuNodes: { azIndex: 9, maxSize: "2" } }, ["wrong-type gpuNodes.maxSize"]],
    ["the Kubernetes version", { kubernetesVersion: "1.2", controllers: installed }, ["version kubernetesVersion"]],
    ["another section", { gpuNodes: { azIndex: 9 }, network: { zones: 1 } }, ["wrong-type network.zones"]],
    [
      "a section that the conflict does not read",
      { gpuNodes: { azIndex: 9 }, monitoring: { enabled: 1 } },
      ["wrong-type monitoring.enabled", "out-of-range gpuNodes.azIndex"],
    ],
  ] as [string, object, string[]][])("wait for the right form of %s", ([, args, expected]) => {
    expect(brief(found(args))).toEqual(expected);
  });
});

describe("controllers", () => {
  const unpinned = supportedKubernetesVersions.find(
    (version) => clusterAutoscalerChart.imageTags[version] === undefined,
  ) as string;
  const tag = clusterAutoscalerChart.imageTags[kubernetesVersion] as string;
  const unpinnedProblems = (controllers: object) => found({ ...ofVersion(unpinned), controllers });

  test.for([
    ["nothing", {}, kubernetesVersion],
    ["identities, on a minor without a pinned image", { clusterAutoscaler: {} }, unpinned],
    ["both", { loadBalancerController: { install: true }, clusterAutoscaler: { install: true } }, kubernetesVersion],
    ["an image of the minor", { clusterAutoscaler: { install: true, imageTag: `v${unpinned}.3` } }, unpinned],
    ["all zones", { externalDns: { hostedZoneIds: "all" } }, kubernetesVersion],
    ["an empty section", { externalDns: undefined }, kubernetesVersion],
  ] as [string, object, string][])("accepted: %s", ([, controllers, version]) => {
    expect(found({ ...(version === unpinned && ofVersion(version)), controllers })).toEqual([]);
  });

  testProblems(unpinnedProblems, [
    [{ clusterAutoscaler: { install: true } }, "missing controllers.clusterAutoscaler.imageTag"],
    [{ clusterAutoscaler: { imageTag: tag } }, "version controllers.clusterAutoscaler.imageTag"],
    [{ clusterAutoscaler: { imageTag: "latest" } }, "version controllers.clusterAutoscaler.imageTag"],
    [{ clusterAutoscaler: { imageTag: 1.36 } }, "wrong-type controllers.clusterAutoscaler.imageTag"],
    [{ clusterAutoscaler: { imagetag: tag } }, "unknown-key controllers.clusterAutoscaler.imagetag"],
    [{ clusterAutoscaler: { install: null } }, "wrong-type controllers.clusterAutoscaler.install"],
    [{ clusterAutoscaler: { instal: true } }, "unknown-key controllers.clusterAutoscaler.instal"],
    [{ clusterAutoscaler: true }, "wrong-type controllers.clusterAutoscaler"],
    [{ clusterAutoscaler: { chartVersion: "latest" } }, "version controllers.clusterAutoscaler.chartVersion"],
    [{ loadBalancerController: { install: "yes" } }, "wrong-type controllers.loadBalancerController.install"],
    [{ loadBalancerController: true }, "wrong-type controllers.loadBalancerController"],
    [{ loadBalancerController: { imageTag: "v3" } }, "unknown-key controllers.loadBalancerController.imageTag"],
    [{ externalDns: { hostedZoneIds: ["x"] } }, "not-allowed controllers.externalDns.hostedZoneIds[0]"],
    [{ externalDns: { hostedZoneIds: "x" } }, "wrong-type controllers.externalDns.hostedZoneIds"],
    [{ externalDns: { zones: [] } }, "unknown-key controllers.externalDns.zones"],
    [{ externalDns: 1 }, "wrong-type controllers.externalDns"],
    [{ metricsServer: {} }, "unknown-key controllers.metricsServer"],
  ]);

  test("an image is not compared with a Kubernetes version that is wrong", () => {
    const clusterAutoscaler = { install: true, imageTag: `v${unpinned}.3` };
    expect(brief(found({ kubernetesVersion: "1.2", controllers: { clusterAutoscaler } }))).toEqual([
      "version kubernetesVersion",
    ]);
  });
});

describe("transforms", () => {
  testProblems(
    (transform) => found({ transform }),
    [
      [{ node: {} }, "unknown-key transform.node"],
      [{ gpuNodes: { nodegroup: {} } }, "unknown-key transform.gpuNodes.nodegroup"],
      [{ systemNodes: { autoscalingTags: {} } }, "unknown-key transform.systemNodes.autoscalingTags"],
      [{ lease: { schedules: {} } }, "unknown-key transform.lease.schedules"],
      [
        { network: { vpc: 5, subnet: {} } },
        ["unknown-key transform.network.subnet", "wrong-type transform.network.vpc"],
      ],
      [{ cluster: { key: {} } }, "unknown-key transform.cluster.key"],
      [{ firewall: { rule: {} } }, "unknown-key transform.firewall.rule"],
      [{ addons: { coredns: {} } }, "unknown-key transform.addons.coredns"],
      [{ gpuOperator: { values: {} } }, "unknown-key transform.gpuOperator.values"],
      [{ monitoring: { rule: {} } }, "unknown-key transform.monitoring.rule"],
      [{ nodeMonitoring: () => undefined }, "wrong-type transform.nodeMonitoring"],
      [{ controllers: { metrics: {} } }, "unknown-key transform.controllers.metrics"],
      [
        { controllers: { clusterAutoscaler: { chart: {} } } },
        "unknown-key transform.controllers.clusterAutoscaler.chart",
      ],
      [
        { controllers: { loadBalancerController: { rol: {} } } },
        "unknown-key transform.controllers.loadBalancerController.rol",
      ],
      [{ controllers: { externalDns: { release: {} } } }, "unknown-key transform.controllers.externalDns.release"],
    ],
  );

  test("a transform inside a section is reported once, with its place", () => {
    expect(fixesOf({ gpuNodes: { transform: { nodegroup: 5 } } })).toEqual([
      "gpuNodes.transform: set transform.gpuNodes",
    ]);
    expect(fixesOf({ gpuHealth: { transform: {} } })).toEqual(["gpuHealth.transform: set transform.nodeMonitoring"]);
  });
});

test("a section of the wrong form does not hide the problems of the others", () => {
  const args = { network: [], gpuNodes: { maxSize: 0 }, nccl: "closed", colour: 1, tags: { "aws:x": "y" } };
  expect(brief(found(args))).toEqual([
    "unknown-key colour",
    "wrong-type network",
    "out-of-range gpuNodes.maxSize",
    "not-allowed nccl",
    "not-allowed tags.aws:x",
  ]);
});

test.for([
  [{ gpuNodes: { maxsize: 3 }, systemNodes: { maxSize: 0 } }, ["gpuNodes.maxsize", "systemNodes.maxSize"]],
  [{ gpuNodes: { maxsize: 3, minSize: -1 } }, ["gpuNodes.maxsize", "gpuNodes.minSize"]],
  [{ gpuNode: {}, gpuNodes: { azIndex: 7 } }, ["gpuNode", "gpuNodes.azIndex"]],
] as [object, string[]][])("a misspelt key does not hide other problems: %j", ([args, paths]) => {
  expect(found(args).map(({ path }) => path)).toEqual(paths);
});

test.for(["clusterName", "kubernetesVersion", "nccl"])("%s must have a value", (key) => {
  expect(found({ [key]: null }).map(({ path }) => path)).toEqual([key]);
});

describe("required arguments", () => {
  const given = (args: unknown) => gpuEnvironmentProblems(args as typeof required);
  testProblems(given, [
    [{}, "missing publicAccessCidrs"],
    [null, "wrong-type args"],
    [1, "wrong-type args"],
    ["x", "wrong-type args"],
    [[], "wrong-type args"],
  ]);

  test("no arguments at all are one problem", () => {
    expect(wording(given(undefined))).toEqual(["args: got nothing. Must be set. fix: set the keys of args"]);
  });
});
