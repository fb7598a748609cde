import { CloudError } from "../../cloud/errors";
import type { Reference, CloudObject } from "../../cloud/model";
import { types } from "../types";

type OnDelete = NonNullable<Reference["onDelete"]>;

/** The error of EC2 when an object cannot be deleted because others depend on it. @param subject e.g. `vpc 'vpc-1'` */
export function dependencyViolation(subject: string): CloudError {
  return new CloudError("DependencyViolation", `The ${subject} has dependencies and cannot be deleted.`);
}

/** Prevents the deletion of a VPC that contains the object. */
export const vpcInUse = (vpc: CloudObject): CloudError => dependencyViolation(`vpc '${vpc.id}'`);

/** Prevents the deletion of a subnet that contains a network interface of the object. */
export const subnetInUse = (subnet: CloudObject): CloudError => dependencyViolation(`subnet '${subnet.id}'`);

/** Prevents the deletion of a security group that the object uses or refers to. */
export const groupInUse = (group: CloudObject): CloudError =>
  new CloudError("DependencyViolation", `resource ${group.id} has a dependent object`);

export function vpcReference(onDelete?: OnDelete): Reference {
  const missing = (id: string) => new CloudError("InvalidVpcID.NotFound", `The vpc ID '${id}' does not exist`);
  return { path: "vpcId", to: types.vpc, missing, ...(onDelete && { onDelete }) };
}

export function subnetReference(path: string, onDelete?: OnDelete): Reference {
  const missing = (id: string) => new CloudError("InvalidSubnetID.NotFound", `The subnet ID '${id}' does not exist`);
  return { path, to: types.subnet, missing, ...(onDelete && { onDelete }) };
}

export function groupReference(path: string, onDelete?: OnDelete): Reference {
  const missing = (id: string) => new CloudError("InvalidGroup.NotFound", `The security group '${id}' does not exist`);
  return { path, to: types.securityGroup, missing, ...(onDelete && { onDelete }) };
}

export function routeTableReference(path: string, onDelete?: OnDelete): Reference {
  const missing = (id: string) =>
    new CloudError("InvalidRouteTableID.NotFound", `The routeTable ID '${id}' does not exist`);
  return { path, to: types.routeTable, missing, ...(onDelete && { onDelete }) };
}
