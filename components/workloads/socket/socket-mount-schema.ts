import type { PodArgs } from "@pulumi/kubernetes/core/v1/pod";
import { labels, nodeName } from "../../core/kubernetes-names";
import type { Problem } from "../../core/problems";
import { s, defaultsOf, problemsIn, type GivenOf } from "../../core/schema";
import { transformOf, type Transform } from "../../core/transform";
import { workloadImages } from "../../core/versions";
import { image, runName } from "../shared/container-schema";
import { faultArgs } from "../shared/faults";
import { workloadArgs } from "../shared/workload";
import { scratchDirectory, scratchPath } from "./socket-paths";

/** Adjusts the pod before it is made. */
export interface SocketMountTransform {
  readonly pod?: Transform<PodArgs>;
}

/** Arguments of a SocketMount. */
export const socketMount = s.section({
  ...workloadArgs.entries,
  ...faultArgs.entries,
  /**
   * Path on the node, inside /run/eks-gpu-lab.
   * @default "/run/eks-gpu-lab/runtime.sock" - stands in for the socket of a container runtime that is restarting
   */
  path: s.optional(scratchPath(), `${scratchDirectory}/runtime.sock`),
  /**
   * Whether the volume has the type Socket, which is the remedy: the pod then waits until the socket exists.
   * @default false - the fault
   */
  typed: s.optional(s.flag(), false),
  /**
   * Name of the node. `nodeSelector` must match it, or the pod never starts.
   * @default none - any node that nodeSelector matches
   */
  nodeName: s.optional(nodeName()),
  /**
   * Labels of the nodes that may run the pod. Choose nodes that you can replace.
   * @default {"tier":"gpu"} - the nodes of a GpuNodeGroup, which end with the session
   */
  nodeSelector: s.optional(labels('{ tier: "gpu" }'), { tier: "gpu" }),
  /**
   * Names this mount. A new name replaces the pod. 1 to 200 characters.
   * @default "1" - the first
   */
  attempt: s.optional(runName(), "1"),
  /**
   * Image with ls, by exact tag or digest.
   * @default "docker.io/library/busybox:1.37.0@sha256:9db7b59979c38555a39def84a31fb98b5296952f9e3afd4f6f11f05b07adfab0" - 2 MB
   */
  image: s.optional(image(), workloadImages.busybox),
  /** Adjusts an underlying resource. @default none - none is adjusted */
  transform: s.optional(transformOf<SocketMountTransform>({ pod: true })),
});

export interface SocketMountArgs extends Readonly<GivenOf<typeof socketMount>> {}

export const socketMountDefaults = defaultsOf(socketMount);

/** Every problem in the arguments of a SocketMount. `at` is the prefix of the paths. */
export function socketMountProblems(args: SocketMountArgs, at = ""): readonly Problem[] {
  return problemsIn(socketMount, args, at);
}
