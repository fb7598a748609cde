import { nodePoolType } from "../../planner/facts/gpu-pools";
import type { SimulatedCloud } from "../cloud/simulated-cloud";
import { changesOf, logicalChangesOf, type Outcome, type Step } from "../pulumi/outcome";
import type { StateResource, Workspace } from "../pulumi/workspace";
import { forgetSession, runScaleCommand, runSession, type CommandResult, type SessionCommand } from "./session";
import type { Toggle } from "../../stacks/run/lab";

/** A step of a rehearsal: what the user would do on AWS. */
interface ScriptStep {
  readonly title: string;
  /** The command that the user would type. */
  readonly command: string;
  readonly action:
    | { readonly kind: "up"; readonly config: readonly string[] }
    /** Runs the command in an output of the stack. */
    | { readonly kind: "output"; readonly output: string }
    /** Runs a command of this tool on the GPU nodes of the stack. */
    | { readonly kind: "session"; readonly action: "up" | "down" | "forget" }
    | { readonly kind: "destroy" };
}

export const destroyCommand = "pulumi destroy";

/** A setting that the rehearsal turns on and off. */
export type RehearsedToggle = Pick<Toggle, "name" | "config">;

/** The steps of a rehearsal: up, a session, each toggle on and off, sessions with this tool, destroy. */
export function rehearsalScript(toggles: readonly RehearsedToggle[]): ScriptStep[] {
  return [
    { title: "deploy the lab", command: "pulumi up", action: { kind: "up", config: [] } },
    sessionStep("start a session: scale the GPU nodes up", "scaleUp"),
    ...toggles.flatMap(toggleSteps),
    sessionStep("end the session: scale the GPU nodes down", "scaleDown"),
    toolStep("start another session: wait until its nodes run", "up"),
    toolStep("end it: wait until no node runs", "down"),
    { ...toolStep("forget a session: the lease ends it", "up"), action: { kind: "session", action: "forget" } },
    { title: "destroy the lab", command: destroyCommand, action: { kind: "destroy" } },
  ];
}

function toggleSteps({ name, config }: RehearsedToggle): ScriptStep[] {
  const entries = config.map((entry) => {
    const [key = "", ...value] = entry.split("=");
    return { key, value: value.join("=") };
  });
  const set = entries.map(({ key, value }) => `pulumi config set --path ${key} ${value}`);
  const remove = entries.map(({ key }) => `pulumi config rm --path ${key}`);
  return [
    { title: `change: ${name}`, command: [...set, "pulumi up"].join(" && "), action: { kind: "up", config } },
    { title: `undo: ${name}`, command: [...remove, "pulumi up"].join(" && "), action: { kind: "up", config: [] } },
  ];
}

function sessionStep(title: string, output: string): ScriptStep {
  return { title, command: `$(pulumi stack output ${output})`, action: { kind: "output", output } };
}

function toolStep(title: string, action: "up" | "down"): ScriptStep {
  return { title, command: `npx eks-gpu-lab gpu ${action}`, action: { kind: "session", action } };
}

/** A change of an object in the cloud. */
export interface RehearsedChange {
  readonly op: string;
  readonly type: string;
  readonly name: string;
  /** The changed inputs of an update. */
  readonly paths: readonly string[];
}

/** A step of the script, with its result. */
export interface RehearsedStep {
  readonly title: string;
  readonly command: string;
  readonly succeeded: boolean;
  readonly changes: readonly RehearsedChange[];
  /** The size of a scaled node group, or the errors of a failed step. */
  readonly remarks: readonly string[];
  /** The outputs of the stack after an update; secrets are `[secret]`. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Estimated duration on AWS. */
  readonly secondsOnAws: number;
}

