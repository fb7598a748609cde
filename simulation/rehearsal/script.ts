import type { Switch } from "../../stacks/run/lab";

/** One step of a rehearsal: what its user would do on AWS. */
export interface ScriptStep {
  readonly title: string;
  /** The command that the user types. */
  readonly command: string;
  readonly action:
    | { readonly kind: "up"; readonly config: readonly string[] }
    /** Runs a command that the stack has among its outputs. */
    | { readonly kind: "output"; readonly output: string }
    | { readonly kind: "destroy" };
}

export const destroyCommand = "pulumi destroy";

/** What a rehearsal turns on and off. */
export type RehearsedToggle = Pick<Switch, "name" | "config">;

/** The whole life of a lab: up, a session, each switch on and off, destroy. */
export function rehearsalScript(switches: readonly RehearsedToggle[]): ScriptStep[] {
  return [
    { title: "build the lab", command: "pulumi up", action: { kind: "up", config: [] } },
    session("start a session: GPU nodes up", "scaleUp"),
    ...switches.flatMap(({ name, config }): ScriptStep[] => {
      const set = config.map((text) => text.split("=")).map(([key, ...value]) => `${key} ${value.join("=")}`);
      const command = (verb: string, words: readonly string[]) =>
        `${words.map((word) => `pulumi config ${verb} --path ${word} && `).join("")}pulumi up`;
      const keys = config.map((text) => text.split("=")[0] ?? "");
      return [
        { title: `on: ${name}`, command: command("set", set), action: { kind: "up", config } },
        { title: `off: ${name}`, command: command("rm", keys), action: { kind: "up", config: [] } },
      ];
    }),
    session("end the session: GPU nodes down", "scaleDown"),
    { title: "take the lab away", command: destroyCommand, action: { kind: "destroy" } },
  ];
}

function session(title: string, output: string): ScriptStep {
  return { title, command: `$(pulumi stack output ${output})`, action: { kind: "output", output } };
}
