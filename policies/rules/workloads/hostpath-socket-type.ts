import { all, equals, not, type Reader, type Truth } from "../../engine/values";
import { failAt, resourceRule, texts, withPatch, type Check } from "../../engine/rule";
import { isRuntimeSocket, isSocketPath } from "../../facts/host-paths";
import { isInjected, labStacks } from "../../facts/lab-faults";
import { each } from "../../facts/lists";
import { podsIn, podTypes } from "../../facts/pods";

const persistentVolumes = withPatch("kubernetes:core/v1:PersistentVolume");

const hostPathTypes = [
  "Socket",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "CharDevice",
  "BlockDevice",
] as const;

/**
 * Without a type, Kubernetes checks nothing: if the socket is missing, a directory takes its place. A runtime whose
 * socket is a directory cannot start. With the type Socket, Kubernetes checks the path when the pod starts, but not
 * when a container restarts. Only a mount of the directory that contains the socket is always safe.
 * @see https://kubernetes.io/docs/concepts/storage/volumes/#hostpath-volume-types
 * @see https://github.com/kubernetes/kubernetes/issues/128814
 * @see https://github.com/containerd/containerd/issues/11609
 */
export const hostpathSocketType = resourceRule({
  id: "hostpath-socket-type",
  title:
    "A volume that mounts a socket of the node has the type Socket, and ordinary pods do not mount the runtime's socket.",
  severity: "critical",
  incident:
    "a pod mounted containerd.sock while containerd restarted; a directory took its place, and containerd never started again",
  types: [...podTypes, ...persistentVolumes],
  parameters: {
    allowNamespaces: texts(
      ["gpu-operator", "kube-system"],
      "Namespaces whose pods may mount the socket of the container runtime.",
    ),
    labStacks,
  },
  *judge(resource, { allowNamespaces, ...parameters }, surroundings) {
    const isIntended = isInjected("runtime-socket", parameters.labStacks, surroundings) === true;
    if (persistentVolumes.includes(resource.type)) {
      const claimed = resource.text("spec.claimRef.namespace");
      const outside = not(claimed.is((namespace) => allowNamespaces.includes(namespace)));
      yield* ofHostPath(resource.at("spec.hostPath"), outside, isIntended);
      return;
    }
    for (const pod of podsIn(resource)) {
      const outside = pod.isOutside(allowNamespaces);
      yield* each(pod.volumes, (volume) => ofHostPath(volume.at("hostPath"), outside, isIntended));
    }
  },
});

function* ofHostPath(hostPath: Reader, outside: Truth, isIntended: boolean): Iterable<Check> {
  const path = hostPath.text("path");
  const type = hostPath.choice("type", hostPathTypes);
  const isForbidden = all(path.is(isRuntimeSocket), outside);
  const isPath = path.is((text) => isSocketPath(text) && !(isIntended && !isRuntimeSocket(text)));
  const isUntyped = all(isPath, not(equals(type, "Socket")));
  yield failAt(path, isForbidden, {
    got: "the socket of the container runtime",
    why: "A process that can write to it is root on the node. If the pod starts while the runtime restarts, a directory takes its place and the runtime cannot start again.",
    fix: 'remove the volume, or add the namespace to "allowNamespaces" in the policy configuration',
  });
  yield failAt(type, isForbidden !== true && isUntyped, {
    why: "If the socket is missing when a container starts, the container runtime creates a directory in its place. The service that listens there then cannot start again.",
    fix:
      path.is(isRuntimeSocket) === true
        ? `set ${type.path} to Socket`
        : `mount the directory that contains the socket, or set ${type.path} to Socket, which Kubernetes checks only when the pod starts`,
  });
}
