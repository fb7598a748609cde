import { expect, test } from "vitest";
import { nvidiaAmiDriverToolkitOff as rule } from "../../../../policies/rules/operator/nvidia-ami-driver-toolkit-off";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const off = { driver: { enabled: false }, toolkit: { enabled: false } };
const withObjects = { ...off, driver: { enabled: false, nvidiaDriverCRD: { enabled: true } } };
const nodes = (amiType: unknown, tier = "gpu") =>
  resource("aws:eks/nodeGroup:NodeGroup", { amiType, instanceTypes: ["g5.xlarge"], labels: { tier } }, { name: tier });
const nvidia = nodes("AL2023_x86_64_NVIDIA");
const plain = nodes("AL2023_x86_64_STANDARD", "plain");
const operator = (values: unknown) =>
  resource("kubernetes:helm.sh/v3:Release", { chart: "gpu-operator", values }, { name: "operator" });
const policy = (driver: object) =>
  resource("kubernetes:nvidia.com/v1:ClusterPolicy", { spec: { ...off, driver } }, { name: "policy" });
const driver = (spec: unknown = {}) =>
  resource("kubernetes:nvidia.com/v1alpha1:NVIDIADriver", { metadata: { name: "default" }, spec }, { name: "driver" });
const select = (tier: unknown) => driver({ driverType: "gpu", nodeSelector: { tier } });
const pool = (nodeClassRef: object) =>
  resource("kubernetes:karpenter.sh/v1:NodePool", {
    metadata: { name: "pool" },
    spec: {
      template: {
        spec: {
          nodeClassRef,
          requirements: [{ key: "node.kubernetes.io/instance-type", operator: "In", values: ["g5.xlarge"] }],
        },
      },
    },
  });

const [fail, advise] = [["fail spec"], ["advise spec"]];
test.for([
  ["on an NVIDIA AMI, with an operator outside the program", [nvidia, driver()], fail],
  ["of another type", [nvidia, driver({ driverType: "vgpu" })], fail],
  ["with an operator that reads it", [nvidia, operator(withObjects), driver()], fail],
  ["a ClusterPolicy that reads it", [nvidia, policy({ enabled: false, useNvidiaDriverCRD: true }), driver()], fail],
  ["with an operator that ignores it", [nvidia, operator(off), driver()], advise],
  ["with a ClusterPolicy that ignores it", [nvidia, policy({ enabled: false }), driver()], advise],
  [
    "with an operator of which it is not known",
    [nvidia, operator({ ...off, driver: { enabled: false, nvidiaDriverCRD: { enabled: unknown } } }), driver()],
    ["unknown values.driver.nvidiaDriverCRD.enabled"],
  ],
  ["on another AMI", [nodes("CUSTOM"), driver()], []],
  ["without GPU nodes", [driver()], []],
  ["on an unknown AMI", [nodes(unknown), driver()], ["unknown amiType"]],
  ["for the nodes with an NVIDIA AMI", [nvidia, plain, select("gpu")], fail],
  ["for the other nodes", [nvidia, plain, select("plain")], []],
  ["for unknown nodes", [nvidia, plain, select(unknown)], ["unknown spec.nodeSelector.tier"]],
  ["for any GPU nodes", [nvidia, driver({ nodeSelector: { "nvidia.com/gpu.present": "true" } })], fail],
  ["for nodes by affinity, which is not read", [nvidia, driver({ nodeAffinity: {} })], []],
  ["unknown as a whole", [nvidia, driver(unknown)], ["unknown spec"]],
  ["on EKS Auto Mode", [pool({ group: "eks.amazonaws.com" }), driver()], fail],
  ["on nodes of Karpenter with an unknown class", [pool({ group: "karpenter.k8s.aws" }), driver()], []],
] as const)("an NVIDIADriver %s", ([, resources, expected]) => {
  expect(verdicts(rule, resources)).toEqual(expected);
});

test("the nodes for which it installs a driver need no other AMI", () => {
  expect(verdicts(rule, [plain, operator(off)])).toEqual(["fail amiType"]);
  expect(verdicts(rule, [plain, operator(withObjects), driver()])).toEqual([]);
});

test("messages", () => {
  const said = [
    [nvidia, driver()],
    [nvidia, operator(off), driver()],
  ].flatMap((stack) => findings(rule, stack));
  expect(said.map(({ message }) => message)).toMatchInlineSnapshot(`
    [
      "spec: got an NVIDIADriver. GPU nodes run an EKS image that contains the driver. NVIDIA does not publish a driver container for such images.
    fix: remove it, or let its nodeSelector select only nodes without a driver",
      "spec: got an NVIDIADriver. GPU nodes run an EKS image that contains the driver. NVIDIA does not publish a driver container for such images. The operator ignores the object only as long as its values do not enable driver.nvidiaDriverCRD.
    fix: remove it, or let its nodeSelector select only nodes without a driver",
    ]
  `);
});
