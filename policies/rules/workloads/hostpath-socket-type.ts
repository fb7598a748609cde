import { texts } from "../../core/parameters";
import type { Reader } from "../../core/reader";
import { failIf, resourceRule, type Check } from "../../core/rule";
import { all, not, type Truth } from "../../core/unknown";
import { each } from "./each";
import { isRuntimeSocket, isSocketPath } from "./host-path";
import { podKinds, podTemplate } from "./pod-template";

const persistentVolume = "kubernetes:core/v1:PersistentVolume";

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
 * Without a type Kubernetes checks nothing, and the container runtime makes what is missing: a directory. The runtime's
 * own socket is missing while the runtime restarts, and with a directory in its place it does not come back.
 * @see https://kubernetes.io/docs/concepts/storage/volumes/#hostpath-volume-types
 * @see https://github.com/kubernetes/kubernetes/issues/52318
 */
export const hostpathSocketType = resourceRule({
  id: "hostpath-socket-type",
  title: "A volume that mounts a socket of the node has the type Socket, and ordinary pods mount no runtime's socket.",
  severity: "critical",
  incident:
    "a pod mounted containerd.sock while containerd restarted: a directory took its place and the node was lost",
  types: [...podKinds, persistentVolume],
  parameters: {
    allowNamespaces: texts(
      ["gpu-operator", "kube-system"],
      "Namespaces whose pods may mount the socket of the container runtime.",
    ),
  },
  *judge(resource, { allowNamespaces }) {
    if (resource.type === persistentVolume) {
      const claimed = resource.text("spec.claimRef.namespace");
      const outside = not(claimed.is((namespace) => allowNamespaces.includes(namespace)));
      yield* ofHostPath(resource.at("spec.hostPath"), outside);
      return;
    }
    const pod = podTemplate(resource);
    const outside = pod.isOutside(allowNamespaces);
    yield* each(pod.volumes, (volume) => ofHostPath(volume.at("hostPath"), outside));
  },
});

function* ofHostPath(hostPath: Reader, outside: Truth): Iterable<Check> {
  const path = hostPath.text("path");
  const type = hostPath.choice("type", hostPathTypes);
  yield failIf(all(path.is(isSocketPath), not(type.is((word) => word === "Socket"))), () => ({
    path: type.path,
    got: type.shown,
    why: "If the socket is missing when the pod starts, the container runtime makes a directory in its place, and what listens there cannot start again.",
    fix: `set ${type.path} to Socket, or mount the directory that holds the socket`,
  }));
  yield failIf(all(path.is(isRuntimeSocket), outside), () => ({
    path: path.path,
    got: "the socket of the container runtime",
    why: "Whoever can write to it is root on the node.",
    fix: 'remove the volume, or add the namespace to "allowNamespaces" in the policy configuration',
  }));
}
