import type { Instance, NetworkInterface, Volume } from "@aws-sdk/client-ec2";
import { allPages } from "../../sessions/clients";
import type { Aws } from "../aws";
import { free, sinceOf, tagsOf, type Found, type Rate, type Search } from "../found";
import { hourly, monthly, unpriced } from "../rates";
import { searchEc2, tagFilters, vpcFilters } from "./ec2-search";
import type { Kind } from "./kind";

/** Instances of node groups, and any other instance of the VPC. */
export const instances: Kind = {
  kind: "instance",
  reads: ["ec2:DescribeInstances"],
  read: async (aws, search) => {
    const ec2 = await aws.ec2();
    const filters = [...tagFilters(search), ...vpcFilters(search)];
    const found = await searchEc2<Instance>(
      filters,
      ({ InstanceId }) => InstanceId,
      async (Filters, token) => {
        const { Reservations, NextToken } = await ec2.describeInstances({ Filters, ...token });
        return { items: Reservations?.flatMap(({ Instances = [] }) => Instances), next: NextToken };
      },
    );
    return found.filter(({ State }) => State?.Name !== "terminated").map((one) => instance(aws, one));
  },
};

function instance(aws: Aws, one: Instance): Found {
  const { InstanceId: id = "", InstanceType: type = "", State, LaunchTime, VpcId, InstanceLifecycle } = one;
  const state: string = State?.Name ?? "";
  const tags = tagsOf(one.Tags);
  const group = tags["eks:nodegroup-name"];
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
    ...(group !== undefined && { within: `${tags["eks:cluster-name"] ?? ""}:${group}` }),
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
    const found = await searchEc2<Volume>(
      tagFilters(search),
      ({ VolumeId }) => VolumeId,
      async (Filters, token) => {
        const { Volumes, NextToken } = await ec2.describeVolumes({ Filters, ...token });
        return { items: Volumes, next: NextToken };
      },
    );
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

/** Network interfaces that nothing uses, e.g. of the VPC CNI; and those that something unknown uses. */
export const networkInterfaces: Kind = {
  kind: "network interface",
  reads: ["ec2:DescribeNetworkInterfaces"],
  grows: true,
  read: async (aws, search) => {
    const ec2 = await aws.ec2();
    const found = await searchEc2<NetworkInterface>(
      [...tagFilters(search), ...vpcFilters(search)],
      ({ NetworkInterfaceId }) => NetworkInterfaceId,
      async (Filters, token) => {
        const { NetworkInterfaces, NextToken } = await ec2.describeNetworkInterfaces({ Filters, ...token });
        return { items: NetworkInterfaces, next: NextToken };
      },
    );
    return found.filter((one) => !isUsedByService(one)).map((one) => networkInterface(aws, one, search));
  },
};

/** AWS deletes these with the object that they belong to, which is listed itself. */
function isUsedByService({ Status, Attachment, Description = "" }: NetworkInterface): boolean {
  if (Status === "available") return false;
  const isServices = /^(?:Amazon EKS |ELB |Interface for NAT Gateway|VPC Endpoint)/.test(Description);
  return isServices || Attachment?.InstanceId !== undefined;
}

function networkInterface(aws: Aws, one: NetworkInterface, { clusters: [cluster] }: Search): Found {
  const { NetworkInterfaceId: id = "", Status = "", Description = "", VpcId } = one;
  return {
    ...{ id, detail: `${Status}${Description === "" ? "" : `, ${Description}`}`, tags: tagsOf(one.TagSet) },
    ...(VpcId !== undefined && { vpc: VpcId }),
    // The VPC CNI names interfaces after their instance.
    ...(Status === "available" && /^aws-K8S-i-/.test(Description) && cluster !== undefined && { cluster }),
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
    const lists = tagFilters(search).map((filter) =>
      allPages(async (token) => {
        const answer = await ec2.describeLaunchTemplates({
          Filters: [filter],
          ...(token !== undefined && { NextToken: token }),
        });
        return { items: answer.LaunchTemplates, next: answer.NextToken };
      }),
    );
    return (await Promise.all(lists))
      .flat()
      .map(({ LaunchTemplateId: id = "", LaunchTemplateName: name = "", CreateTime, Tags }): Found => ({
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
