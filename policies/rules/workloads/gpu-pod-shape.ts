import { toleratesKey } from "../../../components/core/kubernetes";
import { all, any, compare, equals, not, some, type Reader, type Reading, type Truth } from "../../engine/values";
import { adviseAt, failAt, oneOf, patchOf, resourceRule, text, texts, type Check } from "../../engine/rule";
import { someOf } from "../../facts/lists";
import { requestsGpu, daemonSet, gpuEntries, isNotCount, podTypes, podsIn, quantity } from "../../facts/pods";
import type { Entry, PodTemplate } from "../../facts/pods";
import { requires, selectsBy } from "../../facts/scheduling";

/**
 * The limit assigns GPUs to a container. A request is optional and must be equal to the limit. Amounts are whole.
 *
 * EKS adds a toleration to a pod that requests `nvidia.com/gpu`: it tolerates taints with that key, any value and the effect
 * NoSchedule. For this taint a missing toleration is advice. A taint with another key or effect, a pod that requests only
 * MIG devices, and a claim of Dynamic Resource Allocation need the toleration.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#extendedresourcetoleration
 * @see https://docs.aws.amazon.com/eks/latest/userguide/platform-versions.html
 * @see https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/#using-device-plugins
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
 */
export const gpuPodShape = resourceRule({
  id: "gpu-pod-shape",
  title: "A pod that uses GPUs has a limit of whole GPUs and tolerates the taint of the GPU nodes.",
  severity: "high",
  incident:
    "a pod with a MIG device but no toleration stayed Pending while a GPU node was idle, and another pod ran without a GPU",
  types: podTypes,
  parameters: {
    taintKey: text("nvidia.com/gpu", "Key of the taint that keeps pods without a GPU off the GPU nodes."),
    taintEffect: oneOf(["NoSchedule", "NoExecute"], "NoSchedule", "Effect of that taint."),
    exemptNamespaces: texts(
      ["gpu-operator", "kube-system", "monitoring"],
      "Namespaces whose pods may run on GPU nodes without a GPU limit.",
    ),
  },
  *judge(resource, { taintKey, taintEffect, exemptNamespaces }) {
    const isForNodes = resource.type === daemonSet || resource.type === patchOf(daemonSet);
    for (const pod of podsIn(resource)) {
      yield* pod.eachContainer(amounts);
      yield* toleration(pod, taintKey, taintEffect);
      const isIdle = all(not(pod.someContainer(mentionsGpu)), not(hasClaims(pod)), pod.isOutside(exemptNamespaces));
      const isForGpu = any(wantsCuda(pod), !isForNodes && seeksGpuNodes(pod, taintKey));
      yield adviseAt(pod.spec.at("containers"), all(isIdle, isForGpu), {
        got: "no limit of nvidia.com/gpu",
        why: "The pod is meant for GPU nodes but requests no GPU. It runs without one, or sees the GPUs of other pods.",
        fix: 'set resources.limits["nvidia.com/gpu"] to 1 for the container that needs it',
      });
    }
  },
});

function* toleration(pod: PodTemplate, key: string, effect: string): Iterable<Check> {
  const tolerations = pod.spec.at("tolerations");
  const lacks = all(any(requestsGpu(pod), claimsGpu(pod)), not(toleratesKey(pod.tolerations, key, effect)));
  const isAdded = effect === "NoSchedule" && pod.someContainer((container) => requestsResource(container, key));
  const fault = {
    got: `no toleration of the taint ${key} with ${effect} of GPU nodes`,
    fix: `add { key: "${key}", operator: "Exists", effect: "${effect}" } to ${tolerations.path}`,
  };
  yield failAt(tolerations, all(lacks, not(isAdded)), {
    ...fault,
    why: "GPU nodes have a taint. The pod stays Pending while GPUs are idle, and the autoscaler adds no node for it.",
  });
  yield adviseAt(tolerations, all(lacks, isAdded), {
    ...fault,
    why: "EKS adds it to a pod that requests this resource. In a cluster without that plugin the pod stays Pending.",
  });
}

/** Whether a container requests a resource by this name, so that EKS adds a toleration with this key. */
function requestsResource(container: Reader, key: string): Truth {
  return someOf(gpuEntries(container, "limits"), ([name]) => name === key);
}

/** {@link amounts} already reports a wrong amount. */
function mentionsGpu(container: Reader): Truth {
  const kinds = ["limits", "requests"] as const;
  return some(kinds, (kind) => gpuEntries(container, kind).is(({ length }) => length > 0));
}

function* amounts(container: Reader): Iterable<Check> {
  const limits = gpuEntries(container, "limits");
  const requests = gpuEntries(container, "requests");
  for (const [, amount] of limits.value ?? []) {
    const limit = quantity(amount);
    yield failAt(limit, isNotCount(limit, 1), {
      why: "Kubernetes assigns only whole GPUs. With 0 the container gets none, and a CUDA image may see all GPUs of the node.",
      fix: `set ${limit.path} to a whole number of 1 or more, or remove it`,
    });
  }
  for (const [name, amount] of requests.value ?? []) yield* sameAsLimit(container, [name, amount]);
  // The lists themselves can be unknown.
  const isOpen = any(...[limits, requests].map((list) => list.is(() => false)));
  yield failAt(limits, isOpen, { why: "", fix: "" });
}

function* sameAsLimit(container: Reader, [name, amount]: Entry): Iterable<Check> {
  const request = quantity(amount);
  const limit = quantity(container.at(["resources", "limits", name]));
  const isAlone = all(not(request.isAbsent), limit.isAbsent);
  const differs = compare(request, limit, (requested, limited) => requested !== limited);
  yield failAt(request, any(isAlone, differs), {
    got: `${request.shown}, while ${limit.path} is ${limit.shown}`,
    why: "Kubernetes rejects a GPU request that differs from the limit.",
    fix: `remove ${request.path}, and set the number in ${limit.path}`,
  });
}

/** Whether a pod gets its GPU by dynamic resource allocation instead of a limit. */
function hasClaims(pod: PodTemplate): Truth {
  return someOf(pod.spec.list("resourceClaims"), () => true);
}

/** Whether the name of a claim, or of its template, says that it is for a GPU. Claims can be for other devices. */
function claimsGpu(pod: PodTemplate): Truth {
  const isForGpu = (name: Reading<string>) => name.is((text) => /gpu|mig-|nvidia|cuda/.test(text));
  const names = ["name", "resourceClaimName", "resourceClaimTemplateName"];
  return someOf(pod.spec.list("resourceClaims"), (claim) => some(names, (key) => isForGpu(claim.text(key))));
}

/** Whether pods select GPU nodes, or tolerate their taint. A toleration of every taint does not count. */
function seeksGpuNodes(pod: PodTemplate, taintKey: string): Truth {
  const isOfGpu = (label: string) => label.startsWith("nvidia.com/");
  const tolerates = someOf(pod.tolerations, (toleration) =>
    toleration.text("key").is((key) => key === taintKey || isOfGpu(key)),
  );
  return any(selectsBy(pod, isOfGpu), requires(pod, isOfGpu), tolerates);
}

/** Whether pods run something that needs a GPU. */
function wantsCuda(pod: PodTemplate): Truth {
  const runtime = equals(pod.spec.text("runtimeClassName"), "nvidia");
  const image = pod.someContainer((container) =>
    container.text("image").is((name) => /(^|[/_-])(cuda|vllm|vllm-openai|tritonserver|triton)([:@_-]|$)/.test(name)),
  );
  return any(runtime, image);
}
