import type { Reader } from "../../../components/core/reader/reader";
import { all, type Truth } from "../../../components/core/reader/truth";
import { texts } from "../../engine/parameters";
import { failIf, resourceRule } from "../../engine/rule";
import { containerAsksForGpu, podKinds, podTemplate } from "../../facts/pods";

/**
 * Only containers with a GPU: they are what a GPU node is for, and load data into its memory. A limit stands for a
 * request that is missing. A limit of CPU is not asked for: it slows data loaders down while cores are idle.
 * @see https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
 * @see https://github.com/aws/karpenter-provider-aws/issues/6670
 */
export const podResources = resourceRule({
  id: "pod-resources",
  title: "A container with a GPU states the memory and CPU that it needs.",
  severity: "low",
  incident: "g5 nodes ran out of memory although all stated requests fitted, went NotReady and could not be reached",
  types: podKinds,
  parameters: {
    limits: texts(["memory"], "Resources that need a limit."),
    requests: texts(["cpu", "memory"], "Resources that need a request or a limit."),
  },
  *judge(resource, { limits, requests }) {
    yield* podTemplate(resource).eachContainer(function* (container) {
      const hasGpu = containerAsksForGpu(container);
      for (const name of limits) {
        yield failIf(all(hasGpu, lacks(container, "limits", name)), () => ({
          path: container.at(["resources", "limits", name]).path,
          got: "nothing",
          why: "A container without it can take all of the node, and then the kubelet and the GPU's own pods end with it.",
          fix: `set resources.limits.${name}`,
        }));
      }
      for (const name of requests.filter((one) => !limits.includes(one))) {
        const absent = all(lacks(container, "requests", name), lacks(container, "limits", name));
        yield failIf(all(hasGpu, absent), () => ({
          path: container.at(["resources", "requests", name]).path,
          got: "nothing",
          why: "The scheduler counts it as 0, and puts more on the node than the node can carry.",
          fix: `set resources.requests.${name}`,
        }));
      }
    });
  },
});

function lacks(container: Reader, kind: "limits" | "requests", name: string): Truth {
  return container.text(["resources", kind, name]).isAbsent;
}
