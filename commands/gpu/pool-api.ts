import { nodePoolLabel } from "../../components/core/instance-tags";
import { AwsError, sentence, type AwsErrorKind } from "../../aws/aws-error";
import { Unreachable, type ApiRequest, type Call } from "../../components/core/kubernetes-api/api";
import { valueAt, valuesAt } from "../../components/core/reader/paths";
import { Reader } from "../../components/core/reader/reader";
import { isRecord } from "../../components/core/reader/records";
import { fieldManager } from "../../components/core/text";
import { managedVolumes } from "../../components/cost/volumes";
import { gpuLimits } from "../../components/nodes/pool/node-pool-manifests";
import { formatDuration } from "../../triage/snapshot/time";
import type { Activity, Group, GroupReference, Instance } from "./group";
import type { GroupApi } from "./group-api";
import { nodeLabel } from "./nodes";

type Cluster = Pick<GroupApi, "endpoint" | "now">;

/**
 * Asks a cluster about one NodePool, as {@link GroupApi} asks AWS about a node group: its limit is the size, and its NodeClaims
 * are the instances. Each call throws an AwsError if the API server does not answer it.
 */
export function poolApi(cluster: Cluster, at: GroupReference, caller: () => Promise<Call>, maxGpus: number): GroupApi {
  const pool = `nodepools/${at.group}`;
  const ask = asking(at, caller);
  const claims = async () => {
    const body = await ask({ method: "GET", path: `nodeclaims?labelSelector=${encodeURIComponent(nodeLabel(at))}` });
    if (!isRecord(body) || !Array.isArray(body["items"])) throw unlike("list nodeclaims");
    // Another pool's NodeClaims stay, even if what answers does not select.
    return valuesAt(body, "items[*]").filter((claim) => labelOf(claim, nodePoolLabel) === at.group);
  };
  const end = async (claim: unknown, query = "") => {
    const preconditions = { uid: valueAt(claim, "metadata.uid") };
    const path = `nodeclaims/${textAt(claim, "metadata.name")}${query}`;
    // A NodeClaim that is gone, or that has another uid, is not the one that was read.
    await ask({ method: "DELETE", path, body: { preconditions } }, [404, 409]);
  };
  return {
    ...cluster,
    group: async () => readPool(at, maxGpus, await ask({ method: "GET", path: pool })),
    template: async ({ nodeClass = "" }) => readClass(await ask({ method: "GET", path: nodeClass })),
    instances: async () => (await claims()).map((claim) => readClaim(claim, cluster.now())),
    activities: async () => (await claims()).flatMap(failedLaunch),
    scale: async ({ desired }) => {
      const running = desired > 0 ? [] : (await claims()).filter((claim) => !isDeleted(claim));
      // A user without the right to delete learns it before the limit changes.
      for (const claim of running.slice(0, 1)) await end(claim, "?dryRun=All");
      const body = { spec: { limits: gpuLimits(desired) } };
      await ask({ method: "PATCH", path: `${pool}?fieldManager=${fieldManager}`, body });
      // With the limit first, no pod starts another node in the place of one that ends.
      for (const claim of running) await end(claim);
    },
  };
}

/** Sends requests for objects of Karpenter, and turns refusals into errors. */
export function asking(at: GroupReference, caller: () => Promise<Call>) {
  return async (request: ApiRequest, ignored: readonly number[] = []): Promise<unknown> => {
    const isFull = request.path.startsWith("/");
    const path = isFull ? request.path : `/apis/karpenter.sh/v1/${request.path}`;
    const action = `${request.method} ${path.replace(/\?.*/, "")}`;
    const answer = await caller()
      .then((call) => call({ ...request, path }))
      .catch((error: unknown) => {
        if (!(error instanceof Unreachable)) throw error;
        throw new AwsError("network", action, "unreachable", error.why, error.fix);
      });
    if (answer.ok) return answer.body;
    if (ignored.includes(answer.status)) return undefined;
    throw refused(at, action, answer.status, answer.why);
  };
}

function refused({ cluster, group }: GroupReference, action: string, status: number, message: string): AwsError {
  const error = (kind: AwsErrorKind, why: string, fix: string) => new AwsError(kind, action, `${status}`, why, fix);
  const said = `The API server says: ${sentence(message)}`;
  if (status === 403) {
    const fix =
      "ask your administrator for get and patch on nodepools, list and delete on nodeclaims of karpenter.sh, and list on cronjobs";
    return error("denied", said, fix);
  }
  if (status === 404 && message === "status 404") {
    const why = `The cluster ${cluster} has no NodePools: neither Karpenter nor EKS Auto Mode has defined them.`;
    return error("missing", why, "run pulumi up, which installs Karpenter or enables EKS Auto Mode");
  }
  if (status === 404) {
    const why = `The cluster ${cluster} has no NodePool ${group}, or its node class is missing: ${sentence(message)}`;
    return error("missing", why, "run pulumi up --refresh, which creates it");
  }
  if (status === 429 || status >= 500) return error("busy", said, "wait a minute and run the command again");
  return error("rejected", said, "correct what the message names");
}

