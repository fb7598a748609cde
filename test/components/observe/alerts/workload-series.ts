import type { Series } from "../promtool";
import { always, ksm, step } from "./series";

/** A pod of a ReplicaSet of a Deployment. `waits` are the values of "the scheduler has no place for it". */
export function pod(
  name: string,
  given: { set: string; deployment?: string; waits?: string | undefined; resource?: string; node?: string },
): Series {
  const { set, deployment = "inference", waits, resource = "nvidia_com_gpu", node = "" } = given;
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
    ...ksm(
      "kube_pod_container_resource_requests",
      { ...id, container: "main", node, resource, unit: "integer" },
      always(1),
    ),
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
  /** Of which it is a run. */
  readonly cronJob?: string;
}

/** A Job, which begins in minute 1. */
export function job(name: string, given: JobSeries): Series {
  const { resource = "nvidia_com_gpu", cronJob } = given;
  const namespace = "gpu-lab";
  const run = { namespace, job_name: name };
  const pods = given.nodes.map((node, index) => {
    const id = { namespace, pod: `${name}-${index}`, uid: `uid-${name}-${index}` };
    const owner = { owner_kind: "Job", owner_name: name, owner_is_controller: "true" };
    const asked = { container: "main", node, resource, unit: "integer" };
    return {
      ...ksm("kube_pod_owner", { ...id, ...owner }, given.pods),
      ...ksm("kube_pod_container_resource_requests", { ...id, ...asked }, given.pods),
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
export function cronJob(name: string, first: number, then?: number): Series {
  const values = then === undefined ? always(first * 60) : step(first * 60, then, then * 60);
  return ksm("kube_cronjob_status_last_successful_time", { namespace: "gpu-lab", cronjob: name }, values);
}
