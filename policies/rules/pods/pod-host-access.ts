import type { Path, Reader } from "../../../components/core/reader/reader";
import { all, type Truth } from "../../../components/core/reader/truth";
import { failIf, resourceRule, type Check } from "../../engine/rule";
import { someOf } from "../../facts/lists";
import { podKinds, podTemplate, systemNamespaces } from "../../facts/pods";

/** Doors from a pod to its node, and what comes through. */
const ofPod: readonly (readonly [path: Path, why: string])[] = [
  ["hostNetwork", "The pod has the node's network: it reaches the node's own services and goes past network policies."],
  ["hostPID", "The pod sees every process of the node, and the secrets in their environments."],
  ["hostIPC", "The pod shares memory with the processes of the node."],
];

/**
 * A GPU needs none of these: the device plugin hands it to an ordinary container.
 * @see https://github.com/NVIDIA/k8s-device-plugin/issues/336
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/#baseline
 */
export const podHostAccess = resourceRule({
  id: "pod-host-access",
  title: "Outside system namespaces no pod has the powers of its node.",
  severity: "high",
  incident: "a privileged container was given 2 of the 8 GPUs of its node, and ran on all 8",
  types: podKinds,
  parameters: { allowNamespaces: systemNamespaces },
  *judge(resource, { allowNamespaces }) {
    const pod = podTemplate(resource);
    const outside = pod.isOutside(allowNamespaces);
    for (const [path, why] of ofPod) yield* isOn(pod.spec, path, why, outside);
    yield* pod.eachContainer((container) => ofContainer(container, outside));
  },
});

function* ofContainer(container: Reader, outside: Truth): Iterable<Check> {
  const privileged = "securityContext.privileged";
  yield* isOn(
    container,
    privileged,
    "The container is root on the node and sees all GPUs, whatever it was given.",
    outside,
  );
  const added = container.list("securityContext.capabilities.add");
  yield failIf(
    all(
      outside,
      someOf(added, (item) => item.text().is(isMighty)),
    ),
    () => ({
      path: added.path,
      got: "a capability that makes the container root on the node",
      why: "With SYS_ADMIN, SYS_MODULE or ALL a container can leave its namespaces and change the node.",
      fix: `remove it from ${added.path}`,
    }),
  );
}

function* isOn(block: Reader, path: Path, why: string, outside: Truth): Iterable<Check> {
  const given = block.boolean(path);
  yield failIf(
    all(
      outside,
      given.is((on) => on),
    ),
    () => ({
      path: given.path,
      got: given.shown,
      why,
      fix: `remove ${given.path}, or add the namespace to "allowNamespaces" in the policy configuration`,
    }),
  );
}

function isMighty(capability: string): boolean {
  return /^(CAP_)?(ALL|SYS_ADMIN|SYS_MODULE)$/i.test(capability);
}
