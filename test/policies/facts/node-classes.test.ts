import { describe, expect, test } from "vitest";
import { gpuNodeDisk } from "../../../policies/rules/machines/gpu-node-disk";
import { gpuUserdataDrift } from "../../../policies/rules/machines/gpu-userdata-drift";
import { launchTemplateImdsv2 } from "../../../policies/rules/machines/launch-template-imdsv2";
import { launchTemplateNoPublicIp } from "../../../policies/rules/machines/launch-template-no-public-ip";
import { launchTemplateVolumesEncrypted } from "../../../policies/rules/machines/launch-template-volumes-encrypted";
import { gpuSingleAz } from "../../../policies/rules/nodes/gpu-single-az";
import { gpuTaintPresent } from "../../../policies/rules/nodes/gpu-taint-present";
import { nodeReleasePinned } from "../../../policies/rules/nodes/node-release-pinned";
import { operatorToleratesTaints } from "../../../policies/rules/operator/operator-tolerates-taints";
import type { Rule } from "../../../policies/engine/rule";
import { findings, resource, unknown, verdicts } from "../support/verdicts";

const nodeClassType = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass";
const nodeClass = (spec: object) => resource(nodeClassType, { metadata: { name: "gpu" }, spec }, { name: "class" });

interface Pool {
  readonly family?: string;
  readonly spec?: object;
  readonly labels?: object;
  readonly zones?: unknown;
}

/** @see https://karpenter.sh/docs/concepts/nodepools/ */
const nodePool = ({ family = "g6", spec = {}, labels = { "nvidia.com/gpu": "true" }, zones }: Pool = {}) =>
  resource("kubernetes:karpenter.sh/v1:NodePool", {
    metadata: { name: "gpu" },
    spec: {
      template: {
        metadata: { labels },
        spec: {
          nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "gpu" },
          requirements: [
            { key: "karpenter.k8s.aws/instance-family", operator: "In", values: [family] },
            ...(zones === undefined ? [] : [{ key: "topology.kubernetes.io/zone", operator: "In", values: zones }]),
          ],
          ...spec,
        },
      },
    },
  });

const disk = (volumeSize: unknown) => ({ blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize } }] });
const mapping = "spec.blockDeviceMappings[0].ebs";
const images = (term: object) => ({ amiSelectorTerms: [term] });
const term = "spec.amiSelectorTerms[0]";

const cases: readonly [what: string, rule: Rule, spec: object, expected: readonly string[]][] = [
  ["tokens by default", launchTemplateImdsv2, {}, []],
  ["tokens by default of other options", launchTemplateImdsv2, { metadataOptions: { httpEndpoint: "enabled" } }, []],
  [
    "no tokens",
    launchTemplateImdsv2,
    { metadataOptions: { httpTokens: "optional", httpPutResponseHopLimit: 2 } },
    ["fail spec.metadataOptions.httpTokens", "advise spec.metadataOptions.httpPutResponseHopLimit"],
  ],
  ["unknown", launchTemplateImdsv2, { metadataOptions: unknown }, ["unknown spec.metadataOptions"]],
  ["no address", launchTemplateNoPublicIp, {}, []],
  ["an address", launchTemplateNoPublicIp, { associatePublicIPAddress: true }, ["fail spec.associatePublicIPAddress"]],
  ["volumes of Karpenter", launchTemplateVolumesEncrypted, {}, []],
  ["a plain volume", launchTemplateVolumesEncrypted, disk("200Gi"), [`fail ${mapping}.encrypted`]],
  [
    "a plain snapshot",
    launchTemplateVolumesEncrypted,
    { blockDeviceMappings: [{ ebs: { snapshotID: "snap-0" } }] },
    [`advise ${mapping}.snapshotID`],
  ],
  ["a large disk", gpuNodeDisk, disk("150Gi"), []],
  ["a larger disk", gpuNodeDisk, disk("1Ti"), []],
  ["a small disk", gpuNodeDisk, disk("50Gi"), [`fail ${mapping}.volumeSize`]],
  ["the disk of Karpenter", gpuNodeDisk, {}, [`fail ${mapping}.volumeSize`]],
  ["an unknown disk", gpuNodeDisk, disk(unknown), [`unknown ${mapping}.volumeSize`]],
  ["images on the instance store", gpuNodeDisk, { instanceStorePolicy: "RAID0" }, []],
  ["an update at boot", gpuUserdataDrift, { userData: "#!/bin/sh\ndnf upgrade -y" }, ["fail spec.userData"]],
  ["no image", nodeReleasePinned, {}, ["fail spec.amiSelectorTerms"]],
  ["a release", nodeReleasePinned, images({ alias: "al2023@v20260930" }), []],
  ["a release of Bottlerocket", nodeReleasePinned, images({ alias: "bottlerocket@1.48.0" }), []],
  ["an id", nodeReleasePinned, images({ id: "ami-0123" }), []],
  ["a name", nodeReleasePinned, images({ name: "gpu-2026-11-01" }), []],
  ["the latest release", nodeReleasePinned, images({ alias: "al2023@latest" }), [`fail ${term}.alias`]],
  ["a pattern of names", nodeReleasePinned, images({ name: "gpu-*" }), [`fail ${term}`]],
  ["tags", nodeReleasePinned, images({ tags: { team: "ml" } }), [`fail ${term}`]],
  ["a parameter", nodeReleasePinned, images({ ssmParameter: "/team/gpu-ami" }), [`fail ${term}`]],
  ["an unknown alias", nodeReleasePinned, images({ alias: unknown }), [`unknown ${term}.alias`]],
];

