import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { access } from "./cluster";
import { kubeconfigOf, type Access } from "./control-plane";

/** The administrator, or the user `reader`, whose rights each test sets. */
export type User = "admin" | "reader";

/** Writes a kubeconfig for a control plane. Returns its path. */
export function kubeconfigFile(user: User, found = access()): string {
  const file = join(found.folder, `kubeconfig-${user}`);
  writeFileSync(file, kubeconfigOf(found, user === "admin" ? found.adminToken : found.readerToken), { mode: 0o600 });
  return file;
}

/** Runs kubectl as the administrator. Returns what it prints on both outputs. */
export function kubectl(...args: readonly string[]): { readonly status: number | null; readonly text: string } {
  const run = spawnSync(access().program, ["kubectl", `--kubeconfig=${kubeconfigFile("admin")}`, ...args]);
  return { status: run.status, text: `${run.stdout.toString()}${run.stderr.toString()}` };
}

/** Runs a command as a page prints it, with `kubectl` for a control plane. @throws Error if it fails */
export function shell(found: Access, command: string): void {
  const folder = join(found.folder, "bin");
  mkdirSync(folder, { recursive: true });
  const script = `#!/bin/sh\nexec ${found.program} kubectl --kubeconfig=${kubeconfigFile("admin", found)} "$@"\n`;
  writeFileSync(join(folder, "kubectl"), script, { mode: 0o700 });
  const env = { ...process.env, PATH: [folder, process.env["PATH"]].join(delimiter) };
  const run = spawnSync("bash", ["-c", command], { env, encoding: "utf8" });
  if (run.status !== 0) throw new Error(`${command}: ${run.stdout}${run.stderr}`);
}
