import type { RouteTable, SecurityGroupRule } from "@aws-sdk/client-ec2";
import { isRecord } from "../../components/core/reader/records";
import { idTag } from "../../components/core/stack-tags";
import { codeOf } from "../../aws/aws-error";
import { itemsOf, request, type Aws } from "../../aws/clients";
import { lastPart, unreadOf, type Unread } from "./found";
import { listIdentityProviders, listInlinePolicies } from "./kinds/identity";
import { listTargets } from "./kinds/lease";
import { listAliases } from "./kinds/other";
import { readRules } from "./kinds/network";
import type { Adoption, StateResource } from "../stack/state";

type Inputs = StateResource["inputs"];
/** The text of an input; empty if it has none. */
type Text = (name: string) => string;

/** How the object of an interrupted create is found by its inputs. */
interface Lookup {
  /** The IAM action. */
  readonly action: string;
  /** The ID with which the provider imports it; undefined if it does not exist. */
  readonly find: (aws: Aws, text: Text, inputs: Inputs) => Promise<string | undefined>;
}

const destinations = ["destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId"] as const;

async function readRouteTable(aws: Aws, id: string): Promise<RouteTable> {
  const { RouteTables: [table = {}] = [] } = await request(aws, "ec2:DescribeRouteTables", { RouteTableIds: [id] });
  return table;
}

