import { runCli } from "../../support/cli";
import { kubeconfigFile, type User } from "./kubeconfig";

export interface LiveTriage {
  readonly status: number;
  /** What it says on standard error. */
  readonly err: string;
  /** Ids of its conclusions, the first cause first. */
  readonly conclusions: readonly string[];
  /** The values of their evidence. */
  readonly evidence: readonly string[];
  readonly unread: readonly { readonly what: string; readonly where: string; readonly why: string }[];
}

/** Runs `eks-gpu-lab triage` against the control plane, as the administrator or as the user `reader`. */
export async function triageLive(user: User, ...args: readonly string[]): Promise<LiveTriage> {
  return triageWith(kubeconfigFile(user), args);
}

/** Runs `eks-gpu-lab triage` with a kubeconfig. */
export async function triageWith(kubeconfig: string, args: readonly string[]): Promise<LiveTriage> {
  const { status, out, err } = await runCli(["triage", ...args, "--json", "--kubeconfig", kubeconfig]);
  type Report = {
    conclusions?: readonly { id: string; evidence: readonly { value: string }[] }[];
    unread?: LiveTriage["unread"];
  };
  const { conclusions = [], unread = [] } = (out === "" ? {} : JSON.parse(out)) as Report;
  const evidence = conclusions.flatMap((one) => one.evidence.map(({ value }) => value));
  return { status, err, conclusions: conclusions.map(({ id }) => id), evidence, unread };
}