interface StepContext {
  readonly workspace: Workspace;
  /** Overrides of the stack's configuration in every step. */
  readonly config: readonly string[];
  /** The outputs of the last update. */
  readonly outputs: RehearsedStep["outputs"];
  /** The commands of a session. @default none - a step that needs them is left out */
  readonly session?: SessionCommand | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Runs a step. The result is undefined when the stack does not have the output that the step needs. */
export async function runStep(step: ScriptStep, context: StepContext): Promise<RehearsedStep | undefined> {
  const { action } = step;
  if (action.kind !== "output" && action.kind !== "session") return runCommand(step, action, context);
  const result = await runScaling(action, context);
  if (!result) return undefined;
  const { text, rejected, seconds } = result;
  const { title, command } = step;
  return { title, command, succeeded: !rejected, changes: [], remarks: [text], outputs: {}, secondsOnAws: seconds };
}

type Scaling = Extract<ScriptStep["action"], { kind: "output" | "session" }>;

/** Scales the GPU nodes, if the stack has an output that says how. */
async function runScaling(
  action: Scaling,
  { workspace, outputs, session, signal }: StepContext,
): Promise<CommandResult | undefined> {
  const output = outputs[action.kind === "output" ? action.output : "scaleUp"];
  // The controller of a NodePool runs in the cluster: no session of such a stack can be rehearsed.
  if (typeof output !== "string" || workspace.cloud.unsimulated.has(nodePoolType)) return undefined;
  if (action.kind === "output") return runScaleCommand(workspace.cloud, output);
  if (!session) return undefined;
  return action.action === "forget"
    ? forgetSession(workspace.cloud, session, { outputs, signal })
    : runSession(workspace.cloud, session, action.action, { outputs, signal });
}

async function runCommand(
  { title, command }: ScriptStep,
  action: Exclude<ScriptStep["action"], Scaling>,
  { workspace, config }: StepContext,
): Promise<RehearsedStep> {
  const isUp = action.kind === "up";
  if (isUp) workspace.configure([...config, ...action.config]);
  const before = await workspace.resources();
  const outcome = isUp ? await workspace.up() : await workspace.destroy();
  const after = isUp ? await workspace.resources() : [];
  const changes = changesOf(outcome).filter(isCloudObject);
  return {
    ...{ title, command },
    succeeded: outcome.status === 0,
    changes: logicalChangesOf(outcome)
      .filter(isCloudObject)
      .map(({ op, type, name, diff }) => ({ op, type, name, paths: Object.keys(diff).sort() })),
    remarks: outcome.status === 0 ? [] : errorsOf(outcome),
    outputs: isUp ? outcome.outputs : {},
    secondsOnAws:
      estimateSeconds(workspace.cloud, after, timedChanges(changes, "create", "update")) +
      estimateSeconds(workspace.cloud, before, timedChanges(changes, "delete")),
  };
}

/** Whether a step concerns an object in the cloud, not a component or a provider. */
function isCloudObject({ custom, type }: { readonly custom: boolean; readonly type: string }): boolean {
  return custom && !type.startsWith("pulumi:");
}

function timedChanges(changes: readonly Step[], ...operations: readonly TimedChange["operation"][]): TimedChange[] {
  return changes.flatMap(({ urn, op }) => {
    const operation = operationOf(op);
    return operations.includes(operation) ? [{ urn, operation }] : [];
  });
}

function operationOf(op: string): TimedChange["operation"] {
  if (op.startsWith("delete")) return "delete";
  return op.startsWith("create") ? "create" : "update";
}

function errorsOf({ diagnostics, cliOutput }: Outcome): string[] {
  const errors = diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
  const causes = [...new Set(errors)].filter((message) => !/^(update|destroy) failed$/.test(message));
  return causes.length > 0 ? causes : [cliOutput || "The Pulumi CLI failed without an error message."];
}

/** The operation on a resource. */
export interface TimedChange {
  readonly urn: string;
  readonly operation: "create" | "update" | "delete";
}

/**
 * Estimates how long operations take on AWS, in seconds: the longest chain of dependent resources, each with the usual
 * duration of its type.
 *
 * @param resources the resources of the state: after the run for creates, before the run for deletes
 */
export function estimateSeconds(
  cloud: SimulatedCloud,
  resources: readonly StateResource[],
  changes: readonly TimedChange[],
): number {
  const byUrn = new Map(resources.map((resource) => [resource.urn, resource]));
  const operations = new Map(changes.map(({ urn, operation }) => [urn, operation]));
  const own = ({ urn, type }: StateResource) => {
    const operation = operations.get(urn);
    return operation === undefined ? 0 : (cloud.modelOf(type).seconds?.[operation] ?? 1);
  };
  // Deletes run along the same chain in the opposite direction, which takes the same time.
  const known = new Map<string, number>();
  const until = (urn: string): number => {
    const found = known.get(urn);
    if (found !== undefined) return found;
    known.set(urn, 0);
    const resource = byUrn.get(urn);
    const seconds = resource ? own(resource) + Math.max(0, ...(resource.dependencies ?? []).map(until)) : 0;
    known.set(urn, seconds);
    return seconds;
  };
  return Math.max(0, ...resources.map(({ urn }) => until(urn)));
}
