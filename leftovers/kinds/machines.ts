import type { Instance, LaunchTemplate, NetworkInterface, Volume } from "@aws-sdk/client-ec2";
import type { Aws } from "../aws";
import { free, sinceOf, tagsOf, type Found, type Rate } from "../found";
import { hourly, monthly, unpriced } from "../rates";
import { clusterOfTags, searchEc2, tagFilters, vpcFilters } from "./ec2-search";
import type { Kind } from "./kind";

/** Instances of node groups, and any other instance of the VPC. */
export const instances: Kind = {
  kind: "instance",
  reads: ["ec2:DescribeInstances"],
  read: async (aws, search) => {
    const ec2 = await aws.ec2();
    const filters = [...tagFilters(search), ...vpcFilters(search)];
    const found = await searchEc2<Instance>(filters, async (Filters, token) => {
      const { Reservations, NextToken } = await ec2.describeInstances({ Filters, ...token });
      return { items: Reservations?.flatMap(({ Instances = [] }) => Instances), next: NextToken };
    });
    return found.filter(({ State }) => State?.Name !== "terminated").map((one) => instance(aws, one));
  },
};

function instance(aws: Aws, one: Instance): Found {
  const { InstanceId: id = "", InstanceType: type = "", State, LaunchTime, VpcId, InstanceLifecycle } = one;
  const state: string = State?.Name ?? "";
  const tags = tagsOf(one.Tags);
  // The tag eks:nodegroup-name can be a copy; only AWS sets those that begin with aws:.
  const group = tags["aws:autoscaling:groupName"];
  const isGone = async () => {
    const { Reservations = [] } = await (await aws.ec2()).describeInstances({ InstanceIds: [id] });
    return Reservations.flatMap(({ Instances = [] }) => Instances).every(
      ({ State: now }) => now?.Name === "terminated",
    );
  };
  return {
    ...{ id, detail: `${type}, ${state}`, tags },
    ...sinceOf(LaunchTime),
    ...(VpcId !== undefined && { vpc: VpcId }),
    ...(group !== undefined && { within: `Auto Scaling group ${group}` }),
    uses: usesOfInstance(one),
    rate: instanceRate(aws.region, type, state, InstanceLifecycle === "spot"),
    steps: [
      {
        cli: `ec2 terminate-instances --instance-ids ${id}`,
        action: "ec2:TerminateInstances",
        run: async () => (await aws.ec2()).terminateInstances({ InstanceIds: [id] }),
      },
    ],
    wait: { cli: `ec2 wait instance-terminated --instance-ids ${id}`, isOver: isGone },
  };
}

function usesOfInstance(one: Instance): string[] {
  const { SubnetId, SecurityGroups = [], BlockDeviceMappings = [], IamInstanceProfile: profile } = one;
  const ids = [
    SubnetId,
    ...SecurityGroups.map(({ GroupId }) => GroupId),
    ...BlockDeviceMappings.map((at) => at.Ebs?.VolumeId),
    `cluster ${clusterOfTags(tagsOf(one.Tags))}`,
  ];
  const profileName = profile?.Arn === undefined ? [] : [`instance profile ${profile.Arn.split("/").at(-1)}`];
  return [...ids.flatMap((id) => id ?? []), ...profileName];
}

function instanceRate(region: string, type: string, state: string, isSpot: boolean): Rate {
  if (state !== "running" && state !== "pending") return { perDay: 0, note: "only running instances cost" };
  return hourly(region, type, 1, isSpot ? "price on demand; spot costs less" : undefined);
}

/** Volumes of instances, and those that the EBS CSI driver created for claims. */
export const volumes: Kind = {
  kind: "volume",
  reads: ["ec2:DescribeVolumes"],
  grows: true,
  read: async (aws, search) => {
    const ec2 = await aws.ec2();
    const found = await searchEc2<Volume>(tagFilters(search), async (Filters, token) => {
      const { Volumes, NextToken } = await ec2.describeVolumes({ Filters, ...token });
      return { items: Volumes, next: NextToken };
    });
    return found.map((one) => volume(aws, one));
  },
};

