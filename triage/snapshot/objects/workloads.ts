import { readConditions, readMeta } from "./common";
import { withoutUndefined } from "../../../components/core/reader/records";
import { type ObjectReader } from "./object-reader";
import { readPodSpec } from "./pod";

export function readDaemonSet(set: ObjectReader) {
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

export function readDeployment(deployment: ObjectReader) {
  const [spec, status] = [deployment.at("spec"), deployment.at("status")];
  const [strategy, rolling] = [spec.at("strategy"), spec.at("strategy").at("rollingUpdate")];
  return {
    kind: "Deployment" as const,
    metadata: readMeta(deployment.at("metadata")),
    spec: {
      replicas: spec.at("replicas").number() ?? 1,
      strategy: withoutUndefined({
        type: strategy.at("type").string(),
        rollingUpdate: rolling.exists
          ? withoutUndefined({
              maxSurge: rolling.at("maxSurge").numberOrString(),
              maxUnavailable: rolling.at("maxUnavailable").numberOrString(),
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

export function readReplicaSet(set: ObjectReader) {
  return {
    kind: "ReplicaSet" as const,
    metadata: readMeta(set.at("metadata")),
    spec: { replicas: set.at("spec").at("replicas").number() ?? 1 },
    status: {
      replicas: set.at("status").at("replicas").number() ?? 0,
      conditions: readConditions(set.at("status").at("conditions")),
    },
  };
}
export type ReplicaSet = ReturnType<typeof readReplicaSet>;

export function readJob(job: ObjectReader) {
  const [spec, status] = [job.at("spec"), job.at("status")];
  return {
    kind: "Job" as const,
    metadata: readMeta(job.at("metadata")),
    spec: withoutUndefined({
      parallelism: spec.at("parallelism").number(),
      completions: spec.at("completions").number(),
      activeDeadlineSeconds: spec.at("activeDeadlineSeconds").number(),
      template: { spec: readPodSpec(spec.at("template").at("spec")) },
    }),
    status: withoutUndefined({
      startTime: status.at("startTime").string(),
      active: status.at("active").number(),
      succeeded: status.at("succeeded").number(),
      conditions: readConditions(status.at("conditions")),
    }),
  };
}
export type Job = ReturnType<typeof readJob>;
