import type { ComponentResource } from "@pulumi/pulumi";
import { refuse, type Problem } from "./problems";

/**
 * Stops a component whose chart or objects would go into whichever cluster the local kubeconfig names. A provider
 * reaches it by its own options or through a parent.
 *
 * @param asked the argument that asks for the chart, where there is one
 * @param what is meant for the cluster
 * @throws InputError when no Kubernetes provider reaches the component
 */
export function refuseWithoutProvider(
  subject: string,
  component: ComponentResource,
  asked: Pick<Problem, "path" | "got"> = { path: "provider", got: undefined },
  what = "the chart",
): void {
  if (component.getProvider("kubernetes:helm.sh/v3:Release")) return;
  const why = `No Kubernetes provider reaches the component: ${what} would go into whichever cluster the local kubeconfig names.`;
  const fix = "pass the cluster's own in the component's options: { provider: cluster.provider }";
  refuse(subject, [{ code: "missing", ...asked, why, fix }]);
}
