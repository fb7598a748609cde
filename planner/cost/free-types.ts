/** What becomes of a resource type that no reader prices. */
export type UnpricedKind =
  /** It has no charge. */
  | { readonly kind: "free" }
  /** It is billed only by usage; the price is not in the table. */
  | ({ readonly kind: "usage" } & Service)
  /** It may cost by the hour. */
  | { readonly kind: "unknown" };

/** A service that is billed by usage. */
interface Service {
  readonly service: string;
  /** What is free each month, without an end. */
  readonly freeTier?: string;
}

/** Modules of the AWS providers all of whose resources cost nothing. */
const freeModules = ["accessanalyzer", "budgets", "iam", "organizations", "resourcegroups", "servicequotas"];

/** Modules of the AWS providers whose resources are billed by usage: requests, stored bytes, invocations. */
const usageModules: Readonly<Record<string, Service>> = {
  cloudwatch: { service: "CloudWatch metrics, alarms and events" },
  ecr: { service: "ECR" },
  lambda: { service: "Lambda" },
  s3: { service: "S3" },
  // @see https://aws.amazon.com/eventbridge/pricing/
  scheduler: { service: "EventBridge Scheduler", freeTier: "14 million calls" },
  sns: { service: "SNS" },
  // @see https://aws.amazon.com/sqs/pricing/
  sqs: { service: "SQS", freeTier: "1 million requests" },
  ssm: { service: "Systems Manager" },
};

/** Free resources of modules that have others which cost; the names are those of the AWS provider. */
const freeKinds: Readonly<Record<string, RegExp>> = {
  autoscaling: /^(attachment|lifecycleHook|notification|policy|schedule|tag)$/,
  cloudwatch:
    /^(dashboard|event(Bus|BusPolicy|Permission|Rule|Target)|log(DataProtectionPolicy|MetricFilter|ResourcePolicy|Stream))$/,
  ebs: /^(defaultKmsKey|encryptionByDefault)$/,
  ec2: new RegExp(
    "^(default\\w+|eipAssociation|(egressOnly)?[iI]nternetGateway\\w*|flowLog|instanceMetadataDefaults|keyPair|launchTemplate|" +
      "launchConfiguration|mainRouteTableAssociation|managedPrefixList\\w*|networkAcl\\w*|networkInterface\\w*|placementGroup|" +
      "route|routeTable\\w*|securityGroup\\w*|subnet\\w*|tag|volumeAttachment|vpc|vpcDhcpOptions\\w*|vpcEndpoint(Policy|\\w+Association)|" +
      "vpcIpv[46]CidrBlockAssociation|vpcPeeringConnection\\w*|vpcSecurityGroupRulesExclusive|vpnGateway\\w*)$",
  ),
  eks: /^(accessEntry|accessPolicyAssociation|addon|identityProviderConfig|podIdentityAssociation)$/,
  kms: /^(alias|grant|keyPolicy)$/,
  lb: /^(listener\w*|targetGroup\w*)$/,
  route53: /^record$/,
  vpc: /^(securityGroup\w+|endpointPrivateDns)$/,
};

/** Only AWS is priced: other providers cost nothing here. A type of AWS that is not known to be free may cost. */
export function unpricedKind(type: string): UnpricedKind {
  const [provider = "", module = "", name = ""] = type.split(/[:/]/);
  if (provider !== "aws" && provider !== "aws-native") return { kind: "free" };
  const kind = name.charAt(0).toLowerCase() + name.slice(1);
  if (freeModules.includes(module) || freeKinds[module]?.test(kind)) return { kind: "free" };
  const service = usageModules[module];
  return service === undefined ? { kind: "unknown" } : { kind: "usage", ...service };
}
