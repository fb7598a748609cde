import * as eks from "@pulumi/aws/eks";
import { Key } from "@pulumi/aws/kms";
import { cluster } from "../example-parts";

export function example(good: boolean) {
  new eks.Cluster("shop", {
    ...cluster,
    // EKS encrypts secrets with a key that AWS owns: no audit trail shows who decrypted them.
    encryptionConfig: good
      ? { provider: { keyArn: new Key("secrets", { enableKeyRotation: true }).arn }, resources: ["secrets"] }
      : undefined,
  });
}
