import { CloudError } from "../../cloud/errors";
import type { Reference, CloudObject } from "../../cloud/model";
import { types } from "../types";

type Held = NonNullable<Reference["onDelete"]>;

/** The refusal to delete what others are in. @param what e.g. `vpc 'vpc-1'` */
export function dependencyViolation(what: string): CloudError {
  return new CloudError("DependencyViolation", `The ${what} has dependencies and cannot be deleted.`);
}

/** A VPC is not deleted while this is in it. */
export const vpcInUse = (vpc: CloudObject): CloudError => dependencyViolation(`vpc '${vpc.id}'`);

/** A subnet is not deleted while this has a network interface in it. */
export const subnetInUse = (subnet: CloudObject): CloudError => dependencyViolation(`subnet '${subnet.id}'`);

/** A security group is not deleted while this has it or names it. */
export const groupInUse = (group: CloudObject): CloudError =>
  new CloudError("DependencyViolation", `resource ${group.id} has a dependent object`);

export function vpcReference(held?: Held): Reference {
  const missing = (id: string) => new CloudError("InvalidVpcID.NotFound", `The vpc ID '${id}' does not exist`);
  return { path: "vpcId", to: types.vpc, missing, ...(held && { onDelete: held }) };
}

export function subnetReference(path: string, held?: Held): Reference {
  const missing = (id: string) => new CloudError("InvalidSubnetID.NotFound", `The subnet ID '${id}' does not exist`);
  return { path, to: types.subnet, missing, ...(held && { onDelete: held }) };
}

export function groupReference(path: string, held?: Held): Reference {
  const missing = (id: string) => new CloudError("InvalidGroup.NotFound", `The security group '${id}' does not exist`);
  return { path, to: types.securityGroup, missing, ...(held && { onDelete: held }) };
}

export function routeTableReference(path: string, held?: Held): Reference {
  const missing = (id: string) =>
    new CloudError("InvalidRouteTableID.NotFound", `The routeTable ID '${id}' does not exist`);
  return { path, to: types.routeTable, missing, ...(held && { onDelete: held }) };
}
