import type { cloudwatch, eks, iam, kms } from "@pulumi/aws";
import type { ClusterArgs } from "@pulumi/eks";
import type { ProviderArgs } from "@pulumi/kubernetes";
import * as v from "valibot";
import type { Problem } from "../core/problems";
import { s, defaultsOf, problemsIn, type GivenOf, type Schema } from "../core/schema";
import { tagMap } from "../core/tokens";
import { transformOf, type Transform } from "../core/transform";
import { kubernetesVersion } from "../core/versions";
import { adminArns, roleArn } from "./access/admins";
import { publicAccessCidrs } from "./access/public-access";
import { newClusterName } from "./cluster-name";
import { supportedKubernetesVersion } from "./kubernetes-versions";

/** Adjusts each underlying resource before it is created. */
export interface EksClusterTransform {
  readonly cluster?: Transform<ClusterArgs>;
  readonly role?: Transform<iam.RoleArgs>;
  /** Applies to each policy of the cluster's role, and of the role of Auto Mode's nodes. */
  readonly rolePolicyAttachment?: Transform<iam.RolePolicyAttachmentArgs>;
  /** The role of Auto Mode's nodes. */
  readonly nodeRole?: Transform<iam.RoleArgs>;
  /** The policy with which Auto Mode tags its nodes. */
  readonly tagPolicy?: Transform<iam.RolePolicyArgs>;
  readonly secretsKey?: Transform<kms.KeyArgs>;
  readonly secretsKeyAlias?: Transform<kms.AliasArgs>;
  readonly secretsKeyPolicy?: Transform<iam.RolePolicyArgs>;
  readonly logGroup?: Transform<cloudwatch.LogGroupArgs>;
  readonly accessEntry?: Transform<eks.AccessEntryArgs>;
  readonly accessPolicy?: Transform<eks.AccessPolicyAssociationArgs>;
  readonly kubernetesProvider?: Transform<ProviderArgs>;
}

const transformKeys = {
  cluster: true,
  role: true,
  rolePolicyAttachment: true,
  nodeRole: true,
  tagPolicy: true,
  secretsKey: true,
  secretsKeyAlias: true,
  secretsKeyPolicy: true,
  logGroup: true,
  accessEntry: true,
  accessPolicy: true,
  kubernetesProvider: true,
} as const;

const controlPlaneLogTypes = ["api", "audit", "authenticator", "controllerManager", "scheduler"] as const;

/**
 * One of the logs that the control plane can write.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/control-plane-logs.html
 */
export type ControlPlaneLog = (typeof controlPlaneLogTypes)[number];

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html */
const retentionPeriods = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];

function logRetention() {
  return v.pipe(
    v.number(s.explain("Must be a number.", "set {path} to a number of days, such as 7")),
    s.check((got: number, path): Problem[] => {
      if (retentionPeriods.includes(got)) return [];
      const longer = retentionPeriods.find((days) => days >= got) ?? retentionPeriods.at(-1);
      const why = `CloudWatch Logs accepts only these periods: ${retentionPeriods.join(", ")} days.`;
      return [{ code: "not-allowed", path, got, why, fix: `set ${path} to ${longer}` }];
    }),
    s.formed("integer"),
  );
}

const keyArn = /^arn:aws(-cn|-us-gov)?:kms:[a-z0-9-]+:\d{12}:key\/(mrk-)?[0-9a-f-]{32,36}$/;
const aliasArn = /^arn:aws(-cn|-us-gov)?:kms:[a-z0-9-]+:\d{12}:(alias\/.+)$/;

/** The key that encrypts Kubernetes Secrets. */
type SecretsKeySource = "own" | "none" | `arn:${string}`;

function secretsKey(): Schema<SecretsKeySource> {
  const why = 'Must be "own", "none" or the ARN of a KMS key.';
  const fix =
    'set {path} to "own", "none" or an ARN such as arn:aws:kms:ap-northeast-2:123456789012:key/01234567-89ab-cdef-0123-456789abcdef';
  const source = v.pipe(
    v.string(s.explain(why, fix)),
    s.check((got: string, path): Problem[] => {
      if (got === "own" || got === "none" || keyArn.test(got)) return [];
      const alias = aliasArn.exec(got)?.[2];
      if (!alias) return [{ code: "not-allowed", path, got, why, fix: fix.replace("{path}", path) }];
      const command = `aws kms describe-key --key-id ${alias} --query KeyMetadata.Arn`;
      const notAlias = "Must be the ARN of the key, not of an alias: IAM grants permissions on the key's own ARN.";
      return [{ code: "not-allowed", path, got, why: notAlias, fix: `set ${path} to the output of ${command}` }];
    }),
  );
  return s.typed<SecretsKeySource>(source);
}

const tokenCredentials = s.section({
  /** Profile of the AWS CLI. @default none - the default credentials of the AWS CLI */
  profile: s.optional(
    s.matching(/\S/, "the name of a profile", "set {path} to the name of a profile in ~/.aws/config, or leave it out"),
  ),
  /** ARN of an IAM role to assume. @default none - no role is assumed */
  roleArn: s.optional(s.input(roleArn())),
});

/** The credentials with which a kubeconfig fetches its tokens. */
export interface TokenCredentials extends Readonly<GivenOf<typeof tokenCredentials>> {}

