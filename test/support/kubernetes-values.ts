import { isUnknown } from "../../components/core/reader/truth";
import {
  annotationKey,
  dataKey,
  dnsLabel,
  dnsSubdomain,
  labelKey,
  labelValue,
  portName,
  variableName,
} from "./kubernetes-names";
import type { Syntax } from "./kubernetes-names";
import { isQuantity, resourceProblems } from "./kubernetes-quantities";
import type { SchemaProblem } from "./kubernetes-schema";

type Values = Readonly<Record<string, unknown>>;
type Check = (value: unknown, path: string) => SchemaProblem[];

/** What the API server asks of the values of an object, by the name of its type in either model. */
export function valueProblems(type: string, object: Values, path: string): SchemaProblem[] {
  const name = type.replace(/^.*\.|^V\d+((alpha|beta)\d+)?/, "");
  const at = (key: string) => (path === "" ? key : `${path}.${key}`);
  const ofFields = Object.entries(object).flatMap(([key, value]) =>
    value === undefined || isUnknown(value) ? [] : (fields[`${name}.${key}`]?.(value, at(key)) ?? []),
  );
  return [...ofFields, ...(wholes[name]?.(object, path) ?? [])];
}

const oneOf =
  (...allowed: readonly string[]): Check =>
  (value, path) =>
    typeof value !== "string" || allowed.includes(value)
      ? []
      : [`${path}: must be one of ${allowed.filter((text) => text !== "").join(", ")}, is "${value}"`];

const from =
  (min: number, max = 2 ** 31 - 1): Check =>
  (value, path) =>
    typeof value !== "number" || (value >= min && value <= max)
      ? []
      : [`${path}: must be ${min} to ${max}, is ${value}`];

const text =
  (must: Syntax): Check =>
  (value, path) => {
    const fault = typeof value === "string" && !isUnknown(value) ? must(value) : undefined;
    return fault === undefined ? [] : [`${path}: ${fault}, is "${String(value)}"`];
  };

const port: Check = (value, path) => [...from(1, 65535)(value, path), ...text(portName)(value, path)];
const quantity = text((given) => (isQuantity(given) ? undefined : "must be a quantity"));

const map =
  (key: Syntax, value: Check = () => []): Check =>
  (given, path) =>
    Object.entries((given ?? {}) as Values).flatMap(([name, item]) => [
      ...text(key)(name, path),
      ...value(item, `${path}["${name}"]`),
    ]);

const labels = map(labelKey, text(labelValue));
const quantities = map(labelKey, quantity);
const protocol = oneOf("TCP", "UDP", "SCTP");
const effect = oneOf("", "NoSchedule", "PreferNoSchedule", "NoExecute");
const selectorOperators = ["In", "NotIn", "Exists", "DoesNotExist"];

/**
 * By type and field, for what is in use.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/
 */
