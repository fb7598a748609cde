import type { DeploymentArgs } from "@pulumi/kubernetes/apps/v1/deployment";
import type { ServiceArgs } from "@pulumi/kubernetes/core/v1/service";
import type { PriorityClassArgs } from "@pulumi/kubernetes/scheduling/v1/priorityClass";
import * as v from "valibot";
import { labelValue, quantity } from "../../core/kubernetes-names";
import type { Problem } from "../../core/problems";
import { s, defaultsOf, problemsIn, type GivenOf, type ValueOf } from "../../core/schema";
import { join } from "../../core/reader/paths";
import { transformOf, type Transform } from "../../core/transform";
import { workloadImages } from "../../core/versions";
import { command, environment, image, port, runName } from "../shared/container-schema";
import { nobody } from "../shared/gpu-pod";
import { priority } from "../shared/priority";
import { workloadArgs } from "../shared/workload";

/** Adjusts each underlying resource before it is made. */
export interface GpuDeploymentTransform {
  readonly deployment?: Transform<DeploymentArgs>;
  readonly service?: Transform<ServiceArgs>;
  readonly priorityClass?: Transform<PriorityClassArgs>;
}

/** The host name of a node, as in a label of the node. */
const hostName = v.pipe(
  labelValue(),
  s.check((got: string, path) => {
    if (got !== "") return [];
    const fix = `set ${path} to a host name such as "ip-192-168-1-2.ap-northeast-2.compute.internal", or remove it`;
    return [{ code: "not-allowed", path, got, why: "Must not be empty.", fix }];
  }),
);

/** A GPU model, as in a label of the node. */
const gpuProduct = s.matching(
  /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/,
  "up to 63 letters, digits, dots, dashes and underscores, beginning and ending with a letter or digit",
  'set {path} to a model as `kubectl get nodes -L nvidia.com/gpu.product` prints it, such as "NVIDIA-A10G"',
);

const deployment = s.section({
  ...workloadArgs.entries,
  /** Number of pods, 0 to 1000. @default 1 - a g5.xlarge has one GPU */
  replicas: s.optional(s.wholeNumber({ min: 0, max: 1000 }), 1),
  /** Whole GPUs of each pod, all on one node: 1 to 16. @default 1 - a g5.xlarge has one */
  gpus: s.optional(s.wholeNumber({ min: 1, max: 16 }), 1),
  /**
   * How a new revision replaces the old one.
   *
   * - `in-place` stops one pod, then starts its successor on the free GPU.
   * - `recreate` stops all pods first, so two revisions never run at the same time.
   * - `surge` is the default of Kubernetes: maxSurge and maxUnavailable of 25 %. With up to three replicas, no pod
   *   stops before the new one is ready. The new pod needs a free GPU; without one the rollout never ends.
   *
   * @default "in-place" - the rollout needs no spare GPU; with one replica the service pauses
   */
  rollout: s.optional(s.oneOf(["in-place", "recreate", "surge"]), "in-place"),
  /**
   * Host name of the one node that may run the pods. When the node is replaced, the pods stay Pending. Use `gpuProducts`
   * if only the model of GPU matters.
   *
   * @default none - any node with a free GPU
   */
  pinnedTo: s.optional(hostName),
  /**
   * Whether to allow `surge` on one node. On a node without a free GPU, this rollout never ends.
   * @default false - the combination is rejected
   */
  allowDeadlock: s.optional(s.flag(), false),
  /**
   * Models of GPU that the pods may use, as GPU feature discovery labels the nodes: `["NVIDIA-A10G"]`.
   * @default [] - any
   */
  gpuProducts: s.optional(s.list(gpuProduct, '["NVIDIA-A10G"]'), []),
  /**
   * Rank of the pods among those that wait for a GPU. Creates a PriorityClass `eks-gpu-lab-<name>-<value>`, which has no
   * namespace. A new value starts a rollout.
   *
   * @default none - the same rank as all other pods, so a pending pod does not evict other pods
   */
  priority: s.optional(priority),
  /**
   * Names the revision of the pods. A new name starts a rollout without another change. 1 to 200 characters.
   * @default "1" - the first
   */
  revision: s.optional(runName(), "1"),
  /**
   * Seconds without progress after which Kubernetes reports a rollout as failed; it keeps trying. 1 to 86400.
   * @default 600 - the default of Kubernetes; a new node pulls its images first
   */
  progressDeadlineSeconds: s.optional(s.wholeNumber({ min: 1, max: 86_400, unit: "seconds" }), 600),
  /**
   * Image, by exact tag or digest. With your own image the pods run `command` and `args`, or the command of the image.
   * @default "docker.io/nvidia/cuda:12.4.1-base-ubuntu22.04@sha256:0f6bfcbf267e65123bcc2287e2153dedfc0f24772fb5ce84afe16ac4b2fada95" - with a small server that lists its GPUs
   */
  image: s.optional(image(), workloadImages.cuda),
  /** Command in place of the image's entry point. @default none - the small server, with the default image */
  command: s.optional(command()),
  /** Arguments of the command. @default none - the image's own */
  args: s.optional(command()),
  /** Environment variables. @default {} - PORT and REVISION are always set */
  env: s.optional(environment(["PORT", "REVISION"]), {}),
  /**
   * TCP port of the server, in the pod and of the Service: 1 to 65535.
   * @default 8080 - the port of the small server
   */
  port: s.optional(port(), 8080),
  /**
   * When a pod is ready: `tcp`, its port is open; `http`, `GET /` answers with 2xx or 3xx; `none`, as soon as it runs.
   * @default "tcp" - any server works
   */
  readiness: s.optional(s.oneOf(["tcp", "http", "none"]), "tcp"),
  /** CPU request of each pod. @default "250m" - the small server is idle */
  cpu: s.optional(quantity("cpu"), "250m"),
  /** Memory request and limit of each pod. @default "512Mi" - the small server needs a tenth; set it for a model */
  memory: s.optional(quantity("memory"), "512Mi"),
  /**
   * User of the pods, 0 to 2147483647. User 0 is root, without its capabilities, for images that need it.
   * @default 65532 - nobody
   */
  user: s.optional(s.wholeNumber({ min: 0, max: 2_147_483_647 }), nobody),
  /** Adjusts an underlying resource. @default none - none is adjusted */
  transform: s.optional(transformOf<GpuDeploymentTransform>({ deployment: true, service: true, priorityClass: true })),
});

/** Arguments of a GpuDeployment. */
export const gpuDeployment = v.pipe(deployment, s.check(rolloutConflicts));

export interface GpuDeploymentArgs extends Readonly<GivenOf<typeof gpuDeployment>> {}

export const gpuDeploymentDefaults = defaultsOf(deployment);

function rolloutConflicts(args: ValueOf<typeof deployment>, at: string): Problem[] {
  const { rollout: got, pinnedTo, allowDeadlock } = args;
  if (got !== "surge" || pinnedTo === undefined || allowDeadlock) return [];
  const path = join(at, "rollout");
  const why =
    "The rollout would never end: the new pod needs a GPU of the node in pinnedTo, and with fewer than four replicas the old pod keeps it until the new one is ready.";
  const allow = `to see the deadlock, set ${join(at, "allowDeadlock")} to true`;
  const fix = `set ${path} to "in-place", or remove ${join(at, "pinnedTo")}; ${allow}`;
  return [{ code: "conflict", path, got, why, fix }];
}

/** Every problem in the arguments of a GpuDeployment. `at` is the prefix of the paths. */
export function gpuDeploymentProblems(args: GpuDeploymentArgs, at = ""): readonly Problem[] {
  return problemsIn(gpuDeployment, args, at);
}
