import type { ComponentResource } from "@pulumi/pulumi";
import { refuse, type Problem } from "./problems";

/**
 * Rejects a component whose chart or objects Pulumi would install into the cluster of the local kubeconfig. The
 * provider comes from the component's options or from its parent.
 *
 * @param argument the argument that installs the chart, if there is one
 * @param what what would be installed
 * @throws InputError when the component has no Kubernetes provider
 */
export function refuseWithoutProvider(
  subject: string,
  component: ComponentResource,
  argument: Pick<Problem, "path" | "got"> = { path: "provider", got: undefined },
  what = "the chart",
): void {
  if (component.getProvider("kubernetes:helm.sh/v3:Release")) return;
  const why = `The component has no Kubernetes provider, so Pulumi would install ${what} into the cluster of the local kubeconfig.`;
  const fix = "pass the provider of the cluster in the component's options: { provider: cluster.provider }";
  refuse(subject, [{ code: "missing", ...argument, why, fix }]);
}
