import type { Endpoint } from "../../aws/clients";
import { shellText } from "../../components/core/text";
import { stackProblem, type Outputs } from "../stack/pulumi-cli";
import type { GroupReference } from "./group";
import { leaseApi, type Lease } from "./lease";

/** A node group or a NodePool, as the outputs of a stack name it. */
interface StackGroup extends Pick<GroupReference, "cluster" | "group" | "isPool"> {
  /** The AWS account of the cluster. An older version did not export it. */
  readonly account?: string;
  readonly region?: string;
  /** How many GPU nodes the stack's lab needs; of a NodePool, the limit of GPUs. */
  readonly gpuNodes?: number;
  /** Undefined if the stack does not export its lease. */
  readonly lease?: StackLease;
  /** Whether the stack has the cluster: a lab on a shared cluster exports the commands only. */
  readonly hasCluster: boolean;
}

/** A lease, as the outputs of a stack state it. */
interface StackLease extends Omit<Lease, "api" | "ends"> {
  /** The group of its schedules in EventBridge Scheduler. An older version did not export it. */
  readonly scheduleGroupName?: string;
}

/**
 * Finds the GPU node group or the NodePool in the outputs of a stack of this project: by name, or in the command `scaleUp`,
 * which a lab on a shared cluster exports, too.
 *
 * @throws InputError
 */
export function groupOfStack(stack: string | undefined, outputs: Outputs): StackGroup {
  const text = (name: string) => (typeof outputs[name] === "string" ? outputs[name] : "");
  const { cluster, group, region, limit } = namesIn(text);
  if (cluster === "" || group === "") {
    const [whose, of] = stack === undefined ? ["", ""] : [` ${stack}`, ` ${shellText(["--stack", stack])}`];
    const why = `The stack${whose} exports neither clusterName and gpuNodeGroupName nor scaleUp.`;
    const fix = `run pulumi up${of} first, choose the stack of the GPU nodes with --stack, or use --cluster and --nodegroup`;
    throw stackProblem(stack, why, fix);
  }
  const { gpuNodes } = outputs;
  const isCount = typeof gpuNodes === "number" && Number.isInteger(gpuNodes) && gpuNodes > 0;
  return {
    ...{ cluster, group, hasCluster: text("clusterName") !== "" },
    account: text("account") || undefined,
    region: region || undefined,
    gpuNodes: limit ?? (isCount ? gpuNodes : undefined),
    isPool: limit !== undefined,
    lease: leaseOf(outputs),
  };
}

/** The names in the outputs of a stack; of a NodePool also the limit of GPUs. */
function namesIn(text: (output: string) => string) {
  const [scaleUp, configure] = [text("scaleUp"), text("configureKubectl")];
  const option = (name: string) => new RegExp(`--${name} ([\\w.-]+)`).exec(`${scaleUp} ${configure}`)?.[1] ?? "";
  const [region, cluster] = [option("region"), text("clusterName")];
  const [, pool, limit] = /^kubectl patch nodepool ([\w.-]+) .*"nvidia\.com\/gpu":"(\d+)"/.exec(scaleUp) ?? [];
  if (pool !== undefined) return { region, cluster: cluster || option("name"), group: pool, limit: Number(limit) };
  const group = text("gpuNodeGroupName") || option("nodegroup-name");
  return { region, cluster: cluster || option("cluster-name"), group, limit: undefined };
}

function leaseOf({ lease: stated, sessionHours, leaseScheduleGroup: group }: Outputs): StackLease | undefined {
  const text = typeof stated === "string" && stated !== "" ? stated : undefined;
  const hours = typeof sessionHours === "number" ? sessionHours : undefined;
  const scheduleGroupName = typeof group === "string" && group !== "none" ? group : undefined;
  return (text ?? hours ?? scheduleGroupName) === undefined ? undefined : { text, hours, scheduleGroupName };
}

/** The lease of a stack, with its schedules on AWS, or on the server that answers instead. */
export function leaseAt(at: GroupReference, lease: StackLease | undefined, other?: Endpoint) {
  if (!lease) return undefined;
  const { scheduleGroupName: group, ...stated } = lease;
  return group === undefined ? stated : { ...stated, api: leaseApi(at, group, other) };
}
