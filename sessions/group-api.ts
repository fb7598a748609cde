import type {
  Activity as RawActivity,
  DescribeScalingActivitiesCommandOutput,
  Instance as RawInstance,
} from "@aws-sdk/client-auto-scaling";
import { asked, sentence, type AwsAnswer } from "./aws-error";
import { allPages, awsClients, type Endpoint } from "./clients";
import type { Activity, GroupApi, GroupReference, Instance } from "./group";
import { templateReader } from "./node-template";
import { readGroup } from "./read-group";

/** Asks AWS about one node group, with the credentials of its profile and the SDK's usual variables. */
export async function groupApi(at: GroupReference, other?: Endpoint): Promise<GroupApi> {
  const clients = awsClients(at, other);
  const [eks, autoScaling] = await Promise.all([clients.eks(), clients.autoScaling()]);
  const named = { clusterName: at.cluster, nodegroupName: at.group };
  const ask = <T extends AwsAnswer>(action: string, request: () => Promise<T>) => asked(at, action, request);
  return {
    group: async () =>
      readGroup(at, (await ask("eks:DescribeNodegroup", () => eks.describeNodegroup(named))).nodegroup),
    template: templateReader(at, clients.ec2),
    endpoint: async () => {
      const { cluster } = await ask("eks:DescribeCluster", () => eks.describeCluster({ name: at.cluster }));
      return cluster?.endpoint ?? "";
    },
    instances: async (names) => {
      if (names.length === 0) return [];
      const groups = await allPages(async (NextToken) => {
        const request = () => autoScaling.describeAutoScalingGroups({ AutoScalingGroupNames: [...names], NextToken });
        const page = await ask("autoscaling:DescribeAutoScalingGroups", request);
        return { items: page.AutoScalingGroups, next: page.NextToken };
      });
      return groups.flatMap(({ Instances: found = [] }) => found.flatMap((one) => readInstance(one) ?? []));
    },
    activities: async (names, ids) => {
      const lists = names.map((name) =>
        activityPages(ids, (NextToken) =>
          ask("autoscaling:DescribeScalingActivities", () =>
            autoScaling.describeScalingActivities({ AutoScalingGroupName: name, MaxRecords: 100, NextToken }),
          ),
        ),
      );
      return (await Promise.all(lists)).flat().map(readActivity);
    },
    now: () => new Date(Date.now() + eks.config.systemClockOffset),
    scale: async ({ min, max, desired }) => {
      const request = { ...named, scalingConfig: { minSize: min, maxSize: max, desiredSize: desired } };
      await ask("eks:UpdateNodegroupConfig", () => eks.updateNodegroupConfig(request));
    },
  };
}

/** The latest activities, and older ones until each instance is named. */
function activityPages(
  ids: readonly string[],
  page: (token: string | undefined) => Promise<DescribeScalingActivitiesCommandOutput>,
): Promise<RawActivity[]> {
  return allPages(
    async (token) => {
      const { Activities: items, NextToken: next } = await page(token);
      return { items, next };
    },
    (all) => ids.every((id) => all.some(({ Description }) => Description?.includes(id))),
  );
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
