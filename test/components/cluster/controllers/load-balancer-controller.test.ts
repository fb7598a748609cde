import { Vpc } from "@pulumi/aws/ec2";
import { Provider } from "@pulumi/kubernetes/provider";
import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import {
  LoadBalancerController,
  loadBalancerControllerProblems,
  type LoadBalancerControllerArgs,
} from "../../../../components/cluster/controllers/load-balancer-controller";
import { loadBalancerControllerPolicy } from "../../../../components/cluster/controllers/load-balancer-controller-policy";
import { loadBalancerControllerChart as chart } from "../../../../components/core/versions";
import { byName, ofType, only, plan } from "../../../support/plan";

const releaseType = "kubernetes:helm.sh/v3:Release";
const identityType = "eks-gpu-lab:index:WorkloadIdentity";

/** What a controller with these arguments registers with a cluster and its provider. */
function planned(args: Partial<LoadBalancerControllerArgs> = {}) {
  return plan(() => {
    const cluster = new Vpc("cluster", {});
    const provider = new Provider("k8s", { kubeconfig: "{}" });
    const stated = { clusterName: "gpu-lab", vpcId: pulumi.output("vpc-1"), cluster };
    new LoadBalancerController("lbc", { ...stated, ...args }, { provider });
  });
}

test("by default there is the identity alone", async () => {
  const recording = await planned();
  expect(ofType(recording, releaseType)).toEqual([]);
  expect(only(recording, identityType)).toMatchObject({
    parent: only(recording, "eks-gpu-lab:index:LoadBalancerController").urn,
    inputs: { clusterName: "gpu-lab", namespace: "kube-system", serviceAccount: "aws-load-balancer-controller" },
  });
  const expected = loadBalancerControllerPolicy({ partition: "aws", clusterName: "gpu-lab", webProtection: false });
  expect(JSON.parse(byName(recording, "lbc-policy").inputs["policy"] as string)).toEqual(expected);
});

test("installed, the release is exactly this", async () => {
  expect(only(await planned({ install: true }), releaseType).inputs).toEqual({
    name: "aws-load-balancer-controller",
    chart: "aws-load-balancer-controller",
    version: chart.version,
    repositoryOpts: { repo: "https://aws.github.io/eks-charts" },
    namespace: "kube-system",
    values: {
      clusterName: "gpu-lab",
      region: "ap-northeast-2",
      vpcId: "vpc-1",
      serviceAccount: { create: true, name: "aws-load-balancer-controller" },
      nodeSelector: { tier: "primary" },
      enableShield: false,
      enableWaf: false,
      enableWafv2: false,
      enableServiceMutatorWebhook: false,
    },
    timeout: 600,
    skipAwait: false,
    atomic: false,
    compat: "true",
  });
});

test("the release comes after the identity, goes with the cluster, and goes into that cluster", async () => {
  const recording = await planned({ install: true });
  const release = only(recording, releaseType);
  expect(release.name).toBe("lbc-release");
  expect(release.dependencies).toEqual(
    expect.arrayContaining([byName(recording, "lbc-policy").urn, byName(recording, "lbc-association").urn]),
  );
  expect(release.options.deletedWith).toBe(byName(recording, "cluster").urn);
  expect(release.provider).toContain("pulumi:providers:kubernetes::k8s::");
});

test("with web protection its rights and its switches go together", async () => {
  const recording = await planned({ install: true, webProtection: true });
  expect(byName(recording, "lbc-policy").inputs["policy"]).toContain("wafv2:AssociateWebACL");
  expect(only(recording, releaseType).inputs["values"]).toMatchObject({
    enableShield: true,
    enableWaf: true,
    enableWafv2: true,
  });
});

test("version, repository, wait and each resource can be changed", async () => {
  const recording = await planned({
    install: true,
    chartVersion: "3.4.0",
    repository: "https://mirror.example.com",
    timeoutSeconds: 60,
    tags: { team: "gpu" },
    transform: { role: { path: "/labs/" }, release: { maxHistory: 3 } },
  });
  expect(only(recording, releaseType).inputs).toMatchObject({
    version: "3.4.0",
    repositoryOpts: { repo: "https://mirror.example.com" },
    timeout: 60,
    maxHistory: 3,
  });
  const role = only(recording, "aws:iam/role:Role");
  expect(role.inputs).toMatchObject({ path: "/labs/", tags: { team: "gpu" } });
});

test("without a cluster to go with, Helm uninstalls the release", async () => {
  const recording = await plan(() => {
    const provider = new Provider("k8s", { kubeconfig: "{}" });
    new LoadBalancerController("lbc", { clusterName: "gpu-lab", vpcId: "vpc-1", install: true }, { provider });
  });
  expect(only(recording, releaseType).options).not.toHaveProperty("deletedWith");
});

test("load balancers get the tags of the environment", async () => {
  const tags = { lab: "training", "expires-at": "none" };
  const { values } = only(await planned({ install: true, tags }), releaseType).inputs as { values: object };
  expect(values).toMatchObject({ defaultTags: tags });
});

test("cluster and VPC must be named", () => {
  const found = loadBalancerControllerProblems({ webProtection: "yes" } as never);
  expect(found.map(({ code, path }) => `${code} ${path}`)).toEqual([
    "missing clusterName",
    "missing vpcId",
    "wrong-type webProtection",
  ]);
});
