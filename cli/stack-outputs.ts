import { parseJson } from "../components/core/json-text";
import { InputError } from "../components/core/problems";
import { shellText } from "../components/core/text";
import { isRecord } from "../components/core/reader/records";
import type { Endpoint } from "../aws/clients";
import type { GroupReference } from "../sessions/group";
import type { Lease } from "../sessions/lease";
import { leaseApi } from "../sessions/lease-api";
import { runPulumi } from "./pulumi-cli";

type Outputs = Readonly<Record<string, unknown>>;

/**
 * Reads the outputs of a stack with the Pulumi CLI, in the current folder. Secrets stay masked.
 *
 * @throws InputError
 */
export async function stackOutputs(stack: string | undefined, cwd: string): Promise<Outputs> {
  const fix = "choose one of pulumi stack ls with --stack, or use --cluster, --nodegroup and --region";
  const outputs = parseJson(await pulumiOutput(["stack", "output", "--json"], { stack, cwd, fix }));
  if (isRecord(outputs)) return outputs;
  throw stackProblem(stack, "pulumi stack output prints no JSON object.", "update the Pulumi CLI");
}

interface At {
  readonly stack: string | undefined;
  readonly cwd: string;
  /** What to do if the command fails. */
  readonly fix: string;
  /** What to do if the backend has no such stack. @default the fix */
  readonly missingFix?: string;
}

/**
 * Runs a command of the Pulumi CLI that reads a stack.
 *
 * @throws InputError
 */
export async function pulumiOutput(command: readonly string[], at: At): Promise<string> {
  const { stack, cwd, fix } = at;
  const output = await runPulumi([...command, ...(stack === undefined ? [] : ["--stack", stack])], cwd);
  if ("text" in output) return output.text;
  if ("missing" in output) {
    const why = "The Pulumi CLI, which reads a stack, is not on the PATH.";
    throw stackProblem(stack, why, `install the Pulumi CLI, or ${withoutStack(fix)}`);
  }
  const words = command
    .slice(0, command[0] === "config" ? 1 : 2)
    .filter((word) => !word.startsWith("-"))
    .join(" ");
  throw stackProblem(stack, `pulumi ${words} fails: ${output.failure}`, fixOf(output.failure, at));
}

/** What to do about an error of the Pulumi CLI: many of them are no wrong name of a stack. */
function fixOf(failure: string, { fix, missingFix = fix }: At): string {
  if (/PULUMI_ACCESS_TOKEN|pulumi login|not logged in/i.test(failure)) {
    return "sign in with pulumi login, or with pulumi login --local if your state is on this machine";
  }
  if (/no stack selected/.test(failure)) return "run pulumi stack select NAME, or use --stack NAME";
  if (/no Pulumi\.yaml|no project file/.test(failure)) return `cd into the project, or ${withoutStack(fix)}`;
  return /no stack named/.test(failure) ? missingFix : fix;
}

/** `choose one of pulumi stack ls with --stack, or use --cluster` without its first half. */
function withoutStack(fix: string): string {
  return fix.replace(/^.*, or /, "");
}

export function stackProblem(stack: string | undefined, why: string, fix: string): InputError {
  return new InputError("the stack", [{ code: "missing", path: "--stack", got: stack, why, fix }]);
}

/** A node group, as the outputs of a stack name it. */
export interface StackGroup {
  /** The AWS account of the cluster. An older version did not export it. */
  readonly account?: string;
  readonly region?: string;
  readonly cluster: string;
  readonly group: string;
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
  if (cluster === "" || group === "") {
    const [whose, of] = stack === undefined ? ["", ""] : [` ${stack}`, ` ${shellText(["--stack", stack])}`];
    const why = `The stack${whose} exports neither clusterName and gpuNodeGroupName nor scaleUp.`;
    const fix = `run pulumi up${of} first, choose the stack of the GPU nodes with --stack, or use --cluster and --nodegroup`;
    throw stackProblem(stack, why, fix);
  }
  const region = option("region");
  const { gpuNodes } = outputs;
  const isCount = typeof gpuNodes === "number" && Number.isInteger(gpuNodes) && gpuNodes > 0;
  return {
    ...{ cluster, group, hasCluster: text("clusterName") !== "" },
    ...(text("account") !== "" && { account: text("account") }),
    ...(region !== "" && { region }),
    ...(isCount && { gpuNodes }),
    ...leaseOf(outputs),
  };
}

function leaseOf({ lease: text, sessionHours: hours, leaseScheduleGroup: group }: Outputs): Pick<StackGroup, "lease"> {
  const lease = {
    ...(typeof text === "string" && text !== "" && { text }),
    ...(typeof hours === "number" && { hours }),
    ...(typeof group === "string" && group !== "none" && { scheduleGroupName: group }),
  };
  return Object.keys(lease).length === 0 ? {} : { lease };
}

/** The lease of a stack, with its schedules on AWS, or on the server that answers instead. */
export async function leaseAt(at: GroupReference, lease: StackLease | undefined, other?: Endpoint) {
  if (!lease) return undefined;
  const { scheduleGroupName: group, ...stated } = lease;
  return group === undefined ? stated : { ...stated, api: await leaseApi(at, group, other) };
}
