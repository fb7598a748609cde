import { CloudError } from "../../world/cloud-error";
import type { Reference, WorldObject } from "../../world/kind";
import { types } from "../types";

type Held = NonNullable<Reference["held"]>;

/** The refusal to delete what others are in. @param what e.g. `vpc 'vpc-1'` */
export function dependencies(what: string): CloudError {
  return new CloudError("DependencyViolation", `The ${what} has dependencies and cannot be deleted.`);
}

/** A VPC is not deleted while this is in it. */
export const holdsVpc = (vpc: WorldObject): CloudError => dependencies(`vpc '${vpc.id}'`);

/** A subnet is not deleted while this has a network interface in it. */
export const holdsSubnet = (subnet: WorldObject): CloudError => dependencies(`subnet '${subnet.id}'`);

/** A security group is not deleted while this has it or names it. */
export const holdsGroup = (group: WorldObject): CloudError =>
  new CloudError("DependencyViolation", `resource ${group.id} has a dependent object`);

export function toVpc(held?: Held): Reference {
  const missing = (id: string) => new CloudError("InvalidVpcID.NotFound", `The vpc ID '${id}' does not exist`);
  return { path: "vpcId", to: types.vpc, missing, ...(held && { held }) };
}

export function toSubnet(path: string, held?: Held): Reference {
  const missing = (id: string) => new CloudError("InvalidSubnetID.NotFound", `The subnet ID '${id}' does not exist`);
  return { path, to: types.subnet, missing, ...(held && { held }) };
}

export function toGroup(path: string, held?: Held): Reference {
  const missing = (id: string) => new CloudError("InvalidGroup.NotFound", `The security group '${id}' does not exist`);
  return { path, to: types.securityGroup, missing, ...(held && { held }) };
}

export function toRouteTable(path: string, held?: Held): Reference {
  const missing = (id: string) =>
    new CloudError("InvalidRouteTableID.NotFound", `The routeTable ID '${id}' does not exist`);
  return { path, to: types.routeTable, missing, ...(held && { held }) };
}
