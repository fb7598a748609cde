import { all, any, equals, Undetermined } from "../../engine/values";
import { failAt, resourceRule } from "../../engine/rule";
import { awsCluster, clusterTypes, eksCluster, ownCluster } from "../../facts/clusters";

const keyOf: Readonly<Record<string, string>> = {
  [awsCluster]: "encryptionConfig.provider.keyArn",
  [eksCluster]: "encryptionConfigKeyArn",
};

/**
 * In a lab, this is advice: since Kubernetes 1.28, EKS encrypts secrets with a key that AWS owns, but does not log its
 * use. By default, the component creates a key.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/envelope-encryption.html
 */
export const clusterSecretsEncrypted = resourceRule({
  id: "cluster-secrets-encrypted",
  title: "Kubernetes secrets are encrypted with a KMS key of your account.",
  severity: "low",
  incident:
    "the secrets of a cluster were encrypted with a key that AWS owns, so no audit trail showed who decrypted them",
  types: clusterTypes,
  *judge(cluster) {
    const why = "EKS then uses a key that AWS owns. CloudTrail does not show its use, and you cannot disable it.";
    if (cluster.type === ownCluster) {
      const choice = cluster.text("secretsKey");
      const fix = `set ${choice.path} to "own", or to the ARN of a key`;
      yield failAt(choice, equals(choice, "none"), { got: "none", why, fix });
      return;
    }
    const key = cluster.text(keyOf[cluster.type]);
    const isBlank = key.is((arn) => arn.trim() === "");
    const isMissing = any(key.isAbsent, isBlank);
    // An output of another resource is the ARN of a key, known or not.
    const isGiven = cluster.dependenciesOf(key.path.split(".")[0] ?? "").length > 0 && isMissing !== true;
    yield failAt(key, cluster.isEmpty ? new Undetermined([key.path]) : all(!isGiven, isMissing), {
      why,
      fix: `set ${key.path} to the ARN of a KMS key; you cannot remove it later without replacing the cluster`,
    });
  },
});
