import * as iam from "@pulumi/aws/iam";
import * as kms from "@pulumi/aws/kms";
import * as pulumi from "@pulumi/pulumi";
import { named } from "../core/tokens";
import { transformed } from "../core/transform";
import type { ClusterParts } from "./cluster-parts";
import { allow, policyDocument, type PolicyDocument } from "./identity/policy-document";

/**
 * The actions of the control plane on the key.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/enable-kms.html
 */
const useOfKey = ["kms:Encrypt", "kms:Decrypt", "kms:ListGrants", "kms:DescribeKey"];

/** The policy of the cluster's own key: the account's IAM policies apply, and the cluster's role may use the key. */
export function secretsKeyPolicy(accountRootArn: string, clusterRoleArn: string): PolicyDocument {
  return policyDocument(
    { ...allow("AccountDecides", ["kms:*"], "*"), Principal: { AWS: accountRootArn } },
    { ...allow("ClusterUsesKey", useOfKey, "*"), Principal: { AWS: clusterRoleArn } },
  );
}

/** The same permissions on the cluster's role: the policy of an existing key may delegate to IAM. */
function secretsKeyUsePolicy(keyArn: string): PolicyDocument {
  return policyDocument(allow("UseSecretsKey", useOfKey, keyArn));
}

/**
 * Creates the cluster's key, or uses an existing one, and allows the cluster's role to use it. Undefined for "none".
 * `ready` must exist before the cluster can use the key.
 */
export function makeSecretsKey(parts: ClusterParts, role: iam.Role) {
  const { name, settings, transform, options } = parts;
  if (settings.secretsKey === "none") return undefined;
  const own = settings.secretsKey === "own" ? makeKey(parts, role) : undefined;
  const arn = own?.key.arn ?? pulumi.output<string>(settings.secretsKey);
  const args = { role: role.name, policy: arn.apply((keyArn) => JSON.stringify(secretsKeyUsePolicy(keyArn))) };
  const use = new iam.RolePolicy(...transformed(transform.secretsKeyPolicy, `${name}-secrets-key-use`, args, options));
  return { arn, ready: own ? [own.key, own.alias, use] : [use] };
}

/** By its description, a preview recognizes the key that the environment of a cluster created. */
export function secretsKeyDescription(clusterName: string): string {
  return `Kubernetes Secrets of the EKS cluster ${clusterName}`;
}

function makeKey({ name, settings, transform, accountRootArn, options }: ClusterParts, role: iam.Role) {
  const { clusterName, tags } = settings;
  const keyArgs = {
    description: secretsKeyDescription(clusterName),
    enableKeyRotation: true,
    // The shortest that KMS allows: a destroyed lab leaves no data to decrypt.
    deletionWindowInDays: 7,
    policy: pulumi.all([accountRootArn, role.arn]).apply((arns) => JSON.stringify(secretsKeyPolicy(...arns))),
    tags: named(clusterName, tags),
  };
  const key = new kms.Key(...transformed(transform.secretsKey, `${name}-secrets-key`, keyArgs, options));
  const aliasArgs = { name: `alias/eks/${clusterName}`, targetKeyId: key.keyId };
  const alias = new kms.Alias(
    ...transformed(transform.secretsKeyAlias, `${name}-secrets-key-alias`, aliasArgs, options),
  );
  return { key, alias };
}
