import { isPlainObject, join, keysOf, matching, noObject, oneOf, onlyKeys, trueOrFalse } from "../core/checks";
import { isOutput, requirePlainValue } from "../core/outputs";
import type { Problem } from "../core/problems";
import { tagsProblems } from "../core/tokens";
import { transformProblems } from "../core/transform";
import { adminsProblems, roleArnProblems } from "./access/admins";
import { eachOnce } from "./checks";
import {
  controlPlaneLogTypes,
  eksClusterDefaults,
  type EksClusterArgs,
  type EksClusterTransform,
} from "./eks-cluster-args";
import { kubernetesVersionProblems } from "./kubernetes-versions";
import { namePrefixLimit } from "./identity/policy-document";
import { publicAccessCidrsProblems } from "./access/public-access";

const eksClusterKeys = keysOf<EksClusterArgs>({
  clusterName: true,
  kubernetesVersion: true,
  vpcId: true,
  subnetIds: true,
  publicAccessCidrs: true,
  admins: true,
  controlPlaneLogs: true,
  logRetentionDays: true,
  secretsKey: true,
  deletionProtection: true,
  credentials: true,
  tags: true,
  transform: true,
});

export const eksClusterTransformKeys = keysOf<EksClusterTransform>({
  cluster: true,
  role: true,
  rolePolicyAttachment: true,
  secretsKey: true,
  secretsKeyAlias: true,
  secretsKeyPolicy: true,
  logGroup: true,
  accessEntry: true,
  accessPolicy: true,
  kubernetesProvider: true,
});

const credentialsKeys = keysOf<NonNullable<EksClusterArgs["credentials"]>>({ profile: true, roleArn: true });

/** Every problem of the arguments. Ids that are known only later are not checked. */
export function eksClusterProblems(args: EksClusterArgs, at = ""): Problem[] {
  if (!isPlainObject(args)) return noObject(at, args);
  const {
    kubernetesVersion = eksClusterDefaults.kubernetesVersion,
    controlPlaneLogs = eksClusterDefaults.controlPlaneLogs,
    logRetentionDays = eksClusterDefaults.logRetentionDays,
    secretsKey = eksClusterDefaults.secretsKey,
    deletionProtection = eksClusterDefaults.deletionProtection,
  } = args;
  return [
    ...onlyKeys(at, args, eksClusterKeys),
    ...clusterNameProblems(join(at, "clusterName"), args.clusterName),
    ...kubernetesVersionProblems(join(at, "kubernetesVersion"), kubernetesVersion),
    ...vpcIdProblems(join(at, "vpcId"), args.vpcId),
    ...subnetIdsProblems(join(at, "subnetIds"), args.subnetIds),
    ...publicAccessCidrsProblems(join(at, "publicAccessCidrs"), args.publicAccessCidrs),
    ...adminsProblems(join(at, "admins"), args.admins),
    ...controlPlaneLogsProblems(join(at, "controlPlaneLogs"), controlPlaneLogs),
    ...logRetentionProblems(join(at, "logRetentionDays"), logRetentionDays),
    ...secretsKeyProblems(join(at, "secretsKey"), secretsKey),
    ...trueOrFalse(join(at, "deletionProtection"), deletionProtection),
    ...credentialsProblems(join(at, "credentials"), args.credentials),
    ...tagsProblems(join(at, "tags"), args.tags),
    ...transformProblems(join(at, "transform"), args.transform, eksClusterTransformKeys),
  ];
}

/** Room that names derived from the cluster's need for their own part, such as `-flow-logs-`. */
const rolePartLength = 12;

/** What EKS takes for a name, short enough for the IAM name prefixes that begin with it. */
export function clusterNameProblems(path: string, got: unknown): Problem[] {
  const longest = namePrefixLimit - rolePartLength;
  const fix = `set ${path} to a name such as myeks`;
  if (isOutput(got)) return requirePlainValue(path);
  if (got === undefined) {
    const why = "Every physical name of the environment begins with it.";
    return [{ code: "missing", path, got, why, fix }];
  }
  const form = "letters, digits, hyphens and underscores, the first a letter or digit, and must not begin with sg-";
  const problems = matching(path, got, /^(?!sg-)[A-Za-z0-9][A-Za-z0-9_-]*$/, form, fix);
  if (problems.length > 0 || typeof got !== "string" || got.length <= longest) return problems;
  const why = `It has ${got.length} characters. IAM role names begin with it, their prefix may have ${namePrefixLimit}, and ${rolePartLength} are for the role.`;
  return [{ code: "out-of-range", path, got, why, fix: `shorten ${path} to ${longest} characters or fewer` }];
}

