import { allPages } from "../sessions/clients";
import { asked, type Aws } from "./aws";
import { free, type FoundObject } from "./found";
import { namesOf } from "./ownership";
import { unreadOf, type Unread } from "./unread";

/** What uses objects of a kind from outside of the environment: another VPC, another program, another region's copy. */
interface Lookup {
  readonly kind: string;
  readonly reads: readonly string[];
  readonly read: (aws: Aws, ids: readonly string[]) => Promise<readonly User[]>;
}

interface User {
  readonly kind: string;
  readonly id: string | undefined;
  readonly uses: readonly (string | undefined)[];
}

/** EC2 accepts 200 values in a filter. */
const mostValues = 200;

function filtersOf(names: readonly string[], ids: readonly string[]) {
  const parts = Array.from({ length: Math.ceil(ids.length / mostValues) }, (_, at) =>
    ids.slice(at * mostValues, (at + 1) * mostValues),
  );
  return names.flatMap((Name) => parts.map((Values) => [{ Name, Values: [...Values] }]));
}

/** Reads all pages for each filter. */
async function readEach<T>(
  filters: ReturnType<typeof filtersOf>,
  page: (
    Filters: (typeof filters)[number],
    NextToken: string | undefined,
  ) => Promise<{ items: readonly T[] | undefined; next?: string | undefined }>,
): Promise<T[]> {
  return (await Promise.all(filters.map((one) => allPages((token) => page(one, token))))).flat();
}

const tokenOf = (NextToken: string | undefined) => (NextToken === undefined ? {} : { NextToken });

const lookups: readonly Lookup[] = [
  {
    kind: "security group",
    reads: ["ec2:DescribeNetworkInterfaces"],
    read: async (aws, ids) => {
      const ec2 = await aws.ec2();
      const found = await readEach(filtersOf(["group-id"], ids), async (Filters, token) => {
        const { NetworkInterfaces, NextToken } = await ec2.describeNetworkInterfaces({ Filters, ...tokenOf(token) });
        return { items: NetworkInterfaces, next: NextToken };
      });
      return found.map(({ NetworkInterfaceId: id, Groups = [] }) => ({
        ...{ kind: "network interface", id, uses: Groups.map(({ GroupId }) => GroupId) },
      }));
    },
  },
  {
    kind: "security group",
    reads: ["ec2:DescribeSecurityGroups"],
    read: async (aws, ids) => {
      const ec2 = await aws.ec2();
      const filters = filtersOf(["ip-permission.group-id", "egress.ip-permission.group-id"], ids);
      const found = await readEach(filters, async (Filters, token) => {
        const { SecurityGroups, NextToken } = await ec2.describeSecurityGroups({ Filters, ...tokenOf(token) });
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
    kind: "VPC",
    reads: ["ec2:DescribeVpcPeeringConnections"],
    read: async (aws, ids) => {
      const ec2 = await aws.ec2();
      const filters = filtersOf(["accepter-vpc-info.vpc-id", "requester-vpc-info.vpc-id"], ids);
      const found = await readEach(filters, async (Filters, token) => {
        const answer = await ec2.describeVpcPeeringConnections({ Filters, ...tokenOf(token) });
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
    kind: "launch template",
    reads: ["autoscaling:DescribeAutoScalingGroups"],
    read: async (aws) => {
      const autoScaling = await aws.autoScaling();
      const found = await allPages(async (token) => {
        const answer = await autoScaling.describeAutoScalingGroups(tokenOf(token));
        return { items: answer.AutoScalingGroups, next: answer.NextToken };
      });
      return found.map(
        ({ AutoScalingGroupName: id, LaunchTemplate, MixedInstancesPolicy: { LaunchTemplate: mixed } = {} }) => {
          const others = (mixed?.Overrides ?? []).map((one) => one.LaunchTemplateSpecification);
          const all = [LaunchTemplate, mixed?.LaunchTemplateSpecification, ...others];
          return { kind: "Auto Scaling group", id, uses: all.map((one) => one?.LaunchTemplateId) };
        },
      );
    },
  },
  {
    kind: "instance profile",
    reads: ["ec2:DescribeInstances"],
    read: async (aws) => {
      const ec2 = await aws.ec2();
      const found = await allPages(async (token) => {
        const { Reservations, NextToken } = await ec2.describeInstances(tokenOf(token));
        return { items: Reservations?.flatMap(({ Instances = [] }) => Instances), next: NextToken };
      });
      return found.map(({ InstanceId: id, IamInstanceProfile: profile }) => ({
        ...{ kind: "instance", id, uses: [`instance profile ${profile?.Arn?.split("/").at(-1)}`] },
      }));
    },
  },
  {
    kind: "schedule group",
    reads: ["scheduler:ListSchedules"],
    read: async (aws, ids) => {
      const scheduler = await aws.scheduler();
      const all = ids.map(async (GroupName) => {
        const found = await allPages(async (token) => {
          const { Schedules, NextToken } = await scheduler.listSchedules({ GroupName, ...tokenOf(token) });
          return { items: Schedules, next: NextToken };
        });
        // The lease and sessions only change sizes.
        const others = found.filter(
          ({ Target }) => Target?.Arn?.endsWith(":aws-sdk:eks:updateNodegroupConfig") !== true,
        );
        return others.map(({ Name: id }) => ({ kind: "schedule", id, uses: [`schedule group ${GroupName}`] }));
      });
      return (await Promise.all(all)).flat();
    },
  },
];

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
  const known = new Set(found.flatMap(namesOf));
  const users: FoundObject[] = [];
  const unread = new Map<string, Unread>();
  for (const { kind, reads, read } of lookups) {
    const ids = open.flatMap((one) => (one.kind === kind ? [one.id] : []));
    if (ids.length === 0) continue;
    const names = ids.flatMap((id) => [id, `${kind} ${id}`]);
    try {
      const others = await asked(reads.join(", "), aws.region, () => read(aws, ids));
      const isNew = ({ id = "", uses }: User) =>
        !known.has(id) && uses.some((one) => one !== undefined && names.includes(one));
      const named = others
        .filter(isNew)
        .map(({ id = "", uses, ...one }) => ({ ...one, id, uses: uses.flatMap((name) => name ?? []) }));
      users.push(...named.map((one) => ({ ...one, tags: {}, rate: free, steps: [] })));
    } catch (error) {
      unread.set(kind, unreadOf(`what uses ${kind}s`, error));
    }
  }
  return { users, unread };
}