/** What can be chosen for a cluster without knowing its network. */
export const clusterSettings = s.section({
  /**
   * Physical name of the cluster, and prefix of every name that is derived from it: 1 to 26 letters, digits, hyphens
   * and underscores. A change replaces the cluster.
   */
  clusterName: newClusterName(),
  /**
   * Kubernetes minor version of the control plane, a string. You can raise it one minor at a time, and never lower it.
   *
   * @default the pinned version - AMI, add-on and chart versions are pinned for it
   */
  kubernetesVersion: s.optional(supportedKubernetesVersion(), kubernetesVersion),
  /**
   * IPv4 blocks that may reach the Kubernetes API from the internet, 1 to 40. The machine that runs `pulumi up` must be
   * in one of them. Nodes and pods use the private endpoint.
   */
  publicAccessCidrs: publicAccessCidrs(),
  /**
   * ARNs of IAM roles and users that become cluster admins; `[]` for none. Leave out the principal that creates the
   * cluster: EKS makes it an admin, and rejects a second entry for it (ResourceInUseException, status 409).
   */
  admins: adminArns(),
  /**
   * Control-plane logs that EKS sends to CloudWatch: any of api, audit, authenticator, controllerManager, scheduler.
   *
   * @default ["api", "audit", "scheduler"] - the audit log shows who changed an object
   * @change in place, 2 to 5 min - An empty list deletes the log group with its logs.
   * @changeCost CloudWatch, by GB; the audit log is the largest part
   */
  controlPlaneLogs: s.optional(
    s.list(s.oneOf(controlPlaneLogTypes), '["api", "audit", "scheduler"]', { distinct: true }),
    ["api", "audit", "scheduler"],
  ),
  /**
   * Days for which CloudWatch keeps these logs: 1, 3, 5, 7, 14, 30, 60, 90 or another of its periods up to 3653.
   *
   * @default 7 - people examine a lab in the same week
   * @change in place, seconds - CloudWatch deletes older logs within 72 hours.
   */
  logRetentionDays: s.optional(logRetention(), 7),
  /**
   * Key that encrypts Kubernetes Secrets: `own` creates one, an ARN uses an existing one, `none` uses the key that EKS
   * owns. You can add a key later, but not remove or exchange it.
   *
   * @default "own" - CloudTrail shows each use of the key, and you can disable the key
   * @change refused - You can add the first key: EKS encrypts the Secrets in place. You cannot remove or exchange a
   * key. Otherwise Pulumi would replace the cluster, or delete the key that EKS still uses: 7 days later, no Secret can
   * be read.
   */
  secretsKey: s.optional(secretsKey(), "own"),
  /**
   * Whether EKS rejects the deletion of the cluster until this is false again.
   *
   * @default false - a lab must be easy to destroy
   * @change in place, 1 min - Lab stacks also protect running nodes: see docs/changes.md.
   */
  deletionProtection: s.optional(s.flag(), false),
  /**
   * Credentials with which kubeconfigs fetch their tokens: a role to assume, in every kubeconfig, and a profile of the
   * AWS CLI, in the kubeconfig of the Kubernetes provider. Set them when an explicit provider creates the cluster.
   *
   * @default the profile of the AWS provider - the variable AWS_PROFILE, or else aws:profile
   */
  credentials: s.optional(tokenCredentials),
});

/** Arguments of an EksCluster. */
export const eksClusterSchema = s.section({
  ...clusterSettings.entries,
  /** The VPC of the subnets. */
  vpcId: s.input(s.text("set {path} to the id of the VPC that contains the subnets")),
  /** Private subnets for the control plane's network interfaces: two or more, in two zones. */
  subnetIds: s.inputList(
    v.pipe(
      s.list(
        s.input(s.text("set {path} to the id of a subnet")),
        '["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]',
      ),
      s.check((got, path): Problem[] => {
        if (got.length >= 2) return [];
        const why = "EKS needs subnets in two zones or more for the control plane's network interfaces.";
        const fix = `list private subnets of two zones in ${path}`;
        return [{ code: "out-of-range", path, got: got.length, why, fix }];
      }),
    ),
  ),
  /**
   * Whether EKS Auto Mode starts nodes for the NodePools of this cluster. No built-in NodePool is enabled. Managed node
   * groups and their add-ons work as before: the add-ons do not run on the nodes of Auto Mode, which have their own
   * network, DNS, device plugin and node monitoring.
   *
   * @default false - node groups or Karpenter start the nodes
   * @see https://docs.aws.amazon.com/eks/latest/userguide/auto-enable-existing.html
   */
  autoMode: s.optional(s.flag()),
  /** Tags for every resource that supports tags. @default {} - only Name is set */
  tags: s.optional(tagMap(), {}),
  /** Adjusts the underlying resources. @default none - none is adjusted */
  transform: s.optional(transformOf<EksClusterTransform>(transformKeys)),
});

export interface EksClusterArgs extends Readonly<GivenOf<typeof eksClusterSchema>> {}

export const eksClusterDefaults = defaultsOf(eksClusterSchema);

/** Every problem in the arguments. Outputs are not checked. */
export function eksClusterProblems(args: EksClusterArgs, at = ""): readonly Problem[] {
  return problemsIn(eksClusterSchema, args, at);
}
