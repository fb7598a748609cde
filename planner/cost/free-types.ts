import { ownValue } from "../../components/core/reader/records";

/** What becomes of a resource type that no reader prices. */
type UnpricedKind =
  /** It has no charge. */
  | { readonly kind: "free" }
  /** It is billed only by usage; the price is not in the table. */
  | ({ readonly kind: "usage" } & Service)
  /** It may cost by the hour. */
  | { readonly kind: "unknown" };

/** A service that is billed by usage: requests, stored bytes, invocations. */
interface Service {
  readonly service: string;
  /** What is free each month, without an end. */
  readonly freeTier?: string;
}

/** The charges of a module of the AWS providers. Kinds of resources have the names of the provider. */
interface Charges {
  /** The kinds that cost nothing. @default none but the parts that cost nothing in every module */
  readonly free?: RegExp;
  /** What bills every other kind. @default it may cost by the hour */
  readonly usage?: Service;
  /** The kinds that may cost by the hour, in a module that is billed by usage. @default none */
  readonly hourly?: RegExp;
}

const by = (service: string, more: Omit<Charges, "usage"> & Pick<Service, "freeTier"> = {}): Charges => {
  const { freeTier, ...kinds } = more;
  return { ...kinds, usage: { service, ...(freeTier !== undefined && { freeTier }) } };
};

/** Modules all of whose resources cost nothing. */
const freeModules =
  "accessanalyzer account acm appautoscaling autoscalingplans budgets cloudcontrol cloudformation codeconnections " +
  "codedeploy codestarconnections codestarnotifications computeoptimizer costexplorer costoptimizationhub cur dlm " +
  "elasticbeanstalk iam identitystore imagebuilder lakeformation licensemanager notifications oam organizations ram rbin " +
  "resourceexplorer resourcegroups resourcegroupstaggingapi rolesanywhere serverlessrepository servicequotas signer ssoadmin";

/** Modules all of whose resources are billed by usage, with the name of the service. */
const usageModules =
  "amplify=Amplify apigateway=API_Gateway apigatewayv2=API_Gateway appsync=AppSync athena=Athena backup=AWS_Backup " +
  "cfg=AWS_Config cloudfront=CloudFront cloudtrail=CloudTrail codeartifact=CodeArtifact codebuild=CodeBuild " +
  "codecommit=CodeCommit codepipeline=CodePipeline cognito=Cognito ecr=ECR ecrpublic=ECR glue=Glue guardduty=GuardDuty " +
  "inspector2=Inspector iot=IoT_Core lambda=Lambda logs=CloudWatch_Logs macie2=Macie pipes=EventBridge_Pipes s3=S3 " +
  "s3control=S3 schemas=EventBridge_Schemas securityhub=Security_Hub servicediscovery=Cloud_Map ses=SES sesv2=SES " +
  "sfn=Step_Functions sns=SNS swf=SWF synthetics=CloudWatch_Synthetics xray=X-Ray";

