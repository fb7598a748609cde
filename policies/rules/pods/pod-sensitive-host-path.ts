import { all } from "../../../components/core/reader/truth";
import { texts } from "../../engine/parameters";
import { failIf, resourceRule } from "../../engine/rule";
import { isRuntimeSocket, isWithin, normalPath } from "../../facts/host-paths";
import { each } from "../../facts/lists";
import { podKinds, podTemplate, systemNamespaces } from "../../facts/pods";

/**
 * The sockets of container runtimes are the business of hostpath-socket-type, the directories they are in are not.
 * @see https://kubernetes.io/docs/concepts/storage/volumes/#hostpath
 */
export const podSensitiveHostPath = resourceRule({
  id: "pod-sensitive-host-path",
  title: "Outside system namespaces no pod mounts the directories that the node lives by.",
  severity: "medium",
  incident: "a clean-up below /var/lib/kubelet/pods emptied the databases whose volumes were still mounted there",
  types: podKinds,
  parameters: {
    allowNamespaces: systemNamespaces,
    directories: texts(
      [
        "/boot",
        "/dev",
        "/etc",
        "/lib/modules",
        "/proc",
        "/root",
        "/run/containerd",
        "/sys",
        "/usr",
        "/var/lib/containerd",
        "/var/lib/kubelet",
      ],
      "Directories of the node that count, with all below them. The root, /run and /var count without what is below.",
    ),
    harmless: texts(
      ["/dev/hugepages", "/dev/shm", "/etc/localtime", "/etc/timezone", "/sys/class/infiniband"],
      "Paths below them that do not count.",
    ),
  },
  *judge(resource, { allowNamespaces, directories, harmless }) {
    const pod = podTemplate(resource);
    const isSensitive = (path: string) =>
      !isRuntimeSocket(path) &&
      !isWithin(path, harmless) &&
      (isWithin(path, directories) || holdsThem.includes(normalPath(path)));
    yield* each(pod.volumes, function* (volume) {
      const path = volume.text("hostPath.path");
      yield failIf(all(pod.isOutside(allowNamespaces), path.is(isSensitive)), () => ({
        path: path.path,
        got: "a directory that the node lives by",
        why: "What the pod writes there changes the node and every other pod on it, and what it reads holds their secrets.",
        fix: "mount a volume of the pod's own, such as emptyDir, or a directory made for it below /opt or /mnt",
      }));
    });
  },
});

/** Directories too common to count with all below, such as a CSI driver's in /var. */
const holdsThem: readonly string[] = ["/", "/run", "/var", "/var/lib", "/lib"];
