import { all, equals, type Reader, type Reading, type Truth } from "../../engine/values";
import { failAt, resourceRule, type Check } from "../../engine/rule";
import { someOf } from "../../facts/lists";
import { podsIn, podTypes, systemNamespaces } from "../../facts/pods";

/** Settings that give a pod access to its node, and why they are a risk. */
const ofPod = {
  hostNetwork:
    "The pod uses the network of the node: it can reach the services of the node and bypasses network policies.",
  hostPID: "The pod sees all processes of the node, and the secrets in their environment variables.",
  hostIPC: "The pod shares memory with the processes of the node.",
};

/**
 * A GPU needs none of these settings: the device plugin assigns it to an ordinary container.
 * @see https://github.com/NVIDIA/k8s-device-plugin/issues/336
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/#baseline
 */
export const podHostAccess = resourceRule({
  id: "pod-host-access",
  title: "Pods outside system namespaces have no access to their node.",
  severity: "high",
  incident: "a privileged container with a limit of 2 GPUs used all 8 GPUs of its node",
  types: podTypes,
  parameters: { allowNamespaces: systemNamespaces },
  *judge(resource, { allowNamespaces }) {
    for (const pod of podsIn(resource)) {
      const outside = pod.isOutside(allowNamespaces);
      for (const [path, why] of Object.entries(ofPod)) yield isOff(pod.spec.boolean(path), why, outside);
      yield* pod.eachContainer((container) => ofContainer(container, outside));
    }
  },
});

function* ofContainer(container: Reader, outside: Truth): Iterable<Check> {
  const privileged = container.boolean("securityContext.privileged");
  yield isOff(privileged, "The container is root on the node and sees all GPUs, regardless of its limit.", outside);
  const added = container.list("securityContext.capabilities.add");
  const isRoot = someOf(added, (item) => item.text().is(givesRoot));
  yield failAt(added, all(outside, isRoot), {
    got: "a capability that gives root access to the node",
    why: "With SYS_ADMIN, SYS_MODULE or ALL, a container can leave its namespaces and change the node.",
    fix: `remove it from ${added.path}`,
  });
}

function isOff(given: Reading<boolean>, why: string, outside: Truth): Check {
  const fix = `remove ${given.path}, or add the namespace to "allowNamespaces" in the policy configuration`;
  return failAt(given, all(outside, equals(given, true)), { why, fix });
}

function givesRoot(capability: string): boolean {
  return /^(CAP_)?(ALL|SYS_ADMIN|SYS_MODULE)$/i.test(capability);
}
