import { kindOf, readConditions } from "./common";
import { readPodSpec } from "./pod";
import { amount, each, number, numberOrZero, objectOf, optional, text, withDefault } from "./shape";

const template = objectOf({ spec: readPodSpec });
const oneReplica = withDefault(number, 1);

export const readDaemonSet = kindOf("DaemonSet", {
  spec: objectOf({ template }),
  status: objectOf(each(numberOrZero, "desiredNumberScheduled", "currentNumberScheduled", "numberReady")),
});
export type DaemonSet = ReturnType<typeof readDaemonSet>;

export const readDeployment = kindOf("Deployment", {
  spec: objectOf({
    replicas: oneReplica,
    strategy: objectOf({
      type: text,
      rollingUpdate: optional(objectOf({ maxSurge: amount, maxUnavailable: amount })),
    }),
  }),
  status: objectOf({
    ...each(numberOrZero, "replicas", "readyReplicas", "updatedReplicas"),
    conditions: readConditions,
  }),
});
export type Deployment = ReturnType<typeof readDeployment>;

export const readReplicaSet = kindOf("ReplicaSet", {
  spec: objectOf({ replicas: oneReplica }),
  status: objectOf({ replicas: numberOrZero, conditions: readConditions }),
});
export type ReplicaSet = ReturnType<typeof readReplicaSet>;

export const readJob = kindOf("Job", {
  spec: objectOf({ parallelism: number, completions: number, activeDeadlineSeconds: number, template }),
  status: objectOf({ startTime: text, active: number, succeeded: number, conditions: readConditions }),
});
export type Job = ReturnType<typeof readJob>;
