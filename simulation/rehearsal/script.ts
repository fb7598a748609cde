import type { Toggle } from "../../stacks/run/lab";

/** A step of a rehearsal: what the user would do on AWS. */
export interface ScriptStep {
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
    { title: `on: ${name}`, command: [...set, "pulumi up"].join(" && "), action: { kind: "up", config } },
    { title: `off: ${name}`, command: [...remove, "pulumi up"].join(" && "), action: { kind: "up", config: [] } },
  ];
}

function sessionStep(title: string, output: string): ScriptStep {
  return { title, command: `$(pulumi stack output ${output})`, action: { kind: "output", output } };
}

function toolStep(title: string, action: "up" | "down"): ScriptStep {
  return { title, command: `npx eks-gpu-lab gpu ${action}`, action: { kind: "session", action } };
}
