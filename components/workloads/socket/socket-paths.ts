import * as v from "valibot";
import { normalPath } from "../../core/host-paths";
import { s } from "../../core/schema";

/** The directory of a node in which a lab may leave files. It is in memory, and the next boot removes it. */
export const scratchDirectory = "/run/eks-gpu-lab";

/** Whether a path is inside a directory. The directory itself is not. */
export function isInside(path: string, directory: string): boolean {
  return normalPath(path).startsWith(`${directory}/`);
}

/** Directories and sockets of container runtimes, of the kubelet and of the system, which no experiment may change. */
const runtimeDirectories: readonly string[] = [
  ...["/run/containerd", "/run/docker", "/run/crio", "/run/podman", "/run/buildkit", "/run/k3s", "/run/runc"],
  ...["/run/nvidia", "/run/dockershim.sock", "/run/docker.sock", "/run/cri-dockerd.sock", "/run/systemd", "/run/dbus"],
  ...["/var/lib/kubelet", "/var/lib/containerd", "/var/lib/docker", "/etc", "/dev", "/proc", "/sys"],
];

/** Whether the node needs the path, or a directory above it. */
export function isOfRuntime(path: string): boolean {
  const short = normalPath(path);
  return runtimeDirectories.some((directory) => short === directory || short.startsWith(`${directory}/`));
}

const example = `${scratchDirectory}/runtime.sock`;

/** An absolute path of plain characters, in a directory other than the root. */
export function socketPath() {
  const fix = `set {path} to a path such as "${example}"`;
  return v.pipe(
    s.text(fix),
    s.check((got: string, path) => {
      const short = normalPath(got);
      if (/^\/[\w.-]+(\/[\w.-]+)+$/.test(short) && short.length <= 200) return [];
      const why =
        "Must be an absolute path of up to 200 letters, digits, dots, dashes and underscores, in a directory other than the root.";
      return [{ code: "not-allowed", path, got, why, fix: fix.replace("{path}", path) }];
    }),
  );
}

/** A path that an experiment may change: inside the scratch directory. */
export function scratchPath() {
  return v.pipe(
    socketPath(),
    s.check((got: string, path) => {
      if (isInside(got, scratchDirectory)) return [];
      const fix = `set ${path} to a path inside ${scratchDirectory}, such as "${example}"`;
      const why = isOfRuntime(got)
        ? "The node needs this path: with a directory in its place, the container runtime or the kubelet could not start again."
        : `Must be inside ${scratchDirectory}: the experiment leaves a directory at the path.`;
      return [{ code: "not-allowed", path, got, why, fix }];
    }),
  );
}
