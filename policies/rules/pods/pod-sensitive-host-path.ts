import { normalPath } from "../../../components/core/host-paths";
import { all } from "../../engine/values";
import { failAt, resourceRule, texts } from "../../engine/rule";
import { isRuntimeSocket, isWithin } from "../../facts/host-paths";
import { each } from "../../facts/lists";
import { podsIn, podTypes, systemNamespaces } from "../../facts/pods";

/**
 * The rule hostpath-socket-type checks the sockets of container runtimes. This rule checks their directories.
 * @see https://kubernetes.io/docs/concepts/storage/volumes/#hostpath
 */
export const podSensitiveHostPath = resourceRule({
  id: "pod-sensitive-host-path",
  title: "Pods outside system namespaces do not mount system directories of the node.",
  severity: "medium",
  incident: "a clean-up job in /var/lib/kubelet/pods deleted databases whose volumes were still mounted there",
  types: podTypes,
  parameters: {
    allowNamespaces: systemNamespaces,
    directories: texts(
      [
        ...["/boot", "/dev", "/etc", "/lib/modules", "/proc", "/root", "/run/containerd", "/sys", "/usr"],
        ...["/var/lib/containerd", "/var/lib/kubelet"],
      ],
      "System directories, with everything below them. /, /run, /var, /var/lib and /lib are always included, without the paths below them.",
    ),
    harmless: texts(
      ["/dev/hugepages", "/dev/shm", "/etc/localtime", "/etc/timezone", "/sys/class/infiniband"],
      "Allowed paths below the system directories.",
    ),
  },
  *judge(resource, { allowNamespaces, directories, harmless }) {
    const isSensitive = (path: string) =>
      !isRuntimeSocket(path) &&
      !isWithin(path, harmless) &&
      (isWithin(path, directories) || parents.includes(normalPath(path)));
    for (const pod of podsIn(resource))
      yield* each(pod.volumes, function* (volume) {
        const path = volume.text("hostPath.path");
        yield failAt(path, all(pod.isOutside(allowNamespaces), path.is(isSensitive)), {
          got: "a system directory of the node",
          why: "A pod that writes there changes the node and every other pod on it. A pod that reads there can get their secrets.",
          fix: "use a volume such as emptyDir, or a dedicated directory in /opt or /mnt",
        });
      });
  },
});

/** Directories that many pods use subdirectories of, such as a CSI driver in /var. */
const parents: readonly string[] = ["/", "/run", "/var", "/var/lib", "/lib"];
