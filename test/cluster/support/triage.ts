import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../../support/cli";
import { access } from "./cluster";
import { kubeconfigOf, type Access } from "./control-plane";

export interface LiveTriage {
  readonly status: number;
  /** What it says on standard error. */
  readonly err: string;
  /** Ids of its conclusions, the first cause first. */
  readonly conclusions: readonly string[];
  readonly unread: readonly { readonly what: string; readonly where: string; readonly why: string }[];
}

/** Runs `eks-gpu-lab triage` against the control plane, as the administrator or as the user `reader`. */
export async function triageLive(user: "admin" | "reader", ...args: readonly string[]): Promise<LiveTriage> {
  return triageOf(access(), user, args);
}

/** Runs `eks-gpu-lab triage` against a control plane. */
export async function triageOf(found: Access, user: "admin" | "reader", args: readonly string[]): Promise<LiveTriage> {
  const kubeconfig = join(found.folder, `kubeconfig-${user}`);
  const token = user === "admin" ? found.adminToken : found.readerToken;
  writeFileSync(kubeconfig, kubeconfigOf(found, token), { mode: 0o600 });
  const { status, out, err } = await runCli(["triage", ...args, "--json", "--kubeconfig", kubeconfig]);
  type Report = { conclusions?: readonly { id: string }[]; unread?: LiveTriage["unread"] };
  const { conclusions = [], unread = [] } = (out === "" ? {} : JSON.parse(out)) as Report;
  return { status, err, conclusions: conclusions.map(({ id }) => id), unread };
}
