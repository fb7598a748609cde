import type { CustomResourceArgs } from "@pulumi/kubernetes/apiextensions/customResource";
import type { Input } from "@pulumi/pulumi";
import { selectorLabels, workloadLabels } from "./workload";

/** Where Prometheus reads metrics, and what selects the ServiceMonitor. */
interface Monitored {
  readonly namespace: Input<string>;
  readonly monitorLabels: Readonly<Record<string, string>>;
  readonly endpoint: Readonly<Record<string, unknown>>;
}

/** The ServiceMonitor of a workload's Service. The job of its series is the name of the workload. */
export function serviceMonitor(
  workload: string,
  name: string,
  { namespace, monitorLabels, endpoint }: Monitored,
): CustomResourceArgs {
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: { name, namespace, labels: { ...monitorLabels, ...workloadLabels(workload, name) } },
    spec: {
      jobLabel: "app.kubernetes.io/name",
      selector: { matchLabels: selectorLabels(workload, name) },
      endpoints: [endpoint],
    },
  };
}
