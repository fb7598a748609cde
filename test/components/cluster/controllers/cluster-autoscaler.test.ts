import { Vpc } from "@pulumi/aws/ec2";
import { Provider } from "@pulumi/kubernetes/provider";
import { expect, test } from "vitest";
import {
  ClusterAutoscaler,
  clusterAutoscalerProblems,
  type ClusterAutoscalerArgs,
} from "../../../../components/cluster/controllers/cluster-autoscaler";
import { clusterAutoscalerPolicy } from "../../../../components/cluster/controllers/cluster-autoscaler";
import { clusterAutoscalerChart as chart, kubernetesVersion } from "../../../../components/core/versions";
import { supportedKubernetesVersions } from "../../../../components/cluster/kubernetes-versions";
import { byName, ofType, only, plan } from "../../../support/plan";
import { wording } from "../../../support/wording";

const imageTag = chart.imageTags[kubernetesVersion];
const releaseType = "kubernetes:helm.sh/v3:Release";
const stated: ClusterAutoscalerArgs = { clusterName: "gpu-lab", kubernetesVersion };
const problems = (args: Record<string, unknown>) => clusterAutoscalerProblems({ ...stated, ...args });

/** What an autoscaler with these arguments registers with a cluster and its provider. */
function planned(args: Partial<ClusterAutoscalerArgs> = {}) {
  return plan(() => {
    const cluster = new Vpc("cluster", {});
    const provider = new Provider("k8s", { kubeconfig: "{}" });
    new ClusterAutoscaler("autoscaler", { ...stated, cluster, ...args }, { provider });
  });
}

test("by default there is the identity alone", async () => {
  const recording = await planned();
  expect(ofType(recording, releaseType)).toEqual([]);
  expect(only(recording, "eks-gpu-lab:index:WorkloadIdentity").inputs).toMatchObject({
    namespace: "kube-system",
    serviceAccount: "cluster-autoscaler",
  });
  const place = { partition: "aws", region: "ap-northeast-2", accountId: "123456789012", clusterName: "gpu-lab" };
  expect(JSON.parse(byName(recording, "autoscaler-policy").inputs["policy"] as string)).toEqual(
    clusterAutoscalerPolicy(place),
  );
});

test("installed, the release is exactly this", async () => {
  const recording = await planned({ install: true });
  const release = only(recording, releaseType);
  expect(release.inputs).toEqual({
    name: "cluster-autoscaler",
    chart: "cluster-autoscaler",
    version: chart.version,
    repositoryOpts: { repo: "https://kubernetes.github.io/autoscaler" },
    namespace: "kube-system",
    values: {
      cloudProvider: "aws",
      awsRegion: "ap-northeast-2",
      autoDiscovery: { clusterName: "gpu-lab" },
      image: { tag: imageTag },
      rbac: { serviceAccount: { create: true, name: "cluster-autoscaler" } },
      nodeSelector: { tier: "primary" },
      extraArgs: {
        "balance-similar-node-groups": true,
        expander: "least-waste",
        "skip-nodes-with-local-storage": false,
      },
    },
    timeout: 600,
    skipAwait: false,
    atomic: false,
    compat: "true",
  });
  expect(release.name).toBe("autoscaler-release");
  expect(release.options.deletedWith).toBe(byName(recording, "cluster").urn);
  expect(release.dependencies).toEqual(expect.arrayContaining([byName(recording, "autoscaler-association").urn]));
});

test("the resolved arguments reach the engine, the image's tag with them", async () => {
  const recording = await planned({ transform: { release: { maxHistory: 3 } } });
  expect(only(recording, "eks-gpu-lab:index:ClusterAutoscaler").inputs).toEqual({
    clusterName: "gpu-lab",
    kubernetesVersion,
    install: false,
    chartVersion: chart.version,
    repository: "https://kubernetes.github.io/autoscaler",
    timeoutSeconds: 600,
    tags: {},
    imageTag,
  });
});

const unpinned = supportedKubernetesVersions.find((version) => !(version in chart.imageTags)) ?? "";

test.for([
  ["identity alone for a minor without an image", { kubernetesVersion: unpinned }],
  ["an explicit image", { kubernetesVersion: unpinned, install: true, imageTag: `v${unpinned}.1` }],
  ["another patch", { install: true, imageTag: `v${kubernetesVersion}.0` }],
] as const)("accepted: %s", ([, args]) => expect(problems(args)).toEqual([]));

const wrong = [
  ["no image is pinned for the minor", { kubernetesVersion: unpinned, install: true }, "missing", "imageTag"],
  ["another minor's image", { install: true, imageTag: `v${unpinned}.3` }, "version", "imageTag"],
  ["another minor's image, not installed", { imageTag: `v${unpinned}.3` }, "version", "imageTag"],
  ["latest", { install: true, imageTag: "latest" }, "version", "imageTag"],
  ["a minor alone", { install: true, imageTag: `v${kubernetesVersion}` }, "version", "imageTag"],
  ["a number", { install: true, imageTag: 1.35 }, "wrong-type", "imageTag"],
  ["a floating chart", { chartVersion: "9.x" }, "version", "chartVersion"],
  ["an old minor", { kubernetesVersion: "1.31", install: true }, "version", "kubernetesVersion"],
] as const;

test.for(wrong)("rejected: %s", ([, args, code, path]) => {
  expect(problems(args).map((problem) => [problem.code, problem.path])).toEqual([[code, path]]);
});

test("the messages", () => {
  expect(wording(wrong.flatMap(([, args]) => problems(args)))).toMatchSnapshot();
});
