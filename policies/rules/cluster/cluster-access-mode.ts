import { any, Undetermined } from "../../../components/core/reader/truth";
import { texts } from "../../engine/parameters";
import { failIf, resourceRule } from "../../engine/rule";
import { awsCluster, eksCluster } from "../../facts/clusters";

const modes = ["API", "API_AND_CONFIG_MAP", "CONFIG_MAP"] as const;

const parameters = {
  modes: texts(["API"], "Authentication modes that a cluster may have: API, API_AND_CONFIG_MAP, CONFIG_MAP.", {
    pattern: "^(API|API_AND_CONFIG_MAP|CONFIG_MAP)$",
    of: "API, API_AND_CONFIG_MAP or CONFIG_MAP",
  }),
};

/**
 * The component's cluster always has API.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html
 */
export const clusterAccessMode = resourceRule({
  id: "cluster-access-mode",
  title: "Access to a cluster is given by access entries, not by the aws-auth ConfigMap.",
  severity: "medium",
  incident: "the aws-auth ConfigMap outlived its cluster in Pulumi's state, and every later update failed on it",
  types: [awsCluster, eksCluster],
  parameters,
  *judge(cluster, { modes: allowed }) {
    const path = cluster.type === awsCluster ? "accessConfig.authenticationMode" : "authenticationMode";
    const mode = cluster.choice(path, modes);
    const isOther = any(
      mode.isAbsent,
      mode.isMalformed,
      mode.is((word) => !allowed.includes(word)),
    );
    yield failIf(cluster.isEmpty ? new Undetermined([mode.path]) : isOther, () => ({
      path: mode.path,
      got: mode.shown,
      why: "The ConfigMap is edited inside the cluster, unseen by AWS and by a plan, and one mistake in it shuts everybody out.",
      fix: `set ${mode.path} to ${allowed[0] ?? "API"}; there is no way back from API`,
    }));
  },
});
