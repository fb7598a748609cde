import type { Activity as RawActivity, Instance as RawInstance } from "@aws-sdk/client-auto-scaling";
import type { ResponseLaunchTemplateData } from "@aws-sdk/client-ec2";
import type { Issue, Nodegroup } from "@aws-sdk/client-eks";
import { within, type Aws, type Endpoint } from "../../aws/clients";
import { sentence } from "../../aws/aws-error";
import { Reader } from "../../components/core/reader/reader";
import { withoutUndefined } from "../../components/core/reader/records";
import type { CapacityType } from "../../components/cost/cost-lines";
import { defaultDiskGiB, managedVolumes } from "../../components/cost/volumes";
import { groupClients, type Activity, type Group, type GroupReference, type GroupSizes, type Instance } from "./group";

/** What sessions ask of AWS about one group. Each call throws an AwsError if AWS does not answer it. */
export type GroupApi = Awaited<ReturnType<typeof groupApi>>;

/** Asks AWS about one node group, with the credentials of its profile and the SDK's usual variables. */
export async function groupApi(at: GroupReference, other?: Endpoint) {
  const aws = groupClients(at, other);
  const { config } = await aws.eks();
  const named = { clusterName: at.cluster, nodegroupName: at.group };
  return {
    group: async () => {
      const { nodegroup } = await aws.ask("eks:DescribeNodegroup", named);
      return readGroup(at, nodegroup);
    },
    /** What each node gets. */
    template: templateReader(aws),
    /** The address of the cluster's Kubernetes API. */
    endpoint: async () => {
      const { cluster } = await aws.ask("eks:DescribeCluster", { name: at.cluster });
      return cluster?.endpoint ?? "";
    },
    instances: async (autoScalingGroups: readonly string[]): Promise<readonly Instance[]> => {
      if (autoScalingGroups.length === 0) return [];
      const groups = await aws.list("autoscaling:DescribeAutoScalingGroups", "AutoScalingGroups", {
        AutoScalingGroupNames: [...autoScalingGroups],
      });
      return groups.flatMap(({ Instances: found = [] }) => found.flatMap((one) => readInstance(one) ?? []));
    },
    /** The latest 100, the latest first, and older ones until each of these instances is named. */
    activities: async (autoScalingGroups: readonly string[], ids: readonly string[]): Promise<readonly Activity[]> => {
      const lists = await Promise.all(autoScalingGroups.map((name) => activityPages(aws, name, ids)));
      return lists.flat().map(readActivity);
    },
    /** The date. A clock of this machine that is wrong by five minutes or more is corrected by the answers of AWS. */
    now: () => new Date(Date.now() + config.systemClockOffset),
    /** Requests new sizes. EKS applies them in the background. */
    scale: async ({ min, max, desired }: GroupSizes): Promise<void> => {
      const request = { ...named, scalingConfig: { minSize: min, maxSize: max, desiredSize: desired } };
      await aws.ask("eks:UpdateNodegroupConfig", request);
    },
  };
}

function activityPages(aws: Aws, AutoScalingGroupName: string, ids: readonly string[]): Promise<RawActivity[]> {
  const request = { AutoScalingGroupName, MaxRecords: 100 };
  return aws.list("autoscaling:DescribeScalingActivities", "Activities", request, (all) =>
    ids.every((id) => all.some(({ Description }) => Description?.includes(id))),
  );
}

/** A node group in the words of this project. */
function readGroup(at: GroupReference, raw: Nodegroup = {}): Group {
  const { scalingConfig: { minSize = 0, maxSize = 0, desiredSize = 0 } = {}, resources = {}, health = {} } = raw;
  return {
    ...{ ...at, status: raw.status ?? "unknown", sizes: { min: minSize, max: maxSize, desired: desiredSize } },
    ...machinesOf(raw),
    autoScalingGroups: (resources.autoScalingGroups ?? []).flatMap(({ name }) => name ?? []),
    issues: (health.issues ?? []).map(issueOf),
  };
}