/** EC2 has at most one rule of a group for the same traffic. */
function securityGroupRule(isEgress: boolean): Lookup {
  return {
    action: "ec2:DescribeSecurityGroupRules",
    find: async (aws, text, inputs) => {
      const rules = await readRules(aws, text("securityGroupId"));
      return rules.find((rule) => rule.IsEgress === isEgress && hasTraffic(rule, inputs))?.SecurityGroupRuleId;
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

/** Objects without tags, or without a list by tags. */
const lookups: Readonly<Record<string, Lookup>> = {
  "aws:ec2/route:Route": {
    action: "ec2:DescribeRouteTables",
    find: async (aws, text, inputs) => {
      const destination = destinations.map(text).find((one) => one !== "") ?? "";
      const { Routes = [] } = await readRouteTable(aws, text("routeTableId"));
      const given = Object.values(inputs);
      // All that EC2 says of a route but its state and its origin is in the inputs.
      const exists = Routes.some(({ State: _, Origin: _origin, ...route }) => {
        const values = Object.values(route);
        return values.includes(destination) && values.every((one) => given.includes(one));
      });
      return exists ? `${text("routeTableId")}_${destination}` : undefined;
    },
  },
  "aws:ec2/routeTableAssociation:RouteTableAssociation": {
    action: "ec2:DescribeRouteTables",
    find: async (aws, text) => {
      const target = text("subnetId") || text("gatewayId");
      const { Associations = [] } = await readRouteTable(aws, text("routeTableId"));
      const exists = Associations.some(({ SubnetId, GatewayId }) => (SubnetId ?? GatewayId) === target);
      return exists ? `${target}/${text("routeTableId")}` : undefined;
    },
  },
  "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": securityGroupRule(false),
  "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": securityGroupRule(true),
  // The provider gives an inline policy a random name, and a role with a second one cannot be deleted.
  "aws:iam/rolePolicy:RolePolicy": {
    action: "iam:ListRolePolicies",
    find: async (aws, text) => {
      const [role, name] = [text("role"), text("name")];
      const names = await listInlinePolicies(aws, role);
      return names.includes(name) ? `${role}:${name}` : undefined;
    },
  },
  // Somebody else's can have the same name.
  "aws:iam/policy:Policy": {
    action: "iam:ListPolicies, iam:ListPolicyTags",
    find: async (aws, _, inputs) => {
      const all = await itemsOf(aws, "iam:ListPolicies", "Policies", { Scope: "Local" });
      const PolicyArn = all.find(({ PolicyName }) => PolicyName === inputs["name"])?.Arn;
      if (PolicyArn === undefined) return undefined;
      const { Tags = [] } = await request(aws, "iam:ListPolicyTags", { PolicyArn });
      const id = isRecord(inputs["tags"]) ? inputs["tags"][idTag] : undefined;
      return Tags.some(({ Key, Value }) => Key === idTag && Value === id) ? PolicyArn : undefined;
    },
  },
  "aws:iam/openIdConnectProvider:OpenIdConnectProvider": {
    action: "iam:ListOpenIDConnectProviders",
    find: async (aws, text) => {
      const issuer = text("url").replace(/^https:\/\//, "");
      return (await listIdentityProviders(aws)).find((arn) => arn.endsWith(`:oidc-provider/${issuer}`));
    },
  },
  "aws:kms/alias:Alias": {
    action: "kms:ListAliases",
    find: async (aws, text, inputs) => {
      const all = await listAliases(aws);
      const key = lastPart(text("targetKeyId"));
      return all.find((one) => one.AliasName === inputs["name"] && one.TargetKeyId === key)?.AliasName;
    },
  },
  "aws:eks/podIdentityAssociation:PodIdentityAssociation": {
    action: "eks:ListPodIdentityAssociations",
    find: async (aws, text) => {
      const [clusterName, namespace, serviceAccount] = ["clusterName", "namespace", "serviceAccount"].map(text);
      const input = { clusterName, namespace, serviceAccount };
      const { associations = [] } = await request(aws, "eks:ListPodIdentityAssociations", input);
      const id = associations[0]?.associationId;
      return id === undefined ? undefined : `${clusterName},${id}`;
    },
  },
  "aws:eks/accessEntry:AccessEntry": {
    action: "eks:DescribeAccessEntry",
    find: async (aws, text) => {
      const [clusterName, principalArn] = [text("clusterName"), text("principalArn")];
      await request(aws, "eks:DescribeAccessEntry", { clusterName, principalArn });
      return `${clusterName}:${principalArn}`;
    },
  },
  // A second target of a rule would block the removal of the rule.
  "aws:cloudwatch/eventTarget:EventTarget": {
    action: "events:ListTargetsByRule",
    find: async (aws, text) => {
      const targets = await listTargets(aws, text("rule"));
      const id = targets.find(({ Arn }) => Arn === text("arn"))?.Id;
      return id === undefined ? undefined : `${text("rule")}/${id}`;
    },
  },
  "aws:scheduler/schedule:Schedule": {
    action: "scheduler:GetSchedule",
    find: async (aws, text, inputs) => {
      const [GroupName, Name] = [text("groupName") || "default", text("name")];
      const { Target } = await request(aws, "scheduler:GetSchedule", { GroupName, Name });
      const { arn, input } = isRecord(inputs["target"]) ? inputs["target"] : {};
      return Target?.Arn === arn && Target?.Input === input ? `${GroupName}/${Name}` : undefined;
    },
  },
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

/** Looks for the objects of interrupted creates by their inputs. */
export async function identify(aws: Aws, pending: readonly StateResource[]) {
  const identified: Adoption[] = [];
  // Those that do not exist, and those that can be repeated.
  const absent = pending.filter(({ type }) => repeatable.includes(type));
  const unread: Unread[] = [];
  for (const resource of pending) {
    const { type, name, inputs } = resource;
    const lookup = lookups[type];
    if (!lookup) continue;
    try {
      const text: Text = (key) => (typeof inputs[key] === "string" ? inputs[key] : "");
      const id = await aws.send(lookup.action, () => lookup.find(aws, text, inputs));
      if (id === undefined) absent.push(resource);
      else identified.push({ resource, id });
    } catch (error) {
      if (/NotFound|NoSuchEntity/.test(codeOf(error))) absent.push(resource);
      else unread.push(unreadOf(name, error));
    }
  }
  return { identified, absent, unread };
}
