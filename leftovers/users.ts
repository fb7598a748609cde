import type { AutoScalingGroup } from "@aws-sdk/client-auto-scaling";
import type { EC2, Filter } from "@aws-sdk/client-ec2";
import type { Target } from "@aws-sdk/client-scheduler";
import { parseJson } from "../components/core/json-text";
import { isRecord } from "../components/core/reader/records";
import { idTag } from "../components/core/stack-tags";
import { allPages } from "../sessions/clients";
import { asked, type Aws } from "./aws";
import { free, type FoundObject } from "./found";
import { inTurn } from "./kinds/by-name";
import { readNodeGroups, usesOfNodeGroup } from "./kinds/cluster";
import { searchEc2 } from "./kinds/ec2-search";
import { namesOf } from "./ownership";
import { unreadOf, type Unread } from "./unread";

/** What uses objects of some kinds from outside of the environment: another VPC, another program, another cluster. */
interface Lookup {
  readonly kinds: readonly string[];
  readonly reads: readonly string[];
  /** @param found all that is known, for what a user refers to */
  readonly read: (aws: Aws, ids: readonly string[], found: readonly FoundObject[]) => Promise<readonly User[]>;
}

interface User {
  readonly kind: string;
  readonly id: string | undefined;
  readonly uses: readonly (string | undefined)[];
}

/** EC2 accepts 200 values in a filter. */
const mostValues = 200;

function filtersOf(names: readonly string[], ids: readonly string[]): Filter[] {
  const parts = Array.from({ length: Math.ceil(ids.length / mostValues) }, (_, at) =>
    ids.slice(at * mostValues, (at + 1) * mostValues),
  );
  return names.flatMap((Name) => parts.map((Values) => ({ Name, Values: [...Values] })));
}

const lastPart = (arn: string | undefined) => arn?.split("/").at(-1);

const lookups: readonly Lookup[] = [
  {
    kinds: ["security group"],
    reads: ["ec2:DescribeNetworkInterfaces"],
    read: async (aws, ids) => {
      const ec2 = await aws.ec2();
      const found = await searchEc2(filtersOf(["group-id"], ids), async (Filters, token) => {
        const { NetworkInterfaces, NextToken } = await ec2.describeNetworkInterfaces({ Filters, ...token });
        return { items: NetworkInterfaces, next: NextToken };
      });
      return found.map(({ NetworkInterfaceId: id, Groups = [] }) => ({
        ...{ kind: "network interface", id, uses: Groups.map(({ GroupId }) => GroupId) },
      }));
    },
  },
  {
    kinds: ["security group"],
    reads: ["ec2:DescribeSecurityGroups"],
    read: async (aws, ids) => {
      const ec2 = await aws.ec2();
      const filters = filtersOf(["ip-permission.group-id", "egress.ip-permission.group-id"], ids);
      const found = await searchEc2(filters, async (Filters, token) => {
        const { SecurityGroups, NextToken } = await ec2.describeSecurityGroups({ Filters, ...token });
        return { items: SecurityGroups, next: NextToken };
      });
      return found.map(({ GroupId: id, IpPermissions = [], IpPermissionsEgress = [] }) => {
        const pairs = [...IpPermissions, ...IpPermissionsEgress].flatMap(
          ({ UserIdGroupPairs = [] }) => UserIdGroupPairs,
        );
        return { kind: "security group", id, uses: pairs.map(({ GroupId }) => GroupId) };
      });
    },
  },
  {
    kinds: ["VPC"],
    reads: ["ec2:DescribeVpcPeeringConnections"],
    read: async (aws, ids) => {
      const ec2 = await aws.ec2();
      const filters = filtersOf(["accepter-vpc-info.vpc-id", "requester-vpc-info.vpc-id"], ids);
      const found = await searchEc2(filters, async (Filters, token) => {
        const answer = await ec2.describeVpcPeeringConnections({ Filters, ...token });
        return { items: answer.VpcPeeringConnections, next: answer.NextToken };
      });
      const isOpen = (status = "") => /^(?:active|pending-acceptance|provisioning|initiating-request)$/.test(status);
      return found.flatMap(({ VpcPeeringConnectionId: id, Status, AccepterVpcInfo, RequesterVpcInfo }) =>
        isOpen(Status?.Code)
          ? [{ kind: "VPC peering connection", id, uses: [AccepterVpcInfo?.VpcId, RequesterVpcInfo?.VpcId] }]
          : [],
      );
    },
  },
  {
    kinds: ["VPC"],
    reads: ["ec2:DescribeVpnGateways"],
    read: async (aws, ids) => {
      const ec2 = await aws.ec2();
      const Filters = filtersOf(["attachment.vpc-id"], ids);
      const { VpnGateways = [] } = await ec2.describeVpnGateways({ Filters });
      return VpnGateways.map(({ VpnGatewayId: id, VpcAttachments = [] }) => {
        const attached = VpcAttachments.filter(({ State }) => State !== "detached");
        return { kind: "VPN gateway", id, uses: attached.map(({ VpcId }) => VpcId) };
      });
    },
  },
  {
    kinds: ["launch template", "instance", "subnet", "target group", "security group", "instance profile"],
    reads: ["autoscaling:DescribeAutoScalingGroups", "ec2:DescribeLaunchTemplateVersions"],
    read: async (aws) => {
      const [autoScaling, ec2] = await Promise.all([aws.autoScaling(), aws.ec2()]);
      const found = await allPages(async (token) => {
        const answer = await autoScaling.describeAutoScalingGroups({ NextToken: token });
        return { items: answer.AutoScalingGroups, next: answer.NextToken };
      });
      return inTurn(found, (group) => autoScalingGroup(ec2, group));
    },
  },
  {
    kinds: ["role", "subnet", "security group", "launch template"],
    reads: ["eks:ListNodegroups", "eks:DescribeNodegroup"],
    read: async (aws, _, found) => {
      const clusters = found.flatMap(({ kind, id }) => (kind === "cluster" ? [id] : []));
      const groups = await inTurn(clusters, (name) => readNodeGroups(aws, name));
      return groups.flat().map(({ clusterName, nodegroupName, remoteAccess, ...one }) => ({
        ...{ kind: "node group", id: `${clusterName}:${nodegroupName}` },
        uses: [...usesOfNodeGroup(one), ...(remoteAccess?.sourceSecurityGroups ?? [])],
      }));
    },
  },
  {
    kinds: ["instance profile"],
    reads: ["ec2:DescribeInstances"],
    read: async (aws) => {
      const ec2 = await aws.ec2();
      const found = await allPages(async (token) => {
        const { Reservations, NextToken } = await ec2.describeInstances({ NextToken: token });
        return { items: Reservations?.flatMap(({ Instances = [] }) => Instances), next: NextToken };
      });
      return found.map(({ InstanceId: id, IamInstanceProfile: profile }) => ({
        ...{ kind: "instance", id, uses: [`instance profile ${lastPart(profile?.Arn)}`] },
      }));
    },
  },
  {
    kinds: ["schedule group"],
    reads: ["scheduler:ListSchedules", "scheduler:GetSchedule"],
    read: async (aws, ids, found) => {
      const scheduler = await aws.scheduler();
      const all = ids.map(async (GroupName) => {
        const named = await allPages(async (token) => {
          const { Schedules, NextToken } = await scheduler.listSchedules({ GroupName, NextToken: token });
          return { items: Schedules, next: NextToken };
        });
        const schedules = await inTurn(named, ({ Name }) => scheduler.getSchedule({ GroupName, Name }));
        const owner = found.find((one) => one.kind === "schedule group" && one.id === GroupName)?.tags[idTag];
        const others = schedules.filter(({ Target }) => !isOfLease(Target, owner, found));
        return others.map(({ Name: id }) => ({ kind: "schedule", id, uses: [`schedule group ${GroupName}`] }));
      });
      return (await Promise.all(all)).flat();
    },
  },
];