function machinesOf({ nodegroupArn: arn, amiType, diskSize: diskSizeGiB, capacityType: type, ...raw }: Nodegroup) {
  const capacityType: CapacityType = type === "SPOT" || type === "CAPACITY_BLOCK" ? type : "ON_DEMAND";
  const { instanceTypes = [], subnets: subnetIds = [], launchTemplate: { id, version } = {} } = raw;
  const launchTemplate = id === undefined || version === undefined ? undefined : { id, version };
  return { capacityType, instanceTypes, subnetIds, ...withoutUndefined({ arn, amiType, diskSizeGiB, launchTemplate }) };
}

function issueOf({ code = "Unknown", message = "", resourceIds: resources = [] }: Issue): Group["issues"][number] {
  return { code, message: sentence(message), resources };
}

/** An instance, unless it costs nothing any more. @see LifecycleState of the SDK */
function readInstance(raw: RawInstance): Instance | undefined {
  const lifecycle: string = raw.LifecycleState ?? "";
  if (/Terminated$|^Detached$|Stopped$|Hibernated$/.test(lifecycle)) return undefined;
  return {
    id: raw.InstanceId ?? "",
    type: raw.InstanceType ?? "",
    zone: raw.AvailabilityZone ?? "",
    state: /Terminating/.test(lifecycle) ? "stopping" : /Pending/.test(lifecycle) ? "starting" : "running",
    lifecycle,
  };
}

function readActivity({ ActivityId, StatusCode, StatusMessage, Description, StartTime }: RawActivity): Activity {
  return {
    id: ActivityId ?? "",
    status: StatusCode ?? "",
    description: sentence(Description ?? ""),
    message: StatusMessage === undefined ? "" : sentence(StatusMessage),
    ...(StartTime && { at: StartTime.toISOString() }),
  };
}

type NodeTemplate = Required<Pick<Group, "volumes">> & Partial<Pick<Group, "instanceTypes" | "subnetIds">>;

/** The price needs it, nothing else: a session does not wait long for it. */
const readSeconds = 5;

/** Reads the launch template of a group with EC2, once for each version. The reader throws an AwsError. */
function templateReader(aws: Aws) {
  const read = new Map<string, Promise<NodeTemplate>>();
  return async (group: Group): Promise<NodeTemplate> => {
    if (!group.launchTemplate) return templateOf(group);
    const { id, version } = group.launchTemplate;
    const key = `${id}:${version}`;
    const reading = read.get(key) ?? readData(aws, id, version).then((data) => templateOf(group, data));
    read.set(key, reading);
    return reading;
  };
}

async function readData(aws: Aws, id: string, version: string): Promise<ResponseLaunchTemplateData> {
  const action = "ec2:DescribeLaunchTemplateVersions";
  const request = { LaunchTemplateId: id, Versions: [version] };
  const answer = aws.ask(action, request);
  const { LaunchTemplateVersions: found = [] } = await within(readSeconds, action, answer);
  return found[0]?.LaunchTemplateData ?? {};
}

function templateOf({ diskSizeGiB, amiType }: Group, data?: ResponseLaunchTemplateData): NodeTemplate {
  const volumes = managedVolumes({
    diskSize: diskSizeGiB ?? defaultDiskGiB,
    amiType,
    template: data && new Reader({ blockDeviceMappings: mappingsOf(data) }),
  });
  return { volumes, ...(data?.InstanceType !== undefined && { instanceTypes: [data.InstanceType] }) };
}

/** With the names of Pulumi's provider, as a plan has them. */
function mappingsOf({ BlockDeviceMappings: mappings = [] }: ResponseLaunchTemplateData): object[] {
  return mappings.map(({ DeviceName: deviceName, Ebs: ebs }) => {
    if (!ebs) return { deviceName };
    const { VolumeSize: volumeSize, VolumeType: volumeType, Iops: iops, Throughput: throughput } = ebs;
    return { deviceName, ebs: { volumeSize, volumeType, iops, throughput } };
  });
}
