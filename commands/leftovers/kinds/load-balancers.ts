import type { LoadBalancer } from "@aws-sdk/client-elastic-load-balancing-v2";
import { itemsOf, request, type Aws } from "../../../aws/clients";
import { free, tagsOf, hourly } from "../found";
import { batchesOf, inTurn, step } from "../requests";
import { kindOf } from "./kind";

type TagList = Parameters<typeof tagsOf>[0];

/** Names in one request for tags. */
const batch = 20;

/** Objects with their tags, of which one request reads several. They are requested by the value of a key. */
async function withTags<Key extends string, T extends { readonly [K in Key]?: string }>(
  all: readonly T[],
  key: Key,
  read: (names: string[]) => Promise<readonly (readonly [name: string | undefined, tags: TagList])[]>,
): Promise<(T & { readonly tags: Readonly<Record<string, string>> })[]> {
  const nameOf = (one: T): string | undefined => one[key];
  const names = all.flatMap((one) => nameOf(one) ?? []);
  const tags = new Map((await inTurn(batchesOf(names, batch), read)).flat());
  return all.map((one) => ({ ...one, tags: tagsOf(tags.get(nameOf(one))) }));
}

/** By ARN. */
async function readTags(aws: Aws, ResourceArns: string[]) {
  const { TagDescriptions = [] } = await request(aws, "elbv2:DescribeTags", { ResourceArns });
  return TagDescriptions.map(({ ResourceArn, Tags }) => [ResourceArn, Tags] as const);
}

const reads = ["elasticloadbalancing:DescribeLoadBalancers", "elasticloadbalancing:DescribeTags"];

/** Application and network load balancers of Services and Ingresses. */
const loadBalancers = kindOf({
  kind: "load balancer",
  isInNetwork: true,
  reads,
  list: async (aws) => {
    const all = await itemsOf(aws, "elbv2:DescribeLoadBalancers", "LoadBalancers", {});
    return withTags(all, "LoadBalancerArn", (arns) => readTags(aws, arns));
  },
  found: ({ LoadBalancerArn: arn = "", Type = "", CreatedTime, VpcId: vpc, tags, ...one }, aws) => ({
    ...{ id: arn, detail: `${Type}, ${one.LoadBalancerName ?? ""}`, tags, vpc, since: CreatedTime?.toISOString() },
    rate: hourly(aws.region, `load-balancer-${Type}`),
    aliases: [arn.split(":loadbalancer/")[1] ?? arn],
    uses: [...subnetsOf(one), ...(one.SecurityGroups ?? [])],
    steps: [step(aws, "elbv2:DeleteLoadBalancer", { LoadBalancerArn: arn })],
  }),
});

function subnetsOf({ AvailabilityZones = [] }: LoadBalancer) {
  return AvailabilityZones.map(({ SubnetId }) => SubnetId);
}

const targetGroups = kindOf({
  kind: "target group",
  reads: ["elasticloadbalancing:DescribeTargetGroups", "elasticloadbalancing:DescribeTags"],
  list: async (aws) => {
    const all = await itemsOf(aws, "elbv2:DescribeTargetGroups", "TargetGroups", {});
    return withTags(all, "TargetGroupArn", (arns) => readTags(aws, arns));
  },
  found: ({ TargetGroupArn: arn = "", TargetGroupName, VpcId: vpc, LoadBalancerArns, tags }, aws) => ({
    ...{ id: arn, detail: TargetGroupName, tags, rate: free, usedBy: LoadBalancerArns ?? [], vpc },
    steps: [step(aws, "elbv2:DeleteTargetGroup", { TargetGroupArn: arn })],
  }),
});

/** Load balancers of Services without the AWS Load Balancer Controller. */
const classicLoadBalancers = kindOf({
  kind: "classic load balancer",
  isInNetwork: true,
  reads,
  list: async (aws) => {
    const all = await itemsOf(aws, "elb:DescribeLoadBalancers", "LoadBalancerDescriptions", {});
    return withTags(all, "LoadBalancerName", async (LoadBalancerNames) => {
      const { TagDescriptions = [] } = await request(aws, "elb:DescribeTags", { LoadBalancerNames });
      return TagDescriptions.map(({ LoadBalancerName, Tags }) => [LoadBalancerName, Tags] as const);
    });
  },
  found: ({ LoadBalancerName: name = "", CreatedTime, VPCId: vpc, Subnets = [], SecurityGroups = [], tags }, aws) => ({
    ...{ id: name, tags, rate: hourly(aws.region, "load-balancer-classic"), vpc, since: CreatedTime?.toISOString() },
    uses: [...Subnets, ...SecurityGroups],
    steps: [step(aws, "elb:DeleteLoadBalancer", { LoadBalancerName: name })],
  }),
});

/** In the order in which they are removed. */
export const loadBalancerKinds = [loadBalancers, classicLoadBalancers, targetGroups];
