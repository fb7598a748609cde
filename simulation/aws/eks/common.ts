import { valuesAt } from "../../../components/core/reader/paths";
import type { Properties } from "../../../components/core/wire";
import { CloudError } from "../../cloud/errors";
import { propertyOf, type CloudObject, type DeletePolicy, type Reference, type CloudState } from "../../cloud/model";
import { types } from "../types";
import { stringOf } from "../values";

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
