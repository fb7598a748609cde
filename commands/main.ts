#!/usr/bin/env node
import module from "node:module";
import { basename } from "node:path";
import { exitStatus } from "./core/command";
import { eksGpuLab } from "./eks-gpu-lab";

// Node.js 22.1 and later keep compiled code between runs, which saves a third of the startup time.
(module as { enableCompileCache?: () => unknown }).enableCompileCache?.();

function warn(text: string): void {
  process.stderr.write(text);
}

let outputFailed = false;

/** A reader that closes the pipe early, such as `head`, has read enough. Any other error fails the command. */
function onOutputError({ code, message }: NodeJS.ErrnoException): void {
  if (code === "EPIPE" || outputFailed) return;
  outputFailed = true;
  process.exitCode = exitStatus.failed;
  warn(`eks-gpu-lab failed: standard output cannot be written: ${message}\n`);
}
process.stdout.on("error", onOutputError);
process.stderr.on("error", () => undefined); // There is no other place to report it.

// What a program or a policy pack prints is not a result of the command, and would spoil one that another program reads.
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

// Node.js exits silently when a program waits for a value that never resolves: treat that as a failure.
process.exitCode = exitStatus.failed;
let wasIdle = false;
/** What knows more, such as a recording, goes on when Node.js is idle for the first time. */
function unfinished(): void {
  if (wasIdle) warn("eks-gpu-lab: the program did not finish: it waits for a value that never resolves\n");
  else setImmediate(() => (wasIdle = true));
}
process.on("beforeExit", unfinished);

// A failed program may have more unhandled rejections than the reported one. They would exit with status 1.
process.on("unhandledRejection", () => undefined);

// Exits when all output is written, so that piped output is complete.
void eksGpuLab(process.argv.slice(2), {
  write: (text) => void write(text),
  warn,
  cwd: process.cwd(),
  // As a plugin, kubectl finds the tool under this name.
  program: /kubectl-gpu_lab/.test(basename(process.argv[1] ?? "")) ? "kubectl gpu-lab" : "eks-gpu-lab",
  leave: (status) => process.exit(status),
  terminal: process.stdout,
})
  .catch((error: unknown) => {
    warn(`eks-gpu-lab failed\n${error instanceof Error ? error.stack : String(error)}\n`);
    return exitStatus.failed;
  })
  .then((code) => {
    process.off("beforeExit", unfinished);
    process.exitCode = outputFailed ? exitStatus.failed : code;
    // A timer of the program would keep the process alive.
    write("", () => setImmediate(() => process.exit()));
  });
