import { describe, expect, test } from "vitest";
import { gpuVcpusInUse } from "../../simulation/aws/eks/nodes/instances";
import { types } from "../../simulation/aws/types";
import { resolveVersion } from "../../simulation/kubernetes/charts";
import { clusterForNodes, foundation, groupInputs, makeAddon, makeCluster, messageOf, put } from "./aws/eks/foundation";

// The simulation shares tables with the components that it rehearses, so an error in a table would be an error on both
// sides. These tests compare some of its answers with literal facts about AWS. Update them when AWS changes.

describe("the simulated EKS matches EKS in October 2026", () => {
  /** @see https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html */
  test.for([
    ["1.36", "no error"],
    ["1.35", "no error"],
    ["1.34", "no error"],
    ["1.29", "InvalidParameterException: unsupported Kubernetes version 1.29"],
    ["1.99", "InvalidParameterException: unsupported Kubernetes version 1.99"],
  ] as const)("a cluster of Kubernetes %s: %s", async ([version, answer]) => {
    expect(await messageOf(makeCluster(foundation(), { version }))).toBe(answer);
  });

  const { version: _version, releaseVersion: _release, ...unversioned } = groupInputs;

  /** Pinned in October 2026 by several public projects that know nothing of this one. @see https://github.com/awslabs/amazon-eks-ami/releases */
  test("the default AMI release of Kubernetes 1.35 is 1.35.8-20260930", async () => {
    const cloud = await clusterForNodes({}, { version: "1.35" });
    const { computed } = await cloud.create(types.nodeGroup, unversioned);
    expect(computed["releaseVersion"]).toBe("1.35.8-20260930");
  });

  /**
   * `aws eks describe-addon-versions --kubernetes-version 1.35`, defaultVersion, as public projects wrote it down in
   * October 2026.
   * @see https://docs.aws.amazon.com/eks/latest/userguide/workloads-add-ons-available-eks.html
   */
  test.for([
    ["vpc-cni", "v1.22.4-eksbuild.3"],
    ["kube-proxy", "v1.35.3-eksbuild.29"],
    ["coredns", "v1.13.2-eksbuild.31"],
    ["eks-pod-identity-agent", "v1.3.10-eksbuild.3"],
  ] as const)("the default of %s on 1.35 is %s", async ([name, version]) => {
    const cloud = await clusterForNodes({}, { version: "1.35" });
    await cloud.create(types.nodeGroup, unversioned);
    cloud.remove(types.addon, `lab:${name}`);
    await makeAddon(cloud, name);
    expect(cloud.get(types.addon, `lab:${name}`)?.computed["addonVersion"]).toBe(version);
  });

  /** @see https://aws.amazon.com/ec2/instance-types/g5/ and, for what the quota counts, https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-quotas.html */
  test.for([
    ["g5.xlarge", 4],
    ["g5.12xlarge", 48],
    ["g4dn.xlarge", 4],
    ["g6.xlarge", 4],
    ["p4d.24xlarge", 0],
    ["m5.xlarge", 0],
  ] as const)("a %s uses %i vCPUs of the quota for G and VT instances", ([instanceType, vcpus]) => {
    const cloud = foundation();
    put(cloud, types.instance, "i-1", { instanceType });
    expect(gpuVcpusInUse(cloud)).toBe(vcpus);
  });
});

/**
 * @see https://github.com/NVIDIA/gpu-operator/releases/tag/v26.3.1
 * @see https://github.com/aws/eks-charts/blob/5239609/stable/aws-load-balancer-controller/Chart.yaml
 * @see https://github.com/kubernetes/autoscaler/releases/tag/cluster-autoscaler-chart-9.59.0
 */
test.for([
  ["gpu-operator", "26.3.1", "v26.3.1"],
  ["gpu-operator", "26.3.9", undefined],
  ["aws-load-balancer-controller", "3.5.0", "3.5.0"],
  ["aws-load-balancer-controller", "v3.5.0", "3.5.0"],
  ["aws-load-balancer-controller", "3.3.9", undefined],
  ["cluster-autoscaler", "9.59.0", "9.59.0"],
] as const)("of the chart %s, the version %s resolves to %s", ([chart, request, released]) => {
  expect(resolveVersion(chart, request)).toBe(released);
});
