import { resolve } from "node:path";

export type Command = "preview" | "up" | "refresh" | "destroy";

/** What a command takes beside its name. */
export interface CommandOptions {
  /** Fails with status 7 when something changes or would change. @default false */
  readonly expectNoChanges?: boolean;
  /** Compares the state with the world first. @default false */
  readonly refresh?: boolean;
  /** Folders of policy packs. @default [] */
  readonly policyPacks?: readonly string[];
  /** Goes on with what does not depend on a failure. @default false */
  readonly continueOnError?: boolean;
  /** For a refresh: drops creates of which a killed run did not learn the end. @default false */
  readonly clearPendingCreates?: boolean;
  /** How many operations run at a time. @default 8 */
  readonly parallel?: number;
}

/** The arguments of the CLI. Events come as JSON; no command asks anything or previews first. */
export function commandLine(command: Command, options: CommandOptions): string[] {
  const { policyPacks = [], parallel } = options;
  return [
    command,
    "--non-interactive",
    "--json",
    ...(command === "preview" ? [] : ["--yes", "--skip-preview"]),
    ...(options.expectNoChanges ? ["--expect-no-changes"] : []),
    ...(options.refresh ? ["--refresh"] : []),
    ...(options.continueOnError ? ["--continue-on-error"] : []),
    ...(options.clearPendingCreates ? ["--clear-pending-creates"] : []),
    ...(parallel === undefined ? [] : ["--parallel", String(parallel)]),
    ...policyPacks.flatMap((pack) => ["--policy-pack", resolve(pack)]),
  ];
}
