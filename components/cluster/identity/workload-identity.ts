import { PodIdentityAssociation, type PodIdentityAssociationArgs } from "@pulumi/aws/eks";
import * as iam from "@pulumi/aws/iam";
import * as pulumi from "@pulumi/pulumi";
import * as v from "valibot";
import { isOutput } from "../../core/outputs";
import { childOptions } from "../../core/options";
import type { Problem } from "../../core/problems";
import { isRecord } from "../../core/reader/records";
import { s, defaultsOf, problemsIn, resolveArgs, type GivenOf, type ValueOf } from "../../core/schema";
import { named, tagMap, token } from "../../core/tokens";
import { transformed, transformOf, type Transform } from "../../core/transform";
import { clusterName } from "../cluster-name";
import { iamNamePrefix, inlinePolicyLimit, policySize, trust, type PolicyDocument } from "./policy-document";

/** Adjusts each underlying resource before it is created. */
export interface WorkloadIdentityTransform {
  readonly role?: Transform<iam.RoleArgs>;
  readonly policy?: Transform<iam.RolePolicyArgs>;
  readonly association?: Transform<PodIdentityAssociationArgs>;
}

const transformKeys = { role: true, policy: true, association: true } as const;

export const workloadIdentityTransform = transformOf<WorkloadIdentityTransform>(transformKeys);
/** A DNS label, as names of namespaces are. */
const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
/** A DNS subdomain, as names of service accounts are. */
const subdomain = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const letters = "lowercase letters, digits and hyphens, beginning and ending with a letter or digit";

const policyFix = "set {path} to a policy document, not to its JSON";

const policyDocument = v.pipe(
  v.custom<PolicyDocument>(
    (got) => isRecord(got) && !isOutput(got) && Array.isArray(got["Statement"]) && got["Statement"].length > 0,
    s.explain("Must be an IAM policy: an object with Version and at least one Statement.", policyFix),
  ),
  s.check((got: PolicyDocument, path): Problem[] => {
    const size = policySize(got);
    if (size <= inlinePolicyLimit) return [];
    const why = `IAM accepts ${inlinePolicyLimit} characters for the inline policies of a role.`;
    return [{ code: "out-of-range", path, got: size, why, fix: "list fewer actions or resources, or use wildcards" }];
  }),
);

/** Arguments of a WorkloadIdentity. */
export const workloadIdentitySchema = s.section({
  /** Name of the cluster. */
  clusterName: clusterName(),
  /** Kubernetes namespace of the pods. It need not exist yet. */
  namespace: s.matching(label, `1 to 63 ${letters}`, "set {path} to a name such as kube-system"),
  /** Service account of the pods. It need not exist yet. */
  serviceAccount: s.matching(subdomain, letters, "set {path} to a name such as cluster-autoscaler"),
  /** The permissions of the pods: an IAM policy of up to 10,240 characters. */
  policy: s.input(policyDocument),
  /** Tags of the role and the association. @default {} - only Name is set */
  tags: s.optional(tagMap(), {}),
  /** Adjusts the underlying resources. @default none - none is adjusted */
  transform: s.optional(workloadIdentityTransform),
});

export interface WorkloadIdentityArgs extends Readonly<GivenOf<typeof workloadIdentitySchema>> {}

type Settings = Omit<ValueOf<typeof workloadIdentitySchema>, "transform">;

export const workloadIdentityDefaults = defaultsOf(workloadIdentitySchema);

/** Every problem in the arguments. Outputs are not checked. */
export function workloadIdentityProblems(args: WorkloadIdentityArgs, at = ""): readonly Problem[] {
  return problemsIn(workloadIdentitySchema, args, at);
}

/**
 * Gives the pods of one service account an IAM role with EKS Pod Identity, so that the role of the nodes does not need
 * their permissions. The add-on eks-pod-identity-agent must be on the cluster.
 *
 * Pods get credentials only when they start after the association exists: make the resource that creates them depend on
 * this component.
 *
 * @cost Nothing: IAM roles and Pod Identity associations are free.
 * @throws InputError with every problem of the arguments, before any resource is created
 */
export class WorkloadIdentity extends pulumi.ComponentResource {
  readonly roleArn: pulumi.Output<string>;
  readonly roleName: pulumi.Output<string>;
  /** What must exist before the pods start. */
  readonly ready: pulumi.Resource[];

  constructor(name: string, args: WorkloadIdentityArgs, opts?: pulumi.ComponentResourceOptions) {
    const { transform = {}, ...settings } = resolveArgs(`WorkloadIdentity "${name}"`, workloadIdentitySchema, args);
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
 * The trust policy applies to one service account of one cluster: no other association in the account can give the role
 * to other pods.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/pod-id-role.html
 * @see https://docs.aws.amazon.com/eks/latest/userguide/pod-id-abac.html for the session tags
 */
function podIdentityTrust(clusterName: string, namespace: string, serviceAccount: string): PolicyDocument {
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
  { clusterName, namespace, serviceAccount, tags }: Settings,
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
