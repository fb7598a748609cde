import { taintRepels, toleratesKey } from "../../../components/core/kubernetes";
import type { Reading } from "../../engine/values";
import { all, any, compare, equals, not, some, type Reader, type Truth } from "../../engine/values";
import { adviseAt, failAt, onEach, oneOf, text, texts, withPatch, type ValuesOf } from "../../engine/rule";
import type { Check, Resource, Stack } from "../../engine/rule";
import { clusterRule } from "../../facts/each-cluster";
import { gpuGroups, groupTypes, type GpuGroup } from "../../facts/gpu-capacity";
import { isInjected, labStacks } from "../../facts/lab-faults";
import { templateTypes } from "../../facts/launch-templates";
import { each, someOf } from "../../facts/lists";
import { maybeGpuGroups, taintsOf } from "../../facts/node-groups";
import { managedGroups, nodePools, selfManagedGroups } from "../../facts/node-sources";
import { requestsGpu, daemonSet, gpuEntries, podTypes, podsIn, quantity } from "../../facts/pods";
import type { Entry, PodTemplate } from "../../facts/pods";
import { repelsPod, requestsResource, requires, selects, selectsBy } from "../../facts/scheduling";
import { describeTaints, shownTaint, shownToleration, tolerationOf } from "../../facts/taint-texts";

const parameters = {
  taintKey: text("nvidia.com/gpu", "Key of the taint that keeps pods without a GPU off GPU nodes outside the program."),
  taintEffect: oneOf(["NoSchedule", "NoExecute"], "NoSchedule", "Effect of that taint."),
  exemptNamespaces: texts(
    ["gpu-operator", "kube-system", "monitoring"],
    "Namespaces whose pods may run on GPU nodes without a GPU limit.",
  ),
  labStacks,
};
type Given = ValuesOf<typeof parameters>;

/**
 * The limit assigns whole GPUs to a container. A request is optional, and must be equal to the limit.
 *
 * A pod must tolerate the taints of at least one of the GPU node groups and NodePools that it selects. If it selects
 * none, or if the program has self-managed GPU nodes, it must tolerate the taint in the parameters.
 *
 * EKS adds a toleration for taints with the key `nvidia.com/gpu` and the effect NoSchedule to a pod that requests this
 * resource. For this taint, a missing toleration gets only advice. Other taints, MIG devices and claims of Dynamic
 * Resource Allocation need the toleration.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#extendedresourcetoleration
 * @see https://docs.aws.amazon.com/eks/latest/userguide/platform-versions.html
 * @see https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/#using-device-plugins
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
 */
export const gpuPodShape = clusterRule({
  id: "gpu-pod-shape",
  title: "A pod that uses GPUs has a limit of whole GPUs and tolerates the taint of the GPU nodes.",
  severity: "high",
  incident:
    "a pod with a MIG device but no toleration stayed Pending while a GPU node was idle, and another pod ran without a GPU",
  types: [...podTypes, ...groupTypes, ...selfManagedGroups, ...templateTypes],
  parameters,
  *judge(stack, given, surroundings) {
    if (isInjected("no-node-comes", given.labStacks, surroundings) === true) return;
    const groups = groupsWithTaints(stack);
    yield* onEach(stack.ofType(...podTypes), (resource) => ofPods(resource, groups, given));
  },
});

/** The GPU groups for pods; none if the taints of some are in user data. */
function groupsWithTaints(stack: Stack): GpuGroup[] {
  const hasOthers = maybeGpuGroups(stack, selfManagedGroups).length > 0;
  return hasOthers ? [] : gpuGroups(stack, [...managedGroups, ...nodePools]);
}

function* ofPods(resource: Resource, groups: readonly GpuGroup[], given: Given): Iterable<Check> {
  const isForNodes = withPatch(daemonSet).includes(resource.type);
  for (const pod of podsIn(resource)) {
    yield* pod.eachContainer(amounts);
    yield* toleration(pod, groups, given);
    const hasClaims = someOf(pod.spec.list("resourceClaims"), () => true);
    const isIdle = all(not(pod.someContainer(mentionsGpu)), not(hasClaims), pod.isOutside(given.exemptNamespaces));
    const isForGpu = any(wantsCuda(pod), !isForNodes && seeksGpuNodes(pod, given.taintKey));
    yield adviseAt(pod.spec.at("containers"), all(isIdle, isForGpu), {
      got: "no limit of nvidia.com/gpu",
      why: "The pod is meant for GPU nodes but requests no GPU. It runs without one, or sees the GPUs of other pods.",
      fix: 'set resources.limits["nvidia.com/gpu"] to 1 for the container that needs it',
    });
  }
}

