import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unpricedKind } from "../../../planner/cost/free-types";

test.for([
  [
    "free",
    "iam/role iam/instanceProfile acm/certificate acm/certificateValidation organizations/account ram/resourceShare",
  ],
  [
    "free",
    "ec2/securityGroup ec2/securityGroupRule ec2/subnet ec2/routeTable ec2/networkAclRule ec2/customerGateway vpc/securityGroupIngressRule",
  ],
  [
    "free",
    "s3/bucketPolicy sns/topicPolicy sqs/queuePolicy ecr/lifecyclePolicy kms/keyPolicy secretsmanager/secretPolicy lambda/permission",
  ],
  [
    "free",
    "rds/subnetGroup rds/parameterGroup rds/clusterParameterGroup elasticache/subnetGroup redshift/parameterGroup docdb/subnetGroup",
  ],
  [
    "free",
    "appautoscaling/target appautoscaling/policy autoscaling/policy autoscaling/tag ec2/tag route53/record alb/listener lb/targetGroupAttachment",
  ],
  [
    "free",
    "ecs/cluster ecs/taskDefinition efs/mountTarget secretsmanager/secretVersion cloudfront/cachePolicy wafv2/webAclAssociation",
  ],
  ["free", "ssm/parameter ssm/document ssm/association ssm/maintenanceWindow ssm/patchBaseline"],
  ["usage", "ssm/activation ssm/resourceDataSync"],
  [
    "usage",
    "lambda/function s3/bucket apigatewayv2/api cloudfront/distribution sfn/stateMachine ecs/service efs/fileSystem cognito/userPool ebs/snapshot",
  ],
  [
    "unknown",
    "rds/instance elasticache/cluster redshift/cluster msk/cluster opensearch/domain mq/broker fsx/lustreFileSystem sagemaker/endpoint",
  ],
  [
    "unknown",
    "ec2transitgateway/vpcAttachment ec2clientvpn/networkAssociation ec2/vpnConnection ec2/dedicatedHost route53/zone secretsmanager/secret",
  ],
  [
    "unknown",
    "fms/policy kinesis/stream dynamodb/table globalaccelerator/accelerator networkfirewall/firewall wafv2/webAcl ebs/volume nothing/thing",
  ],
] as const)("of AWS, %s: %s", ([kind, types]) => {
  for (const type of types.split(" ")) expect(unpricedKind(`aws:${type}:X`).kind, type).toBe(kind);
});

test("the other provider of AWS has the same kinds, and no other provider costs", () => {
  const kinds = [
    "aws-native:ec2:SecurityGroup",
    "aws-native:rds:DbInstance",
    "aws-native:logs:LogGroup",
    "random:index:X",
  ];
  expect(kinds.map((type) => unpricedKind(type).kind)).toEqual(["free", "unknown", "usage", "free"]);
});

/** The kinds of a module, as the provider has them. */
function kindsOf(module: string): string[] {
  const files = readdirSync(join(process.cwd(), "node_modules/@pulumi/aws", module));
  return files.flatMap((file) => /^(?!get[A-Z]|index)(\w+)\.d\.ts$/.exec(file)?.[1] ?? []);
}

test.for([
  ["iam", ["free"]],
  ["rds", ["free", "unknown"]],
  ["lambda", ["free", "usage"]],
  ["kms", ["free", "unknown"]],
] as const)("every kind of %s is one of %j", ([module, expected]) => {
  const kinds = kindsOf(module).map((kind) => unpricedKind(`aws:${module}/${kind}:X`).kind);
  expect(kinds.length).toBeGreaterThan(5);
  expect([...new Set(kinds)].sort()).toEqual(expected);
});
