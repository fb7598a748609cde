#!/usr/bin/env node
import module from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exitStatus, type Command } from "./command";
import { planCommand } from "./plan";

// Node 22.1 and later keep compiled code between runs: a third off the start.
(module as { enableCompileCache?: () => unknown }).enableCompileCache?.();

const commands: Readonly<Record<string, Command>> = { plan: planCommand };

async function main([name, ...args]: string[]): Promise<number> {
  if (name === "--version") {
    write(`${version()}\n`);
    return 0;
  }
  if (name === "--help" || name === "-h") {
    write(help());
    return 0;
  }
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    warn(name === undefined ? help() : `eks-gpu-lab: there is no command ${name}\n\n${help()}`);
    return exitStatus.wrongInput;
  }
  if (args.includes("--help") || args.includes("-h")) {
    write(command.help);
    return 0;
  }
  return command.run(args, { write, warn, cwd: process.cwd(), terminal: process.stdout });
}

function help(): string {
  const lines = Object.entries(commands).map(([name, command]) => `  ${name.padEnd(10)} ${command.summary}`);
  return `usage: eks-gpu-lab <command> [options]\n\n${lines.join("\n")}\n\neks-gpu-lab <command> --help lists a command's options.\n`;
}

function version(): string {
  const manifest = readFileSync(join(__dirname, "..", "package.json"), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

function write(text: string): void {
  process.stdout.write(text);
}

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
void main(process.argv.slice(2))
  .catch((error: unknown) => {
    warn(`eks-gpu-lab failed\n${error instanceof Error ? error.stack : String(error)}\n`);
    return exitStatus.failed;
  })
  .then((code) => {
    process.off("beforeExit", unfinished);
    process.exitCode = code;
  });
