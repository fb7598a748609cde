import type { AutoScalingGroup } from "@aws-sdk/client-auto-scaling";
import type { Target } from "@aws-sdk/client-scheduler";
import { parseJson } from "../../components/core/json-text";
import { isRecord } from "../../components/core/reader/records";
import { idTag } from "../../components/core/stack-tags";
import { request, itemsOf, type Aws, type Ec2Item } from "../../aws/clients";
import { free, lastPart, unreadOf, type FoundObject, type Unread } from "./found";
import { readNodeGroups, usesOfNodeGroup } from "./kinds/cluster";
import { readEc2 } from "./kinds/ec2-search";
import { readInstances, usesOfInstance } from "./kinds/machines";
import { namesOf } from "./ownership";
import { batchesOf, inTurn } from "./requests";

/** A user, and what it needs. */
type User = readonly [id: string | undefined, ...uses: (string | undefined)[]];

/** What uses objects of some kinds from outside of the environment: another VPC, another program, another cluster. */
interface Lookup {
  /** The kind of the users. */
  readonly user: string;
  /** The kinds that they use. */
  readonly kinds: readonly string[];
  readonly reads: readonly string[];
  /** @param found all that is known, for what a user refers to */
  readonly read: (aws: Aws, ids: readonly string[], found: readonly FoundObject[]) => Promise<readonly User[]>;
}

/** EC2 accepts 200 values in a filter. */
const mostValues = 200;

/** A lookup of what EC2 lists under a name, by filters of the ids. */
function ec2Lookup<List extends string>(
  user: string,
  kinds: readonly string[],
  list: List,
  names: readonly string[],
  usersOf: (all: readonly Ec2Item<List>[]) => readonly User[],
): Lookup {
  return {
    ...{ user, kinds, reads: [`ec2:Describe${list}`] },
    read: async (aws, ids) => {
      const parts = batchesOf(ids, mostValues);
      const filters = names.flatMap((Name) => parts.map((Values) => ({ Name, Values })));
      return usersOf(await readEc2(aws, filters, list));
    },
  };
}

const inRules = ["ip-permission.group-id", "egress.ip-permission.group-id"];
const peers = ["accepter-vpc-info.vpc-id", "requester-vpc-info.vpc-id"];
const openPeering = /^(?:active|pending-acceptance|provisioning|initiating-request)$/;

const lookups: readonly Lookup[] = [
  ec2Lookup("network interface", ["security group"], "NetworkInterfaces", ["group-id"], (all) =>
    all.map(({ NetworkInterfaceId: id, Groups = [] }) => [id, ...Groups.map(({ GroupId }) => GroupId)]),
  ),
  ec2Lookup("security group", ["security group"], "SecurityGroups", inRules, (all) =>
    all.map(({ GroupId: id, IpPermissions = [], IpPermissionsEgress = [] }) => {
      const pairs = [...IpPermissions, ...IpPermissionsEgress].flatMap((one) => one.UserIdGroupPairs ?? []);
      return [id, ...pairs.map(({ GroupId }) => GroupId)];
    }),
  ),
  ec2Lookup("VPC peering connection", ["VPC"], "VpcPeeringConnections", peers, (all) =>
    all
      .filter(({ Status }) => openPeering.test(Status?.Code ?? ""))
      .map((one) => [one.VpcPeeringConnectionId, one.AccepterVpcInfo?.VpcId, one.RequesterVpcInfo?.VpcId]),
  ),
  ec2Lookup("VPN gateway", ["VPC"], "VpnGateways", ["attachment.vpc-id"], (all) =>
    all.map(({ VpnGatewayId: id, VpcAttachments = [] }) => {
      const attached = VpcAttachments.filter(({ State }) => State !== "detached");
      return [id, ...attached.map(({ VpcId }) => VpcId)];
    }),
  ),
  {
    user: "Auto Scaling group",
    kinds: ["launch template", "instance", "subnet", "target group", "security group", "instance profile"],
    reads: ["autoscaling:DescribeAutoScalingGroups", "ec2:DescribeLaunchTemplateVersions"],
    read: async (aws) => {
      const all = await itemsOf(aws, "autoscaling:DescribeAutoScalingGroups", "AutoScalingGroups", {});
      return inTurn(all, (group) => autoScalingGroup(aws, group));
    },
  },
  {
    user: "node group",
    kinds: ["role", "subnet", "security group", "launch template"],
    reads: ["eks:ListNodegroups", "eks:DescribeNodegroup"],
    read: async (aws, _, found) => {
      const clusters = found.filter(({ kind }) => kind === "cluster");
      const groups = await inTurn(clusters, ({ id }) => readNodeGroups(aws, id));
      return groups.flat().map((one) => [`${one.clusterName}:${one.nodegroupName}`, ...usesOfNodeGroup(one)]);
    },
  },
  {
    user: "instance",
    kinds: ["instance profile"],
    reads: ["ec2:DescribeInstances"],
    read: async (aws) => (await readInstances(aws)).map((one) => [one.InstanceId, ...usesOfInstance(one)]),
  },
  {
    user: "schedule",
    kinds: ["schedule group"],
    reads: ["scheduler:ListSchedules", "scheduler:GetSchedule"],
    read: async (aws, ids, found) => (await inTurn(ids, (group) => readForeignSchedules(aws, group, found))).flat(),
  },
];