/** The only registry of what costs nothing and of what is billed by usage. A type that it does not have may cost. */
const registry: Readonly<Record<string, Charges>> = {
  ...Object.fromEntries(freeModules.split(" ").map((module) => [module, { free: /./ }])),
  ...Object.fromEntries(
    usageModules.split(" ").map((entry) => {
      const [module = "", service = ""] = entry.split("=");
      return [module, by(service.replaceAll("_", " "))];
    }),
  ),
  autoscaling: { free: /^(attachment|lifecycleHook|notification|schedule|trafficSourceAttachment)$/ },
  cloudwatch: by("CloudWatch metrics, alarms and events", {
    free: /^(compositeAlarm|dashboard|event(Bus|Rule|Target)|log(MetricFilter|Stream|SubscriptionFilter))$/,
  }),
  dynamodb: { free: /^(tableItem|kinesisStreamingDestination)$/ },
  ebs: by("EBS snapshots", { free: /^(defaultKmsKey|encryptionByDefault)$/, hourly: /^(volume|fastSnapshotRestore)$/ }),
  ec2: {
    free: new RegExp(
      "^(default\\w+|eipAssociation|eipDomainName|(egressOnly)?[iI]nternetGateway\\w*|flowLog|imageBlockPublicAccess|" +
        "instanceMetadataDefaults|keyPair|launchTemplate|launchConfiguration|carrierGateway|customerGateway|" +
        "mainRouteTableAssociation|managedPrefixList\\w*|networkAcl\\w*|networkInterface\\w*|placementGroup|" +
        "route|routeTable\\w*|securityGroup\\w*|serialConsoleAccess|spotDatafeedSubscription|subnet\\w*|volumeAttachment|" +
        "vpc|vpcBlockPublicAccess\\w+|vpcDhcpOptions\\w*|vpcEndpoint(Service\\w*|Connection\\w+|\\w+Association)|" +
        "vpcIpv[46]CidrBlockAssociation|vpcPeeringConnection\\w*|vpcSecurityGroupRulesExclusive|vpnConnectionRoute|vpnGateway\\w*)$",
    ),
  },
  ecs: by("Fargate", { free: /^(accountSettingDefault|capacityProvider|cluster\w*|taskDefinition)$/ }),
  efs: by("EFS", { free: /^(accessPoint|mountTarget)$/ }),
  eks: {
    free: /^(accessEntry|accessPolicyAssociation|addon|identityProviderConfig|podIdentityAssociation)$/,
  },
  kinesis: by("Data Firehose", { hourly: /^(stream|videoStream|analyticsApplication)$/ }),
  kms: { free: /^(alias|grant)$/ },
  lb: { free: /^(listener\w*|targetGroup\w*|trustStore\w*)$/ },
  rds: {
    free: /^(clusterRoleAssociation|eventSubscription|optionGroup|proxyDefaultTargetGroup|proxyTarget|roleAssociation)$/,
  },
  route53: {
    free: /^(delegationSet|hostedZoneDnsSec|keySigningKey|queryLog|record|vpcAssociationAuthorization|zoneAssociation)$/,
  },
  // @see https://aws.amazon.com/eventbridge/pricing/
  scheduler: by("EventBridge Scheduler", { free: /^scheduleGroup$/, freeTier: "14 million calls" }),
  secretsmanager: { free: /^(secretRotation|secretVersion)$/ },
  // @see https://aws.amazon.com/sqs/pricing/
  sqs: by("SQS", { freeTier: "1 million requests" }),
  // @see https://aws.amazon.com/systems-manager/pricing/
  ssm: by("Systems Manager", { free: /^(association|default\w+|document|maintenanceWindow\w*|parameter|patch\w+)$/ }),
  vpc: { free: /^(securityGroup\w+|endpointPrivateDns|endpointServicePrivateDnsVerification)$/ },
  wafv2: { free: /^(ipSet|regexPatternSet|webAclAssociation|webAclLoggingConfiguration)$/ },
};

/** Parts of resources that cost nothing, whatever their module; except policies of the Firewall Manager. */
const freeParts = /(^p|P)(olicy|olicyAttachment|ermission)$|(^|[a-z])([pP]arameterGroup|[sS]ubnetGroup|[tT]ag)$/;

/** Services with another name for a module of the registry. */
const sameModules: Readonly<Record<string, string>> = {
  alb: "lb",
  elb: "lb",
  elasticloadbalancingv2: "lb",
  events: "cloudwatch",
};

/** Only AWS is priced: other providers cost nothing here. A type of AWS that is not known to be free may cost. */
export function unpricedKind(type: string): UnpricedKind {
  const match = /^aws(?:-native)?:(\w+)[:/](\w+)/.exec(type);
  if (!match) return { kind: "free" };
  const [, module, name] = match as unknown as [string, string, string];
  const kind = name.charAt(0).toLowerCase() + name.slice(1);
  const { free, usage, hourly } = ownValue(registry, ownValue(sameModules, module) ?? module) ?? {};
  const isFreePart = module !== "fms" && freeParts.test(kind);
  if (isFreePart || free?.test(kind)) return { kind: "free" };
  const isUsage = !hourly?.test(kind);
  return usage && isUsage ? { kind: "usage", ...usage } : { kind: "unknown" };
}
