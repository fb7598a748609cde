import type { Stack } from "../../core/resource";
import { any, some, type Truth } from "../../core/unknown";
import { installers, installsChart } from "../operator/chart-reference";

const component = "eks-gpu-lab:index:ClusterAutoscaler";
const deployment = "kubernetes:apps/v1:Deployment";

/** Types by which a stack shows that a Cluster Autoscaler runs. */
export const clusterAutoscalerTypes: readonly string[] = [component, ...installers, deployment];

/** Whether a stack installs the Cluster Autoscaler, or makes the identity for one. */
export function hasClusterAutoscaler(stack: Stack): Truth {
  return any(
    stack.ofType(component).length > 0,
    some(stack.ofType(...installers), (chart) => installsChart(chart, "cluster-autoscaler")),
    some(stack.ofType(deployment), (one) =>
      one.text("metadata.name").is((name) => name.slice(0, 253).includes("cluster-autoscaler")),
    ),
  );
}
