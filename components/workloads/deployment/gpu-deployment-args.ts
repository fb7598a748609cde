import type { DeploymentArgs } from "@pulumi/kubernetes/apps/v1/deployment";
import type { ServiceArgs } from "@pulumi/kubernetes/core/v1/service";
import type { PriorityClassArgs } from "@pulumi/kubernetes/scheduling/v1/priorityClass";
import type { Transform } from "../../core/transform";
import { workloadImages } from "../../core/versions";
import { nobody } from "../shared/gpu-pod";
import type { GpuPriority } from "../shared/priority";
import { workloadDefaults, type WorkloadArgs } from "../shared/workload";

export type { GpuPriority };

export interface GpuDeploymentArgs extends WorkloadArgs {
  /**
   * Number of pods, 0 to 1000.
   * @default 1 - a g5.xlarge has one GPU
   */
  readonly replicas?: number;
  /**
   * Whole GPUs of each pod, all on one node: 1 to 16.
   * @default 1 - a g5.xlarge has one
   */
  readonly gpus?: number;
  /**
   * How a new revision takes the place of the old one. `in-place` ends one pod, then starts its successor on the GPU
   * that is free. `recreate` ends all pods first, so that no two revisions ever run together. `surge` is Kubernetes'
   * default, 25 % more and 25 % fewer: up to three replicas it ends no pod before the new one is ready, which needs a
   * free GPU, or it waits for ever.
   * @default "in-place" - it needs no spare GPU; the service pauses where there is one replica
   */
  readonly rollout?: "in-place" | "recreate" | "surge";
  /**
   * Host name of the one node that may run the pods. The scheduler then has that node's GPUs and no others, and when
   * the node is replaced the pods stay Pending for good: state `gpuProducts` where the model of GPU is what matters.
   * @default none - any node with a free GPU
   */
  readonly pinnedTo?: string;
  /**
   * Whether `surge` on one node is meant. On a node without a free GPU that rollout never ends.
   * @default false - it is refused
   */
  readonly allowDeadlock?: boolean;
  /**
   * Models of GPU that will do, as GPU feature discovery labels the nodes: `["NVIDIA-A10G"]`.
   * @default [] - any
   */
  readonly gpuProducts?: readonly string[];
  /**
   * Rank of the pods among those that wait for a GPU. Makes a PriorityClass `eks-gpu-lab-<name>`, which belongs to the
   * cluster, not to the namespace.
   * @default none - equal to all others, so that a pod that waits ends no other
   */
  readonly priority?: GpuPriority;
  /**
   * Names the revision of the pods. Another text rolls the Deployment over without another change. 1 to 200 characters.
   * @default "1" - the first
   */
  readonly revision?: string;
  /**
   * Seconds without progress after which Kubernetes calls a rollout failed; it goes on trying. 1 to 86400.
   * @default 600 - Kubernetes' own; a fresh node pulls its images first
   */
  readonly progressDeadlineSeconds?: number;
  /**
   * Image, by exact tag or digest. With an image of your own state `command` or `args`, or the image's own are run.
   * @default "nvcr.io/nvidia/cuda:12.4.1-base-ubuntu22.04" - with a small server that lists its GPUs
   */
  readonly image?: string;
  /** Command in place of the image's entry point. @default none - of the default image, the small server */
  readonly command?: readonly string[];
  /** Arguments of the command. @default none - the image's own */
  readonly args?: readonly string[];
  /** Environment variables. @default {} - PORT and REVISION are always there */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * TCP port of the server, in the pod and of the Service: 1 to 65535.
   * @default 8080 - what the small server listens on
   */
  readonly port?: number;
  /**
   * When a pod counts as ready: its port is open, `GET /` answers with 2xx or 3xx, or as soon as it runs.
   * @default "tcp" - any server does
   */
  readonly readiness?: "tcp" | "http" | "none";
  /** CPU kept for each pod, as Kubernetes writes amounts. @default "250m" - the small server idles */
  readonly cpu?: string;
  /** Memory kept for each pod, and its limit. @default "512Mi" - the small server needs a tenth; state it for a model */
  readonly memory?: string;
  /**
   * User that the pods run as; 0 is root, without its capabilities, for images that need it.
   * @default 65532 - nobody
   */
  readonly user?: number;
  /** Adjusts the underlying resources. @default none - they are made as described */
  readonly transform?: GpuDeploymentTransform;
}

/** Adjusts each underlying resource before it is made. */
export interface GpuDeploymentTransform {
  readonly deployment?: Transform<DeploymentArgs>;
  readonly service?: Transform<ServiceArgs>;
  readonly priorityClass?: Transform<PriorityClassArgs>;
}

export const gpuDeploymentDefaults = {
  ...workloadDefaults,
  replicas: 1,
  gpus: 1,
  rollout: "in-place",
  allowDeadlock: false,
  gpuProducts: [],
  revision: "1",
  progressDeadlineSeconds: 600,
  image: workloadImages.cuda,
  env: {},
  port: 8080,
  readiness: "tcp",
  cpu: "250m",
  memory: "512Mi",
  user: nobody,
} as const;
