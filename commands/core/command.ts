/** The environment of a command. All of its output uses these functions. */
export interface Console {
  /** Writes the command's result to standard output. */
  write(text: string): void;
  /** Writes errors and progress to standard error. */
  warn(text: string): void;
  /** What the user types or pipes. @default standard input */
  readonly input?: NodeJS.ReadableStream;
  readonly cwd: string;
  /** What the user types to run the tool. @default eks-gpu-lab */
  readonly program?: string;
  /** Ends the process without waiting for work that Ctrl-C left alone. @default it waits */
  readonly leave?: (status: number) => void;
  readonly terminal: { readonly isTTY?: boolean; readonly columns?: number };
}

/** Exit statuses of every command. */
export const exitStatus = {
  /** Success. */
  ok: 0,
  /** A mandatory rule fails. */
  rejected: 1,
  /** The input is invalid. The message contains key, value and fix. */
  wrongInput: 2,
  /** The tool or the program failed, or the result cannot be written. */
  failed: 3,
} as const;