function* toleration(pod: PodTemplate, groups: readonly GpuGroup[], given: Given): Iterable<Check> {
  const asks = any(requestsGpu(pod), claimsGpu(pod));
  if (asks === false) return;
  const { taintKey: key, taintEffect: effect } = given;
  const tolerations = pod.spec.at("tolerations");
  const selected = groups.map((group) => ({ group: group.group, isSelected: selects(pod, group) }));
  const lacksKey = not(toleratesKey(pod.tolerations, key, effect));
  const isAdded = effect === "NoSchedule" && requestsResource(pod, key);
  const byAny = (taint: Reader) => taintRepels(taint, pod.tolerations);
  const byOther = (taint: Reader) => repelsPod(pod, taint);
  const isStuck = isRepelled(selected, byOther, all(lacksKey, not(isAdded)));
  yield failAt(tolerations, all(asks, isStuck), {
    ...missing(tolerations.path, selected, byOther, given),
    why: "GPU nodes have a taint. The pod stays Pending while GPUs are idle, and the autoscaler does not add a node for it.",
  });
  yield adviseAt(tolerations, all(asks, isRepelled(selected, byAny, lacksKey), not(isStuck)), {
    ...missing(tolerations.path, selected, byAny, given),
    why: "EKS adds it to a pod that requests this resource. In a cluster without this admission plugin, the pod stays Pending.",
  });
}

/** A group, and whether pods select it. */
interface Selected {
  readonly group: Resource;
  readonly isSelected: Truth;
}

/** Whether every selected group repels a pod. Without one, the nodes are outside the program: `elsewhere` says whether they do. */
function isRepelled(groups: readonly Selected[], byTaint: (taint: Reader) => Truth, elsewhere: Truth): Truth {
  const isRepelling = ({ group }: Selected) => someOf(taintsOf(group), byTaint);
  const mayRun = some(groups, (one) => all(one.isSelected, not(isRepelling(one))));
  const isSomeRepelling = some(groups, (one) => all(one.isSelected, isRepelling(one)));
  return all(not(mayRun), any(elsewhere, isSomeRepelling));
}

/** The taints that repel a pod, by group, and the tolerations for one group. */
function missing(path: string, groups: readonly Selected[], byTaint: (taint: Reader) => Truth, given: Given) {
  const repelling = groups
    .filter(({ isSelected }) => isSelected !== false)
    .map(({ group }) => ({ group, taints: (taintsOf(group).value ?? []).filter((one) => byTaint(one) === true) }))
    .filter(({ taints }) => taints.length > 0);
  const { taintKey: key, taintEffect: effect } = given;
  const shown = repelling.map(({ group, taints }) => describeTaints(group, taints, shownTaint)).join(", and ");
  const tolerations = repelling[0]?.taints.map(shownToleration) ?? [tolerationOf(key, effect)];
  const taint = shown.includes(" and ") ? "taints" : "taint";
  const what = shown === "" ? `taint ${key} with ${effect} on GPU nodes` : `${taint} ${shown}`;
  return {
    got: `no toleration for the ${what}`,
    fix: `add ${tolerations.join(" and ")} to ${path}`,
  };
}

/** {@link amounts} already reports a wrong amount. */
function mentionsGpu(container: Reader): Truth {
  const kinds = ["limits", "requests"] as const;
  return some(kinds, (kind) => gpuEntries(container, kind).is(({ length }) => length > 0));
}

function* amounts(container: Reader): Iterable<Check> {
  yield* each(gpuEntries(container, "limits"), function* ([, amount]) {
    const limit = quantity(amount);
    const isPart = limit.is((number) => !Number.isSafeInteger(number) || number < 1);
    yield failAt(limit, any(limit.isMalformed, isPart), {
      why: "Kubernetes assigns only whole GPUs. With 0, the container gets none, and a CUDA image may see all GPUs of the node.",
      fix: `set ${limit.path} to a whole number of 1 or more, or remove it`,
    });
  });
  yield* each(gpuEntries(container, "requests"), (entry) => sameAsLimit(container, entry));
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
