import { readConditions, readMeta } from "./common";
import { defined, type Cursor } from "./cursor";
import { readPodSpec } from "./pod";

export function readDaemonSet(set: Cursor) {
  const status = set.at("status");
  return {
    kind: "DaemonSet" as const,
    metadata: readMeta(set.at("metadata")),
    spec: { template: { spec: readPodSpec(set.at("spec").at("template").at("spec")) } },
    status: {
      desiredNumberScheduled: status.at("desiredNumberScheduled").number() ?? 0,
      currentNumberScheduled: status.at("currentNumberScheduled").number() ?? 0,
      numberReady: status.at("numberReady").number() ?? 0,
    },
  };
}
export type DaemonSet = ReturnType<typeof readDaemonSet>;

export function readDeployment(deployment: Cursor) {
  const [spec, status] = [deployment.at("spec"), deployment.at("status")];
  const [strategy, rolling] = [spec.at("strategy"), spec.at("strategy").at("rollingUpdate")];
  return {
    kind: "Deployment" as const,
    metadata: readMeta(deployment.at("metadata")),
    spec: {
      replicas: spec.at("replicas").number() ?? 1,
      strategy: defined({
        type: strategy.at("type").text(),
        rollingUpdate: rolling.there
          ? defined({
              maxSurge: rolling.at("maxSurge").amount(),
              maxUnavailable: rolling.at("maxUnavailable").amount(),
            })
          : undefined,
      }),
    },
    status: {
      replicas: status.at("replicas").number() ?? 0,
      readyReplicas: status.at("readyReplicas").number() ?? 0,
      updatedReplicas: status.at("updatedReplicas").number() ?? 0,
      conditions: readConditions(status.at("conditions")),
    },
  };
}
export type Deployment = ReturnType<typeof readDeployment>;

export function readReplicaSet(set: Cursor) {
  return {
    kind: "ReplicaSet" as const,
    metadata: readMeta(set.at("metadata")),
    spec: { replicas: set.at("spec").at("replicas").number() ?? 1 },
    status: { replicas: set.at("status").at("replicas").number() ?? 0 },
  };
}
export type ReplicaSet = ReturnType<typeof readReplicaSet>;

export function readJob(job: Cursor) {
  const [spec, status] = [job.at("spec"), job.at("status")];
  return {
    kind: "Job" as const,
    metadata: readMeta(job.at("metadata")),
    spec: defined({
      parallelism: spec.at("parallelism").number(),
      completions: spec.at("completions").number(),
      activeDeadlineSeconds: spec.at("activeDeadlineSeconds").number(),
      template: { spec: readPodSpec(spec.at("template").at("spec")) },
    }),
    status: defined({
      startTime: status.at("startTime").text(),
      conditions: readConditions(status.at("conditions")),
    }),
  };
}
export type Job = ReturnType<typeof readJob>;

export function readClaim(claim: Cursor) {
  return {
    kind: "PersistentVolumeClaim" as const,
    metadata: readMeta(claim.at("metadata")),
    spec: defined({ storageClassName: claim.at("spec").at("storageClassName").text() }),
    status: { phase: claim.at("status").at("phase").text() ?? "" },
  };
}
export type Claim = ReturnType<typeof readClaim>;
