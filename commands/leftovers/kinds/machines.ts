import type { Instance, NetworkInterface, Volume } from "@aws-sdk/client-ec2";
import { itemsOf, request, type Aws } from "../../../aws/clients";
import { free, lastPart, tagsOf, hourly, monthly, unpriced, type Found, type Rate } from "../found";
import { sharedReading, step } from "../requests";
import { ec2Kind, clusterOfTags, hasSearchedTag } from "./ec2-search";
import { kindOf } from "./kind";

/** All instances of the region that still exist. */
export const readInstances = sharedReading(async (aws): Promise<Instance[]> => {
  const all = await itemsOf(aws, "ec2:DescribeInstances", "Reservations", { IncludeManagedResources: true });
  return all.flatMap(({ Instances = [] }) => Instances).filter(({ State }) => State?.Name !== "terminated");
});

/** Instances of node groups, and any other instance of the VPC. */
export const instances = kindOf({
  kind: "instance",
  isInNetwork: true,
  reads: ["ec2:DescribeInstances"],
  list: async (aws, search) => {
    const isWanted = ({ VpcId = "", Tags }: Instance) =>
      search.vpcs.includes(VpcId) || hasSearchedTag(search, tagsOf(Tags));
    return (await readInstances(aws)).filter(isWanted);
  },
  found: instance,
});

function instance(one: Instance, aws: Aws): Found {
  const { InstanceId: id = "", InstanceType: type = "", State, LaunchTime, InstanceLifecycle } = one;
  const state: string = State?.Name ?? "";
  const tags = tagsOf(one.Tags);
  // The tag eks:nodegroup-name can be a copy; only AWS sets those that begin with aws:.
  const group = tags["aws:autoscaling:groupName"];
  const isGone = async () => {
    const { Reservations = [] } = await request(aws, "ec2:DescribeInstances", { InstanceIds: [id] });
    return Reservations.flatMap(({ Instances = [] }) => Instances).every((now) => now.State?.Name === "terminated");
  };
  return {
    ...{ id, detail: `${type}, ${state}`, tags, vpc: one.VpcId, since: LaunchTime?.toISOString() },
    within: group === undefined ? undefined : `Auto Scaling group ${group}`,
    uses: usesOfInstance(one),
    rate: instanceRate(aws.region, type, state, InstanceLifecycle === "spot"),
    steps: [step(aws, "ec2:TerminateInstances", { InstanceIds: [id] })],
    wait: { cli: `ec2 wait instance-terminated --instance-ids ${id}`, isOver: isGone },
  };
}

export function usesOfInstance({ SubnetId, SecurityGroups = [], BlockDeviceMappings = [], ...one }: Instance) {
  return [
    SubnetId,
    ...SecurityGroups.map(({ GroupId }) => GroupId),
    ...BlockDeviceMappings.map((at) => at.Ebs?.VolumeId),
    `cluster ${clusterOfTags(tagsOf(one.Tags))}`,
    `instance profile ${lastPart(one.IamInstanceProfile?.Arn)}`,
  ];
}

function instanceRate(region: string, type: string, state: string, isSpot: boolean): Rate {
  if (state !== "running" && state !== "pending") return { perDay: 0, note: "only running instances cost money" };
  return hourly(region, type, 1, isSpot ? "price on demand; spot costs less" : undefined);
}

/** Volumes of instances, and those that the EBS CSI driver created for claims. */
export const volumes = ec2Kind({ kind: "volume", grows: true, list: "Volumes", found: volume });

function volume(one: Volume, aws: Aws): Found {
  const { VolumeId: id = "", Size: size = 0, VolumeType: type = "", State, Attachments = [] } = one;
  const tags = tagsOf(one.Tags);
  const claim = tags["kubernetes.io/created-for/pvc/name"];
  const ofClaim = claim === undefined ? "" : `, of the claim ${claim}`;
  return {
    ...{ id, tags, detail: `${size} GiB ${type}, ${State ?? ""}${ofClaim}`, since: one.CreateTime?.toISOString() },
    // The EBS CSI driver does so only if a claim asks for it.
    isRestored: [one.SnapshotId, one.SourceVolumeId].some((from = "") => from !== ""),
    within: Attachments.find(({ DeleteOnTermination }) => DeleteOnTermination === true)?.InstanceId,
    usedBy: Attachments.map(({ InstanceId }) => InstanceId),
    rate:
      type === "gp3" ? monthly(aws.region, "ebs-gp3-storage", size) : unpriced(`the price table does not list ${type}`),
    steps: [step(aws, "ec2:DeleteVolume", { VolumeId: id })],
  };
}

/** Network interfaces. Those of instances and of services show what is in the VPC, and end with their owner. */
export const networkInterfaces = ec2Kind({
  kind: "network interface",
  isInNetwork: true,
  grows: true,
  list: "NetworkInterfaces",
  inVpc: "vpc-id",
  found: networkInterface,
});

/** AWS deletes it with its instance, or with the cluster or load balancer in its description, which a service wrote. */
function ownerOf({ Status, Attachment, Description = "", RequesterManaged }: NetworkInterface): string | undefined {
  if (Status === "available" || Attachment?.InstanceId !== undefined) return Attachment?.InstanceId;
  const [, service, name = ""] = /^(Amazon EKS|ELB) (.+)$/.exec(Description) ?? [];
  if (RequesterManaged !== true || service === undefined) return undefined;
  return service === "ELB" ? (name.includes("/") ? name : `classic load balancer ${name}`) : `cluster ${name}`;
}

function networkInterface(one: NetworkInterface, aws: Aws): Found {
  const { NetworkInterfaceId: id = "", Status = "", Description = "", Groups = [] } = one;
  const within = ownerOf(one);
  return {
    ...{ id, detail: `${Status}${Description === "" ? "" : `, ${Description}`}`, tags: tagsOf(one.TagSet) },
    ...{ vpc: one.VpcId, within, isHidden: within !== undefined, rate: free },
    uses: [one.SubnetId, ...Groups.map(({ GroupId }) => GroupId), one.Association?.AllocationId],
    steps: [step(aws, "ec2:DeleteNetworkInterface", { NetworkInterfaceId: id })],
  };
}

/** Launch templates of node groups. */
export const launchTemplates = ec2Kind({
  kind: "launch template",
  type: "aws:ec2/launchTemplate:LaunchTemplate",
  list: "LaunchTemplates",
  found: ({ LaunchTemplateId: id = "", LaunchTemplateName: detail, CreateTime, Tags }, aws) => ({
    ...{ id, detail, tags: tagsOf(Tags), rate: free, since: CreateTime?.toISOString() },
    steps: [step(aws, "ec2:DeleteLaunchTemplate", { LaunchTemplateId: id })],
  }),
});