function volume(aws: Aws, one: Volume): Found {
  const { VolumeId: id = "", Size: size = 0, VolumeType: type = "", State, CreateTime, Attachments = [] } = one;
  const tags = tagsOf(one.Tags);
  const claim = tags["kubernetes.io/created-for/pvc/name"];
  const attached = Attachments.find(({ DeleteOnTermination }) => DeleteOnTermination === true)?.InstanceId;
  const isGp3 = type === "gp3";
  return {
    ...{
      id,
      tags,
      detail: `${size} GiB ${type}, ${State ?? ""}${claim === undefined ? "" : `, of the claim ${claim}`}`,
    },
    ...sinceOf(CreateTime),
    ...(attached !== undefined && { within: attached }),
    usedBy: Attachments.flatMap(({ InstanceId }) => InstanceId ?? []),
    rate: isGp3 ? monthly(aws.region, "ebs-gp3-storage", size) : unpriced(`the price table has no ${type}`),
    steps: [
      {
        cli: `ec2 delete-volume --volume-id ${id}`,
        action: "ec2:DeleteVolume",
        run: async () => (await aws.ec2()).deleteVolume({ VolumeId: id }),
      },
    ],
  };
}

/** Network interfaces. Those of instances and of services show what is in the VPC, and end with their owner. */
export const networkInterfaces: Kind = {
  kind: "network interface",
  reads: ["ec2:DescribeNetworkInterfaces"],
  grows: true,
  read: async (aws, search) => {
    const ec2 = await aws.ec2();
    const found = await searchEc2<NetworkInterface>(
      [...tagFilters(search), ...vpcFilters(search)],
      async (Filters, token) => {
        const { NetworkInterfaces, NextToken } = await ec2.describeNetworkInterfaces({ Filters, ...token });
        return { items: NetworkInterfaces, next: NextToken };
      },
    );
    return found.map((one) => networkInterface(aws, one));
  },
};

/** AWS deletes it with its instance, or with the cluster or load balancer in its description, which a service wrote. */
function ownerOf({ Status, Attachment, Description = "", RequesterManaged }: NetworkInterface): string | undefined {
  if (Status === "available" || Attachment?.InstanceId !== undefined) return Attachment?.InstanceId;
  const [, service, name = ""] = /^(Amazon EKS|ELB) (.+)$/.exec(Description) ?? [];
  if (RequesterManaged !== true || service === undefined) return undefined;
  return service === "ELB" ? (name.includes("/") ? name : `classic load balancer ${name}`) : `cluster ${name}`;
}

function networkInterface(aws: Aws, one: NetworkInterface): Found {
  const { NetworkInterfaceId: id = "", Status = "", Description = "", VpcId, SubnetId = "", Groups = [] } = one;
  const owner = ownerOf(one);
  return {
    ...{ id, detail: `${Status}${Description === "" ? "" : `, ${Description}`}`, tags: tagsOf(one.TagSet) },
    ...(VpcId !== undefined && { vpc: VpcId }),
    ...(owner !== undefined && { within: owner, isHidden: true }),
    uses: [SubnetId, ...Groups.flatMap(({ GroupId }) => GroupId ?? []), one.Association?.AllocationId ?? ""],
    rate: free,
    steps: [
      {
        cli: `ec2 delete-network-interface --network-interface-id ${id}`,
        action: "ec2:DeleteNetworkInterface",
        run: async () => (await aws.ec2()).deleteNetworkInterface({ NetworkInterfaceId: id }),
      },
    ],
  };
}

/** Launch templates of node groups. */
export const launchTemplates: Kind = {
  kind: "launch template",
  type: "aws:ec2/launchTemplate:LaunchTemplate",
  reads: ["ec2:DescribeLaunchTemplates"],
  read: async (aws, search) => {
    const ec2 = await aws.ec2();
    const found = await searchEc2<LaunchTemplate>(tagFilters(search), async (Filters, token) => {
      const { LaunchTemplates, NextToken } = await ec2.describeLaunchTemplates({ Filters, ...token });
      return { items: LaunchTemplates, next: NextToken };
    });
    return found.map(({ LaunchTemplateId: id = "", LaunchTemplateName: name = "", CreateTime, Tags }): Found => ({
      ...{ id, detail: name, tags: tagsOf(Tags), rate: free },
      ...sinceOf(CreateTime),
      steps: [
        {
          cli: `ec2 delete-launch-template --launch-template-id ${id}`,
          action: "ec2:DeleteLaunchTemplate",
          run: async () => (await aws.ec2()).deleteLaunchTemplate({ LaunchTemplateId: id }),
        },
      ],
    }));
  },
};
