#!/usr/bin/env node
import module from "node:module";
import { exitStatus } from "./command";
import { eksGpuLab } from "./eks-gpu-lab";

// Node 22.1 and later keep compiled code between runs: a third off the start.
(module as { enableCompileCache?: () => unknown }).enableCompileCache?.();

function warn(text: string): void {
  process.stderr.write(text);
}

// A program that waits for a value that never comes ends Node without a word: count that as a failure.
process.exitCode = exitStatus.failed;
const unfinished = () =>
  warn("eks-gpu-lab: the program ended without finishing: it waits for a value that never comes\n");
process.once("beforeExit", unfinished);

// A failed program may leave more rejections behind than the one that is reported; they would end Node with status 1.
process.on("unhandledRejection", () => undefined);

// The exit code is set, not forced: piped output is written out first.
void eksGpuLab(process.argv.slice(2), {
  write: (text) => void process.stdout.write(text),
  warn,
  cwd: process.cwd(),
  terminal: process.stdout,
})
  .catch((error: unknown) => {
    warn(`eks-gpu-lab failed\n${error instanceof Error ? error.stack : String(error)}\n`);
    return exitStatus.failed;
  })
  .then((code) => {
    process.off("beforeExit", unfinished);
    process.exitCode = code;
  });
