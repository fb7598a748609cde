import type { SecurityGroupRule } from "@aws-sdk/client-ec2";
import { isRecord } from "../components/core/reader/records";
import { idTag } from "../components/core/stack-tags";
import { allPages } from "../sessions/clients";
import { asked, codeOf, type Aws } from "./aws";
import type { StateResource } from "./state";
import { unreadOf, type Unread } from "./unread";

/** An interrupted create, and the ID with which the provider imports its object. */
export interface Identified {
  readonly resource: StateResource;
  readonly id: string;
}

type Inputs = StateResource["inputs"];

/** How the object of an interrupted create is found by its inputs. */
interface Lookup {
  /** The IAM action. */
  readonly action: string;
  /** The ID with which the provider imports it; undefined if it does not exist. */
  readonly find: (aws: Aws, inputs: Inputs) => Promise<string | undefined>;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

const routeTargets = ["destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId"] as const;

async function routeTableOf(aws: Aws, inputs: Inputs) {
  const ec2 = await aws.ec2();
  const { RouteTables = [] } = await ec2.describeRouteTables({ RouteTableIds: [text(inputs["routeTableId"])] });
  return RouteTables[0];
}

const route: Lookup = {
  action: "ec2:DescribeRouteTables",
  find: async (aws, inputs) => {
    const destination = routeTargets.map((name) => text(inputs[name])).find((one) => one !== "") ?? "";
    const { Routes = [] } = (await routeTableOf(aws, inputs)) ?? {};
    const exists = Routes.some(({ DestinationCidrBlock, DestinationIpv6CidrBlock, DestinationPrefixListId }) =>
      [DestinationCidrBlock, DestinationIpv6CidrBlock, DestinationPrefixListId].includes(destination),
    );
    return exists ? `${text(inputs["routeTableId"])}_${destination}` : undefined;
  },
};

const routeTableAssociation: Lookup = {
  action: "ec2:DescribeRouteTables",
  find: async (aws, inputs) => {
    const target = text(inputs["subnetId"]) || text(inputs["gatewayId"]);
    const { Associations = [] } = (await routeTableOf(aws, inputs)) ?? {};
    const exists = Associations.some(({ SubnetId, GatewayId }) => (SubnetId ?? GatewayId) === target);
    return exists ? `${target}/${text(inputs["routeTableId"])}` : undefined;
  },
};

/** EC2 has at most one rule of a group for the same traffic. */
function securityGroupRule(isEgress: boolean): Lookup {
  return {
    action: "ec2:DescribeSecurityGroupRules",
    find: async (aws, inputs) => {
      const ec2 = await aws.ec2();
      const Filters = [{ Name: "group-id", Values: [text(inputs["securityGroupId"])] }];
      const rules = await allPages(async (NextToken) => {
        const page = { Filters, ...(NextToken !== undefined && { NextToken }) };
        const answer = await ec2.describeSecurityGroupRules(page);
        return { items: answer.SecurityGroupRules, next: answer.NextToken };
      });
      const same = rules.find((rule) => rule.IsEgress === isEgress && hasTraffic(rule, inputs));
      return same?.SecurityGroupRuleId;
    },
  };
}

function hasTraffic(rule: SecurityGroupRule, inputs: Inputs): boolean {
  const peer = rule.CidrIpv4 ?? rule.CidrIpv6 ?? rule.PrefixListId ?? rule.ReferencedGroupInfo?.GroupId;
  const peers = ["cidrIpv4", "cidrIpv6", "prefixListId", "referencedSecurityGroupId"].map((name) => inputs[name]);
  const isAll = rule.IpProtocol === "-1";
  const hasPorts = isAll || (rule.FromPort === inputs["fromPort"] && rule.ToPort === inputs["toPort"]);
  return rule.IpProtocol === inputs["ipProtocol"] && hasPorts && peers.includes(peer);
}

/** The provider gives an inline policy a random name, and a role with a second one cannot be deleted. */
const rolePolicy: Lookup = {
  action: "iam:ListRolePolicies",
  find: async (aws, inputs) => {
    const [role, name] = [text(inputs["role"]), text(inputs["name"])];
    const iam = await aws.iam();
    const names = await allPages(async (Marker) => {
      const answer = await iam.listRolePolicies({ RoleName: role, ...(Marker !== undefined && { Marker }) });
      return { items: answer.PolicyNames, next: answer.Marker };
    });
    return names.includes(name) ? `${role}:${name}` : undefined;
  },
};

/** Somebody else's can have the same name. */
const policy: Lookup = {
  action: "iam:ListPolicies, iam:ListPolicyTags",
  find: async (aws, inputs) => {
    const iam = await aws.iam();
    const all = await allPages(async (Marker) => {
      const answer = await iam.listPolicies({ Scope: "Local", ...(Marker !== undefined && { Marker }) });
      return { items: answer.Policies, next: answer.Marker };
    });
    const PolicyArn = all.find(({ PolicyName }) => PolicyName === inputs["name"])?.Arn;
    if (PolicyArn === undefined) return undefined;
    const { Tags = [] } = await iam.listPolicyTags({ PolicyArn });
    const id = isRecord(inputs["tags"]) ? inputs["tags"][idTag] : undefined;
    return Tags.some(({ Key, Value }) => Key === idTag && Value === id) ? PolicyArn : undefined;
  },
};

const identityProvider: Lookup = {
  action: "iam:ListOpenIDConnectProviders",
  find: async (aws, inputs) => {
    const issuer = text(inputs["url"]).replace(/^https:\/\//, "");
    const { OpenIDConnectProviderList: all = [] } = await (await aws.iam()).listOpenIDConnectProviders({});
    return all.find(({ Arn = "" }) => Arn.endsWith(`:oidc-provider/${issuer}`))?.Arn;
  },
};

const alias: Lookup = {
  action: "kms:ListAliases",
  find: async (aws, inputs) => {
    const kms = await aws.kms();
    const all = await allPages(async (Marker) => {
      const answer = await kms.listAliases({ ...(Marker !== undefined && { Marker }) });
      return { items: answer.Aliases, next: answer.NextMarker };
    });
    const key = text(inputs["targetKeyId"]).split("/").at(-1);
    return all.find((one) => one.AliasName === inputs["name"] && one.TargetKeyId === key)?.AliasName;
  },
};

const podIdentityAssociation: Lookup = {
  action: "eks:ListPodIdentityAssociations",
  find: async (aws, { clusterName, namespace, serviceAccount }) => {
    const eks = await aws.eks();
    const cluster = text(clusterName);
    const account = { namespace: text(namespace), serviceAccount: text(serviceAccount) };
    const { associations: [first] = [] } = await eks.listPodIdentityAssociations({ clusterName: cluster, ...account });
    return first?.associationId === undefined ? undefined : `${cluster},${first.associationId}`;
  },
};

const accessEntry: Lookup = {
  action: "eks:DescribeAccessEntry",
  find: async (aws, inputs) => {
    const [clusterName, principalArn] = [text(inputs["clusterName"]), text(inputs["principalArn"])];
    await (await aws.eks()).describeAccessEntry({ clusterName, principalArn });
    return `${clusterName}:${principalArn}`;
  },
};

const schedule: Lookup = {
  action: "scheduler:GetSchedule",
  find: async (aws, inputs) => {
    const [GroupName, Name] = [text(inputs["groupName"]) || "default", text(inputs["name"])];
    const { Target } = await (await aws.scheduler()).getSchedule({ GroupName, Name });
    const { arn, input } = isRecord(inputs["target"]) ? inputs["target"] : {};
    return Target?.Arn === arn && Target?.Input === input ? `${GroupName}/${Name}` : undefined;
  },
};

/** Objects without tags, or without a list by tags. */
const lookups: Readonly<Record<string, Lookup>> = {
  "aws:ec2/route:Route": route,
  "aws:ec2/routeTableAssociation:RouteTableAssociation": routeTableAssociation,
  "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": securityGroupRule(false),
  "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": securityGroupRule(true),
  "aws:iam/rolePolicy:RolePolicy": rolePolicy,
  "aws:iam/policy:Policy": policy,
  "aws:iam/openIdConnectProvider:OpenIdConnectProvider": identityProvider,
  "aws:kms/alias:Alias": alias,
  "aws:eks/podIdentityAssociation:PodIdentityAssociation": podIdentityAssociation,
  "aws:eks/accessEntry:AccessEntry": accessEntry,
  "aws:scheduler/schedule:Schedule": schedule,
};

/** Types whose second create has no effect: it takes over what exists, or overwrites it with the same. */
const repeatable: readonly string[] = [
  "aws:ec2/defaultRouteTable:DefaultRouteTable",
  "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup",
  "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
  "aws:autoscaling/tag:Tag",
  "aws:sqs/queuePolicy:QueuePolicy",
  "aws:cloudwatch/metricAlarm:MetricAlarm",
  "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
];

/** The IAM actions of {@link identify}. */
export const identifyActions: readonly string[] = [
  ...new Set(Object.values(lookups).flatMap(({ action }) => action.split(", "))),
];

interface Answer {
  readonly identified: readonly Identified[];
  /** Those that do not exist, and those that can be repeated. */
  readonly absent: readonly StateResource[];
  readonly unread: readonly Unread[];
}

/** Looks for the objects of interrupted creates by their inputs. */
export async function identify(aws: Aws, pending: readonly StateResource[]): Promise<Answer> {
  const identified: Identified[] = [];
  const absent = pending.filter(({ type }) => repeatable.includes(type));
  const unread: Unread[] = [];
  for (const resource of pending) {
    const { type, name, inputs } = resource;
    const lookup = lookups[type];
    if (!lookup) continue;
    try {
      const id = await asked(lookup.action, aws.region, () => lookup.find(aws, inputs));
      if (id === undefined) absent.push(resource);
      else identified.push({ resource, id });
    } catch (error) {
      if (/NotFound|NoSuchEntity/.test(codeOf(error))) absent.push(resource);
      else unread.push(unreadOf(name, error));
    }
  }
  return { identified, absent, unread };
}
