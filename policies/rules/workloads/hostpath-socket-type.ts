import type { Reader } from "../../../components/core/reader/reader";
import type { Reading } from "../../../components/core/reader/reading";
import { all, not, type Truth } from "../../../components/core/reader/truth";
import { texts } from "../../engine/parameters";
import { patchOf } from "../../engine/resource";
import { failIf, resourceRule, type Check } from "../../engine/rule";
import { isRuntimeSocket, isSocketPath } from "../../facts/host-paths";
import { isFaultOf, labStacks } from "../../facts/lab-faults";
import { each } from "../../facts/lists";
import { podKinds, podTemplate } from "../../facts/pods";

const persistentVolume = "kubernetes:core/v1:PersistentVolume";
/** It and what changes one. */
const persistentVolumes: readonly string[] = [persistentVolume, patchOf(persistentVolume)];

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
 * Without a type Kubernetes checks nothing, and the container runtime makes what is missing: a directory. With the type
 * Socket it is checked when the pod starts, but not when a container of it starts again, so only a mount of the
 * directory that holds the socket is safe. The runtime's own socket is missing while the runtime restarts, and with a
 * directory in its place it does not come back.
 * @see https://kubernetes.io/docs/concepts/storage/volumes/#hostpath-volume-types
 * @see https://github.com/kubernetes/kubernetes/issues/128814
 * @see https://github.com/containerd/containerd/issues/11609
 */
export const hostpathSocketType = resourceRule({
  id: "hostpath-socket-type",
  title: "A volume that mounts a socket of the node has the type Socket, and ordinary pods mount no runtime's socket.",
  severity: "critical",
  incident:
    "a pod mounted containerd.sock while containerd restarted: a directory took its place and the node was lost",
  types: [...podKinds, ...persistentVolumes],
  parameters: {
    allowNamespaces: texts(
      ["gpu-operator", "kube-system"],
      "Namespaces whose pods may mount the socket of the container runtime.",
    ),
    labStacks,
  },
  *judge(resource, { allowNamespaces, ...parameters }, surroundings) {
    const isMeant = isFaultOf("runtime-socket", parameters.labStacks, surroundings) === true;
    if (persistentVolumes.includes(resource.type)) {
      const claimed = resource.text("spec.claimRef.namespace");
      const outside = not(claimed.is((namespace) => allowNamespaces.includes(namespace)));
      yield* ofHostPath(resource.at("spec.hostPath"), outside, isMeant);
      return;
    }
    const pod = podTemplate(resource);
    const outside = pod.isOutside(allowNamespaces);
    yield* each(pod.volumes, (volume) => ofHostPath(volume.at("hostPath"), outside, isMeant));
  },
});

function* ofHostPath(hostPath: Reader, outside: Truth, isMeant: boolean): Iterable<Check> {
  const path = hostPath.text("path");
  const type = hostPath.choice("type", hostPathTypes);
  const isForbidden = all(path.is(isRuntimeSocket), outside);
  const isPath = path.is((text) => isSocketPath(text) && !(isMeant && !isRuntimeSocket(text)));
  const isUntyped = all(isPath, not(type.is((word) => word === "Socket")));
  yield failIf(isForbidden, () => ({
    path: path.path,
    got: "the socket of the container runtime",
    why: "Whoever can write to it is root on the node, and while the runtime restarts a directory can take its place, with which the node is lost.",
    fix: 'remove the volume, or add the namespace to "allowNamespaces" in the policy configuration',
  }));
  yield failIf(isForbidden !== true && isUntyped, () => ({
    path: type.path,
    got: type.shown,
    why: "If the socket is missing when a container starts, the container runtime makes a directory in its place, and what listens there cannot start again.",
    // The directory of a runtime's socket opens the node too, so its pods keep to the socket.
    fix: isOfRuntime(path)
      ? `set ${type.path} to Socket`
      : `mount the directory that holds the socket, or set ${type.path} to Socket, which is checked only when the pod starts`,
  }));
}

function isOfRuntime(path: Reading<string>): boolean {
  return path.is(isRuntimeSocket) === true;
}
