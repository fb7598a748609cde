import type { Series } from "../promtool";
import { always, ksm, step } from "./series";

/** Which container of a pod requests its GPUs. */
export type GpuContainer = "main" | "init" | "sidecar";

/** What one container requests. */
export function request(given: {
  namespace: string;
  pod: string;
  node: string;
  resource: string;
  uid?: string;
  kind?: GpuContainer | undefined;
  container?: string;
  values?: string;
}): Series {
  const { kind = "main", container = kind, values = always(1), node, resource, ...id } = given;
  const restart = kind === "sidecar" && { restart_policy: "Always" };
  const metric = kind === "main" ? "kube_pod_container_resource_requests" : "kube_pod_init_container_resource_requests";
  return {
    ...(kind !== "main" && ksm("kube_pod_init_container_info", { ...id, container, ...restart }, always(1))),
    ...ksm(metric, { ...id, container, node, resource, unit: "integer" }, values),
  };
}

/** A pod of a ReplicaSet of a Deployment. `waits` are the values of "the scheduler has no place for it". */
export function pod(
  name: string,
  given: {
    set: string;
    deployment?: string;
    waits?: string | undefined;
    resource?: string;
    node?: string;
    kind?: GpuContainer;
  },
): Series {
  const { set, deployment = "inference", waits, resource = "nvidia_com_gpu", node = "", kind } = given;
  const id = { namespace: "gpu-lab", pod: name, uid: `uid-${name}` };
  return {
    ...ksm(
      "kube_pod_owner",
      { ...id, owner_kind: "ReplicaSet", owner_name: set, owner_is_controller: "true" },
      always(1),
    ),
    ...ksm(
      "kube_replicaset_owner",
      {
        namespace: "gpu-lab",
        replicaset: set,
        owner_kind: "Deployment",
        owner_name: deployment,
        owner_is_controller: "true",
      },
      always(1),
    ),
    ...request({ ...id, node, resource, kind }),
    ...(waits !== undefined && ksm("kube_pod_status_unschedulable", id, waits)),
  };
}

/** With the rolling update that Kubernetes gives one replica, unless stated otherwise: surge 1, unavailable 0. */
export function deployment(
  given: { replicas?: string; updated?: string; stuck?: string; surge?: number; unavailable?: number } = {},
): Series {
  const id = { namespace: "gpu-lab", deployment: "inference" };
  return {
    ...ksm("kube_deployment_status_replicas", id, given.replicas ?? always(1)),
    ...ksm("kube_deployment_status_replicas_updated", id, given.updated ?? always(1)),
    ...ksm("kube_deployment_spec_strategy_rollingupdate_max_surge", id, always(given.surge ?? 1)),
    ...ksm("kube_deployment_spec_strategy_rollingupdate_max_unavailable", id, always(given.unavailable ?? 0)),
    ...ksm(
      "kube_deployment_status_condition",
      { ...id, reason: "ProgressDeadlineExceeded", condition: "Progressing", status: "false" },
      given.stuck ?? always(0),
    ),
  };
}

export interface JobSeries {
  /** A pod on each; a pod without a node has the name "". */
  readonly nodes: readonly string[];
  readonly pods: string;
  readonly failed?: string;
  readonly resource?: string;
  readonly kind?: GpuContainer;
  /** What owns its pods. @default "Job" */
  readonly owner?: string;
  /** Of which it is a run. */
  readonly cronJob?: string;
  /** @default "gpu-lab" */
  readonly namespace?: string;
}

/** A Job, which begins in minute 1. */
export function job(name: string, given: JobSeries): Series {
  const { resource = "nvidia_com_gpu", cronJob, kind, namespace = "gpu-lab" } = given;
  const run = { namespace, job_name: name };
  const pods = given.nodes.map((node, index) => {
    const id = { namespace, pod: `${name}-${index}`, uid: `uid-${name}-${index}` };
    const owner = { owner_kind: given.owner ?? "Job", owner_name: name, owner_is_controller: "true" };
    return {
      ...ksm("kube_pod_owner", { ...id, ...owner }, given.pods),
      ...request({ ...id, node, resource, kind, values: given.pods }),
      ...(node === "" && ksm("kube_pod_status_unschedulable", id, given.pods)),
    };
  });
  const its = {
    ...ksm("kube_job_failed", { ...run, condition: "true" }, given.failed ?? "_x180"),
    ...ksm("kube_job_created", run, always(60)),
    ...(cronJob !== undefined &&
      ksm("kube_job_owner", { ...run, owner_kind: "CronJob", owner_name: cronJob }, always(1))),
  };
  return Object.assign({}, ...pods, its) as Series;
}

/** A CronJob, by the minutes in which runs of it succeed. */
export function cronJob(name: string, first: number, then?: number, namespace = "gpu-lab"): Series {
  const values = then === undefined ? always(first * 60) : step(first * 60, then, then * 60);
  return ksm("kube_cronjob_status_last_successful_time", { namespace, cronjob: name }, values);
}
