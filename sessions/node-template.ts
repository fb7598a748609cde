import type { EC2, ResponseLaunchTemplateData } from "@aws-sdk/client-ec2";
import { Reader } from "../components/core/reader/reader";
import type { Volume } from "../components/cost/cost-lines";
import { defaultDiskGiB, managedVolumes } from "../components/cost/volumes";
import { asked, clientSettings, credentialsOf, type Endpoint } from "./aws";
import type { Group, GroupReference } from "./group";
import { within } from "./within";

/** What each node of a group gets. */
export interface NodeTemplate {
  readonly volumes: readonly Volume[];
  /** Of the launch template; undefined if it states none. */
  readonly instanceType?: string | undefined;
}

/** Reads what each node of a group gets. */
export type TemplateReader = (group: Group) => Promise<NodeTemplate>;

/** The price needs it, nothing else: a session does not wait long for it. */
const readSeconds = 5;

/** Reads the launch template of a group with EC2, once for each version. The reader throws an AwsError. */
export function templateReader(at: GroupReference, other?: Endpoint): TemplateReader {
  const read = new Map<string, Promise<NodeTemplate>>();
  return (group) => {
    const { launchTemplate } = group;
    if (!launchTemplate) return Promise.resolve(templateOf(group));
    const { id, version } = launchTemplate;
    const key = `${id}:${version}`;
    const reading = read.get(key) ?? readTemplate(at, group, other);
    read.set(key, reading);
    return reading;
  };
}

const action = "ec2:DescribeLaunchTemplateVersions";

async function readTemplate(at: GroupReference, group: Group, other: Endpoint | undefined): Promise<NodeTemplate> {
  const { id = "", version = "" } = group.launchTemplate ?? {};
  const ec2 = await ec2Client(at, other);
  const request = asked(at, action, () =>
    ec2.describeLaunchTemplateVersions({ LaunchTemplateId: id, Versions: [version] }),
  );
  const { LaunchTemplateVersions: found = [] } = await within(readSeconds, action, request);
  return templateOf(group, found[0]?.LaunchTemplateData ?? {});
}

async function ec2Client(at: GroupReference, other: Endpoint | undefined): Promise<EC2> {
  const { EC2 } = await import("@aws-sdk/client-ec2");
  return new EC2({ ...clientSettings, ...credentialsOf(at), ...other, region: at.region });
}

function templateOf({ diskSizeGiB, amiType }: Group, data?: ResponseLaunchTemplateData): NodeTemplate {
  const volumes = managedVolumes({
    diskSize: diskSizeGiB ?? defaultDiskGiB,
    amiType,
    template: data && new Reader({ blockDeviceMappings: mappingsOf(data) }),
  });
  return { volumes, instanceType: data?.InstanceType };
}

/** With the names of Pulumi's provider, as a plan has them. */
function mappingsOf({ BlockDeviceMappings: mappings = [] }: ResponseLaunchTemplateData): object[] {
  return mappings.map(({ DeviceName: deviceName, Ebs: ebs }) => {
    if (!ebs) return { deviceName };
    const { VolumeSize: volumeSize, VolumeType: volumeType, Iops: iops, Throughput: throughput } = ebs;
    return { deviceName, ebs: { volumeSize, volumeType, iops, throughput } };
  });
}
