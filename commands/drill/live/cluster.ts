import type { LocalCluster } from "../../../components/local/local-cluster";
import { shellText } from "../../../components/core/text";

/** The cluster of a drill. */
export type Cluster = Pick<LocalCluster, "context" | "confirm" | "kubeconfig" | "call">;

/** The start of a kubectl command for the cluster. */
export function kubectlFor({ context, kubeconfig }: Omit<Cluster, "call">): string {
  return command("kubectl", { context, kubeconfig });
}

/** The start of a command for a drill in the cluster. */
export function drillFor({ context, kubeconfig, confirm }: Omit<Cluster, "call">): string {
  return command("npx eks-gpu-lab drill", { context, kubeconfig, confirm });
}

function command(program: string, options: Readonly<Record<string, string | undefined>>): string {
  const words = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [shellText([`--${name}`, value])],
  );
  return [program, ...words].join(" ");
}