const fields: Readonly<Record<string, Check>> = {
  "ObjectMeta.name": text(dnsSubdomain),
  "ObjectMeta.namespace": text(dnsLabel),
  "ObjectMeta.labels": labels,
  "ObjectMeta.annotations": map(annotationKey),
  "LabelSelector.matchLabels": labels,
  "LabelSelectorRequirement.operator": oneOf(...selectorOperators),
  "NodeSelectorRequirement.operator": oneOf(...selectorOperators, "Gt", "Lt"),
  "PodSpec.nodeSelector": labels,
  "PodSpec.restartPolicy": oneOf("Always", "OnFailure", "Never"),
  "PodSpec.dnsPolicy": oneOf("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
  "PodSpec.activeDeadlineSeconds": from(1),
  "PodSpec.terminationGracePeriodSeconds": from(0),
  "Taint.effect": effect,
  "Toleration.effect": effect,
  "Toleration.operator": oneOf("", "Exists", "Equal"),
  "TopologySpreadConstraint.whenUnsatisfiable": oneOf("DoNotSchedule", "ScheduleAnyway"),
  "Container.name": text(dnsLabel),
  "Container.imagePullPolicy": oneOf("Always", "IfNotPresent", "Never"),
  "Container.terminationMessagePolicy": oneOf("File", "FallbackToLogsOnError"),
  "EnvVar.name": text(variableName),
  "ContainerPort.name": text(portName),
  "ContainerPort.containerPort": from(1, 65535),
  "ContainerPort.hostPort": from(1, 65535),
  "ContainerPort.protocol": protocol,
  "HTTPGetAction.port": port,
  "HTTPGetAction.scheme": oneOf("HTTP", "HTTPS"),
  "TCPSocketAction.port": port,
  "ResourceRequirements.limits": quantities,
  "ResourceRequirements.requests": quantities,
  "SeccompProfile.type": oneOf("RuntimeDefault", "Localhost", "Unconfined"),
  "Volume.name": text(dnsLabel),
  "VolumeMount.mountPropagation": oneOf("None", "HostToContainer", "Bidirectional"),
  "HostPathVolumeSource.type": oneOf(
    ...["", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice"],
  ),
  "EmptyDirVolumeSource.medium": oneOf("", "Memory", "HugePages"),
  "EmptyDirVolumeSource.sizeLimit": quantity,
  "DeploymentSpec.replicas": from(0),
  "DeploymentStrategy.type": oneOf("Recreate", "RollingUpdate"),
  "DaemonSetUpdateStrategy.type": oneOf("RollingUpdate", "OnDelete"),
  "JobSpec.completionMode": oneOf("NonIndexed", "Indexed"),
  "JobSpec.completions": from(0),
  "JobSpec.parallelism": from(0),
  "JobSpec.backoffLimit": from(0),
  "JobSpec.backoffLimitPerIndex": from(0),
  "JobSpec.maxFailedIndexes": from(0, 100_000),
  "JobSpec.activeDeadlineSeconds": from(0),
  "JobSpec.ttlSecondsAfterFinished": from(0),
  "CronJobSpec.concurrencyPolicy": oneOf("Allow", "Forbid", "Replace"),
  "CronJobSpec.startingDeadlineSeconds": from(0),
  "ServiceSpec.type": oneOf("ClusterIP", "NodePort", "LoadBalancer", "ExternalName"),
  "ServiceSpec.selector": labels,
  "ServicePort.name": text(dnsLabel),
  "ServicePort.port": from(1, 65535),
  "ServicePort.targetPort": port,
  "ServicePort.protocol": protocol,
  "NetworkPolicyPort.port": port,
  "NetworkPolicyPort.protocol": protocol,
  "ConfigMap.data": map(dataKey),
};

/** What the values of one object must be together. */
const wholes: Readonly<Record<string, (object: Values, path: string) => SchemaProblem[]>> = {
  Container: ({ image }, path) => (image === undefined || image === "" ? [`${path}.image: is missing`] : []),
  ResourceRequirements: resourceProblems,
  Toleration: ({ key, operator, value, effect, tolerationSeconds }, path) => [
    ...(operator === "Exists" && (value ?? "") !== "" ? [`${path}.value: must be empty with Exists` as const] : []),
    ...(operator !== "Exists" && (key ?? "") === "" ? [`${path}.operator: must be Exists without a key` as const] : []),
    ...(tolerationSeconds !== undefined && effect !== "NoExecute"
      ? [`${path}.effect: must be NoExecute with tolerationSeconds` as const]
      : []),
  ],
  DeploymentStrategy: ({ type, rollingUpdate }, path) =>
    type === "Recreate" && rollingUpdate !== undefined ? [`${path}.rollingUpdate: must be left out with Recreate`] : [],
  RollingUpdateDeployment: ({ maxSurge = "25%", maxUnavailable = "25%" }, path) =>
    [maxSurge, maxUnavailable].every((given) => given === 0 || given === "0%")
      ? [`${path}.maxUnavailable: must not be 0 where maxSurge is`]
      : [],
  JobSpec: ({ completionMode, completions, backoffLimitPerIndex, maxFailedIndexes }, path) => [
    ...(completionMode === "Indexed" && completions === undefined ? [`${path}.completions: is missing` as const] : []),
    ...(completionMode !== "Indexed" && backoffLimitPerIndex !== undefined
      ? [`${path}.backoffLimitPerIndex: must be left out unless Indexed` as const]
      : []),
    ...(backoffLimitPerIndex === undefined && maxFailedIndexes !== undefined
      ? [`${path}.backoffLimitPerIndex: is missing` as const]
      : []),
  ],
};
