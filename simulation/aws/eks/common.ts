import { createHash } from "node:crypto";
import { valuesAt } from "../../../components/core/reader/paths";
import type { Properties } from "../../../components/core/wire";
import { types } from "../types";
import { stringOf } from "../values";
import { CloudError } from "../../cloud/errors";
import { propertyOf, type CloudObject, type DeletePolicy, type Reference, type CloudState } from "../../cloud/model";

/** The cluster with a name, which is its id. */
export function clusterNamed(cloud: CloudState, name: unknown): CloudObject | undefined {
  return cloud.get(types.cluster, stringOf(name));
}

/** The objects of a type that belong to a cluster. */
export function objectsOfCluster(cloud: CloudState, type: string, clusterName: string): CloudObject[] {
  return cloud.find(type, { clusterName });
}

/** The input that names a cluster. */
export function clusterReference(onDelete: DeletePolicy): Reference {
  return { path: "clusterName", to: types.cluster, missing: clusterNotFound, onDelete };
}

/** An input with the ARN of an object. EKS rejects a request that names one which does not exist. */
export function arnReference(path: string, to: string, message: (arn: string) => string): Reference {
  return { path, to, by: "arn", missing: (given) => invalidParameter(message(given)) };
}

export function clusterNotFound(name: string): CloudError {
  return new CloudError("ResourceNotFoundException", `No cluster found for name: ${name}.`);
}

/** The availability zones of the subnets at a path of the inputs, each once. */
export function zonesOf(cloud: CloudState, inputs: Properties, path: string): string[] {
  const zones = valuesAt(inputs, path).flatMap((id) => {
    const subnet = cloud.get(types.subnet, stringOf(id));
    return subnet ? [stringOf(propertyOf(subnet, "availabilityZone"))] : [];
  });
  return [...new Set(zones)];
}

/** The error of EKS for an invalid parameter. */
export function invalidParameter(explanation: string): CloudError {
  return new CloudError("InvalidParameterException", explanation);
}

/**
 * Hexadecimal digits that depend on a name and on the history of the cloud. A cluster that is recreated with the same name
 * gets another endpoint; the same run of a simulation gets the same digits.
 */
export function hexFor(cloud: CloudState, name: string, length: number): string {
  return createHash("sha256").update(`${name} ${cloud.history.length}`).digest("hex").slice(0, length);
}

/** A UUID from {@link hexFor}. */
export function uuidFor(cloud: CloudState, name: string): string {
  return hexFor(cloud, name, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** The date of the cloud in the format of AWS. */
export function timestampIn({ date }: CloudState): string {
  return timestampOf(date);
}

/** A date in the format of AWS, to the second. */
export function timestampOf(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, "Z");
}
