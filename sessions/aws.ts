import type { Activity as RawActivity, Instance as RawInstance } from "@aws-sdk/client-auto-scaling";
import { awsErrorOf, sentence } from "./aws-error";
import type { Activity, GroupApi, GroupReference, Instance } from "./group";
import { templateReader } from "./node-template";
import { readGroup } from "./read-group";

/** Seconds for one response; the SDK repeats a failed request. */
const requestSeconds = 15;
const connectionSeconds = 5;
/** Enough to ride out a short throttling. */
const maxAttempts = 4;
/** The latest activities of a group, in one page: they contain the starts of the instances, and why others do not start. */
const activitiesRead = 100;

/** The settings of every client of AWS. */
export const clientSettings = {
  maxAttempts,
  customUserAgent: "eks-gpu-lab",
  requestHandler: {
    connectionTimeout: connectionSeconds * 1000,
    requestTimeout: requestSeconds * 1000,
    throwOnRequestTimeout: true,
  },
};

/** A server that answers instead of AWS, and the credentials that are sent to it. */
export interface Endpoint {
  readonly endpoint: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/**
 * Asks AWS about one node group, with the credentials of its profile and the SDK's usual variables. The SDK takes 0.1
 * seconds to load, so it is loaded only here.
 */
export async function groupApi(at: GroupReference, other?: Endpoint): Promise<GroupApi> {
  const { EKS } = await loadEks();
  const { AutoScaling } = await import("@aws-sdk/client-auto-scaling");
  const settings = { ...clientSettings, ...credentialsOf(at), ...other, region: at.region };
  const [eks, autoScaling] = [new EKS(settings), new AutoScaling(settings)];
  const named = { clusterName: at.cluster, nodegroupName: at.group };
  const ask = <T>(action: string, request: () => Promise<T>) => asked(at, action, request);
  return {
    group: async () => {
      const { nodegroup } = await ask("eks:DescribeNodegroup", () => eks.describeNodegroup(named));
      return readGroup(at, nodegroup);
    },
    template: templateReader(at, other),
    endpoint: async () => {
      const { cluster } = await ask("eks:DescribeCluster", () => eks.describeCluster({ name: at.cluster }));
      return cluster?.endpoint ?? "";
    },
    instances: async (names) => {
      if (names.length === 0) return [];
      const { AutoScalingGroups: groups = [] } = await ask("autoscaling:DescribeAutoScalingGroups", () =>
        autoScaling.describeAutoScalingGroups({ AutoScalingGroupNames: [...names] }),
      );
      return groups.flatMap(({ Instances: found = [] }) => found.flatMap((one) => readInstance(one) ?? []));
    },
    activities: async (names) => {
      const lists = names.map((name) =>
        ask("autoscaling:DescribeScalingActivities", () =>
          autoScaling.describeScalingActivities({ AutoScalingGroupName: name, MaxRecords: activitiesRead }),
        ),
      );
      return (await Promise.all(lists)).flatMap(({ Activities: found = [] }) => found.map(readActivity));
    },
    scale: async ({ min, max, desired }) => {
      const scalingConfig = { minSize: min, maxSize: max, desiredSize: desired };
      await ask("eks:UpdateNodegroupConfig", () => eks.updateNodegroupConfig({ ...named, scalingConfig }));
    },
  };
}

/** The settings of a client with the credentials of a profile, or else with the user's ordinary ones. */
export function credentialsOf({ profile }: { readonly profile?: string }): { readonly profile?: string } {
  return profile === undefined ? {} : { profile };
}

/** The region of the environment or of the user's profile, also a wrong one; undefined if neither states one. */
export async function defaultRegion(at: { readonly profile?: string } = {}): Promise<string | undefined> {
  const { EKS } = await loadEks();
  try {
    return await new EKS(credentialsOf(at)).config.region();
  } catch (error) {
    const [, refused] = /^Region not accepted: region="([^"]*)"/.exec((error as Error).message) ?? [];
    return refused ?? (process.env["AWS_DEFAULT_REGION"] || undefined);
  }
}

async function loadEks() {
  withoutVersionWarning();
  return import("@aws-sdk/client-eks");
}

/** The SDK warns once per process that a later version will need a newer Node.js. The version here is pinned. */
export function withoutVersionWarning(): void {
  process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";
}

/** Sends a request. Errors of AWS become AwsErrors; any other error is one of this program. */
export async function asked<T>(at: GroupReference, action: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw awsErrorOf(error, { action, at }) ?? error;
  }
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
