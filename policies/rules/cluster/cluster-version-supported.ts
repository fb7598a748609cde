import { supportedKubernetesVersions } from "../../../components/cluster/kubernetes-versions";
import { any, Undetermined } from "../../../components/core/reader/truth";
import { texts } from "../../engine/parameters";
import { adviseIf, failIf, resourceRule } from "../../engine/rule";
import { clusterTypes, ownCluster } from "../../facts/clusters";

const parameters = {
  supported: texts(supportedKubernetesVersions, "Kubernetes minors that a cluster may run.", {
    pattern: "^1\\.\\d{1,3}$",
    of: "minors such as 1.35",
  }),
};

/**
 * The component takes 1.35 where nothing is said.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html
 */
export const clusterVersionSupported = resourceRule({
  id: "cluster-version-supported",
  title: "A cluster states its Kubernetes minor, and it is one of those supported.",
  severity: "high",
  incident: "a cluster slid into extended support unseen, and cost six times as much an hour as before",
  types: clusterTypes,
  parameters,
  *judge(cluster, { supported }) {
    const isOwn = cluster.type === ownCluster;
    const version = cluster.version(isOwn ? "kubernetesVersion" : "version");
    const choices = supported.join(", ");
    const isOther = version.is((minor) => !supported.includes(minor));
    yield failIf(any(version.isMalformed, isOther), () => ({
      path: version.path,
      got: version.shown,
      why: "Out of standard support a cluster costs 0.60 USD an hour instead of 0.10; for a newer minor no AMI, add-on or chart was seen to work.",
      fix: `set ${version.path} to one of ${choices}, in quotes, or add this minor to "supported" in the policy configuration`,
    }));
    const isFloating = cluster.isEmpty ? new Undetermined([version.path]) : version.isAbsent;
    yield adviseIf(isOwn ? false : isFloating, () => ({
      path: version.path,
      got: version.shown,
      why: "EKS then takes its default of the day, and the same program makes another cluster next month.",
      fix: `set ${version.path} to one of ${choices}, in quotes`,
    }));
  },
});
