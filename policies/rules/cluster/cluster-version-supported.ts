import { supportedKubernetesVersions } from "../../../components/cluster/kubernetes-versions";
import { any, Undetermined } from "../../engine/values";
import { adviseAt, failAt, resourceRule, texts } from "../../engine/rule";
import { clusterTypes, ownCluster } from "../../facts/clusters";

/**
 * Without a version, the component uses the default of the library.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html
 */
export const clusterVersionSupported = resourceRule({
  id: "cluster-version-supported",
  title: "A cluster has a fixed, supported Kubernetes minor version.",
  severity: "high",
  incident: "a cluster entered extended support unnoticed, and cost six times as much per hour",
  types: clusterTypes,
  parameters: {
    supported: texts(supportedKubernetesVersions, "Allowed Kubernetes minor versions.", {
      pattern: "^1\\.\\d{1,3}$",
      of: "minor versions such as 1.35",
    }),
  },
  *judge(cluster, { supported }) {
    const isOwn = cluster.type === ownCluster;
    const version = cluster.version(isOwn ? "kubernetesVersion" : "version");
    const choices = supported.join(", ");
    const isOther = version.is((minor) => !supported.includes(minor));
    const minorOf = (text: string) => Number(text.split(".")[1]);
    const isNewer = minorOf(version.value ?? "") > Math.max(...supported.map(minorOf));
    yield failAt(version, any(version.isMalformed, isOther), {
      why: isNewer
        ? "AMIs, add-ons and charts are not tested with this version."
        : "In extended support, a cluster costs 0.60 USD per hour instead of 0.10; then EKS ends the support.",
      fix: `set ${version.path} to one of ${choices}, in quotes, or add this version to "supported" in the policy configuration`,
    });
    const isFloating = cluster.isEmpty ? new Undetermined([version.path]) : version.isAbsent;
    yield adviseAt(version, isOwn ? false : isFloating, {
      why: "EKS then uses its current default, so the same program creates a different cluster later.",
      fix: `set ${version.path} to one of ${choices}, in quotes`,
    });
  },
});