function credentialsProblems(path: string, got: unknown): Problem[] {
  if (got === undefined) return [];
  if (!isPlainObject(got)) return noObject(path, got);
  const { profile, roleArn } = got;
  const profileFix = "set it to the name of a profile in ~/.aws/config, or leave it out";
  return [
    ...onlyKeys(path, got, credentialsKeys),
    ...(profile === undefined ? [] : matching(join(path, "profile"), profile, /\S/, "a profile's name", profileFix)),
    ...(roleArn === undefined || isOutput(roleArn) ? [] : roleArnProblems(join(path, "roleArn"), roleArn)),
  ];
}

function vpcIdProblems(path: string, got: unknown): Problem[] {
  if (got !== undefined) return [];
  const why = "Without it the cluster would go into the account's default VPC.";
  return [{ code: "missing", path, got, why, fix: `set ${path} to the id of the VPC that has the subnets` }];
}

function subnetIdsProblems(path: string, got: unknown): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  if (!Array.isArray(got)) return notAList(path, got, '["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]');
  if (got.length >= 2) return [];
  const why = "EKS puts the control plane's network interfaces into two zones or more.";
  return [{ code: "out-of-range", path, got: got.length, why, fix: `list private subnets of two zones in ${path}` }];
}

function controlPlaneLogsProblems(path: string, got: unknown): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  if (!Array.isArray(got)) return notAList(path, got, '["api", "audit", "scheduler"]');
  return eachOnce(path, got, (itemPath, item) => oneOf(itemPath, item, controlPlaneLogTypes));
}

function notAList(path: string, got: unknown, example: string): Problem[] {
  const fix = `set ${path} to a list such as ${example}`;
  return [{ code: got === undefined ? "missing" : "wrong-type", path, got, why: "It must be a list.", fix }];
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html */
const retentionPeriods = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];

function logRetentionProblems(path: string, got: unknown): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  if (typeof got !== "number" || Number.isNaN(got)) {
    const fix = `set ${path} to a number of days, such as 7`;
    return [{ code: "wrong-type", path, got, why: "It must be a number.", fix }];
  }
  if (retentionPeriods.includes(got)) return [];
  const longer = retentionPeriods.find((days) => days >= got) ?? 3653;
  const why = `CloudWatch Logs knows these periods only: ${retentionPeriods.join(", ")} days.`;
  return [{ code: "not-allowed", path, got, why, fix: `set ${path} to ${longer}` }];
}

const keyArn = /^arn:aws(-cn|-us-gov)?:kms:[a-z0-9-]+:\d{12}:key\/(mrk-)?[0-9a-f-]{32,36}$/;
const aliasArn = /^arn:aws(-cn|-us-gov)?:kms:[a-z0-9-]+:\d{12}:(alias\/.+)$/;

function secretsKeyProblems(path: string, got: unknown): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  if (got === "own" || got === "none" || (typeof got === "string" && keyArn.test(got))) return [];
  const alias = typeof got === "string" ? aliasArn.exec(got)?.[2] : undefined;
  if (alias) {
    const why = "It is an alias, and IAM grants rights on the key's own ARN.";
    const fix = `set ${path} to what this prints: aws kms describe-key --key-id ${alias} --query KeyMetadata.Arn`;
    return [{ code: "not-allowed", path, got, why, fix }];
  }
  const code = typeof got === "string" ? "not-allowed" : "wrong-type";
  const fix = `set ${path} to "own", "none" or an ARN such as arn:aws:kms:ap-northeast-2:123456789012:key/01234567-89ab-cdef-0123-456789abcdef`;
  return [{ code, path, got, why: 'It must be "own", "none" or the ARN of a KMS key.', fix }];
}
