import type { PodArgs } from "@pulumi/kubernetes/core/v1/pod";
import { isPlainObject, join, keysOf, noObject, onlyKeys, trueOrFalse } from "../../core/checks";
import { withDefaults } from "../../core/defaults";
import { expiryProblems } from "../../core/faults";
import type { Problem } from "../../core/problems";
import { transformProblems, type Transform } from "../../core/transform";
import { workloadImages } from "../../core/versions";
import type { FaultArgs } from "../shared/faults";
import { imageProblems } from "../shared/images";
import { freeTextProblems, nodeNameProblems } from "../shared/names";
import { workloadDefaults, workloadKeys, workloadProblems, type WorkloadArgs } from "../shared/workload";
import { scratchDirectory, scratchPathProblems } from "./socket-paths";
import { labelsProblems } from "./socket-watch-args";

export interface SocketMountArgs extends WorkloadArgs, FaultArgs {
  /**
   * Path on the node, inside /run/eks-gpu-lab.
   * @default "/run/eks-gpu-lab/runtime.sock" - stands for the socket of a container runtime that just restarts
   */
  readonly path?: string;
  /**
   * Whether the volume has the type Socket, which is the remedy: the pod then waits until there is one.
   * @default false - the accident
   */
  readonly typed?: boolean;
  /**
   * Name of the node, one of those that `nodeSelector` picks: on any other the pod never starts.
   * @default none - any of them
   */
  readonly nodeName?: string;
  /**
   * Labels of the nodes that may take the pod: of such as can be thrown away.
   * @default {"tier":"gpu"} - the nodes of a GpuNodeGroup, which end with the session
   */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /**
   * Names this mount. Another text makes a new pod in place of the old one. 1 to 200 characters.
   * @default "1" - the first
   */
  readonly attempt?: string;
  /**
   * Image with ls, by exact tag or digest.
   * @default "docker.io/library/busybox:1.37.0@sha256:9db7b59979c38555a39def84a31fb98b5296952f9e3afd4f6f11f05b07adfab0" - 2 MB
   */
  readonly image?: string;
  /** Adjusts the underlying resource. @default none - it is made as described */
  readonly transform?: SocketMountTransform;
}

/** Adjusts the pod before it is made. */
export interface SocketMountTransform {
  readonly pod?: Transform<PodArgs>;
}

export const socketMountDefaults = {
  ...workloadDefaults,
  path: `${scratchDirectory}/runtime.sock`,
  typed: false,
  nodeSelector: { tier: "gpu" },
  attempt: "1",
  image: workloadImages.busybox,
} as const;

const socketMountKeys = keysOf<SocketMountArgs>({
  ...workloadKeys,
  expires: true,
  path: true,
  typed: true,
  nodeName: true,
  nodeSelector: true,
  attempt: true,
  image: true,
  transform: true,
});

/** Everything that is wrong with the arguments of a SocketMount. `at` leads the paths, `now` is for tests. */
export function socketMountProblems(args: SocketMountArgs, at = "", now = new Date()): Problem[] {
  if (!isPlainObject(args)) return noObject(at, args);
  const given: Readonly<Record<string, unknown>> = withDefaults(args, socketMountDefaults);
  return [
    ...onlyKeys(at, args, socketMountKeys),
    ...expiryProblems(join(at, "expires"), given["expires"], now),
    ...workloadProblems(given, at),
    ...scratchPathProblems(join(at, "path"), given["path"]),
    ...trueOrFalse(join(at, "typed"), given["typed"]),
    ...(given["nodeName"] === undefined ? [] : nodeNameProblems(join(at, "nodeName"), given["nodeName"])),
    ...labelsProblems(join(at, "nodeSelector"), given["nodeSelector"]),
    ...freeTextProblems(join(at, "attempt"), given["attempt"]),
    ...imageProblems(join(at, "image"), given["image"]),
    ...transformProblems(join(at, "transform"), args.transform, keysOf<SocketMountTransform>({ pod: true })),
  ];
}
