import { CloudError } from "../../cloud/errors";
import type { Reference, CloudObject } from "../../cloud/model";
import { types } from "../types";

/** The error of EC2 when an object cannot be deleted because others depend on it. @param subject e.g. `vpc 'vpc-1'` */
export function dependencyViolation(subject: string): CloudError {
  return new CloudError("DependencyViolation", `The ${subject} has dependencies and cannot be deleted.`);
}

/** The error of EC2 for a text that is no CIDR block. */
export function invalidCidr(given: string, parameter: string): CloudError {
  const message = `Value (${given}) for parameter ${parameter} is invalid. This is not a valid CIDR block.`;
  return new CloudError("InvalidParameterValue", message);
}

/** Prevents the deletion of a VPC that contains the object. */
export const vpcInUse = (vpc: CloudObject): CloudError => dependencyViolation(`vpc '${vpc.id}'`);

/** Prevents the deletion of a subnet that contains a network interface of the object. */
export const subnetInUse = (subnet: CloudObject): CloudError => dependencyViolation(`subnet '${subnet.id}'`);

/** Prevents the deletion of a security group that the object uses or refers to. */
export const groupInUse = (group: CloudObject): CloudError =>
  new CloudError("DependencyViolation", `resource ${group.id} has a dependent object`);

/** The reference of an input to a part of a network. @param error the code of EC2 without `.NotFound` */
function partReference(to: string, error: string, name: string) {
  const missing = (id: string) => new CloudError(`${error}.NotFound`, `The ${name} '${id}' does not exist`);
  return (path: string, onDelete?: Reference["onDelete"]): Reference => ({ path, to, missing, onDelete });
}

export const vpcReference = partReference(types.vpc, "InvalidVpcID", "vpc ID");
export const subnetReference = partReference(types.subnet, "InvalidSubnetID", "subnet ID");
export const groupReference = partReference(types.securityGroup, "InvalidGroup", "security group");
export const routeTableReference = partReference(types.routeTable, "InvalidRouteTableID", "routeTable ID");
