import { PodIdentityAssociation, type PodIdentityAssociationArgs } from "@pulumi/aws/eks";
import * as iam from "@pulumi/aws/iam";
import * as pulumi from "@pulumi/pulumi";
import { isPlainObject, join, keysOf, matching, noObject, onlyKeys } from "../../core/checks";
import { withDefaults } from "../../core/defaults";
import { isOutput } from "../../core/outputs";
import { childOptions } from "../../core/options";
import { refuse, type Problem } from "../../core/problems";
import { isRecord } from "../../core/reader/records";
import { named, tagsProblems, token, type Tags } from "../../core/tokens";
import { transformed, transformProblems, type Transform } from "../../core/transform";
import { iamNamePrefix, inlinePolicyLimit, policySize, trust, type PolicyDocument } from "./policy-document";

/** Adjusts each underlying resource before it is made. */
export interface WorkloadIdentityTransform {
  readonly role?: Transform<iam.RoleArgs>;
  readonly policy?: Transform<iam.RolePolicyArgs>;
  readonly association?: Transform<PodIdentityAssociationArgs>;
}

export interface WorkloadIdentityArgs {
  readonly clusterName: pulumi.Input<string>;
  /** Kubernetes namespace of the pods. It need not exist yet. */
  readonly namespace: string;
  /** Service account of the pods. It need not exist yet. */
  readonly serviceAccount: string;
  /** What the pods may do: an IAM policy of up to 10,240 characters. */
  readonly policy: pulumi.Input<PolicyDocument>;
  /**
   * Tags of the role and the association.
   *
   * @default {} - only the Name
   */
  readonly tags?: Tags;
  /**
   * Escape hatch: adjusts the underlying resources.
   *
   * @default {} - none is adjusted
   */
  readonly transform?: WorkloadIdentityTransform;
}

export const workloadIdentityDefaults = { tags: {} } as const;

const workloadIdentityKeys = keysOf<WorkloadIdentityArgs>({
  clusterName: true,
  namespace: true,
  serviceAccount: true,
  policy: true,
  tags: true,
  transform: true,
});

export const workloadIdentityTransformKeys = keysOf<WorkloadIdentityTransform>({
  role: true,
  policy: true,
  association: true,
});

/** Every problem of the arguments. Values that are known only later are not checked. */
export function workloadIdentityProblems(args: WorkloadIdentityArgs, at = ""): Problem[] {
  if (!isPlainObject(args)) return noObject(at, args);
  const { namespace, serviceAccount } = args;
  const policy: unknown = args.policy;
  const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
  const name = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
  const namespacePath = join(at, "namespace");
  const accountPath = join(at, "serviceAccount");
  const form = "lower-case letters, digits and hyphens, letters or digits at both ends";
  return [
    ...onlyKeys(at, args, workloadIdentityKeys),
    ...matching(namespacePath, namespace, label, `1 to 63 ${form}`, `set ${namespacePath} to one such as kube-system`),
    ...matching(accountPath, serviceAccount, name, form, `set ${accountPath} to one such as cluster-autoscaler`),
    ...(isOutput(policy) ? [] : policyProblems(join(at, "policy"), policy)),
    ...tagsProblems(join(at, "tags"), args.tags),
    ...transformProblems(join(at, "transform"), args.transform, workloadIdentityTransformKeys),
  ];
}

function policyProblems(path: string, got: unknown): Problem[] {
  if (!isRecord(got) || !Array.isArray(got["Statement"]) || got["Statement"].length === 0) {
    const why = "It must be an IAM policy: an object with Version and at least one Statement.";
    return [{ code: "wrong-type", path, got, why, fix: `set ${path} to a policy document, not to its JSON text` }];
  }
  const size = policySize(got);
  if (size <= inlinePolicyLimit) return [];
  const why = `IAM takes ${inlinePolicyLimit} characters for the inline policies of a role.`;
  return [{ code: "out-of-range", path, got: size, why, fix: "name fewer actions or resources, or use wildcards" }];
}

/**
 * Gives the pods of one service account an IAM role by EKS Pod Identity, so that the role of the nodes need not have
 * their rights. The add-on eks-pod-identity-agent must be on the cluster.
 *
 * Pods get credentials only when they start after the association is there: let what makes them depend on this
 * component.
 *
 * @cost Nothing: IAM roles and Pod Identity associations are free.
 * @throws InputError with every problem of the arguments, before any resource is made
 */
export class WorkloadIdentity extends pulumi.ComponentResource {
  readonly roleArn: pulumi.Output<string>;
  readonly roleName: pulumi.Output<string>;
  /** What must be there before the pods start. */
  readonly ready: pulumi.Resource[];

  constructor(name: string, args: WorkloadIdentityArgs, opts?: pulumi.ComponentResourceOptions) {
    refuse(`WorkloadIdentity "${name}"`, workloadIdentityProblems(args));
    const { transform = {}, ...stated } = args;
    const settings = withDefaults(stated, workloadIdentityDefaults);
    super(token("WorkloadIdentity"), name, settings, opts);
    const options = childOptions(this, opts);

    const role = makeRole(name, settings, transform, options);
    const policyArgs = { role: role.name, policy: pulumi.jsonStringify(settings.policy) };
    const policy = new iam.RolePolicy(...transformed(transform.policy, `${name}-policy`, policyArgs, options));
    const { clusterName, namespace, serviceAccount, tags } = settings;
    const associationArgs = { clusterName, namespace, serviceAccount, roleArn: role.arn, tags };
    const association = new PodIdentityAssociation(
      ...transformed(transform.association, `${name}-association`, associationArgs, options),
    );

    this.roleArn = role.arn;
    this.roleName = role.name;
    this.ready = [policy, association];
    this.registerOutputs({ roleArn: this.roleArn, roleName: this.roleName });
  }
}

/**
 * The trust holds for the one service account of the one cluster: no other association in the account can hand the role
 * to other pods.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/pod-id-role.html
 * @see https://docs.aws.amazon.com/eks/latest/userguide/pod-id-abac.html for the session tags
 */
export function podIdentityTrust(clusterName: string, namespace: string, serviceAccount: string): PolicyDocument {
  return trust("AllowEksAuthToAssumeRoleForPodIdentity", "pods.eks.amazonaws.com", {
    StringEquals: {
      "aws:RequestTag/eks-cluster-name": clusterName,
      "aws:RequestTag/kubernetes-namespace": namespace,
      "aws:RequestTag/kubernetes-service-account": serviceAccount,
    },
  });
}

function makeRole(
  name: string,
  { clusterName, namespace, serviceAccount, tags }: WorkloadIdentityArgs,
  transform: WorkloadIdentityTransform,
  options: pulumi.CustomResourceOptions,
): iam.Role {
  const cluster = pulumi.output(clusterName);
  const args = {
    namePrefix: cluster.apply((text) => iamNamePrefix(text, serviceAccount)),
    description: pulumi.interpolate`Pods of ${namespace}/${serviceAccount} in the EKS cluster ${cluster}`,
    assumeRolePolicy: cluster.apply((text) => JSON.stringify(podIdentityTrust(text, namespace, serviceAccount))),
    forceDetachPolicies: true,
    tags: cluster.apply((text) => named(`${text}-${serviceAccount}`, tags)),
  };
  return new iam.Role(...transformed(transform.role, name, args, options));
}
