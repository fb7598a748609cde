import type { LoadBalancer, TargetGroup } from "@aws-sdk/client-elastic-load-balancing-v2";
import { allPages } from "../../sessions/clients";
import type { Aws } from "../aws";
import { free, sinceOf, tagsOf, type Found } from "../found";
import { hourly } from "../rates";
import type { Kind } from "./kind";

/** Names in one request for tags. */
const batch = 20;

function batches<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / batch) }, (_, at) => all.slice(at * batch, (at + 1) * batch));
}

/** The tags of load balancers or target groups, by ARN. */
async function tagsByArn(aws: Aws, arns: readonly string[]): Promise<Map<string, Record<string, string>>> {
  const elbv2 = await aws.elbv2();
  const answers = await Promise.all(batches(arns).map((ResourceArns) => elbv2.describeTags({ ResourceArns })));
  const described = answers.flatMap(({ TagDescriptions = [] }) => TagDescriptions);
  return new Map(described.map(({ ResourceArn = "", Tags }) => [ResourceArn, tagsOf(Tags)]));
}

/** Application and network load balancers of Services and Ingresses. */
export const loadBalancers: Kind = {
  kind: "load balancer",
  reads: ["elasticloadbalancing:DescribeLoadBalancers", "elasticloadbalancing:DescribeTags"],
  read: async (aws) => {
    const elbv2 = await aws.elbv2();
    const all = await allPages<LoadBalancer>(async (Marker) => {
      const answer = await elbv2.describeLoadBalancers({ ...(Marker !== undefined && { Marker }) });
      return { items: answer.LoadBalancers, next: answer.NextMarker };
    });
    const tags = await tagsByArn(
      aws,
      all.flatMap(({ LoadBalancerArn }) => LoadBalancerArn ?? []),
    );
    return all.map(
      ({ LoadBalancerArn: arn = "", LoadBalancerName = "", Type = "", CreatedTime, VpcId, ...one }): Found => ({
        ...{
          id: arn,
          detail: `${Type}, ${LoadBalancerName}`,
          tags: tags.get(arn) ?? {},
          rate: hourly(aws.region, `load-balancer-${Type}`),
        },
        ...sinceOf(CreatedTime),
        ...(VpcId !== undefined && { vpc: VpcId }),
        aliases: [arn.split(":loadbalancer/")[1] ?? arn],
        uses: [...subnetsOf(one), ...(one.SecurityGroups ?? [])],
        steps: [
          {
            cli: `elbv2 delete-load-balancer --load-balancer-arn ${arn}`,
            action: "elasticloadbalancing:DeleteLoadBalancer",
            run: () => elbv2.deleteLoadBalancer({ LoadBalancerArn: arn }),
          },
        ],
      }),
    );
  },
};

function subnetsOf({ AvailabilityZones = [] }: LoadBalancer): string[] {
  return AvailabilityZones.flatMap(({ SubnetId }) => SubnetId ?? []);
}

export const targetGroups: Kind = {
  kind: "target group",
  reads: ["elasticloadbalancing:DescribeTargetGroups", "elasticloadbalancing:DescribeTags"],
  read: async (aws) => {
    const elbv2 = await aws.elbv2();
    const all = await allPages<TargetGroup>(async (Marker) => {
      const answer = await elbv2.describeTargetGroups({ ...(Marker !== undefined && { Marker }) });
      return { items: answer.TargetGroups, next: answer.NextMarker };
    });
    const tags = await tagsByArn(
      aws,
      all.flatMap(({ TargetGroupArn }) => TargetGroupArn ?? []),
    );
    return all.map(({ TargetGroupArn: arn = "", TargetGroupName = "", VpcId, LoadBalancerArns = [] }): Found => ({
      ...{ id: arn, detail: TargetGroupName, tags: tags.get(arn) ?? {}, rate: free, usedBy: LoadBalancerArns },
      ...(VpcId !== undefined && { vpc: VpcId }),
      steps: [
        {
          cli: `elbv2 delete-target-group --target-group-arn ${arn}`,
          action: "elasticloadbalancing:DeleteTargetGroup",
          run: () => elbv2.deleteTargetGroup({ TargetGroupArn: arn }),
        },
      ],
    }));
  },
};

/** Load balancers of Services without the AWS Load Balancer Controller. */
export const classicLoadBalancers: Kind = {
  kind: "classic load balancer",
  reads: ["elasticloadbalancing:DescribeLoadBalancers", "elasticloadbalancing:DescribeTags"],
  read: async (aws) => {
    const elb = await aws.elb();
    const all = await allPages(async (Marker) => {
      const answer = await elb.describeLoadBalancers({ ...(Marker !== undefined && { Marker }) });
      return { items: answer.LoadBalancerDescriptions, next: answer.NextMarker };
    });
    const names = all.flatMap(({ LoadBalancerName }) => LoadBalancerName ?? []);
    const answers = await Promise.all(
      batches(names).map((LoadBalancerNames) => elb.describeTags({ LoadBalancerNames })),
    );
    const described = answers.flatMap(({ TagDescriptions = [] }) => TagDescriptions);
    const tags = new Map(described.map(({ LoadBalancerName, Tags }) => [LoadBalancerName, tagsOf(Tags)]));
    return all.map(({ LoadBalancerName: name = "", CreatedTime, VPCId, Subnets = [], SecurityGroups = [] }): Found => ({
      ...{ id: name, tags: tags.get(name) ?? {}, rate: hourly(aws.region, "load-balancer-classic") },
      uses: [...Subnets, ...SecurityGroups],
      ...sinceOf(CreatedTime),
      ...(VPCId !== undefined && { vpc: VPCId }),
      steps: [
        {
          cli: `elb delete-load-balancer --load-balancer-name ${name}`,
          action: "elasticloadbalancing:DeleteLoadBalancer",
          run: () => elb.deleteLoadBalancer({ LoadBalancerName: name }),
        },
      ],
    }));
  },
};
