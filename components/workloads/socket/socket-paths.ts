import { posix } from "node:path";
import { isOutput, requirePlainValue } from "../../core/outputs";
import type { Problem } from "../../core/problems";

/** The directory of a node in which a lab may leave what it likes. It is in memory and gone with the next boot. */
export const scratchDirectory = "/run/eks-gpu-lab";

/** A path in its one spelling: without `..`, `//` and a slash at its end, and below `/run`, to which `/var/run` is a link. */
export function normalPath(path: string): string {
  const short = posix.normalize(path.trim()).replace(/(?<=.)\/$/, "");
  return short.replace(/^\/var\/run(?=\/|$)/, "/run");
}

/** Whether a path lies inside a directory; the directory itself does not. */
export function isInside(path: string, directory: string): boolean {
  return normalPath(path).startsWith(`${directory}/`);
}

/** Where container runtimes and the kubelet keep their sockets, and what else of the node no experiment may touch. */
const runtimeDirectories: readonly string[] = [
  ...["/run/containerd", "/run/docker", "/run/crio", "/run/podman", "/run/buildkit", "/run/k3s", "/run/runc"],
  ...["/run/nvidia", "/run/dockershim.sock", "/run/docker.sock", "/run/cri-dockerd.sock", "/run/systemd", "/run/dbus"],
  ...["/var/lib/kubelet", "/var/lib/containerd", "/var/lib/docker", "/etc", "/dev", "/proc", "/sys"],
];

/** Whether a path is one that a node lives by, or lies below one. */
export function isOfRuntime(path: string): boolean {
  const short = normalPath(path);
  return runtimeDirectories.some((directory) => short === directory || short.startsWith(`${directory}/`));
}

const example = `${scratchDirectory}/runtime.sock`;

/** An absolute path of plain characters, with a directory above it that is not the root. */
export function pathProblems(path: string, got: unknown): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  const fix = `set ${path} to a path such as "${example}"`;
  if (typeof got !== "string") return [{ code: "wrong-type", path, got, why: "It must be a text.", fix }];
  const short = normalPath(got);
  if (/^\/[\w.-]+(\/[\w.-]+)+$/.test(short) && short.length <= 200) return [];
  const why =
    "It must be an absolute path of letters, digits, dots, dashes and underscores, below a directory of the root.";
  return [{ code: "not-allowed", path, got, why, fix }];
}

/** A path that an experiment may spoil: inside the scratch directory and nowhere else. */
export function scratchPathProblems(path: string, got: unknown): Problem[] {
  const problems = pathProblems(path, got);
  if (problems.length > 0 || isInside(String(got), scratchDirectory)) return problems;
  const fix = `set ${path} to a path inside ${scratchDirectory}, such as "${example}"`;
  const why = isOfRuntime(String(got))
    ? "The node lives by it: a directory in its place keeps the container runtime, or the kubelet, from ever starting again."
    : `The experiment leaves a directory there that nobody takes away; only ${scratchDirectory} is made for that.`;
  return [{ code: "not-allowed", path, got, why, fix }];
}
