import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { access } from "./cluster";
import { kubeconfigOf } from "./control-plane";

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
