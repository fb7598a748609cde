import { not, Undetermined } from "../../engine/values";
import { failAt, resourceRule, texts } from "../../engine/rule";
import { awsCluster, eksCluster } from "../../facts/clusters";

const modes = ["API", "API_AND_CONFIG_MAP", "CONFIG_MAP"] as const;

/**
 * The component always uses API.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html
 */
export const clusterAccessMode = resourceRule({
  id: "cluster-access-mode",
  title: "Clusters grant access with access entries, not with the aws-auth ConfigMap.",
  severity: "medium",
  incident:
    "the aws-auth ConfigMap stayed in Pulumi's state after its cluster was deleted, and every later update failed",
  types: [awsCluster, eksCluster],
  parameters: {
    modes: texts(["API"], "Allowed authentication modes: API, API_AND_CONFIG_MAP, CONFIG_MAP.", {
      pattern: "^(API|API_AND_CONFIG_MAP|CONFIG_MAP)$",
      of: "API, API_AND_CONFIG_MAP or CONFIG_MAP",
    }),
  },
  *judge(cluster, { modes: allowed }) {
    const path = cluster.type === awsCluster ? "accessConfig.authenticationMode" : "authenticationMode";
    const mode = cluster.choice(path, modes);
    const isOther = not(mode.is((word) => allowed.includes(word)));
    yield failAt(mode, cluster.isEmpty ? new Undetermined([mode.path]) : isOther, {
      why: "The ConfigMap is edited inside the cluster, where neither AWS nor a preview shows it. One mistake in it locks out all users.",
      fix: `set ${mode.path} to ${allowed[0] ?? "API"}; you cannot change it back from API`,
    });
  },
});