function unlike(action: string): AwsError {
  const why = "The response is not from the Kubernetes API. A proxy may have sent it.";
  return new AwsError("answer", action, "no list", why, "check the network and HTTPS_PROXY, and run the command again");
}

function readPool(at: GroupReference, max: number, pool: unknown): Group {
  const limit = valueAt(pool, ["spec", "limits", "nvidia.com/gpu"]);
  const spec = "spec.template.spec";
  const { group = "", kind = "", name = "" } = (valueAt(pool, `${spec}.nodeClassRef`) ?? {}) as Record<string, string>;
  const requirements = isRecord(pool) ? valuesAt(pool, `${spec}.requirements[*]`) : [];
  const values = (key: string) =>
    requirements.flatMap((one) => (isRecord(one) && one["key"] === key ? valuesAt(one, "values[*]").map(String) : []));
  return {
    ...{ ...at, status: isDeleted(pool) ? "DELETING" : "ACTIVE", autoScalingGroups: [], issues: [], subnetIds: [] },
    sizes: { min: 0, max, desired: limit === undefined ? Infinity : Number(limit) },
    // Karpenter starts spot instances only if the NodePool allows no others, or if they are cheaper.
    capacityType: values("karpenter.sh/capacity-type").includes("spot") ? "SPOT" : "ON_DEMAND",
    instanceTypes: values("node.kubernetes.io/instance-type"),
    nodeClass: `/apis/${group}/v1/${kind.toLowerCase()}es/${name}`,
  };
}

/** What a node class states of disks and subnets. That of EKS Auto Mode has the size of one volume. */
function readClass(nodeClass: unknown): Awaited<ReturnType<GroupApi["template"]>> {
  const spec = (valueAt(nodeClass, "spec") ?? {}) as Readonly<Record<string, unknown>>;
  const ebs = { volumeType: "gp3", volumeSize: valueAt(spec, "ephemeralStorage.size") };
  const own = spec["blockDeviceMappings"] ?? [{ deviceName: "/dev/xvda", ebs }];
  const template = new Reader({ blockDeviceMappings: own });
  return {
    volumes: managedVolumes({ diskSize: undefined, amiType: "AL2023", template }),
    subnetIds: valuesAt(spec, "subnetSelectorTerms[*].id").map(String),
  };
}

function readClaim(claim: unknown, now: Date): Instance {
  const since = textAt(claim, "metadata.creationTimestamp");
  const isReady = conditionOf(claim, "Initialized")?.status === "True";
  const age = formatDuration(Math.max(0, Math.round((now.getTime() - Date.parse(since)) / 1000)));
  return {
    id: textAt(claim, "metadata.name"),
    type: labelOf(claim, "node.kubernetes.io/instance-type"),
    zone: labelOf(claim, "topology.kubernetes.io/zone"),
    state: isDeleted(claim) ? "stopping" : isReady ? "running" : "starting",
    lifecycle: [textAt(claim, "status.nodeName"), `${age} old`, ...waitsFor(claim)].filter(Boolean).join(", "),
    since,
  };
}

/** Why a NodeClaim is not ready, or has not ended. Karpenter sets conditions as soon as it acts. */
function waitsFor(claim: unknown): string[] {
  const types = isDeleted(claim) ? endings : ["Launched", "Registered", "Initialized"];
  const open = types.flatMap((type) => conditionOf(claim, type) ?? []).find(({ status }) => status !== "True");
  if (open) return [`${open.type}: ${open.message || open.reason}`];
  const isUntouched = isDeleted(claim) && endings.every((type) => !conditionOf(claim, type));
  return isUntouched ? ["deleted, and Karpenter has not begun to terminate it"] : [];
}

const endings = ["Drained", "VolumesDetached", "InstanceTerminating"];

/** A NodeClaim whose instance does not start, as AWS reports it. */
function failedLaunch(claim: unknown): Activity[] {
  const { status, message } = conditionOf(claim, "Launched") ?? {};
  if (status !== "False" && !(status === "Unknown" && /error|insufficient|exceeded/i.test(message ?? ""))) return [];
  const [id, at] = [textAt(claim, "metadata.uid"), textAt(claim, "metadata.creationTimestamp")];
  return [{ id, status: "Failed", description: "Launching", message: sentence(message ?? ""), at }];
}

interface Condition extends Readonly<Record<"type" | "status" | "reason" | "message", string>> {}

function conditionOf(claim: unknown, type: string): Condition | undefined {
  const all = isRecord(claim) ? (valuesAt(claim, "status.conditions[*]") as Condition[]) : [];
  return all.find((one) => one.type === type);
}

function isDeleted(object: unknown): boolean {
  return valueAt(object, "metadata.deletionTimestamp") !== undefined;
}

function labelOf(object: unknown, label: string): string {
  return textAt(object, ["metadata", "labels", label]);
}

export function textAt(object: unknown, path: string | readonly string[]): string {
  const value = valueAt(object, path);
  return typeof value === "string" ? value : "";
}