/** Groups of size 0 need the parts of their next instance, too. */
async function autoScalingGroup(ec2: EC2, group: AutoScalingGroup): Promise<User> {
  const { AutoScalingGroupName: id, LaunchTemplate, MixedInstancesPolicy: { LaunchTemplate: mixed } = {} } = group;
  const others = (mixed?.Overrides ?? []).map((one) => one.LaunchTemplateSpecification);
  const all = [LaunchTemplate, mixed?.LaunchTemplateSpecification, ...others];
  const templates = [...new Set(all.flatMap((one) => one?.LaunchTemplateId ?? []))];
  const data = await inTurn(templates, async (LaunchTemplateId) => {
    const Versions = ["$Latest", "$Default", ...all.flatMap((one) => one?.Version ?? [])];
    const answer = await ec2.describeLaunchTemplateVersions({ LaunchTemplateId, Versions: [...new Set(Versions)] });
    return (answer.LaunchTemplateVersions ?? []).flatMap((one) => one.LaunchTemplateData ?? []);
  });
  const parts = data
    .flat()
    .flatMap(({ SecurityGroupIds = [], NetworkInterfaces = [], IamInstanceProfile: profile }) => [
      ...[...SecurityGroupIds, ...NetworkInterfaces.flatMap(({ Groups = [] }) => Groups)],
      `instance profile ${profile?.Name ?? lastPart(profile?.Arn)}`,
    ]);
  const { VPCZoneIdentifier: subnets = "", Instances = [], TargetGroupARNs = [] } = group;
  const instances = Instances.map(({ InstanceId }) => InstanceId);
  return {
    ...{ kind: "Auto Scaling group", id },
    uses: [...templates, ...subnets.split(","), ...instances, ...TargetGroupARNs, ...parts],
  };
}

/** The lease and sessions only change sizes, and only of the environment's cluster, which may be gone. */
function isOfLease(target: Target | undefined, owner: string | undefined, found: readonly FoundObject[]): boolean {
  const input = parseJson(target?.Input ?? "");
  if (target?.Arn?.endsWith(":aws-sdk:eks:updateNodegroupConfig") !== true || !isRecord(input)) return false;
  const cluster = found.find(({ kind, id }) => kind === "cluster" && id === input["ClusterName"]);
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
  for (const { kinds, reads, read } of lookups) {
    const all = open.filter(({ kind }) => kinds.includes(kind));
    if (all.length === 0) continue;
    const names = new Set(all.flatMap(namesOf));
    try {
      const ids = all.map(({ id }) => id);
      const others = await asked(reads.join(", "), aws.region, () => read(aws, ids, found));
      const named = others.map(({ id = "", uses, ...one }) => ({
        ...one,
        id,
        uses: uses.flatMap((name) => name ?? []),
      }));
      const isNew = ({ kind, id, uses }: (typeof named)[number]) =>
        !known.has(`${kind} ${id}`) && uses.some((one) => names.has(one));
      users.push(...named.filter(isNew).map((one) => ({ ...one, tags: {}, rate: free, steps: [] })));
    } catch (error) {
      for (const kind of kinds) unread.set(kind, unreadOf(`what uses ${kind}s`, error));
    }
  }
  return { users, unread };
}
