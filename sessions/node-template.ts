import type { ResponseLaunchTemplateData } from "@aws-sdk/client-ec2";
import { Reader } from "../components/core/reader/reader";
import type { Volume } from "../components/cost/cost-lines";
import { defaultDiskGiB, managedVolumes } from "../components/cost/volumes";
import { asked } from "./aws-error";
import type { AwsClients } from "./clients";
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
export function templateReader(at: GroupReference, client: AwsClients["ec2"]): TemplateReader {
  const read = new Map<string, Promise<NodeTemplate>>();
  return (group) => {
    const { launchTemplate } = group;
    if (!launchTemplate) return Promise.resolve(templateOf(group));
    const { id, version } = launchTemplate;
    const key = `${id}:${version}`;
    const reading = read.get(key) ?? readTemplate(at, group, client);
    read.set(key, reading);
    return reading;
  };
}

const action = "ec2:DescribeLaunchTemplateVersions";

async function readTemplate(at: GroupReference, group: Group, client: AwsClients["ec2"]): Promise<NodeTemplate> {
  const { id = "", version = "" } = group.launchTemplate ?? {};
  const ec2 = await client();
  const request = asked(at, action, () =>
    ec2.describeLaunchTemplateVersions({ LaunchTemplateId: id, Versions: [version] }),
  );
  const { LaunchTemplateVersions: found = [] } = await within(readSeconds, action, request);
  return templateOf(group, found[0]?.LaunchTemplateData ?? {});
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
