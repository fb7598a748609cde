/** What a command may touch: everything it prints goes through here. */
export interface Console {
  /** To standard output: the command's result. */
  write(text: string): void;
  /** To standard error: complaints and progress. */
  warn(text: string): void;
  readonly cwd: string;
  readonly terminal: { readonly isTTY?: boolean; readonly columns?: number };
}

/** One command of the tool. */
export interface Command {
  /** A line for the list of commands. */
  readonly summary: string;
  /** The whole text of `--help`. */
  readonly help: string;
  /** @returns the exit status */
  run(args: readonly string[], console: Console): Promise<number>;
}

/** Exit statuses of every command. */
export const exitStatus = {
  /** Accepted. */
  ok: 0,
  /** A mandatory rule fails. */
  rejected: 1,
  /** The input is wrong; the message names key, value and fix. */
  wrongInput: 2,
  /** A failure of this tool or of the planned program. */
  failed: 3,
} as const;
