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
      ...{ desiredNumberScheduled: 0, currentNumberScheduled: 0, numberReady: 0 },
      ...status.numbers("desiredNumberScheduled", "currentNumberScheduled", "numberReady"),
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
      ...{ replicas: 1, ...spec.numbers("replicas") },
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
      ...{ replicas: 0, readyReplicas: 0, updatedReplicas: 0 },
      ...status.numbers("replicas", "readyReplicas", "updatedReplicas"),
      conditions: readConditions(status.at("conditions")),
    },
  };
}
export type Deployment = ReturnType<typeof readDeployment>;

export function readReplicaSet(set: ObjectReader) {
  const status = set.at("status");
  return {
    kind: "ReplicaSet" as const,
    metadata: readMeta(set.at("metadata")),
    spec: { replicas: 1, ...set.at("spec").numbers("replicas") },
    status: { replicas: 0, ...status.numbers("replicas"), conditions: readConditions(status.at("conditions")) },
  };
}
export type ReplicaSet = ReturnType<typeof readReplicaSet>;

export function readJob(job: ObjectReader) {
  const [spec, status] = [job.at("spec"), job.at("status")];
  return {
    kind: "Job" as const,
    metadata: readMeta(job.at("metadata")),
    spec: {
      ...spec.numbers("parallelism", "completions", "activeDeadlineSeconds"),
      template: { spec: readPodSpec(spec.at("template").at("spec")) },
    },
    status: {
      ...status.texts("startTime"),
      ...status.numbers("active", "succeeded"),
      conditions: readConditions(status.at("conditions")),
    },
  };
}
export type Job = ReturnType<typeof readJob>;
