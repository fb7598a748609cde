import { normalPath } from "../../components/core/host-paths";

/** Whether the name of a path is that of a socket. */
export function isSocketPath(path: string): boolean {
  return /\.sock(\.ttrpc)?$/.test(normalPath(path));
}

/** Whether a path is the socket of a container runtime, which gives root access to the node. */
export function isRuntimeSocket(path: string): boolean {
  return /\/(containerd|docker|dockershim|cri-dockerd|crio|podman|buildkitd)\.sock(\.ttrpc)?$/.test(normalPath(path));
}

/** Whether a path is one of these directories or inside it. `/` contains only itself. */
export function isWithin(path: string, directories: readonly string[]): boolean {
  const short = normalPath(path);
  return directories.map(normalPath).some((directory) => short === directory || short.startsWith(`${directory}/`));
}
