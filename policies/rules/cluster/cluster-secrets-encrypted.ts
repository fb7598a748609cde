import { all, any, Undetermined } from "../../../components/core/reader/truth";
import { failIf, resourceRule } from "../../engine/rule";
import { awsCluster, clusterTypes, eksCluster, ownCluster } from "../../facts/clusters";

const keyOf: Readonly<Record<string, string>> = {
  [awsCluster]: "encryptionConfig.provider.keyArn",
  [eksCluster]: "encryptionConfigKeyArn",
};

/**
 * Advice in a lab: since Kubernetes 1.28 EKS encrypts with a key that it owns, whose use nobody sees. The component
 * makes a key of its own unless told otherwise.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/envelope-encryption.html
 */
export const clusterSecretsEncrypted = resourceRule({
  id: "cluster-secrets-encrypted",
  title: "Kubernetes Secrets are encrypted with a key of your own.",
  severity: "low",
  incident:
    "the Secrets of a cluster were encrypted with a key that EKS owns, and no trail told who had them decrypted",
  types: clusterTypes,
  *judge(cluster) {
    const why = "EKS then uses a key that it owns: CloudTrail does not show its use, and nobody can disable it.";
    if (cluster.type === ownCluster) {
      const choice = cluster.text("secretsKey");
      yield failIf(
        choice.is((word) => word === "none"),
        () => ({ path: choice.path, got: "none", why, fix: `set ${choice.path} to "own", or to the ARN of a key` }),
      );
      return;
    }
    const key = cluster.text(keyOf[cluster.type]);
    const isMissing = any(
      key.isAbsent,
      key.is((arn) => arn.trim() === ""),
    );
    // What another resource gives is the ARN of its key, known or not.
    const isGiven = cluster.dependenciesOf(key.path.split(".")[0] ?? "").length > 0 && isMissing !== true;
    yield failIf(cluster.isEmpty ? new Undetermined([key.path]) : all(!isGiven, isMissing), () => ({
      path: key.path,
      got: key.shown,
      why,
      fix: `set ${key.path} to the ARN of a KMS key; it cannot be taken away again without replacing the cluster`,
    }));
  },
});
