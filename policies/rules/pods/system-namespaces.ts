import { texts } from "../../engine/parameters";

/** Namespaces whose pods run the node itself: by default those of the GPU Operator, Kubernetes and the monitoring. */
export const systemNamespaces = texts(
  ["gpu-operator", "kube-system", "monitoring"],
  "Namespaces whose pods the rule leaves alone.",
);