/** Groups of size 0 need the parts of their next instance, too. */
async function autoScalingGroup(aws: Aws, group: AutoScalingGroup): Promise<User> {
  const { AutoScalingGroupName: id, LaunchTemplate, MixedInstancesPolicy: { LaunchTemplate: mixed } = {} } = group;
  const others = (mixed?.Overrides ?? []).map((one) => one.LaunchTemplateSpecification);
  const all = [LaunchTemplate, mixed?.LaunchTemplateSpecification, ...others];
  const templates = [...new Set(all.flatMap((one) => one?.LaunchTemplateId ?? []))];
  const Versions = [...new Set(["$Latest", "$Default", ...all.flatMap((one) => one?.Version ?? [])])];
  const answers = await inTurn(templates, (LaunchTemplateId) =>
    request(aws, "ec2:DescribeLaunchTemplateVersions", { LaunchTemplateId, Versions }),
  );
  const data = answers.flatMap(({ LaunchTemplateVersions = [] }) => LaunchTemplateVersions);
  const parts = data.flatMap(
    ({ LaunchTemplateData: { SecurityGroupIds = [], NetworkInterfaces = [], ...one } = {} }) => [
      ...[...SecurityGroupIds, ...NetworkInterfaces.flatMap(({ Groups = [] }) => Groups)],
      `instance profile ${one.IamInstanceProfile?.Name ?? lastPart(one.IamInstanceProfile?.Arn)}`,
    ],
  );
  const { VPCZoneIdentifier: subnets = "", Instances = [], TargetGroupARNs = [] } = group;
  const instances = Instances.map(({ InstanceId }) => InstanceId);
  return [id, ...templates, ...subnets.split(","), ...instances, ...TargetGroupARNs, ...parts];
}

/** The schedules of a group that are not those of its lease. */
async function readForeignSchedules(aws: Aws, GroupName: string, found: readonly FoundObject[]): Promise<User[]> {
  const all = await itemsOf(aws, "scheduler:ListSchedules", "Schedules", { GroupName });
  const schedules = await inTurn(all, ({ Name }) => request(aws, "scheduler:GetSchedule", { GroupName, Name }));
  const owner = found.find(({ kind, id }) => kind === "schedule group" && id === GroupName)?.tags[idTag];
  const others = schedules.filter((one) => !isOfLease(one.Target, owner, found));
  return others.map(({ Name }) => [Name, `schedule group ${GroupName}`]);
}

/**
 * The lease and sessions change sizes of the environment's cluster, which may be gone. The second line starts the environment's
 * Automation: its schedules end before the document, and a document that was not found can be one of AWS.
 */
function isOfLease(target: Target | undefined, owner: string | undefined, found: readonly FoundObject[]): boolean {
  const input = parseJson(target?.Input ?? "");
  if (!isRecord(input)) return false;
  const called = (kind: string, name: unknown) => found.find((one) => one.kind === kind && one.id === name);
  const document = called("SSM document", input["DocumentName"]);
  if (target?.Arn?.endsWith(":aws-sdk:ssm:startAutomationExecution") === true) return document?.tags[idTag] === owner;
  if (target?.Arn?.endsWith(":aws-sdk:eks:updateNodegroupConfig") !== true) return false;
  const cluster = called("cluster", input["ClusterName"]);
  return cluster === undefined || cluster.tags[idTag] === owner;
}

/** The IAM actions of {@link readUsers}. */
export const userActions: readonly string[] = [...new Set(lookups.flatMap(({ reads }) => reads))];

/**
 * Reads what uses the objects that could be removed, and was not found with them.
 *
 * @param found what is known already
 * @returns the users, and the kinds about which it is not known
 */
export async function readUsers(
  aws: Aws,
  open: readonly FoundObject[],
  found: readonly FoundObject[],
): Promise<{ readonly users: readonly FoundObject[]; readonly unread: ReadonlyMap<string, Unread> }> {
  const known = new Set(
    found.flatMap(({ kind, id, pulumiId = id, aliases = [] }) => [`${kind} ${pulumiId}`, ...aliases]),
  );
  const users: FoundObject[] = [];
  const unread = new Map<string, Unread>();
  for (const { user: kind, kinds, reads, read } of lookups) {
    const all = open.filter((one) => kinds.includes(one.kind));
    if (all.length === 0) continue;
    const names = new Set(all.flatMap(namesOf));
    const ids = all.map(({ id }) => id);
    try {
      for (const [id = "", ...uses] of await aws.send(reads.join(", "), () => read(aws, ids, found))) {
        const isNew = !known.has(`${kind} ${id}`) && uses.some((one = "") => names.has(one));
        if (isNew) users.push({ kind, id, uses, tags: {}, rate: free, steps: [] });
      }
    } catch (error) {
      for (const one of kinds) unread.set(one, unreadOf(`what uses ${one}s`, error));
    }
  }
  return { users, unread };
}