describe("a node class of a GPU NodePool", () => {
  test("the fix names a release of the same family", () => {
    const fix = (alias: string) =>
      findings(nodeReleasePinned, [nodePool(), nodeClass(images({ alias }))])[0]?.message.split("fix: ")[1];
    expect(fix("bottlerocket@latest")).toContain("alias bottlerocket@v1.x.y");
    expect(fix("al2023@latest")).toContain("alias al2023@v20");
  });

  test.for(cases)("%s", ([, rule, spec, expected]) => {
    expect(verdicts(rule, [nodePool(), nodeClass(spec)])).toEqual(expected);
  });

  test.for([gpuNodeDisk, gpuUserdataDrift, nodeReleasePinned])("of nodes without GPUs is not judged by $id", (rule) => {
    const spec = { ...disk("20Gi"), ...images({ alias: "al2023@latest" }), userData: "dnf upgrade -y" };
    expect(verdicts(rule, [nodePool({ family: "m7i" }), nodeClass(spec)])).toEqual([]);
  });

  test("of another name is not judged", () => {
    const other = resource(nodeClassType, { metadata: { name: "web" }, spec: disk("20Gi") });
    expect(verdicts(gpuNodeDisk, [nodePool(), other])).toEqual([]);
  });
});

test.for([
  ["a launch configuration", "aws:ec2/launchConfiguration:LaunchConfiguration", { associatePublicIpAddress: true }],
  ["template", "aws:ec2/launchTemplate:LaunchTemplate", { networkInterfaces: [{ associatePublicIpAddress: "true" }] }],
] as const)("the addresses of %s", ([, type, properties]) => {
  expect(verdicts(launchTemplateNoPublicIp, [resource(type, properties)])).toHaveLength(1);
});

describe("a GPU NodePool", () => {
  const taints = (...given: object[]) => ({ spec: { taints: given } });
  const own = { key: "nvidia.com/gpu", value: "true", effect: "NoSchedule" };
  const at = "spec.template.spec.taints";

  test.for([
    ["a taint", taints(own), []],
    ["none", {}, [`fail ${at}`]],
    ["a soft one", taints({ ...own, effect: "PreferNoSchedule" }), [`fail ${at}[0].effect`]],
    ["an effect in the spelling of EKS", taints({ ...own, effect: "NO_SCHEDULE" }), [`fail ${at}[0].effect`]],
    ["another key", taints({ key: "team", effect: "NoExecute" }), [`advise ${at}`]],
    ["unknown taints", { spec: { taints: unknown } }, [`unknown ${at}`]],
    ["no label", { ...taints(own), labels: {} }, ["advise spec.template.metadata.labels"]],
    ["nodes without GPUs", { family: "c7g", labels: {} }, []],
  ] as const)("its taint: %s", ([, pool, expected]) => {
    expect(verdicts(gpuTaintPresent, [nodePool(pool)])).toEqual(expected);
  });

  test("its taint is tolerated by the operator", () => {
    const values = { "node-feature-discovery": { worker: { tolerations: [{ operator: "Exists" }] } } };
    const operator = resource("kubernetes:helm.sh/v3:Release", { chart: "gpu-operator", values }, { name: "operator" });
    const said = (...given: object[]) => verdicts(operatorToleratesTaints, [nodePool(taints(...given)), operator]);
    expect(said(own)).toEqual([]);
    expect(said({ key: "team", effect: "NoSchedule" })).toEqual(["fail values.daemonsets.tolerations"]);
    const foreign = nodePool(taints({ key: "example.com/team", effect: "NoSchedule" }));
    const [found] = findings(operatorToleratesTaints, [foreign, operator]);
    expect(found?.message).toContain("tolerate the taints example.com/team of the NodePool it in");
  });

  test.for([
    ["one zone", { zones: ["us-east-1a"] }, []],
    ["no zone, which is what Karpenter is for", {}, []],
    ["two zones", { zones: ["us-east-1a", "us-east-1b"] }, ["fail spec.template.spec.requirements"]],
    ["unknown zones", { zones: unknown }, ["unknown spec.template.spec.requirements[1].values"]],
  ] as const)("its zones: %s", ([, pool, expected]) => {
    expect(verdicts(gpuSingleAz, [nodePool(pool)])).toEqual(expected);
  });

  test("several pools report their node class once", () => {
    const pools = ["a", "b"].map((name) => ({ ...nodePool(), name, urn: `${nodePool().urn}${name}` }));
    expect(verdicts(gpuNodeDisk, [...pools, nodeClass({})])).toEqual([
      "fail spec.blockDeviceMappings[0].ebs.volumeSize",
    ]);
  });
});

test.for(["v1", "v1beta1"])("a NodePool of %s is a group of nodes", (version) => {
  const pool = nodePool({ spec: { taints: [] } });
  const type = `kubernetes:karpenter.sh/${version}:NodePool`;
  expect(verdicts(gpuTaintPresent, [{ ...pool, type }])).toEqual(["fail spec.template.spec.taints"]);
});
