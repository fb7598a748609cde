import type { Endpoint } from "../../aws/clients";
import { shellText } from "../../components/core/text";
import { stackProblem, type Outputs } from "../stack/pulumi-cli";
import type { GroupReference } from "./group";
import { leaseApi, type Lease } from "./lease";

/** A node group, as the outputs of a stack name it. */
interface StackGroup extends Pick<GroupReference, "cluster" | "group"> {
  /** The AWS account of the cluster. An older version did not export it. */
  readonly account?: string;
  readonly region?: string;
  /** How many GPU nodes the stack's lab needs. */
  readonly gpuNodes?: number;
  /** Undefined if the stack does not export its lease. */
  readonly lease?: StackLease;
  /** Whether the stack has the cluster: a lab on a shared cluster exports the commands only. */
  readonly hasCluster: boolean;
}

/** A lease, as the outputs of a stack state it. */
interface StackLease extends Omit<Lease, "api"> {
  /** The group of its schedules in EventBridge Scheduler. An older version did not export it. */
  readonly scheduleGroupName?: string;
}

/**
 * Finds the GPU node group in the outputs of a stack of this project: by name, or in the command `scaleUp`, which a lab
 * on a shared cluster exports, too.
 *
 * @throws InputError
 */
export function groupOfStack(stack: string | undefined, outputs: Outputs): StackGroup {
  const text = (name: string) => (typeof outputs[name] === "string" ? outputs[name] : "");
  const commands = `${text("scaleUp")} ${text("configureKubectl")}`;
  const option = (name: string) => new RegExp(`--${name} ([\\w.-]+)`).exec(commands)?.[1] ?? "";
  const cluster = text("clusterName") || option("cluster-name");
  const group = text("gpuNodeGroupName") || option("nodegroup-name");
  refusePool(stack, text("gpuNodePoolName"), text("scaleUp"));
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
    region: option("region") || undefined,
    gpuNodes: isCount ? gpuNodes : undefined,
    lease: leaseOf(outputs),
  };
}

/** A lab on a shared cluster exports the command only. */
function refusePool(stack: string | undefined, stated: string, scaleUp: string): void {
  const pool = stated || (/^kubectl patch nodepool ([\w.-]+)/.exec(scaleUp)?.[1] ?? "");
  if (pool === "") return;
  const why = `Its GPU nodes are those of the NodePool ${pool}: pods start them, and there is no node group to scale.`;
  throw stackProblem(stack, why, poolFix(pool, stack));
}

/** What does the same as up, status and down. The end sets the limit first, so that no new node starts for the pods. */
function poolFix(pool: string, stack: string | undefined): string {
  const of = stack === undefined ? "" : ` ${shellText(["--stack", stack])}`;
  const output = (name: string) => `eval "$(pulumi stack output ${name}${of})"`;
  return (
    `to show the nodes, kubectl get nodeclaims -l karpenter.sh/nodepool=${pool}; ` +
    `to end them, ${output("scaleDown")}; to let pods start nodes again, ${output("scaleUp")}`
  );
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
