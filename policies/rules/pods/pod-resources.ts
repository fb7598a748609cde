import { all } from "../../engine/values";
import { failAt, resourceRule, texts } from "../../engine/rule";
import { containerRequestsGpu, eachContainerOf, podTypes } from "../../facts/pods";

/**
 * The rule checks only containers with a GPU, which load data into the memory of the node. A limit is also the default
 * request. The rule requires no CPU limit, because it slows down data loaders while cores are idle.
 * @see https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
 * @see https://github.com/aws/karpenter-provider-aws/issues/6670
 */
export const podResources = resourceRule({
  id: "pod-resources",
  title: "A container with a GPU has memory and CPU requests and a memory limit.",
  severity: "low",
  incident: "nodes ran out of memory although all requests fitted; they became NotReady and unreachable",
  types: podTypes,
  parameters: {
    limits: texts(["memory"], "Resources that need a limit."),
    requests: texts(["cpu", "memory"], "Resources that need a request or a limit."),
  },
  *judge(resource, { limits, requests }) {
    yield* eachContainerOf(resource, function* (container) {
      const hasGpu = containerRequestsGpu(container);
      const given = (kind: "limits" | "requests", name: string) => container.text(["resources", kind, name]);
      for (const name of limits) {
        const limit = given("limits", name);
        yield failAt(limit, all(hasGpu, limit.isAbsent), {
          why: "Without a limit, the container can exhaust the node, which also stops the kubelet and the GPU Operator's pods.",
          fix: `set resources.limits.${name}`,
        });
      }
      for (const name of requests.filter((one) => !limits.includes(one))) {
        const request = given("requests", name);
        yield failAt(request, all(hasGpu, request.isAbsent, given("limits", name).isAbsent), {
          why: "The scheduler counts the request as 0 and places more pods on the node than fit.",
          fix: `set resources.requests.${name}`,
        });
      }
    });
  },
});
